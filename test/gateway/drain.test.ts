// What becomes of the request to a provider when its client leaves, by the provider's setting.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import { ask, newKey, ROUTES, startHouse, type House, type Route } from './house.ts'
import { get, ORDINARY_CHARGE, soon, usageOf, warmUp } from './support.ts'

const PIECES = ['one ', 'two ', 'three ', 'four ', 'five']
const CHAT: Route = ['chat', 'chat-completions']
/** The time within which an upstream is stopped once its client is gone. */
const STOP_MS = 250

let house: House
let name = ''
let key = ''

async function leave(route: Route, members: object, behaviour: Behaviour): Promise<void> {
  house.upstream.script(behaviour)
  const leaving = new AbortController()
  const call = ask(house, route, { key, members, signal: leaving.signal })
  const isStream = 'stream' in members
  if (isStream) await (await call).body?.getReader().read()
  else await soon(() => house.upstream.requests.length)
  leaving.abort()
  if (!isStream) await expect(call).rejects.toThrow('aborted')
}

async function record() {
  await expect.poll(async () => (await usageOf(house.farebox, name)).length, { timeout: 5000 }).toBe(1)
  const [found] = await usageOf(house.farebox, name)
  expect(await house.farebox.balance(key)).toMatchObject({
    held_credits: 0,
    used_credits: found?.charge_credits,
    total_requests: 1,
  })
  return found
}

async function attempts() {
  const id = (await usageOf(house.farebox, name))[0]?.id ?? ''
  return ((await (await get(house.farebox, `/v1/receipts/${id}`, key)).json()) as { attempts: unknown }).attempts
}

describe('a provider that is to be drained', () => {
  beforeAll(async () => {
    house = await startHouse({ onDisconnect: 'drain' })
    await warmUp(house, 'chat-completions')
  })

  beforeEach(async () => {
    house.upstream.forget()
    ;({ key, name } = await newKey(house))
  })

  afterAll(async () => {
    await expectSoundBooks(house)
    await house.close()
  })

  it.each(ROUTES)(
    'is read on to the usage it reports when a stream of %s from %s loses its client',
    async (...route) => {
      await leave(route, { stream: true }, { type: 'answer', pieces: PIECES, delayMs: 20 })
      expect(await record()).toMatchObject({
        outcome: 'client_gone',
        status: 200,
        usage_source: 'reported',
        charge_credits: ORDINARY_CHARGE,
      })
      expect(await attempts()).toMatchObject([{ outcome: 'drained', status: 200 }])
    },
  )

  it.each(ROUTES)('charges a whole answer of %s from %s that nobody waited for', async (...route) => {
    await leave(route, {}, { type: 'answer', headersAfterMs: 100 })
    expect(await record()).toMatchObject({
      outcome: 'client_gone',
      status: 499,
      usage_source: 'reported',
      charge_credits: ORDINARY_CHARGE,
    })
  })

  it('charges nothing for a whole answer that never came', async () => {
    await leave(CHAT, {}, { type: 'status', status: 500, headersAfterMs: 100 })
    expect(await record()).toMatchObject({ outcome: 'client_gone', usage_source: 'none', charge_credits: 0 })
  })

  it('charges nothing for a whole answer whose usage the provider does not report: nobody got it', async () => {
    await leave(CHAT, {}, { type: 'answer', usage: null, headersAfterMs: 100 })
    expect(await record()).toMatchObject({ usage_source: 'none', charge_credits: 0 })
  })

  it('charges what was delivered, and nothing that was read on, where the provider reports no usage', async () => {
    const pieces = ['one', ...Array.from({ length: 200 }, () => ' and more words'), '.']
    const stall = { at: { insideEvent: 3 }, ms: 150 } as const
    await leave(CHAT, { stream: true }, { type: 'answer', pieces, usage: null, stall })
    const found = await record()
    expect(found).toMatchObject({ usage_source: 'estimated' })
    expect(found?.output_tokens).toBeGreaterThan(0)
    expect(found?.output_tokens).toBeLessThan(20)
  })

  it('charges what was delivered when the provider breaks while it is read on', async () => {
    const cut = { at: { insideEvent: 5 }, how: 'reset' } as const
    await leave(CHAT, { stream: true }, { type: 'answer', pieces: PIECES, delayMs: 30, cut })
    expect(await record()).toMatchObject({ outcome: 'client_gone', usage_source: 'estimated' })
  })

  it('is stopped after 16 MiB', async () => {
    const event = `data: {"choices":[{"index":0,"delta":{"content":"${'word '.repeat(20_000)}"}}]}\n\n`
    await leave(CHAT, { stream: true }, { type: 'endless', event })
    const found = await record()
    expect(found).toMatchObject({ outcome: 'client_gone', usage_source: 'estimated' })
    await soon(() => house.upstream.requests[0]?.closedAtMs)
  })

  it('is stopped at once when the key is revoked', async () => {
    await leave(CHAT, { stream: true }, { type: 'endless', delayMs: 5 })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(house.upstream.requests[0]?.closedAtMs).toBeUndefined()
    const revokedAtMs = Date.now()
    await house.farebox.admin.call('revokeKey', { id: name })
    await soon(() => house.upstream.requests[0]?.closedAtMs)
    expect((house.upstream.requests[0]?.closedAtMs ?? Infinity) - revokedAtMs).toBeLessThan(1000)
    await expect.poll(async () => (await usageOf(house.farebox, name)).length).toBe(1)
    expect((await usageOf(house.farebox, name))[0]).toMatchObject({ outcome: 'client_gone', usage_source: 'estimated' })
  })
})

describe('a provider that is to be cancelled', () => {
  beforeAll(async () => {
    house = await startHouse()
  })

  beforeEach(async () => {
    house.upstream.forget()
    ;({ key, name } = await newKey(house))
  })

  afterAll(async () => {
    await expectSoundBooks(house)
    await house.close()
  })

  it.each(ROUTES)(
    'is stopped when a stream of %s from %s loses its client, for what was delivered',
    async (...route) => {
      await leave(
        route,
        { stream: true },
        { type: 'answer', pieces: PIECES, stall: { at: { insideEvent: 5 }, ms: Infinity } },
      )
      const leftAtMs = Date.now()
      await soon(() => house.upstream.requests[0]?.closedAtMs)
      expect((house.upstream.requests[0]?.closedAtMs ?? Infinity) - leftAtMs).toBeLessThanOrEqual(STOP_MS)
      const found = await record()
      expect(found).toMatchObject({ outcome: 'client_gone', status: 200, usage_source: 'estimated' })
      expect(found?.charge_credits).toBeGreaterThan(0)
    },
  )

  it.each(ROUTES)('is stopped when a whole answer of %s from %s loses its client, for nothing', async (...route) => {
    await leave(route, {}, { type: 'answer', headersAfterMs: Infinity })
    const leftAtMs = Date.now()
    await soon(() => house.upstream.requests[0]?.closedAtMs)
    expect((house.upstream.requests[0]?.closedAtMs ?? Infinity) - leftAtMs).toBeLessThanOrEqual(STOP_MS)
    expect(await record()).toMatchObject({ outcome: 'client_gone', status: 499, charge_credits: 0 })
  })
})

it('reads on no more than 16 answers at a time, and none once the program ends', async () => {
  house = await startHouse({ onDisconnect: 'drain', env: { FAREBOX_SHUTDOWN_GRACE_MS: '20000' } })
  ;({ key } = await newKey(house))
  house.upstream.script({ type: 'endless', delayMs: 20 })
  const leaving = new AbortController()
  const members = { stream: true }
  const calls = Array.from({ length: 20 }, () => ask(house, CHAT, { key, members, signal: leaving.signal }))
  await Promise.all(calls.map(async (call) => (await call).body?.getReader().read()))
  leaving.abort()
  const open = () => house.upstream.requests.filter(({ closedAtMs }) => closedAtMs === undefined).length
  await expect.poll(open).toBe(16)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(open()).toBe(16)
  const startedMs = performance.now()
  await house.close()
  // Running answers are given twenty seconds here; drains are not.
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  expect(open()).toBe(0)
})
