// Bills on a schedule, by a running gateway: nobody asks for a report but the gateway itself, whose clock is set forward.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startBillProvider, type BillProvider } from '../support/bill-provider.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { chat, manualClock } from './support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SECRET = 'sk-admin-of-the-account'
/** The first look loads what administrators can do. */
const PATIENCE = { timeout: 60_000, interval: 100 }
const MAX_MS = 180_000

let clock = manualClock('2026-10-01T10:01:00.000Z')
let provider: BillProvider
let farebox: Farebox

beforeEach(async () => {
  // The gateway looks each minute; here a minute is over when the test says so.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  clock = manualClock('2026-10-01T10:01:00.000Z')
  provider = await startBillProvider(() => clock.nowMs(), SECRET)
  provider.perPage = 1000
})

afterEach(async () => {
  await farebox.close()
  await provider.close()
  vi.useRealTimers()
})

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  farebox = await startFarebox({ clock, env })
  const base_url = `${provider.url}/v1`
  const place = { preset: 'openai', dialect: 'chat-completions' as const, base_url, network: 'local' as const }
  const document = {
    providers: [{ name: 'upstream', secret: 'sk-for-calls-alone', ...place }],
    models: [chatModel('chat')],
    packages: [{ name: 'plenty', type: 'topup' as const, credits: 1000 }],
  }
  await farebox.admin.call('apply', { body: { document } })
  await farebox.admin.call('setBillSecret', { id: 'upstream', body: { secret: SECRET } })
  const response = await chat(farebox, await farebox.newKey('plenty'))
  expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
}

/** So much later, and then the look of that minute. */
function pass(ms: number): void {
  clock.advance(ms)
  vi.advanceTimersByTime(MINUTE)
}

/** The same, and waits until that look has asked and compared. */
async function passAndCompare(ms: number): Promise<void> {
  pass(ms)
  const atMs = clock.nowMs()
  const compared = async () => Date.parse((await farebox.admin.call('status', {})).bills?.compared_at ?? '')
  await expect.poll(compared, PATIENCE).toBe(atMs)
}

const billed = () => farebox.admin.call('listBills', { query: {} })
const stateOfDay = async () => (await billed()).days.find(({ day }) => day === '2026-10-01')?.state
/** The first day of each report that was asked for since. */
const firstDays = () =>
  provider.requests
    .splice(0)
    .map(({ query }) => new Date(Number(query.get('start_time')) * 1000).toISOString().slice(0, 10))

describe('a gateway that asks for its bills each hour', () => {
  it(
    'asks for a week, then for today and yesterday, and tells of what it found',
    async () => {
      await start({ FAREBOX_BILLS_EVERY: 'hourly' })
      expect(provider.requests).toEqual([])
      await passAndCompare(5 * HOUR)
      expect(new Set(firstDays())).toEqual(new Set(['2026-09-24']))
      expect(await stateOfDay()).toBe('agrees')
      const [counted] = provider.metered
      if (counted === undefined) throw new Error('nothing was metered')
      provider.metered[0] = { ...counted, prompt: counted.prompt + 7 }
      await passAndCompare(HOUR)
      // Once, by the three reports that OpenAI has.
      expect(firstDays()).toEqual(['2026-09-30', '2026-09-30', '2026-09-30'])
      expect(await stateOfDay()).toBe('unexplained')
      // It is told behind the comparison.
      await expect
        .poll(() => farebox.admin.call('listAlerts', {}), PATIENCE)
        .toMatchObject([{ scope: 'bill', name: 'upstream' }])
      provider.metered[0] = counted
      await passAndCompare(HOUR)
      expect(await stateOfDay()).toBe('agrees')
    },
    MAX_MS,
  )

  it(
    'asks again an hour later where the provider is out of order',
    async () => {
      await start({ FAREBOX_BILLS_EVERY: 'hourly' })
      provider.faults.push(...Array.from({ length: 4 }, () => ({ status: 500 })))
      await passAndCompare(5 * HOUR)
      expect(await billed()).toMatchObject({ days: [] })
      expect(provider.faults).toEqual([])
      await passAndCompare(HOUR)
      expect(await stateOfDay()).toBe('agrees')
    },
    MAX_MS,
  )
})

describe('a gateway that was not told to ask for its bills', () => {
  it('asks nobody', async () => {
    await start({})
    for (let days = 0; days < 3; days++) pass(24 * HOUR)
    // What is asked for by hand comes behind whatever a look would have asked for.
    await farebox.admin.call('checkBill', { body: { provider: 'upstream', days: 1 } })
    expect(firstDays()).toHaveLength(3)
  })
})
