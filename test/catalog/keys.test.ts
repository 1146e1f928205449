import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyCreate } from '#contract/schemas.ts'
import { isWellFormedKey } from '#core/key-format.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { refusal, refused, topup } from './support.ts'

const DAY = 86_400_000
const START = Date.parse('2028-02-14T09:30:00Z')

let farebox: Farebox
let nowMs = START
let names = 0

beforeAll(async () => {
  await start()
  await call('addPackage', { body: topup('plenty', { timezone: 'Europe/Berlin' }) })
  await call('addPackage', { body: { name: 'free', type: 'unlimited' } })
  await call('addPackage', { body: { name: 'daily', type: 'daily', credits: 5, timezone: 'UTC' } })
})

afterAll(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const freshName = () => `key-${++names}`
const create = (more: Partial<KeyCreate> = {}) =>
  call('createKey', { body: { name: freshName(), package: 'plenty', ...more } })

async function start(dataDir?: string): Promise<void> {
  const clock = { nowMs: () => nowMs, monotonicMs: () => performance.now() }
  farebox = await startFarebox({ clock, ...(dataDir === undefined ? {} : { dataDir }) })
}

/** What a client meets that presents a key. */
async function statusOf(key: string): Promise<number> {
  const response = await fetch(`${farebox.url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
  await response.body?.cancel()
  return response.status
}

describe('a key', () => {
  it('is well-formed, works at once, and is shown this one time only', async () => {
    const { id, name, key, expires_at } = await create({ owner: 'ann' })
    expect(isWellFormedKey(key)).toBe(true)
    expect(await statusOf(key)).toBe(200)
    expect(expires_at).toBe(new Date(START + 90 * DAY).toISOString())
    const shown = await call('showKey', { id })
    expect(shown).toMatchObject({
      id,
      name,
      owner: 'ann',
      package: 'plenty',
      status: 'active',
      hint: key.slice(-4),
      expires_at,
    })
    expect(await call('showKey', { id: name })).toEqual(shown)
    expect(await call('listKeys', {})).toContainEqual(shown)
    expect(JSON.stringify(await call('listKeys', {}))).not.toContain(key)
    const files = await Promise.all(
      ['farebox.db', 'farebox.db-wal'].map((file) => readFile(join(farebox.dataDir, file), 'latin1')),
    )
    expect(files.join()).not.toContain(key.slice(4, 36))
  })

  it('starts with what its package gives', async () => {
    const balances = await Promise.all(
      ['plenty', 'free', 'daily'].map(
        async (name) => (await call('showKey', { id: (await create({ package: name })).id })).balance,
      ),
    )
    expect(balances).toMatchObject([
      { total_credits: 10, remaining_credits: 10, used_credits: 0, held_credits: 0, next_reset_at: null },
      { total_credits: null, remaining_credits: null, used_credits: null, held_credits: 0, next_reset_at: null },
      { total_credits: 5, cycle_started_at: '2028-02-14T00:00:00.000Z', next_reset_at: '2028-02-15T00:00:00.000Z' },
    ])
  })

  it.each([
    ['never', null],
    ['30d', '2028-03-15T09:30:00.000Z'],
    ['2028-12-31', '2028-12-31T23:00:00.000Z'],
    ['2028-12-31T12:00:00Z', '2028-12-31T12:00:00.000Z'],
  ])('expires as it was told: %s', async (expires, expires_at) => {
    expect(await create({ expires })).toMatchObject({ expires_at })
  })

  it.each<[string, object]>([
    ['expires', { expires: 'soon' }],
    ['expires', { expires: '2028-02-30' }],
    ['expires', { expires: '2020-12-31' }],
    ['expires', { expires: '2020-12-31T00:00:00Z' }],
    ['name', { name: '' }],
    ['name', { name: 'two\nlines' }],
    ['owner', { owner: '' }],
    ['credits', { credits: 5 }],
  ])('is refused for its %s: %j', async (param, wrong) => {
    expect(await refusal(create(wrong))).toEqual(refused.invalid(param))
  })

  it('is refused without its package', async () => {
    expect(await refusal(create({ package: 'nobody' }))).toEqual(refused.notFound)
  })

  it('needs a name of its own among those that are not revoked', async () => {
    const { name, id } = await create()
    expect(await refusal(create({ name }))).toEqual(refused.conflict('name'))
    await call('suspendKey', { id })
    expect(await refusal(create({ name }))).toEqual(refused.conflict('name'))
    await call('revokeKey', { id })
    const second = await create({ name })
    expect((await call('showKey', { id: name })).id).toBe(second.id)
    expect((await call('showKey', { id })).status).toBe('revoked')
  })

  it('that is not there is refused to every action', async () => {
    for (const action of ['showKey', 'suspendKey', 'resumeKey', 'revokeKey'] as const) {
      expect(await refusal(call(action, { id: 'nobody' }))).toEqual(refused.notFound)
    }
    expect(await refusal(call('extendKey', { id: 'nobody', body: { expires: '1d' } }))).toEqual(refused.notFound)
    expect(await refusal(call('topUpKey', { id: 'nobody', body: { credits: 1 } }))).toEqual(refused.notFound)
  })
})

describe('the state of a key', () => {
  it('changes for the very next request', async () => {
    const { id, key } = await create()
    for (const [action, status, http] of [
      ['suspendKey', 'suspended', 403],
      ['suspendKey', 'suspended', 403],
      ['resumeKey', 'active', 200],
      ['resumeKey', 'active', 200],
      ['revokeKey', 'revoked', 403],
    ] as const) {
      expect((await call(action, { id })).status).toBe(status)
      expect(await statusOf(key)).toBe(http)
    }
  })

  it('is final once it is revoked, also after a restart', async () => {
    const { id } = await create()
    await call('suspendKey', { id })
    await call('revokeKey', { id })
    for (let count = 0; count < 2; count++) {
      expect((await call('revokeKey', { id })).status).toBe('revoked')
      for (const refusedCall of [
        call('resumeKey', { id }),
        call('suspendKey', { id }),
        call('extendKey', { id, body: { expires: 'never' } }),
        call('topUpKey', { id, body: { credits: 5 } }),
      ]) {
        expect(await refusal(refusedCall)).toEqual(refused.conflict())
      }
      await farebox.stop()
      await start(farebox.dataDir)
    }
  })

  it('is expired from its expiry on, until an administrator extends it', async () => {
    const { id, key } = await create({ expires: '1d' })
    nowMs = START + DAY - 1
    expect([(await call('showKey', { id })).status, await statusOf(key)]).toEqual(['active', 200])
    nowMs += 1
    expect([(await call('showKey', { id })).status, await statusOf(key)]).toEqual(['expired', 403])
    expect(await call('extendKey', { id, body: { expires: '1d' } })).toMatchObject({
      status: 'active',
      expires_at: new Date(START + 2 * DAY).toISOString(),
    })
    expect(await statusOf(key)).toBe(200)
    expect(await call('extendKey', { id, body: { expires: 'never' } })).toMatchObject({ expires_at: null })
    nowMs = START
  })

  it('stays suspended when its expiry is extended', async () => {
    const { id, key } = await create({ expires: '1d' })
    await call('suspendKey', { id })
    nowMs = START + 2 * DAY
    expect((await call('showKey', { id })).status).toBe('expired')
    expect((await call('extendKey', { id, body: { expires: '10d' } })).status).toBe('suspended')
    expect(await statusOf(key)).toBe(403)
    nowMs = START
  })

  it('is not changed by an expiry that is none', async () => {
    const { id } = await create()
    const before = await call('showKey', { id })
    expect(await refusal(call('extendKey', { id, body: { expires: '0d' } }))).toEqual(refused.invalid('expires'))
    expect(await call('showKey', { id })).toEqual(before)
  })
})

describe('a top-up', () => {
  it('adds credits, each time anew without an id', async () => {
    const { id } = await create()
    await call('topUpKey', { id, body: { credits: 2.5 } })
    expect((await call('topUpKey', { id, body: { credits: 0.000001, reason: 'rounding' } })).balance).toMatchObject({
      total_credits: 12.500001,
      remaining_credits: 12.500001,
    })
  })

  it('with the same id adds them once, also at the same time and after a restart', async () => {
    const { id } = await create()
    const body = { credits: 5, idempotency_id: 'invoice-7' }
    const answers = await Promise.all([1, 2, 3].map(() => call('topUpKey', { id, body })))
    expect(answers.map((answer) => answer.balance.total_credits)).toEqual([15, 15, 15])
    await farebox.stop()
    await start(farebox.dataDir)
    expect((await call('topUpKey', { id, body })).balance.total_credits).toBe(15)
    expect((await call('topUpKey', { id, body: { ...body, idempotency_id: 'invoice-8' } })).balance.total_credits).toBe(
      20,
    )
  })

  it('whose id is one that the ledger uses itself is still a top-up', async () => {
    const { id } = await create({ package: 'daily' })
    const cycle = `cycle:${Date.parse('2028-02-14T00:00:00Z')}`
    const shown = await call('topUpKey', { id, body: { credits: 5, idempotency_id: cycle } })
    expect(shown.balance.total_credits).toBe(10)
    expect(await call('verifyLedger', {})).toMatchObject({ ok: true, problems: [] })
  })

  it.each([
    ['credits', { credits: 0 }],
    ['credits', { credits: -5 }],
    ['credits', { credits: 0.0000001 }],
    ['credits', { credits: 1e10 }],
    ['idempotency_id', { credits: 1, idempotency_id: '' }],
  ])('is refused for its %s: %j', async (param, body) => {
    const { id } = await create()
    expect(await refusal(call('topUpKey', { id, body }))).toEqual(refused.invalid(param))
  })

  it('of a key without a limit is refused: there is nothing to top up', async () => {
    const { id } = await create({ package: 'free' })
    expect(await refusal(call('topUpKey', { id, body: { credits: 5 } }))).toMatchObject({ status: 400 })
  })

  it('of an expired or suspended key is taken: it may be used again', async () => {
    const { id } = await create()
    await call('suspendKey', { id })
    expect((await call('topUpKey', { id, body: { credits: 5 } })).balance.total_credits).toBe(15)
  })
})

it('the books are right after all of this', async () => {
  expect(await call('verifyLedger', {})).toMatchObject({ ok: true, problems: [], open_holds: 0 })
})
