// Somebody who watches while calls run: the dashboard with its live events, and a scraper. What is scraped is kept.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { scrape, type Scrape } from './scrape.ts'

export type Reader = {
  /** Oldest first. */
  readonly pages: readonly { readonly atMs: number; readonly page: Scrape }[]
  /** Throws what went wrong meanwhile. */
  stop(): Promise<void>
}

const PAGES = ['/api/overview', '/api/usage?limit=50', '/api/keys', '/api/usage-report?from=7d&rollup=hour&group=model']

/** Scrapes every so many milliseconds and asks for a page of the dashboard each time. */
export function startReader(url: string, dataFolder: string, everyMs = 1000): Reader {
  const over = new AbortController()
  const headers = adminHeaders(dataFolder)
  const pages: { atMs: number; page: Scrape }[] = []
  const read = async () => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      pages.push({ atMs: performance.now(), page: await scrape(url, dataFolder) })
      const answer = await request(url + (PAGES[turn % PAGES.length] ?? ''), { headers })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`the dashboard was answered ${answer.statusCode}: ${text}`)
      await sleep(everyMs)
    }
  }
  const watch = async () => {
    const events = await request(`${url}/api/events`, { headers, signal: over.signal, bodyTimeout: 0 })
    for await (const _ of events.body);
  }
  // Nobody waits for them before the end, and a failure must not be called unhandled until then.
  const reading = read()
  reading.catch(() => undefined)
  const watching = watch().catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })
  watching.catch(() => undefined)
  return {
    pages,
    async stop() {
      over.abort()
      await Promise.all([reading, watching])
    },
  }
}

/** What proves to the admin API that somebody is on this machine. */
export function adminHeaders(dataFolder: string): Record<string, string> {
  const { token } = JSON.parse(readFileSync(join(dataFolder, 'instance.json'), 'utf8')) as { token: string }
  return { authorization: `Bearer ${token}` }
}
