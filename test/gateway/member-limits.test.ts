// What all keys of a member may use together, in a real Farebox.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RequestBody } from '#contract/admin-api.ts'
import { startFarebox } from '../support/farebox.ts'
import { expectSoundBooks } from './fault-support.ts'
import {
  chat,
  expectError,
  HELLO,
  manualClock,
  ORDINARY_CHARGE,
  post,
  soon,
  startPair,
  usageOf,
  type ManualClock,
  type Pair,
} from './support.ts'

const START = '2026-03-10T12:00:00.250Z'
type Limits = NonNullable<RequestBody<'editMember'>['limits']>

let clock: ManualClock
let pair: Pair
let tests = 0
/** Of the test's member. */
let name = ''

// Starting takes its time on a machine that has other work.
const PATIENCE = 120_000

beforeAll(() => start({}), PATIENCE)
beforeEach(() => {
  name = `member ${++tests}`
  pair.upstream.forget()
})
afterAll(() => pair.close())

async function start(env: Record<string, string>): Promise<void> {
  clock = manualClock(START)
  const packages = [
    { name: 'plenty', type: 'topup', credits: 1000 },
    { name: 'free', type: 'unlimited' },
    { name: 'two', type: 'topup', credits: 5, limits: { requests_per_minute: 2 } },
  ] as const
  pair = await startPair({ clock, env, packages })
}

const admin = () => pair.farebox.admin
const addMember = (limits: Limits) => admin().call('addMember', { body: { name, limits } })
const setLimits = (limits: Limits) => admin().call('editMember', { id: name, body: { limits } })
const show = async () => (await admin().call('listMembers', {})).find((member) => member.name === name)

let keys = 0
/** A key of the test's member, or of another one. */
async function keyOf(owner = name, packageName = 'plenty'): Promise<string> {
  keys += 1
  const body = { name: `key ${keys}`, package: packageName, owner }
  return (await admin().call('createKey', { body })).key
}

async function succeed(key: string, members: object = {}): Promise<Response> {
  const response = await chat(pair.farebox, key, members)
  expect(`${response.status} ${await response.clone().text()}`).toMatch(/^200 /)
  return response
}

/** The refusal of a limit per minute or at a time; returns when it says that it frees up. */
async function expectLimited(response: Response, limit: string, scope: 'key' | 'member' = 'member'): Promise<number> {
  const { error } = (await response.clone().json()) as { error: { limit?: { reset_at: string } } }
  const resetMs = Date.parse(error.limit?.reset_at ?? '')
  await expectError(response, 429, { limit: { name: limit, scope, reset_at: expect.any(String) } })
  expect(response.headers.get('retry-after')).toBe(String(Math.ceil((resetMs - clock.nowMs()) / 1000)))
  return resetMs
}

const remaining = (response: Response) => response.headers.get('x-ratelimit-remaining-requests')

describe('requests per minute of a member', () => {
  it('are counted over all of their keys, and over nobody else’s', async () => {
    await addMember({ requests_per_minute: 3 })
    const [one, two] = [await keyOf(), await keyOf()]
    const seen = [await succeed(one), await succeed(two), await succeed(one)].map(remaining)
    expect(seen).toEqual(['2', '1', '0'])
    const resetMs = await expectLimited(await chat(pair.farebox, two), 'requests_per_minute')
    const refused = await chat(pair.farebox, one)
    const says = await expectError(refused, 429, {
      limit: { name: 'requests_per_minute', scope: 'member', reset_at: new Date(resetMs).toISOString() },
    })
    expect(says).toBe(`The limit of 3 requests per minute for all keys of this key's member is reached. Retry in 61 s.`)
    expect(pair.upstream.requests).toHaveLength(3)
    await succeed(await keyOf('somebody else'))
    await admin().call('addMember', { body: { name: `${name} too`, limits: { requests_per_minute: 1 } } })
    await succeed(await keyOf(`${name} too`))
    clock.advance(resetMs - clock.nowMs() - 1)
    await expectLimited(await chat(pair.farebox, one), 'requests_per_minute')
    clock.advance(1)
    await succeed(one)
  })

  it('stand beside those of the key: headers and refusals are of the one that is used up first', async () => {
    await addMember({ requests_per_minute: 3 })
    const [narrow, wide] = [await keyOf(name, 'two'), await keyOf()]
    const first = await succeed(narrow)
    expect([first.headers.get('x-ratelimit-limit-requests'), remaining(first)]).toEqual(['2', '1'])
    await succeed(narrow)
    await expectLimited(await chat(pair.farebox, narrow), 'requests_per_minute', 'key')
    // What the key refused has taken nothing of the member.
    expect(remaining(await succeed(wide))).toBe('0')
    await expectLimited(await chat(pair.farebox, wide), 'requests_per_minute')
  })

  it('are told to clients of the messages format as they read them', async () => {
    await addMember({ requests_per_minute: 5, tokens_per_minute: 1000 })
    const body = { model: 'chat', messages: HELLO, max_tokens: 50 }
    const answer = await post(pair.farebox, body, { key: await keyOf(), path: '/v1/messages' })
    expect(answer.headers.get('anthropic-ratelimit-requests-remaining')).toBe('4')
    expect(answer.headers.get('anthropic-ratelimit-tokens-limit')).toBe('1000')
  })

  it('change at the next request: raised, lowered, lifted', async () => {
    await addMember({ requests_per_minute: 1 })
    const key = await keyOf()
    await succeed(key)
    await expectLimited(await chat(pair.farebox, key), 'requests_per_minute')
    await setLimits({ requests_per_minute: 3 })
    expect(remaining(await succeed(key))).toBe('1')
    await setLimits({ requests_per_minute: 2 })
    await expectLimited(await chat(pair.farebox, key), 'requests_per_minute')
    expect(await setLimits({})).toMatchObject({ limits: { requests_per_minute: null } })
    const free = await succeed(key)
    expect([...free.headers.keys()].filter((header) => header.includes('ratelimit'))).toEqual([])
    // What was used while there was no limit counts for one that is set afterwards.
    await setLimits({ requests_per_minute: 3 })
    await expectLimited(await chat(pair.farebox, key), 'requests_per_minute')
  })

  it('are kept over a restart, and stay as they are where something else is changed', async () => {
    await addMember({ requests_per_minute: 7, credits_per_day: 2.5 })
    await admin().call('editMember', { id: name, body: { role: 'administrator' } })
    const limits = { requests_per_minute: 7, tokens_per_minute: null, concurrent_requests: null, credits_per_day: 2.5 }
    expect(await show()).toMatchObject({ role: 'administrator', limits })
    await pair.farebox.stop()
    const again = await startFarebox({ clock, dataDir: pair.farebox.dataDir })
    pair = { ...pair, farebox: again, close: () => again.close().then(() => pair.upstream.close()) }
    expect(await show()).toMatchObject({ limits })
  })
})

describe('tokens per minute of a member', () => {
  it('are counted as they were used, over all keys', async () => {
    await addMember({ tokens_per_minute: 60 })
    const [one, two] = [await keyOf(), await keyOf()]
    await succeed(one)
    await succeed(two)
    const response = await chat(pair.farebox, one)
    // 29 tokens for each of two answers.
    expect(response.headers.get('x-ratelimit-remaining-tokens')).toBe('2')
    await expectLimited(response, 'tokens_per_minute')
  })
})

describe('requests at a time of a member', () => {
  it('hold over parallel calls of two keys, never more and, after all of them, none', async () => {
    await addMember({ concurrent_requests: 3 })
    const both = [await keyOf(), await keyOf()]
    let most = 0
    pair.upstream.script(() => {
      most = Math.max(most, pair.upstream.requests.filter((request) => !request.completed).length)
      return { type: 'answer', headersAfterMs: 60 }
    })
    const calls = Array.from({ length: 30 }, (_, index) => chat(pair.farebox, both[index % 2] ?? ''))
    const answers = await Promise.all(calls)
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    for (const answer of answers) {
      if (answer.status === 429) await expectLimited(answer, 'concurrent_requests')
      else await answer.text()
    }
    expect(most).toBe(3)
    await expect.poll(show).toMatchObject({ running_calls: 0 })
    await expectSoundBooks(pair)
  })

  it('count what was running before the limit was set', async () => {
    await addMember({})
    const key = await keyOf()
    pair.upstream.script({ type: 'endless', delayMs: 10 })
    const leaving = new AbortController()
    const { signal } = leaving
    for (const _ of [1, 2]) expect((await chat(pair.farebox, key, { stream: true }, { signal })).status).toBe(200)
    expect(await setLimits({ concurrent_requests: 2 })).toMatchObject({ running_calls: 2 })
    await expectLimited(await chat(pair.farebox, await keyOf()), 'concurrent_requests')
    leaving.abort()
    pair.upstream.script({ type: 'answer' })
    await expect.poll(show).toMatchObject({ running_calls: 0 })
    await succeed(key)
  })

  it('are freed by answers of every kind, and by refusals after the gate', async () => {
    await addMember({ concurrent_requests: 1 })
    const key = await keyOf()
    await admin().call('addPackage', { body: { name, type: 'topup', credits: 0 } })
    const poor = await keyOf(name, name)
    await expectError(await chat(pair.farebox, poor), 402)
    pair.upstream.script({ type: 'status', status: 500 })
    expect((await chat(pair.farebox, key)).status).toBe(502)
    pair.upstream.script({ type: 'answer', cut: { at: { byte: 100 }, how: 'reset' } })
    expect((await chat(pair.farebox, key)).status).toBe(502)
    pair.upstream.script({ type: 'answer' })
    await expectError(await chat(pair.farebox, key, { model: 'none' }), 404, { param: 'model' })
    await succeed(key)
    expect(await show()).toMatchObject({ running_calls: 0 })
  })
})

describe('credits per day of a member', () => {
  /** Enough for one call and the input of no other. */
  const ONE_CALL = 0.00017
  const limit = { name: 'credits_per_day', scope: 'member', reset_at: '2026-03-11T00:00:00.000Z' }

  it('refuse once they are used up, over all keys, until the next day, also after a restart', async () => {
    await startAgain({}, '2026-03-10T12:00:00.250Z')
    await addMember({ credits_per_day: 0.0002 })
    const [one, two] = [await keyOf(), await keyOf(name, 'free')]
    await succeed(one)
    // What is left pays for the input and some tokens, and then no more.
    expect((await succeed(two)).headers.get('x-farebox-adjusted')).toMatch(/^max_tokens=\d{1,2}$/)
    for (const key of [one, two]) {
      const refused = await chat(pair.farebox, key)
      expect(refused.headers.get('x-should-retry')).toBe('false')
      expect(await expectError(refused, 402, { limit })).toContain('a day for all keys')
    }
    expect(await show()).toMatchObject({ credits_today: 2 * ORDINARY_CHARGE })
    await pair.farebox.stop()
    const again = await startFarebox({ clock, dataDir: pair.farebox.dataDir })
    const { upstream } = pair
    pair = { farebox: again, upstream, close: () => again.close().then(() => upstream.close()) }
    await expectError(await chat(pair.farebox, one), 402, { limit })
    await succeed(await keyOf('somebody else'))
    clock.advance(12 * 3_600_000)
    await succeed(one)
    expect(await show()).toMatchObject({ credits_today: ORDINARY_CHARGE })
  })

  it('cannot be overrun by calls that run side by side', async () => {
    await addMember({ credits_per_day: ONE_CALL })
    const both = [await keyOf(), await keyOf()]
    pair.upstream.script({ type: 'answer', headersAfterMs: 500 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => chat(pair.farebox, both[index % 2] ?? '')),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 200) await answer.text()
      else {
        await expectError(answer, 402, { limit: { ...limit, reset_at: expect.any(String) } })
        // Whoever comes when the first has ended finds nothing left to wait for.
        expect([answer.headers.get('retry-after'), answer.headers.get('x-should-retry')]).toContain(
          answer.headers.has('retry-after') ? '5' : 'false',
        )
      }
    }
    expect(await show()).toMatchObject({ credits_today: ORDINARY_CHARGE, running_calls: 0 })
    await expectSoundBooks(pair)
  })

  it('let nothing through but what is free, where they are 0', async () => {
    await addMember({ credits_per_day: 0 })
    const key = await keyOf()
    await expectError(await chat(pair.farebox, key), 402, { limit: { ...limit, reset_at: expect.any(String) } })
    await admin().call('priceModel', { id: 'embed', body: { input: 0, output: 0 } })
    pair.upstream.script({ type: 'embedding' })
    expect((await post(pair.farebox, { model: 'embed', input: 'x' }, { key, path: '/v1/embeddings' })).status).toBe(200)
  })
})

async function startAgain(env: Record<string, string>, at?: string): Promise<void> {
  await pair.close()
  await start(env)
  if (at !== undefined) expect(new Date(clock.nowMs()).toISOString()).toBe(at)
}

describe('an administrator', () => {
  it.each([
    [{ credits_per_day: 0.0000001 }, 'limits.credits_per_day'],
    [{ requests_per_minute: 0 }, undefined],
    [{ requests_per_minute: 1.5 }, undefined],
    [{ concurrent_requests: -1 }, undefined],
    [{ credits_per_day: -1 }, undefined],
    [{ requests: 5 }, undefined],
  ])('is refused limits like %j', async (limits, param) => {
    await addMember({ requests_per_minute: 9 })
    const wrong = setLimits(limits as Limits)
    await expect(wrong).rejects.toMatchObject({ status: 400, ...(param === undefined ? {} : { param }) })
    expect(await show()).toMatchObject({ limits: { requests_per_minute: 9 } })
  })

  it('suspends a member, which refuses before any limit does, and takes nothing of them', async () => {
    await addMember({ requests_per_minute: 1 })
    const key = await keyOf()
    await admin().call('editMember', { id: name, body: { status: 'suspended' } })
    for (const _ of [1, 2, 3]) await expectError(await chat(pair.farebox, key), 403)
    await admin().call('editMember', { id: name, body: { status: 'active' } })
    await succeed(key)
    await expectLimited(await chat(pair.farebox, key), 'requests_per_minute')
  })

  it('finds in the audit log what was set', async () => {
    await addMember({})
    await setLimits({ tokens_per_minute: 500 })
    const { entries } = await admin().call('listAudit', { query: { action: 'editMember', limit: '1' } })
    expect(entries[0]).toMatchObject({ subject: name, details: { limits: { tokens_per_minute: 500 } } })
  })
})

describe('with RATE_LIMIT_WAIT', () => {
  beforeAll(() => startAgain({ RATE_LIMIT_WAIT: 'true', FAREBOX_RATE_LIMIT_WAIT_MS: '5000' }), PATIENCE)

  it('calls of all keys wait in one queue, in their order, and never pass the limit', async () => {
    await addMember({ concurrent_requests: 2 })
    const both = [await keyOf(), await keyOf()]
    let most = 0
    pair.upstream.script(() => {
      most = Math.max(most, pair.upstream.requests.filter((request) => !request.completed).length)
      return { type: 'answer', headersAfterMs: 30 }
    })
    const order: number[] = []
    const calls: Promise<void>[] = []
    for (let turn = 0; turn < 10; turn++) {
      const answered = chat(pair.farebox, both[turn % 2] ?? '').then(async (response) => {
        expect(response.status).toBe(200)
        await response.text()
      })
      calls.push(answered.then(() => void order.push(turn)))
    }
    await Promise.all(calls)
    expect(most).toBe(2)
    expect(order).toHaveLength(10)
    await expect.poll(show).toMatchObject({ running_calls: 0 })
  })

  it('a call goes on at once when an administrator lifts the limit that it waits for', async () => {
    await addMember({ concurrent_requests: 1 })
    const key = await keyOf()
    pair.upstream.once({ type: 'endless', delayMs: 10 })
    const leaving = new AbortController()
    expect((await chat(pair.farebox, key, { stream: true }, { signal: leaving.signal })).status).toBe(200)
    const waiting = chat(pair.farebox, await keyOf())
    await soon(async () => (await admin().call('listWaiting', {})).waiting_calls === 1)
    await setLimits({})
    expect((await waiting).status).toBe(200)
    leaving.abort()
    await soon(async () => (await usageOf(pair.farebox)).length >= 2)
  })

  it('a call that gives up is refused with the limit, and leaves nothing behind', { timeout: 20_000 }, async () => {
    await addMember({ concurrent_requests: 1 })
    const key = await keyOf()
    pair.upstream.once({ type: 'answer', stall: { at: { insideEvent: 2 }, ms: Infinity } })
    const leaving = new AbortController()
    expect((await chat(pair.farebox, key, { stream: true }, { signal: leaving.signal })).status).toBe(200)
    const gone = new AbortController()
    const left = chat(pair.farebox, key, {}, { signal: gone.signal })
    left.catch(() => undefined)
    const waits = chat(pair.farebox, await keyOf())
    await soon(async () => (await admin().call('listWaiting', {})).waiting_calls === 2)
    gone.abort()
    await soon(async () => (await admin().call('listWaiting', {})).waiting_calls === 1)
    await expectLimited(await waits, 'concurrent_requests')
    leaving.abort()
    await expect.poll(show).toMatchObject({ running_calls: 0 })
    expect(await admin().call('listWaiting', {})).toMatchObject({ waiting_calls: 0 })
  })
})
