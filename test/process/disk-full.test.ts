// A disk that runs full under load, a few bytes later each time, so that each kind of write is the one that fails. Whoever
// got an answer pays for it, whoever did not does not, and when there is room again everything goes on by itself.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { UsageView } from '#contract/schemas.ts'
import { balanceOf } from '../support/chat.ts'
import { setUpUpstream } from '../support/farebox.ts'
import { costlyAnswers } from '../support/load.ts'
import { paidCall, type PaidAnswer } from '../support/paid-calls.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { canMountSmallDisk, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { isLong } from '../support/cases.ts'

const ROUNDS = isLong ? 128 : 8
/** In the last round of so many the process is killed. */
const KILL_EVERY = isLong ? 8 : 4
/** The room that is left grows by this from round to round: by two pages of the database, or by four. */
const STEP_BYTES = isLong ? 8192 : 16_384
const CALLS = 24

let upstream: Upstream | undefined
let disk: SmallDisk | undefined

afterEach(async () => {
  await endProcesses()
  disk?.remove()
  await upstream?.close()
})

async function usage({ admin }: FareboxProcess): Promise<UsageView[]> {
  const records: UsageView[] = []
  for (let before: string | null | undefined; before !== null;) {
    const page = await admin.call('usage', { query: { limit: '1000', ...(before === undefined ? {} : { before }) } })
    records.push(...page.usage)
    before = page.next
  }
  return records
}

const micro = (credits: unknown) => Math.round(Number(credits) * 1_000_000)

async function expectSoundBooks(program: FareboxProcess, key: string): Promise<UsageView[]> {
  await expect.poll(async () => (await program.admin.call('status', {})).ledger, { timeout: 15_000 }).toBe('ok')
  const records = await usage(program)
  expect(await program.admin.call('verifyLedger', {})).toMatchObject({ ok: true, problems: [], open_holds: 0 })
  const balance = await balanceOf({ url: program.url, key })
  expect(balance).toMatchObject({ held_credits: 0, status: 'active' })
  expect(micro(balance['used_credits'])).toBe(records.reduce((sum, record) => sum + micro(record.charge_credits), 0))
  return records
}

describe.skipIf(!canMountSmallDisk)('a disk that is full', () => {
  it(`is survived ${ROUNDS} times, each at another write`, { timeout: 60_000 + ROUNDS * 10_000 }, async () => {
    const folder = join(await temporaryFolder(), 'disk')
    await mkdir(folder)
    disk = await mountSmallDisk(folder, '12m')
    const { place } = disk
    const dataDir = join(folder, 'data')
    upstream = await startUpstream()
    upstream.script(costlyAnswers())
    let program = await startProcess({ dataDir, place })
    await setUpUpstream(program, upstream.url, [{ name: 'plenty', type: 'topup', credits: 1000 }])
    const { key } = await program.admin.call('createKey', { body: { name: 'loaded', package: 'plenty' } })
    const answers: PaidAnswer[] = []
    for (let round = 0; round < ROUNDS; round++) {
      disk.fill(round * STEP_BYTES)
      const target = { url: program.url, key }
      const calls = Array.from({ length: CALLS }, (_, index) => paidCall(target, index % 2 === 0))
      answers.push(...(await Promise.all(calls)))
      // It may be killed in the middle of being full, too.
      const isKilled = round % KILL_EVERY === KILL_EVERY - 1
      if (isKilled) program.kill('SIGKILL')
      disk.clear()
      if (isKilled) {
        await program.exited
        program = await startProcess({ dataDir, place })
      }
      await expectSoundBooks(program, key)
      answers.push(await paidCall({ url: program.url, key }, false))
      expect(answers.at(-1)?.status).toBe(200)
    }
    const byId = new Map((await expectSoundBooks(program, key)).map((record) => [record.id, record]))
    const wrong = answers.filter(({ id, paidMicro }) => {
      return paidMicro !== undefined && micro(byId.get(id)?.charge_credits ?? 0) !== paidMicro
    })
    expect(wrong).toEqual([])
    // A stream whose end was missing brought its text all the same. Only what a kill interrupts is never charged.
    const isFree = ({ id }: PaidAnswer) => byId.get(id)?.charge_credits === 0 && byId.get(id)?.outcome !== 'interrupted'
    expect(answers.filter((answer) => answer.paidMicro === undefined && isFree(answer))).toEqual([])
    const refused = answers.filter(({ status }) => status === 503)
    const withheld = refused.filter(({ id }) => byId.get(id)?.outcome === 'failed')
    const cut = answers.filter(({ paidMicro }) => paidMicro === undefined)
    const completed = answers.filter(({ status, paidMicro }) => status === 200 && paidMicro !== undefined)
    console.log(
      `disk full ${ROUNDS} times: ${completed.length} answers completed and charged, ${withheld.length} withheld and not ` +
        `charged, ${cut.length} streams cut at their end, ${refused.length - withheld.length} calls refused before`,
    )
    for (const some of [completed, withheld, cut]) expect(some.length).toBeGreaterThan(0)
    expect(await program.stop()).toEqual({ code: 0, signal: null })
  })

  it.each([
    { reads: 'in transactions of many', isRead: false },
    // Whoever asks for usage has all calls before that put into the tables first.
    { reads: 'in a transaction of its own', isRead: true },
  ])(
    'is not filled by the log of the database where calls are kept $reads',
    { timeout: 120_000 },
    async ({ isRead }) => {
      const folder = join(await temporaryFolder(), 'disk')
      await mkdir(folder)
      disk = await mountSmallDisk(folder, '4m')
      const program = await startProcess({ dataDir: join(folder, 'data'), place: disk.place })
      upstream = await startUpstream()
      await setUpUpstream(program, upstream.url, [{ name: 'plenty', type: 'topup', credits: 1000 }])
      const { key } = await program.admin.call('createKey', { body: { name: 'loaded', package: 'plenty' } })
      const statuses: number[] = []
      for (let index = 0; index < 300; index++) {
        const { status } = await paidCall({ url: program.url, key }, false)
        statuses.push(status)
        if (isRead) await program.admin.call('usage', { query: { limit: '1' } })
      }
      expect(statuses.filter((status) => status !== 200)).toEqual([])
      expect(await expectSoundBooks(program, key)).toHaveLength(300)
    },
  )
})
