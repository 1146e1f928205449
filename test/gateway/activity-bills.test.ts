// OpenRouter's activity, asked for by a running gateway: by day, with tokens and money at once.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBillProvider, type BillProvider } from '../support/bill-provider.ts'
import { canary, findInFolder } from '../support/canary.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { manualClock, post } from './support.ts'

const DAY = 86_400_000

let clock = manualClock('2026-10-01T10:01:00.000Z')
let admin = ''
let provider: BillProvider
let farebox: Farebox
let key = ''

beforeEach(async () => {
  clock = manualClock('2026-10-01T10:01:00.000Z')
  admin = canary()
  provider = await startBillProvider(() => clock.nowMs(), admin)
  farebox = await startFarebox({ clock, env: { FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1' } })
  const place = { preset: 'openrouter', dialect: 'chat-completions' as const, base_url: `${provider.url}/api/v1` }
  const model = { id: 'real', context_window: 100_000, max_output_tokens: 100, price: { input: 1, output: 2 } }
  await farebox.admin.call('apply', {
    body: {
      document: {
        providers: [{ name: 'openrouter', ...place, network: 'local', secret: 'sk-or-for-calls-alone' }],
        models: [{ ...model, targets: [{ provider: 'openrouter', model: 'real-chat' }] }],
        packages: [{ name: 'plenty', type: 'topup', credits: 1000 }],
      },
    },
  })
  key = await farebox.newKey('plenty')
})

afterEach(async () => {
  await farebox.close()
  await provider.close()
})

async function call(): Promise<void> {
  const response = await post(farebox, { model: 'real', messages: [{ role: 'user', content: 'Hello' }] }, { key })
  expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
}

const give = (secret: string) => farebox.admin.call('setBillSecret', { id: 'openrouter', body: { secret, try: true } })
const check = (more: object = {}) =>
  farebox.admin.call('checkBill', { body: { provider: 'openrouter', keep: true, ...more } })
const days = async () => (await farebox.admin.call('listBills', { query: {} })).days

it('agrees in tokens and in money, day by day, and is asked for with one question', async () => {
  expect(await give(admin)).toMatchObject({ has_reports: true, tried: { problem: null } })
  expect(provider.requests.map(({ path, query }) => [path, String(query)])).toEqual([['/api/v1/activity', '']])
  for (let calls = 0; calls < 3; calls++) {
    await call()
    clock.advance(DAY)
  }
  clock.advance(DAY)
  expect(await check()).toMatchObject({
    from: '2026-09-28T00:00:00.000Z',
    to: '2026-10-05T00:00:00.000Z',
    tokens: { compared: 3, differing: 0 },
    money: { compared: 3, differing: 0 },
    unexplained: 0,
  })
  expect(await days()).toMatchObject(
    Array.from({ length: 7 }, () => ({ provider: 'openrouter', source: 'reports', state: 'agrees' })),
  )
  // Asked again, it is the same.
  expect((await check({ days: 31 })).tokens).toMatchObject({ compared: 3, differing: 0 })
  expect(await days()).toHaveLength(30)
})

it('shows who else is in the account, with as much money as that is worth, and leaves it out where keys are named', async () => {
  await give(admin)
  await call()
  provider.metered.push({ endMs: clock.nowMs(), prompt: 500, completion: 50, key: 'hash_of_somebody' })
  clock.advance(3 * DAY)
  const answer = await check()
  expect(answer.tokens).toMatchObject({ differing: 1, differences: [{ causes: ['not_through_farebox'] }] })
  expect(answer.money).toMatchObject({
    differing: 1,
    differences: [{ of_tokens: '0.0006', causes: ['not_through_farebox'] }],
  })
  expect(await check({ account_keys: ['key_farebox'] })).toMatchObject({
    tokens: { compared: 1, differing: 0 },
    money: { differing: 0 },
  })
  expect(provider.requests.at(-1)?.query.get('api_key_hash')).toBe('key_farebox')
})

it('is not asked for by project, says who has no rights, and leaves its secret nowhere', async () => {
  await give(admin)
  const before = provider.requests.length
  await expect(check({ project: 'proj_a' })).rejects.toThrow("'openrouter' has no projects")
  expect(provider.requests).toHaveLength(before)
  provider.faults.push({ status: 403, body: `{"error":{"message":"no rights: ${admin}"}}` })
  const sentence = async () => String(await check().then(JSON.stringify, String))
  const refused = await sentence()
  expect(refused).toMatch(/that has no rights to read it \(403\)/)
  provider.faults.push('half', 'half', 'half', 'half')
  const half = await sentence()
  expect(half).toContain('A page of its report is damaged')
  expect([refused, half].filter((text) => text.includes(admin))).toEqual([])
  await call()
  expect(provider.calls.map(({ authorization }) => authorization)).toEqual(['Bearer sk-or-for-calls-alone'])
  expect((await give('sk-or-for-calls-alone')).tried?.problem).toMatch(/refuses the administrator's secret/)
  await give(admin)
  expect(await findInFolder(farebox.dataDir, { 'the secret of an administrator': admin })).toEqual([])
})
