// A gateway that shares days exactly and is killed in the middle of a call: what it had leased counts until it comes back and tells what it charged.

import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endProcesses, startProcess, temporaryFolder } from '../support/process.ts'
import { DEAREST, Gateways, HOLD, pay, WAIT, type Gateway, type Key } from './gateways.ts'
import { expectSoundBudgets, expectSoundCommits, watchCommits } from './support.ts'

const EXACT = { FAREBOX_SHARED_LIMITS: 'exact', FAREBOX_HOLD_WAIT_MS: '500' }
const CALLS = 10

let gateways: Gateways

beforeAll(async () => {
  gateways = await Gateways.begin(1, { env: EXACT })
  await watchCommits(gateways.postgres)
})
afterAll(async () => {
  await endProcesses()
  await gateways.close()
})

/** Pays until it is refused, and says how often it was not. */
async function payAll(gateway: Pick<Gateway, 'url'>, key: Key): Promise<number> {
  let paid = 0
  while ((await pay(gateway as Gateway, key)) === 200) paid += 1
  return paid
}

it('leaves the others what it had not leased, and tells what it charged when it comes back', async () => {
  const first = gateways.all[0] as Gateway
  gateways.upstream.script(DEAREST)
  const limits = { credits_per_day: (CALLS * HOLD) / 1e6 }
  await first.admin.call('addMember', { body: { name: 'ada', packages: 'all', limits } })
  await first.admin.call('addPackage', { body: { name: 'large', type: 'topup', credits: 1 } })
  const key = await first.admin.call('createKey', { body: { name: 'of ada', package: 'large', owner: 'ada' } })
  const env = { ...EXACT, FAREBOX_DATABASE_URL: gateways.postgres.url }
  const dataDir = join(await temporaryFolder(), 'data')
  const other = await startProcess({ dataDir, env })
  for (let call = 0; call < 2; call += 1) expect(await pay(other as never, key)).toBe(200)
  gateways.upstream.once({ ...DEAREST, headersAfterMs: 600_000 })
  const running = pay(other as never, key).catch(() => undefined)
  await expect.poll(() => gateways.upstream.requests.length, WAIT).toBe(3)
  other.kill('SIGKILL')
  await Promise.all([other.exited, running])
  const budget = async () => (await gateways.postgres.query('SELECT * FROM farebox.budget'))[0]
  expect(Number((await budget())?.leased)).toBeGreaterThanOrEqual(HOLD)
  const meanwhile = await payAll(first, key)
  // Two were paid there, and for the third a lease was taken.
  expect(meanwhile).toBeGreaterThan(0)
  expect(meanwhile).toBeLessThanOrEqual(CALLS - 3)
  const again = await startProcess({ dataDir, env })
  await expect.poll(budget, WAIT).toMatchObject({ leased: 0, owed: 0 })
  const rest = await payAll(again, key)
  // What ran when it was killed may be charged for its input.
  expect(2 + meanwhile + rest).toBeGreaterThanOrEqual(CALLS - 1)
  expect(2 + meanwhile + rest).toBeLessThanOrEqual(CALLS)
  await expect.poll(async () => Number((await budget())?.used), WAIT).toBeGreaterThan((CALLS - 1) * HOLD)
  await expectSoundBudgets(gateways.postgres)
  await expectSoundCommits(gateways.postgres)
})
