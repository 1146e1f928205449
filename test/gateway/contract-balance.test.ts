import { afterEach, beforeEach, expect, it } from 'vitest'
import type { PackageCreate } from '#contract/schemas.ts'
import { chat, expectError, get, manualClock, startPair, type ManualClock, type Pair } from './support.ts'

const NOW = '2026-03-10T12:34:56.789Z'
const IN_90_DAYS = '2026-06-08T12:34:56.789Z'
const DAY_MS = 86_400_000

let clock: ManualClock
let pair: Pair

beforeEach(async () => {
  clock = manualClock(NOW)
  const packages: PackageCreate[] = [
    { name: 'month', type: 'monthly', credits: 50, timezone: 'Europe/Berlin' },
    { name: 'day', type: 'daily', credits: 0.5, timezone: 'Asia/Tokyo' },
    { name: 'once', type: 'topup', credits: 3 },
    { name: 'free', type: 'unlimited' },
    { name: 'narrow', type: 'topup', credits: 1, models: ['embed'] },
  ]
  pair = await startPair({ clock, packages })
})

afterEach(() => pair.close())

async function newKey(packageName: string, expires?: string): Promise<string> {
  const body = { name: `in ${packageName}`, package: packageName, ...(expires === undefined ? {} : { expires }) }
  return (await pair.farebox.admin.call('createKey', { body })).key
}

async function balance(key: string, query = ''): Promise<Record<string, unknown>> {
  const response = await get(pair.farebox, `/v1/balance${query}`, key)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  return (await response.json()) as Record<string, unknown>
}

async function spend(key: string): Promise<void> {
  expect((await chat(pair.farebox, key)).status).toBe(200)
}

const FRESH = { object: 'balance', status: 'active', held_credits: 0, total_requests: 0, last_used_at: null }

it('tells a monthly key about the calendar month in the zone of its package', async () => {
  const key = await newKey('month')
  const fresh = {
    ...FRESH,
    key_name: 'in month',
    package_type: 'monthly',
    total_credits: 50,
    remaining_credits: 50,
    used_credits: 0,
    daily_credits: null,
    cycle_started_at: '2026-02-28T23:00:00.000Z',
    // Berlin is an hour further from UTC by then.
    next_reset_at: '2026-03-31T22:00:00.000Z',
    expires_at: IN_90_DAYS,
    last_daily_reset_at: null,
  }
  expect(await balance(key)).toEqual(fresh)
  clock.advance(1000)
  await spend(key)
  clock.advance(1000)
  const used = { remaining_credits: 49.999961, used_credits: 0.000039 }
  expect(await balance(key)).toEqual({ ...fresh, ...used, total_requests: 1, last_used_at: '2026-03-10T12:34:57.789Z' })
  clock.advance(Date.parse('2026-03-31T22:00:00.000Z') - clock.nowMs() - 1)
  expect(await balance(key)).toMatchObject({ ...used, cycle_started_at: '2026-02-28T23:00:00.000Z' })
  clock.advance(1)
  expect(await balance(key)).toMatchObject({
    total_credits: 50,
    remaining_credits: 50,
    used_credits: 0,
    cycle_started_at: '2026-03-31T22:00:00.000Z',
    next_reset_at: '2026-04-30T22:00:00.000Z',
    total_requests: 1,
  })
})

it('tells a daily key about the day in the zone of its package, and grants anew on the next', async () => {
  const key = await newKey('day')
  const fresh = {
    ...FRESH,
    key_name: 'in day',
    package_type: 'daily',
    total_credits: 0.5,
    remaining_credits: 0.5,
    used_credits: 0,
    daily_credits: 0.5,
    cycle_started_at: '2026-03-09T15:00:00.000Z',
    next_reset_at: '2026-03-10T15:00:00.000Z',
    expires_at: IN_90_DAYS,
    last_daily_reset_at: '2026-03-09T15:00:00.000Z',
  }
  expect(await balance(key)).toEqual(fresh)
  await spend(key)
  const used = { remaining_credits: 0.499961, used_credits: 0.000039, total_requests: 1, last_used_at: NOW }
  expect(await balance(key)).toEqual({ ...fresh, ...used })
  clock.advance(Date.parse('2026-03-10T15:00:00.000Z') - clock.nowMs() - 1)
  expect(await balance(key)).toEqual({ ...fresh, ...used })
  clock.advance(1)
  expect(await balance(key)).toEqual({
    ...fresh,
    cycle_started_at: '2026-03-10T15:00:00.000Z',
    last_daily_reset_at: '2026-03-10T15:00:00.000Z',
    next_reset_at: '2026-03-11T15:00:00.000Z',
    total_requests: 1,
    last_used_at: NOW,
  })
})

it('tells a topup key about what it began with and was given, and never resets it', async () => {
  const key = await newKey('once')
  const fresh = {
    ...FRESH,
    key_name: 'in once',
    package_type: 'topup',
    total_credits: 3,
    remaining_credits: 3,
    used_credits: 0,
    daily_credits: null,
    cycle_started_at: NOW,
    next_reset_at: null,
    expires_at: IN_90_DAYS,
    last_daily_reset_at: null,
  }
  expect(await balance(key)).toEqual(fresh)
  await spend(key)
  await pair.farebox.admin.call('topUpKey', { id: 'in once', body: { credits: 0.5 } })
  clock.advance(40 * DAY_MS)
  expect(await balance(key)).toEqual({
    ...fresh,
    total_credits: 3.5,
    remaining_credits: 3.499961,
    used_credits: 0.000039,
    total_requests: 1,
    last_used_at: NOW,
  })
})

it('has nothing to count for an unlimited key, whose requests are counted all the same', async () => {
  const key = await newKey('free', 'never')
  const fresh = {
    ...FRESH,
    key_name: 'in free',
    package_type: 'unlimited',
    total_credits: null,
    remaining_credits: null,
    used_credits: null,
    daily_credits: null,
    cycle_started_at: NOW,
    next_reset_at: null,
    expires_at: null,
    last_daily_reset_at: null,
  }
  expect(await balance(key)).toEqual(fresh)
  await spend(key)
  expect(await balance(key)).toEqual({ ...fresh, total_requests: 1, last_used_at: NOW })
})

it('adds the limits of a model that is asked for, whatever the package', async () => {
  for (const packageName of ['month', 'day', 'once', 'free']) {
    const key = await newKey(packageName)
    const model_limits = { max_context_tokens: 100_000, max_output_tokens: 1000 }
    const plain = await balance(key)
    expect(plain).not.toHaveProperty('model_limits')
    // By the names that calls may give it as well.
    for (const name of ['chat', 'chat-20260101', 'chat[1m]', 'models/chat']) {
      expect(await balance(key, `?model=${encodeURIComponent(name)}`)).toEqual({ ...plain, model_limits })
    }
  }
})

it('knows no limits of a model that the key may not call', async () => {
  const key = await newKey('narrow')
  expect((await get(pair.farebox, '/v1/balance?model=embed', key)).status).toBe(200)
  for (const query of ['model=chat', 'model=none', 'model=', 'model=embed&model=embed']) {
    await expectError(await get(pair.farebox, `/v1/balance?${query}`, key), 404, { param: 'model' })
  }
  await pair.farebox.admin.call('disableModel', { id: 'embed' })
  await expectError(await get(pair.farebox, '/v1/balance?model=embed', key), 404, { param: 'model' })
})

it('shows what calls in flight hold, and never less than nothing', async () => {
  await pair.farebox.admin.call('addPackage', { body: { name: 'tiny', type: 'topup', credits: 0.0003 } })
  const key = await newKey('tiny')
  const usage = { prompt_tokens: 319, completion_tokens: 10, total_tokens: 329 }
  pair.upstream.once({ type: 'answer', headersAfterMs: 400, usage })
  const running = chat(pair.farebox, key)
  await expect.poll(() => pair.upstream.requests.length).toBe(1)
  expect(await balance(key)).toMatchObject({ held_credits: 0.0003, remaining_credits: 0.0003, used_credits: 0 })
  expect((await running).status).toBe(200)
  expect(await balance(key)).toMatchObject({
    total_credits: 0.0003,
    remaining_credits: 0,
    used_credits: 0.000339,
    held_credits: 0,
  })
})

it('can still be read when the credits are used up', async () => {
  await pair.farebox.admin.call('addPackage', { body: { name: 'empty', type: 'topup', credits: 0 } })
  expect(await balance(await newKey('empty'))).toMatchObject({ total_credits: 0, remaining_credits: 0 })
})
