// Somebody who calls in a process of their own, as `refused-flood.test.ts` needs it: told by one argument what to send and how often, and prints one line of
// JSON at its end, with how long each call took, what it was answered and by which id.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

export type Calls = {
  readonly url: string
  /** What is sent in turn; `#` in a body is the number of the call. */
  readonly sent: readonly { readonly path: string; readonly key: string; readonly body: string }[]
  /** How many calls; undefined: until the standard input ends. */
  readonly count: number | undefined
  readonly atATime: number
  /** Between the beginnings of two calls of one caller, in milliseconds. */
  readonly everyMs: number
}

export type Called = {
  readonly ms: readonly number[]
  readonly statuses: Readonly<Record<string, number>>
  /** Of those that were served. */
  readonly ids: readonly string[]
}

const { url, sent, count = Number.MAX_SAFE_INTEGER, atATime, everyMs } = JSON.parse(process.argv[2] ?? '') as Calls
const pool = new Pool(url, { connections: atATime })
const ms: number[] = []
const statuses: Record<string, number> = {}
const ids: string[] = []
let isOver = false
process.stdin.on('end', () => (isOver = true)).resume()
let next = 0

async function caller(): Promise<void> {
  for (let index = next++; index < count && !isOver; index = next++) {
    const { path, key, body } = sent[index % sent.length] ?? { path: '/', key: '', body: '' }
    const startedMs = performance.now()
    const headers = { 'content-type': 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) }
    const answer = await pool.request({ method: 'POST', path, headers, body: body.replace('#', String(index)) })
    await answer.body.dump()
    const tookMs = performance.now() - startedMs
    ms.push(tookMs)
    statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1
    if (answer.statusCode === 200) ids.push(String(answer.headers['x-request-id']))
    if (everyMs > tookMs) await sleep(everyMs - tookMs)
  }
}

await Promise.all(Array.from({ length: atATime }, caller))
await pool.close()
process.stdin.destroy()
process.stdout.write(
  `${JSON.stringify({ ms: ms.map((one) => Math.round(one * 100) / 100), statuses, ids } satisfies Called)}\n`,
)
