import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PackageCreate } from '#contract/schemas.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { model, provider, refusal, refused, topup } from './support.ts'

let farebox: Farebox
let names = 0

beforeAll(async () => {
  farebox = await startFarebox()
  await call('addProvider', { body: provider('main') })
  for (const id of ['one', 'two']) await call('addModel', { body: model(id) })
})

afterAll(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const freshName = () => `package-${++names}`
const add = (more: Partial<PackageCreate> = {}) => call('addPackage', { body: topup(freshName(), more) })
const shown = async (name: string) => (await call('listPackages', {})).find((listed) => listed.name === name)

describe('a package', () => {
  it('is added with defaults, shown and listed', async () => {
    const added = await add()
    expect(added).toMatchObject({
      type: 'topup',
      credits: 10,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      limits: { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null },
      models: 'all',
      valid_until: null,
      keys: 0,
    })
    expect(await shown(added.name)).toEqual(added)
  })

  it('is added with everything said, and is the same after a restart', async () => {
    const limits = { requests_per_minute: 60, tokens_per_minute: 1000, concurrent_requests: 2 }
    const added = await add({
      type: 'monthly',
      credits: 0.000001,
      timezone: 'Asia/Kathmandu',
      limits,
      models: ['two', 'one'],
      valid_until: '2030-06-30',
    })
    expect(added).toMatchObject({
      credits: 0.000001,
      timezone: 'Asia/Kathmandu',
      limits,
      models: ['two', 'one'],
      valid_until: '2030-06-30T18:15:00.000Z',
    })
    await farebox.stop()
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    expect(await shown(added.name)).toEqual(added)
  })

  it('without a limit on credits has none to give', async () => {
    const { credits: _, ...body } = topup(freshName(), { type: 'unlimited' })
    expect(await call('addPackage', { body })).toMatchObject({ type: 'unlimited', credits: null })
    expect(await refusal(add({ type: 'unlimited', credits: 5 }))).toEqual(refused.invalid('credits'))
    expect(await refusal(call('editPackage', { id: body.name, body: { credits: 5 } }))).toEqual(
      refused.invalid('credits'),
    )
  })

  it('may give nothing', async () => {
    expect(await add({ credits: 0 })).toMatchObject({ credits: 0 })
  })

  it('needs a name of its own', async () => {
    const { name } = await add()
    expect(await refusal(call('addPackage', { body: topup(name) }))).toEqual(refused.conflict('name'))
  })

  it.each<[string, object]>([
    ['type', { type: 'yearly' }],
    ['credits', { credits: undefined }],
    ['credits', { credits: -1 }],
    ['credits', { credits: 0.0000001 }],
    ['credits', { credits: 2e9 }],
    ['timezone', { timezone: 'Europe/Atlantis' }],
    ['limits.requests_per_minute', { limits: { requests_per_minute: 0 } }],
    ['limits.requests_per_hour', { limits: { requests_per_hour: 5 } }],
    ['models', { models: ['one', 'none'] }],
    ['valid_until', { valid_until: '2027-02-30' }],
    ['valid_until', { valid_until: '31.12.2027' }],
    ['valid_until', { valid_until: '2027-12-31T12:00:00' }],
    ['budget', { budget: 5 }],
  ])('is refused for its %s: %j', async (param, wrong) => {
    expect(await refusal(add(wrong))).toEqual(refused.invalid(param))
  })

  it('that is not there is neither edited nor removed', async () => {
    expect(await refusal(call('editPackage', { id: 'nobody', body: {} }))).toEqual(refused.notFound)
    expect(await refusal(call('removePackage', { id: 'nobody' }))).toEqual(refused.notFound)
  })
})

describe('editing', () => {
  it('changes what is named and leaves the rest', async () => {
    const added = await add({ limits: { requests_per_minute: 5 }, models: ['one'], valid_until: '2030-01-01' })
    expect(await call('editPackage', { id: added.name, body: { credits: 99 } })).toEqual({ ...added, credits: 99 })
    expect(await call('editPackage', { id: added.id, body: { models: 'all' } })).toEqual({
      ...added,
      credits: 99,
      models: 'all',
    })
    expect(await call('editPackage', { id: added.id, body: {} })).toMatchObject({ credits: 99, models: 'all' })
  })

  it('takes limits as a whole: one that is left out is lifted', async () => {
    const { name } = await add({ limits: { requests_per_minute: 5, tokens_per_minute: 10 } })
    expect((await call('editPackage', { id: name, body: { limits: { tokens_per_minute: 20 } } })).limits).toEqual({
      requests_per_minute: null,
      tokens_per_minute: 20,
      concurrent_requests: null,
    })
  })

  it('sets a date, keeps it where none is named, and takes it away with null', async () => {
    const { name } = await add({ timezone: 'UTC' })
    const edit = async (body: { valid_until?: string | null; credits?: number }) =>
      (await call('editPackage', { id: name, body })).valid_until
    expect(await edit({ valid_until: '2030-01-01' })).toBe('2030-01-02T00:00:00.000Z')
    expect(await edit({ credits: 5 })).toBe('2030-01-02T00:00:00.000Z')
    expect(await edit({ valid_until: '2030-01-01T12:00:00+02:00' })).toBe('2030-01-01T10:00:00.000Z')
    expect(await edit({ valid_until: null })).toBe(null)
  })

  it('is refused as adding is', async () => {
    const { name } = await add()
    for (const [param, body] of [
      ['timezone', { timezone: 'Nowhere' }],
      ['models', { models: ['none'] }],
      ['credits', { credits: 0.0000001 }],
      ['valid_until', { valid_until: 'tomorrow!!' }],
      ['type', { type: 'weekly' }],
      ['credits', { type: 'unlimited', credits: 5 }],
      ['reset_used', { reset_used: 'yes' }],
      ['name', { name: 'other' }],
    ] as const) {
      expect(await refusal(call('editPackage', { id: name, body: body as object }))).toEqual(refused.invalid(param))
    }
  })

  it('goes on when one of its models has been removed meanwhile', async () => {
    await call('addModel', { body: model('short-lived') })
    const { name } = await add({ models: ['one', 'short-lived'] })
    await call('removeModel', { id: 'short-lived' })
    expect(await call('editPackage', { id: name, body: { credits: 7 } })).toMatchObject({ credits: 7 })
    expect(await refusal(call('editPackage', { id: name, body: { models: ['one', 'short-lived'] } }))).toEqual(
      refused.invalid('models'),
    )
  })

  it.each(['daily', 'monthly', 'topup'] as const)(
    'the credits of a %s package holds for its keys at once',
    async (type) => {
      const { name } = await add({ type, credits: 10 })
      const { id, key } = await call('createKey', { body: { name: freshName(), package: name } })
      for (const credits of [500, 0.25]) {
        await call('editPackage', { id: name, body: { credits } })
        const daily = { daily_credits: type === 'daily' ? credits : null }
        expect(await farebox.balance(key)).toMatchObject({
          total_credits: credits,
          remaining_credits: credits,
          ...daily,
        })
      }
      await call('topUpKey', { id, body: { credits: 2 } })
      await call('apply', { body: { document: { packages: [{ name, type, credits: 3 }] } } })
      expect(await farebox.balance(key)).toMatchObject({ total_credits: 5, remaining_credits: 5 })
      await call('apply', { body: { document: { packages: [{ name, type, credits: 3 }] } } })
      expect(await farebox.balance(key)).toMatchObject({ total_credits: 5 })
    },
  )

  it('its type begins a cycle of the new kind for its keys', async () => {
    const { name } = await add({ type: 'topup', credits: 10 })
    const { id, key } = await call('createKey', { body: { name: freshName(), package: name } })
    await call('topUpKey', { id, body: { credits: 5 } })
    expect(await call('editPackage', { id: name, body: { type: 'daily' } })).toMatchObject({
      type: 'daily',
      credits: 10,
    })
    const daily = { package_type: 'daily', total_credits: 10, daily_credits: 10, next_reset_at: expect.any(String) }
    expect(await farebox.balance(key)).toMatchObject(daily)
    await call('editPackage', { id: name, body: { type: 'unlimited' } })
    expect(await farebox.balance(key)).toMatchObject({ package_type: 'unlimited', total_credits: null })
    expect(await refusal(call('editPackage', { id: name, body: { type: 'topup' } }))).toEqual(
      refused.invalid('credits'),
    )
    await call('editPackage', { id: name, body: { type: 'topup', credits: 4 } })
    expect(await farebox.balance(key)).toMatchObject({ package_type: 'topup', total_credits: 4, next_reset_at: null })
    expect(await call('verifyLedger', {})).toMatchObject({ ok: true, problems: [] })
  })
})

describe('removing', () => {
  it('is refused while there are keys, revoked ones included: their history refers to it', async () => {
    const { name } = await add()
    const { id } = await call('createKey', { body: { name: freshName(), package: name } })
    expect(await shown(name)).toMatchObject({ keys: 1 })
    expect(await refusal(call('removePackage', { id: name }))).toEqual(refused.conflict())
    await call('revokeKey', { id })
    expect(await refusal(call('removePackage', { id: name }))).toEqual(refused.conflict())
  })

  it('frees its name', async () => {
    const { name } = await add()
    expect(await call('removePackage', { id: name })).toEqual({})
    expect(await shown(name)).toBeUndefined()
    await call('addPackage', { body: topup(name) })
  })
})
