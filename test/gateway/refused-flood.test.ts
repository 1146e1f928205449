// Whoever asks and is refused again and again, a stranger or a key, fills no disk, pushes out no call that was served, and takes no
// place in the books.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { chat, post, startPair, type Pair } from './support.ts'
import { percentile } from '../bench/statistics.ts'
import { endProcesses, temporaryFolder } from '../support/process.ts'
import { isLong } from '../support/cases.ts'

/** Of each of the two. */
const REFUSED = isLong ? 100_000 : 1_500
const AT_A_TIME = 16
const HONEST_EVERY = isLong ? 500 : 50
const MAX_ROWS = 200
const MAX_GROWN_BYTES = 5_000_000
const QUIET_CALLS = 200

let pair: Pair
/** How long each honest call took during the flood. */
const honestMs: number[] = []

beforeEach(async () => {
  pair = await startPair({ env: { FAREBOX_RATE_LIMIT_WAIT: '0' } })
})

afterEach(async () => {
  await pair.close()
  await endProcesses()
})

/** Of the database without its log, which is written back at 16 MB whatever is in it. */
async function databaseBytes(): Promise<number> {
  const file = join(await temporaryFolder(), 'backup.db')
  await pair.farebox.admin.call('backUp', { body: { file } })
  return statSync(file).size
}

type Ways = { readonly attempt: (index: number) => Promise<Response>; readonly honest: () => Promise<Response> }

/** Of calls one after another, when nobody else calls. */
async function quietMs(honest: Ways['honest']): Promise<number[]> {
  const took: number[] = []
  for (let index = 0; index < (isLong ? QUIET_CALLS : 1); index++) {
    const startedMs = performance.now()
    await (await honest()).arrayBuffer()
    took.push(performance.now() - startedMs)
  }
  return took
}

/** Refused calls side by side with honest ones between them; resolves to the ids of these. */
async function flood({ attempt, honest }: Ways): Promise<string[]> {
  const ids: string[] = []
  let next = 0
  const attacker = async () => {
    for (let index = next++; index < REFUSED; index = next++) {
      const refused = await attempt(index)
      await refused.arrayBuffer()
      expect(refused.ok).toBe(false)
      if (index % HONEST_EVERY !== 0) continue
      const startedMs = performance.now()
      const served = await honest()
      await served.arrayBuffer()
      honestMs.push(performance.now() - startedMs)
      expect(served.status).toBe(200)
      ids.push(served.headers.get('x-request-id') ?? '')
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, attacker))
  return ids
}

it(
  'leaves a bounded number of rows, and every call that was served',
  { timeout: isLong ? 3_600_000 : 240_000 },
  async () => {
    const { farebox } = pair
    const honestKey = await farebox.newKey('plenty')
    const { key, id } = await farebox.admin.call('createKey', { body: { name: 'flooder', package: 'plenty' } })
    const honest = () => chat(farebox, honestKey)
    const quiet = await quietMs(honest)
    const before = await databaseBytes()

    const keys = [`key_${'x'.repeat(43)}`, `key_${'y'.repeat(43)}`, 'nonsense', '']
    const paths = ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings']
    const ofStrangers = await flood({
      attempt: (index) =>
        post(farebox, '{}', { key: keys[index % 4] ?? '', path: paths[Math.floor(index / 4) % 4] ?? '' }),
      honest,
    })
    const bodies = [
      (index: number) => ({ model: `nobody-has-${index}` }),
      (index: number) => ({ max_tokens: `many-${index}` }),
      () => ({ messages: 'none' }),
    ]
    const ofKey = await flood({ attempt: (index) => chat(farebox, key, bodies[index % 3]?.(index)), honest })

    const { refused } = await farebox.admin.call('listRefused', { query: { limit: '1000' } })
    expect(refused.length).toBeLessThanOrEqual(2 * MAX_ROWS)
    // The attacker, the provider and Farebox share one thread here, so that what honest calls wait is told and not judged.
    if (isLong)
      console.info(
        `${2 * REFUSED} refused: ${refused.length} rows, honest calls' p99 ${percentile(honestMs, 99).toFixed(1)} ms, ` +
          `${percentile(quiet, 99).toFixed(1)} ms before`,
      )
    const counted = (isCounted: (name: string | null) => boolean) =>
      refused.filter((row) => isCounted(row.key)).reduce((sum, { count }) => sum + count, 0)
    expect(counted((name) => name === null)).toBe(REFUSED)
    expect(counted((name) => name === 'flooder')).toBe(REFUSED)
    expect((await databaseBytes()) - before).toBeLessThan(MAX_GROWN_BYTES)

    // Each has its receipt, and no other call was charged.
    for (const requestId of [...ofStrangers, ...ofKey]) {
      const why = await farebox.admin.call('why', { id: requestId })
      expect(why.receipt).not.toBeNull()
    }
    const { usage } = await farebox.admin.call('usage', { query: { key: id, limit: '10' } })
    expect(usage).toEqual([])
    await expectSoundBooks(pair)
  },
)
