import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFarebox } from '../support/farebox.ts'
import { chat, startPair, type Pair } from '../gateway/support.ts'
import { refusal, refused, topup } from './support.ts'

let pair: Pair
let names = 0

beforeAll(async () => {
  const packages = [
    topup('plenty'),
    { name: 'free', type: 'unlimited' as const },
    { name: 'day', type: 'daily' as const, credits: 5, timezone: 'UTC' },
    { name: 'big-day', type: 'daily' as const, credits: 50, timezone: 'UTC' },
    { name: 'narrow', type: 'daily' as const, credits: 5, timezone: 'UTC', models: ['embed'] },
  ]
  pair = await startPair({ packages })
})

afterAll(async () => {
  expect(await call('verifyLedger', {})).toMatchObject({ ok: true, problems: [] })
  await pair.close()
})

const call: Pair['farebox']['admin']['call'] = (action, input) => pair.farebox.admin.call(action, input)
const create = (packageName = 'plenty') =>
  call('createKey', { body: { name: `key-${++names}`, package: packageName, expires: 'never' } })
const balance = (key: string) => pair.farebox.balance(key)
const adjust = (id: string, credits: number, more: object = {}) =>
  call('adjustKey', { id, body: { credits, reason: 'mistake', ...more } })

/** Answers one call, which is charged 39 micro-credits. */
async function spend(key: string): Promise<void> {
  expect((await chat(pair.farebox, key)).status).toBe(200)
}

describe('an idempotency id that was used', () => {
  const topUp = (id: string, credits: number, more: object = {}) =>
    call('topUpKey', { id, body: { credits, idempotency_id: 'x', ...more } })

  it.each([
    ['with another amount', (id: string) => topUp(id, 6)],
    ['with another reason', (id: string) => topUp(id, 5, { reason: 'another' })],
    ['for a correction of the same amount', (id: string) => adjust(id, 5, { reason: 'top-up', idempotency_id: 'x' })],
  ])('is refused %s, and the first is named', async (_how, again) => {
    const { id } = await create()
    const { balance: after } = await topUp(id, 5)
    expect(await refusal(again(id))).toEqual(refused.conflict('idempotency_id'))
    await expect(again(id)).rejects.toThrow(/top-up of 5 credits at \d{4}-\d\d-\d\dT.*Nothing was changed/)
    expect((await call('showKey', { id })).balance).toEqual(after)
    // The same again is no error, and changes nothing.
    expect((await topUp(id, 5)).balance).toEqual(after)
  })

  it('of a correction is refused for a top-up', async () => {
    const { id } = await create()
    await adjust(id, 2, { idempotency_id: 'x' })
    await expect(topUp(id, 2)).rejects.toThrow(/correction of 2 credits/)
    expect((await call('showKey', { id })).balance.total_credits).toBe(12)
  })

  it('is nobody else\u2019s: another key can use it', async () => {
    const [one, other] = [await create(), await create()]
    await topUp(one.id, 5)
    expect((await topUp(other.id, 6)).balance.total_credits).toBe(16)
  })

  it('counts once however many ask at the same time, of one amount or of several', async () => {
    const { id } = await create()
    const answers = await Promise.allSettled([3, 4, 3, 4, 3].map((credits) => topUp(id, credits)))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
    expect((await call('showKey', { id })).balance.total_credits).toBe(13)
  })

  it('is known after a restart, with its amount', async () => {
    const farebox = await startFarebox()
    await farebox.admin.call('addPackage', { body: topup('starter') })
    const { key } = await farebox.admin.call('createKey', { body: { name: 'kept', package: 'starter' } })
    await farebox.admin.call('topUpKey', { id: 'kept', body: { credits: 5, idempotency_id: 'x' } })
    await farebox.stop()
    const again = await startFarebox({ dataDir: farebox.dataDir })
    try {
      const ask = (credits: number) =>
        again.admin.call('topUpKey', { id: 'kept', body: { credits, idempotency_id: 'x' } })
      await expect(ask(7)).rejects.toThrow(/top-up of 5 credits/)
      expect((await ask(5)).balance.total_credits).toBe(15)
      expect(await again.balance(key)).toMatchObject({ total_credits: 15 })
    } finally {
      await again.close()
    }
  })
})

describe('a correction', () => {
  it('takes credits, and gives them, each time anew without an id', async () => {
    const { id } = await create()
    expect((await adjust(id, -2.5)).balance).toMatchObject({ total_credits: 7.5, remaining_credits: 7.5 })
    expect((await adjust(id, -2.5)).balance).toMatchObject({ total_credits: 5 })
    expect((await adjust(id, 0.000001)).balance).toMatchObject({ total_credits: 5.000001 })
  })

  it('with the same id counts once', async () => {
    const { id } = await create()
    for (let count = 0; count < 2; count++) {
      expect((await adjust(id, -4, { idempotency_id: 'x' })).balance.total_credits).toBe(6)
    }
  })

  it('may take more than there is: the debt is paid by the next top-up, and never shown as a number below 0', async () => {
    const { id, key } = await create()
    await spend(key)
    expect((await adjust(id, -12)).balance).toMatchObject({ total_credits: 0, remaining_credits: 0 })
    expect((await chat(pair.farebox, key)).status).toBe(402)
    await call('topUpKey', { id, body: { credits: 3 } })
    expect(await balance(key)).toMatchObject({ total_credits: 1, remaining_credits: 0.999961, used_credits: 0.000039 })
  })

  it('is written with its reason', async () => {
    const { id } = await create()
    await adjust(id, -1, { reason: 'ticket 7' })
    const { entries } = await call('listLedger', { query: { key: id, kind: 'adjustment' } })
    expect(entries).toMatchObject([{ amount_credits: -1, reason: 'ticket 7' }])
  })

  it.each([
    ['credits', { credits: 0 }],
    ['credits', { credits: 0.0000001 }],
    ['credits', { credits: -1e10 }],
    ['reason', { reason: undefined }],
    ['reason', { reason: '' }],
    ['reason', { reason: '  ' }],
    ['idempotency_id', { idempotency_id: '' }],
  ])('is refused for its %s: %j', async (param, wrong) => {
    const { id, key } = await create()
    expect(await refusal(adjust(id, 1, wrong))).toEqual(refused.invalid(param))
    expect(await balance(key)).toMatchObject({ total_credits: 10 })
  })

  it('is refused for a key that nobody knows, that is revoked, or that counts no credits', async () => {
    expect(await refusal(adjust('nobody', 1))).toEqual(refused.notFound)
    const [revoked, free] = [await create(), await create('free')]
    await call('revokeKey', { id: revoked.id })
    expect(await refusal(adjust(revoked.id, 1))).toEqual(refused.conflict())
    expect(await refusal(adjust(free.id, 1))).toMatchObject({ status: 400 })
  })
})

describe('a move', () => {
  it('to a package of the same kind keeps what was used and what was topped up', async () => {
    const { id, key } = await create('day')
    await spend(key)
    await call('topUpKey', { id, body: { credits: 2 } })
    expect(await call('moveKey', { id, body: { package: 'big-day' } })).toMatchObject({ id, package: 'big-day' })
    const moved = { total_credits: 52, used_credits: 0.000039, remaining_credits: 51.999961, daily_credits: 50 }
    expect(await balance(key)).toMatchObject(moved)
    await call('moveKey', { id, body: { package: 'big-day' } })
    expect(await balance(key)).toMatchObject(moved)
  })

  it('to a package of another kind leaves everything behind', async () => {
    const { id, key } = await create()
    await spend(key)
    await call('topUpKey', { id, body: { credits: 2 } })
    await call('moveKey', { id, body: { package: 'day' } })
    expect(await balance(key)).toMatchObject({
      package_type: 'daily',
      total_credits: 5,
      used_credits: 0,
      total_requests: 1,
      next_reset_at: expect.any(String),
    })
    await call('moveKey', { id, body: { package: 'free' } })
    expect(await balance(key)).toMatchObject({ package_type: 'unlimited', total_credits: null, next_reset_at: null })
  })

  it('holds for the very next request: its models and its credits', async () => {
    const { id, key } = await create('day')
    await call('moveKey', { id, body: { package: 'narrow' } })
    expect((await chat(pair.farebox, key)).status).not.toBe(200)
    await call('moveKey', { id, body: { package: 'day' } })
    await spend(key)
  })

  it('lets a running call end under the package in which it was admitted', async () => {
    const { id, key } = await create()
    pair.upstream.script({ type: 'answer', headersAfterMs: 300 })
    const running = chat(pair.farebox, key)
    await expect.poll(async () => (await balance(key))['held_credits'], { timeout: 5000 }).toBeGreaterThan(0)
    await call('moveKey', { id, body: { package: 'day' } })
    expect((await running).status).toBe(200)
    pair.upstream.script({ type: 'answer' })
    expect(await balance(key)).toMatchObject({
      total_credits: 5,
      used_credits: 0,
      remaining_credits: 5,
      held_credits: 0,
    })
    const { usage } = await call('usage', { query: { key: id } })
    expect(usage).toMatchObject([{ charge_credits: 0.000039, overrun: false }])
  })

  it('frees the package that it left', async () => {
    await call('addPackage', { body: topup('left') })
    const { id } = await create('left')
    await call('moveKey', { id, body: { package: 'plenty' } })
    expect(await call('removePackage', { id: 'left' })).toEqual({})
  })

  it('is refused where there is no such key or package, and for a revoked key', async () => {
    const { id } = await create()
    expect(await refusal(call('moveKey', { id: 'nobody', body: { package: 'day' } }))).toEqual(refused.notFound)
    expect(await refusal(call('moveKey', { id, body: { package: 'nothing' } }))).toEqual(refused.notFound)
    await call('revokeKey', { id })
    expect(await refusal(call('moveKey', { id, body: { package: 'day' } }))).toEqual(refused.conflict())
  })
})
