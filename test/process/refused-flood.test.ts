// A flood of refused calls as a machine meets it: who floods, who calls honestly, and Farebox are processes of their own. What a flood leaves behind is
// in the ordinary suite; how long honest calls take is judged in the long form alone, which needs a machine that does nothing else.

import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { percentile } from '../bench/statistics.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import type { Called, Calls } from './flood-caller.ts'
import { isLong } from '../support/cases.ts'

/** Of each of the two. */
const REFUSED = isLong ? 100_000 : 400
const AT_A_TIME = 16
const HONEST_EVERY_MS = 20
const QUIET_CALLS = isLong ? 1000 : 20
const MAX_ROWS = 200
const MAX_GROWN_BYTES = 5_000_000
const MAX_SLOWER_MS = 10

const CALLER = fileURLToPath(new URL('flood-caller.ts', import.meta.url))

let folder: string
let upstream: Upstream
let program: FareboxProcess

beforeEach(async () => {
  folder = await temporaryFolder()
  upstream = await startUpstream()
  program = await startProcess({ dataDir: join(folder, 'data'), env: { RATE_LIMIT_WAIT: 'false' } })
  await setUpUpstream(program, upstream.url)
})
afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

/** Niceness of who floods, of at most 19: elsewhere that is another machine, which does not take the processors that honest calls are served with. */
const BEHIND = 10

/** Who calls, in a process of their own; `end` lets those end who have no number of calls. */
function call(calls: Omit<Calls, 'url'>, niceness = 0): { readonly called: Promise<Called>; end(): void } {
  const argument = JSON.stringify({ ...calls, url: program.url })
  const child = spawn(process.execPath, [CALLER, argument], { stdio: ['pipe', 'pipe', 'inherit'] })
  if (child.pid !== undefined) setPriority(child.pid, niceness)
  const called = text(child.stdout).then((line) => JSON.parse(line) as Called)
  return { called, end: () => child.stdin.end() }
}

async function newKey(name: string): Promise<string> {
  return (await program.admin.call('createKey', { body: { name, package: 'plenty' } })).key
}

const files = Array.from({ length: 2 }, (_, index) => `${index}.db`)

/** Of the database without its log. */
async function databaseBytes(): Promise<number> {
  const file = join(folder, files.shift() ?? 'last.db')
  await program.admin.call('backUp', { body: { file } })
  return statSync(file).size
}

it(
  'keeps rows and the database small, and every honest call is served as quickly',
  { timeout: isLong ? 3_600_000 : 120_000 },
  async () => {
    const message = { messages: [{ role: 'user', content: 'Hello' }] }
    const [honestKey, flooder] = [await newKey('honest'), await newKey('flooder')]
    const chat = (key: string, body: object) => ({ path: '/v1/chat/completions', key, body: JSON.stringify(body) })
    const honest = { sent: [chat(honestKey, { model: 'chat', ...message })], atATime: 1, everyMs: HONEST_EVERY_MS }
    await call({ ...honest, count: 200 }).called
    const quiet = await call({ ...honest, count: QUIET_CALLS }).called
    const before = await databaseBytes()

    const strangers = [`key_${'x'.repeat(43)}`, 'nonsense', ''].flatMap((key) =>
      ['/v1/chat/completions', '/v1/messages', '/v1/embeddings'].map((path) => ({ path, key, body: '{}' })),
    )
    const ofKey = [
      chat(flooder, { model: 'nobody-has-#', ...message }),
      chat(flooder, { model: 'chat', ...message, max_tokens: 'many-#' }),
    ]
    const beside = call({ ...honest, count: undefined })
    const refusedOf = async (sent: Calls['sent']) => {
      const { statuses } = await call({ sent, count: REFUSED, atATime: AT_A_TIME, everyMs: 0 }, BEHIND).called
      expect(statuses[200]).toBeUndefined()
      expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).toBe(REFUSED)
    }
    await refusedOf(strangers)
    await refusedOf(ofKey)
    beside.end()
    const during = await beside.called

    const { refused } = await program.admin.call('listRefused', { query: { limit: '1000' } })
    const counted = (key: string | null) =>
      refused.filter((row) => row.key === key).reduce((sum, { count }) => sum + count, 0)
    expect(refused.length).toBeLessThanOrEqual(2 * MAX_ROWS)
    expect([counted(null), counted('flooder')]).toEqual([REFUSED, REFUSED])
    const grownBytes = (await databaseBytes()) - before
    expect(grownBytes).toBeLessThan(MAX_GROWN_BYTES)

    // Each honest call was served, and is there.
    expect(Object.keys(during.statuses)).toEqual(['200'])
    const { totals } = await program.admin.call('usageReport', { query: { from: '24h', key: 'honest' } })
    expect(totals).toMatchObject({ requests: 200 + QUIET_CALLS + during.ids.length, failed: 0 })
    for (const id of [...during.ids.slice(0, 10), ...during.ids.slice(-10)]) {
      expect((await program.admin.call('why', { id })).receipt).not.toBeNull()
    }
    const ofFlooder = await program.admin.call('usage', { query: { key: 'flooder' } })
    expect(ofFlooder.usage).toEqual([])
    expect(await program.admin.call('verifyLedger', {})).toMatchObject({ ok: true, open_holds: 0 })

    if (!isLong) return
    const [quietMs, duringMs] = [percentile(quiet.ms, 99), percentile(during.ms, 99)]
    console.info(
      `2 x ${REFUSED} refused: ${refused.length} rows, ${grownBytes} bytes more with ${during.ids.length} honest calls, ` +
        `whose p99 is ${duringMs.toFixed(1)} ms, ${quietMs.toFixed(1)} ms before`,
    )
    expect(duringMs - quietMs).toBeLessThan(MAX_SLOWER_MS)
  },
)
