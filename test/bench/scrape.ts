// The figures of a running Farebox, as a scraper reads them from /metrics.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'

/** By name with labels, as they stand on the page. */
export type Scrape = ReadonlyMap<string, number>

/** What a Farebox must be started with to have figures. */
export const WITH_METRICS = { FAREBOX_METRICS: 'true' }

/** Connections to providers, and the thread that counts tokens, are kept for a while after the last call. */
export const KEPT_MS = 90_000

/** Throws when there is no page, which would make every figure 0. */
export async function scrape(url: string, dataFolder: string): Promise<Scrape> {
  const token = readFileSync(join(dataFolder, 'metrics.token'), 'utf8').trim()
  const answer = await request(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`/metrics answered ${answer.statusCode}: ${text}`)
  return new Map(
    text.split('\n').flatMap((line) => {
      const end = line.lastIndexOf(' ')
      return line.startsWith('#') || end === -1 ? [] : [[line.slice(0, end), Number(line.slice(end + 1))] as const]
    }),
  )
}

/** Throws where the page has no such figure. */
export function figure(page: Scrape, name: string): number {
  const value = page.get(name)
  if (value === undefined) throw new Error(`/metrics has no ${name}`)
  return value
}

/** How much of what a histogram counted between two pages was at most this bound, from 0 to 1. */
export function shareWithin(before: Scrape, after: Scrape, histogram: { name: string; bound: number }): number {
  const { name, bound } = histogram
  const grown = (part: string) => figure(after, name + part) - figure(before, name + part)
  return grown(`_bucket{le="${bound}"}`) / grown('_count')
}
