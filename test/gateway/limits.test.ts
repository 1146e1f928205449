import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PackageCreate } from '#contract/schemas.ts'
import {
  chat,
  CHAT_PATH,
  expectError,
  get,
  manualClock,
  post,
  requestArrives,
  soon,
  startPair,
  usageOf,
  type ManualClock,
  type Pair,
} from './support.ts'

const START = '2026-03-10T12:00:00.250Z'

let clock: ManualClock
let pair: Pair
let tests = 0
/** Of the test's package and of its key. */
let name = ''

beforeAll(() => start({}))

beforeEach(() => {
  name = `test ${++tests}`
  pair.upstream.forget()
})

afterAll(() => pair.close())

async function start(env: Record<string, string>): Promise<void> {
  clock = manualClock(START)
  pair = await startPair({ clock, env })
}

/** Closes the Farebox there was and starts one with other settings. */
async function startAgain(env: Record<string, string>): Promise<void> {
  await pair.close()
  await start(env)
}

async function newKey(limits: NonNullable<PackageCreate['limits']>, credits = 5): Promise<string> {
  await pair.farebox.admin.call('addPackage', { body: { name, type: 'topup', credits, limits } })
  return (await pair.farebox.admin.call('createKey', { body: { name, package: name } })).key
}

async function succeed(key: string, members: object = {}): Promise<Response> {
  const response = await chat(pair.farebox, key, members)
  expect(`${response.status} ${await response.clone().text()}`).toMatch(/^200 /)
  return response
}

/** The refusal of a limit, with the instant at which it says it frees up. */
async function expectLimited(response: Response, limit: string): Promise<number> {
  const { error } = (await response.clone().json()) as { error: { limit?: { reset_at: string } } }
  const resetMs = Date.parse(error.limit?.reset_at ?? '')
  const reset_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
  await expectError(response, 429, { limit: { name: limit, scope: 'key', reset_at } })
  expect(response.headers.get('retry-after')).toBe(String(Math.ceil((resetMs - clock.nowMs()) / 1000)))
  return resetMs
}

describe('requests per minute', () => {
  it('are refused beyond the limit until a minute has passed, and not a moment longer than is said', async () => {
    const key = await newKey({ requests_per_minute: 3 })
    const remaining: (string | null)[] = []
    for (let count = 0; count < 3; count++) {
      remaining.push((await succeed(key)).headers.get('x-ratelimit-remaining-requests'))
    }
    expect(remaining).toEqual(['2', '1', '0'])
    const resetMs = await expectLimited(await chat(pair.farebox, key), 'requests_per_minute')
    expect(resetMs - clock.nowMs()).toBeGreaterThan(58_000)
    expect(resetMs - clock.nowMs()).toBeLessThanOrEqual(61_000)
    clock.advance(resetMs - clock.nowMs() - 1)
    expect(await expectLimited(await chat(pair.farebox, key), 'requests_per_minute')).toBe(resetMs)
    clock.advance(1)
    await succeed(key)
  })

  it('are counted together for all endpoints of a key, and apart for each key', async () => {
    const key = await newKey({ requests_per_minute: 1 })
    const other = await pair.farebox.newKey(name)
    await succeed(key)
    const embed = await post(pair.farebox, { model: 'embed', input: 'x' }, { key, path: '/v1/embeddings' })
    await expectLimited(embed, 'requests_per_minute')
    await succeed(other)
  })

  it('do not count requests that were refused', async () => {
    const key = await newKey({ requests_per_minute: 2 })
    await succeed(key)
    await expectError(await chat(pair.farebox, key, { temperature: 3 }), 400, { param: 'temperature' })
    await expectError(await chat(pair.farebox, key, { model: 'none' }), 404, { param: 'model' })
    expect((await get(pair.farebox, '/v1/balance', key)).status).toBe(200)
    expect((await get(pair.farebox, '/v1/models', key)).status).toBe(200)
    await succeed(key)
    const resetMs = await expectLimited(await chat(pair.farebox, key), 'requests_per_minute')
    clock.advance(30_000)
    for (let count = 0; count < 5; count++) {
      expect(await expectLimited(await chat(pair.farebox, key), 'requests_per_minute')).toBe(resetMs)
    }
    expect(pair.upstream.requests).toHaveLength(2)
    expect(await pair.farebox.balance(key)).toMatchObject({
      total_requests: 2,
      held_credits: 0,
      used_credits: 0.000078,
    })
  })

  it('do not count requests for which the credits were missing', async () => {
    const key = await newKey({ requests_per_minute: 1 }, 0)
    for (let count = 0; count < 3; count++) await expectError(await chat(pair.farebox, key), 402)
    await pair.farebox.admin.call('topUpKey', { id: name, body: { credits: 1 } })
    await succeed(key)
  })

  it('have no headers where there is no limit', async () => {
    const key = await newKey({})
    const response = await succeed(key)
    expect([...response.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([])
  })
})

describe('tokens per minute', () => {
  it('are counted as they were used, and refuse what does not fit any more', async () => {
    const key = await newKey({ tokens_per_minute: 60 })
    expect((await succeed(key)).headers.get('x-ratelimit-limit-tokens')).toBe('60')
    expect((await get(pair.farebox, '/v1/balance', key)).status).toBe(200)
    await succeed(key)
    const response = await chat(pair.farebox, key)
    // 29 tokens for each of two answers.
    expect(response.headers.get('x-ratelimit-remaining-tokens')).toBe('2')
    const resetMs = await expectLimited(response, 'tokens_per_minute')
    clock.advance(resetMs - clock.nowMs())
    await succeed(key)
  })

  it('let a request that is larger than the whole limit through when nothing else was used', async () => {
    const key = await newKey({ tokens_per_minute: 5 })
    await succeed(key)
    await expectLimited(await chat(pair.farebox, key), 'tokens_per_minute')
  })
})

describe('concurrent requests', () => {
  it('are refused beyond the limit for as long as the others run', async () => {
    const key = await newKey({ concurrent_requests: 2, requests_per_minute: 4 })
    pair.upstream.script({ type: 'endless', delayMs: 10 })
    const leaving = new AbortController()
    const { signal } = leaving
    for (const _ of [1, 2]) expect((await chat(pair.farebox, key, { stream: true }, { signal })).status).toBe(200)
    for (const _ of [1, 2, 3, 4]) {
      const response = await chat(pair.farebox, key)
      // What was refused by one limit has taken nothing of another.
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('2')
      expect(response.headers.get('retry-after')).toBe('1')
      await expectLimited(response, 'concurrent_requests')
    }
    leaving.abort()
    await soon(() => pair.upstream.requests.every((request) => request.closedAtMs !== undefined))
    pair.upstream.script({ type: 'answer' })
    await expect.poll(async () => (await pair.farebox.balance(key))['held_credits']).toBe(0)
    for (const _ of [1, 2]) await succeed(key)
    await expectLimited(await chat(pair.farebox, key), 'requests_per_minute')
  })

  it('are freed by answers of every kind', async () => {
    const key = await newKey({ concurrent_requests: 1 })
    pair.upstream.script({ type: 'status', status: 500 })
    expect((await chat(pair.farebox, key)).status).toBe(502)
    pair.upstream.script({ type: 'status', status: 400 })
    expect((await chat(pair.farebox, key)).status).toBe(400)
    pair.upstream.script({ type: 'answer', cut: { at: { byte: 100 }, how: 'reset' } })
    expect((await chat(pair.farebox, key)).status).toBe(502)
    pair.upstream.script({ type: 'answer' })
    expect((await chat(pair.farebox, key, { model: 'none' })).status).toBe(404)
    await succeed(key)
    await succeed(key, { stream: true })
  })
})

/** Longer than any test here, so that a busy machine cannot be mistaken for a wait that has run out. */
const LONG_WAIT_MS = 60_000

describe('with RATE_LIMIT_WAIT', () => {
  beforeAll(() => startAgain({ RATE_LIMIT_WAIT: 'true', FAREBOX_RATE_LIMIT_WAIT_MS: String(LONG_WAIT_MS) }))

  it('requests wait for each other, in their order, and never pass the limit', async () => {
    const key = await newKey({ concurrent_requests: 2 })
    let most = 0
    pair.upstream.script(() => {
      most = Math.max(most, pair.upstream.requests.filter((request) => !request.completed).length)
      return { type: 'answer', headersAfterMs: 20 }
    })
    const running: Promise<Response>[] = []
    for (let turn = 0; turn < 10; turn++) {
      running.push(chat(pair.farebox, key, { user: String(turn) }))
      if (turn < 2) await soon(() => pair.upstream.requests.length > turn)
    }
    const answers = await Promise.all(running)
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200))
    expect(most).toBe(2)
    expect(pair.upstream.requests).toHaveLength(10)
    expect(new Set(pair.upstream.requests.map((request) => request.body['user'])).size).toBe(10)
    expect(await pair.farebox.balance(key)).toMatchObject({ total_requests: 10, held_credits: 0 })
  })

  it('a request waits until the minute has passed', async () => {
    const key = await newKey({ requests_per_minute: 1 })
    const reset = (await succeed(key)).headers.get('x-ratelimit-reset-requests')
    clock.advance(Number(reset?.replace('ms', '')) - 200)
    const startedAtMs = performance.now()
    const waiting = succeed(key)
    await requestArrives(pair.farebox)
    await (await get(pair.farebox, '/health')).text()
    clock.advance(200)
    await waiting
    expect(performance.now() - startedAtMs).toBeGreaterThan(100)
  })

  it('a refusal that no waiting can mend comes at once', async () => {
    const key = await newKey({ requests_per_minute: 1 }, 0)
    const startedAtMs = performance.now()
    await expectError(await chat(pair.farebox, key), 402)
    await expectError(await post(pair.farebox, '', { key, path: CHAT_PATH }), 400)
    expect(performance.now() - startedAtMs).toBeLessThan(LONG_WAIT_MS / 4)
  })
})

describe('with a short RATE_LIMIT_WAIT', () => {
  beforeAll(() => startAgain({ RATE_LIMIT_WAIT: 'true', FAREBOX_RATE_LIMIT_WAIT_MS: '700' }))

  it('a request waits no longer than is set, and has taken nothing then', async () => {
    const key = await newKey({ concurrent_requests: 1, requests_per_minute: 3 })
    pair.upstream.once({ type: 'endless', delayMs: 10 })
    const leaving = new AbortController()
    expect((await chat(pair.farebox, key, { stream: true }, { signal: leaving.signal })).status).toBe(200)
    const startedAtMs = performance.now()
    const response = await chat(pair.farebox, key)
    expect(performance.now() - startedAtMs).toBeGreaterThan(650)
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('2')
    await expectLimited(response, 'concurrent_requests')
    leaving.abort()
    // The first estimate after a start takes a second, and only then its place is free.
    await soon(async () => (await usageOf(pair.farebox, name)).length === 1)
    await succeed(key)
    expect(pair.upstream.requests).toHaveLength(2)
  })
})
