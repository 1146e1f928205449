// The promise of the ledger, against `kill -9`: an answer that a client has to its last byte was charged, exactly once and
// exactly right, whenever the process dies; and whatever it leaves behind, the next start puts right.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AdminClient } from '#cli/client.ts'
import type { UsageView } from '#contract/schemas.ts'
import { cases } from '../support/cases.ts'
import { balanceOf } from '../support/chat.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { callUntilDead, costlyAnswers, type Completed } from '../support/load.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { randomFrom } from '../support/random.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const KILLS = cases(4, 12, 1000)
/** Of how many answers there are before each kill. What else is going on by then is the machine's affair. */
const SEED = Number(process.env['FAREBOX_SEED'] ?? 31)
const CLIENTS = 16
/** The load has this many answers before the kill, at least and at most. */
const MIN_ANSWERS = 6
const MAX_ANSWERS = 60
const CREDITS = 1_000_000
const TOP_UP_CREDITS = 3

const random = randomFrom(SEED)
let upstream: Upstream
let dataDir: string

beforeEach(async () => {
  upstream = await startUpstream()
  upstream.script(costlyAnswers())
  dataDir = join(await temporaryFolder(), 'data')
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

async function newKey(admin: AdminClient): Promise<string> {
  return (await admin.call('createKey', { body: { name: 'loaded', package: 'plenty' } })).key
}

/** Tops the key up once for each round, however often it is asked to. */
function topUp(admin: AdminClient, round: number) {
  const body = { credits: TOP_UP_CREDITS, idempotency_id: `round-${round}` }
  return admin.call('topUpKey', { id: 'loaded', body })
}

async function allUsage(admin: AdminClient): Promise<UsageView[]> {
  const records: UsageView[] = []
  for (let before: string | null | undefined; before !== null;) {
    const page = await admin.call('usage', { query: { limit: '1000', ...(before === undefined ? {} : { before }) } })
    records.push(...page.usage)
    before = page.next
  }
  return records
}

/** Loads a Farebox, kills it at a random moment and starts the next one on its folder. */
async function killUnderLoad(program: FareboxProcess, key: string, round: number) {
  const completed: Completed[] = []
  const load = callUntilDead({ url: program.url, key }, CLIENTS, completed)
  const answers = Math.floor(MIN_ANSWERS + random() * (MAX_ANSWERS - MIN_ANSWERS))
  await expect.poll(() => completed.length).toBeGreaterThanOrEqual(answers)
  // Nobody waits for this one: the kill may come before, within or after it.
  const toppedUp = topUp(program.admin, round).catch(() => undefined)
  if (round % 2 === 0) await sleep(random() * 10)
  program.kill('SIGKILL')
  await program.exited
  await toppedUp
  await load
  const startedMs = performance.now()
  const next = await startProcess({ dataDir })
  return { completed, next, readyMs: performance.now() - startedMs }
}

async function expectSoundBooks({ url, admin }: FareboxProcess, key: string): Promise<void> {
  expect(await admin.call('verifyLedger', {})).toMatchObject({ ok: true, problems: [], open_holds: 0 })
  expect(await admin.call('status', {})).toMatchObject({ ledger: 'ok', held_credits: 0, open_exchanges: 0 })
  expect(await balanceOf({ url, key })).toMatchObject({ held_credits: 0, status: 'active' })
}

function micro(credits: unknown): number {
  return Math.round(Number(credits) * 1_000_000)
}

it(
  `has the charge of every completed answer after ${KILLS} kills under load (seed ${SEED})`,
  async () => {
    let program = await startProcess({ dataDir })
    await setUpUpstream(program, upstream.url, [{ name: 'plenty', type: 'topup', credits: CREDITS }])
    const key = await newKey(program.admin)
    const completed: Completed[] = []
    const readyMs: number[] = []
    for (let round = 1; round <= KILLS; round++) {
      const after = await killUnderLoad(program, key, round)
      program = after.next
      completed.push(...after.completed)
      readyMs.push(after.readyMs)
      await expectSoundBooks(program, key)
      await topUp(program.admin, round)
    }
    await expectSoundBooks(program, key)
    const records = await allUsage(program.admin)
    const byId = new Map(records.map((record) => [record.id, record]))
    expect(byId.size).toBe(records.length)
    const wrong = completed.filter(({ id, chargeMicro, isStream }) => {
      const record = byId.get(id)
      return (
        micro(record?.charge_credits) !== chargeMicro || record?.outcome !== 'answered' || record.stream !== isStream
      )
    })
    expect(wrong).toEqual([])
    const balance = await balanceOf({ url: program.url, key })
    const charges = records.map((record) => micro(record.charge_credits))
    expect(micro(balance['used_credits'])).toBe(charges.reduce((sum, charge) => sum + charge, 0))
    expect(balance).toMatchObject({
      total_credits: CREDITS + KILLS * TOP_UP_CREDITS,
      total_requests: records.length,
    })
    // Without these the loop would prove nothing: answers of both kinds were completed, and calls were interrupted.
    const interrupted = records.filter(({ outcome }) => outcome === 'interrupted').length
    const streams = completed.filter(({ isStream }) => isStream).length
    expect(Math.min(streams, completed.length - streams)).toBeGreaterThan(KILLS)
    expect(interrupted).toBeGreaterThan(KILLS)
    const slowest = Math.round(Math.max(...readyMs))
    const median = Math.round(readyMs.toSorted((a, b) => a - b)[Math.floor(KILLS / 2)] ?? 0)
    console.log(
      `${KILLS} kills: ${completed.length} completed answers checked (${streams} streams), ${interrupted} interrupted ` +
        `calls, ${records.length} usage records; ready again after ${median} ms, at most ${slowest} ms`,
    )
  },
  60_000 + KILLS * 10_000,
)
