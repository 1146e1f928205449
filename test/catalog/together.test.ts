import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AdminError } from '#cli/client.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { model, provider, topup } from './support.ts'

let farebox: Farebox

beforeEach(async () => {
  farebox = await startFarebox()
  await call('addProvider', { body: provider('main') })
  await call('addPackage', { body: topup('plenty') })
})

afterEach(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)

/** How calls that are made at the same moment end: `ok`, or the status of their refusal. */
async function together(...calls: readonly Promise<unknown>[]): Promise<(string | number)[]> {
  return Promise.all(
    calls.map((made) =>
      made.then(
        () => 'ok',
        (error: unknown) => (error instanceof AdminError ? error.status : expect.fail(String(error))),
      ),
    ),
  )
}

async function restarted<Value>(read: () => Promise<Value>): Promise<Value> {
  await farebox.stop()
  farebox = await startFarebox({ dataDir: farebox.dataDir })
  return read()
}

describe('two administrators at the same moment', () => {
  it('cannot both use a name', async () => {
    const key = { name: 'same', package: 'plenty' }
    expect(await together(call('createKey', { body: key }), call('createKey', { body: key }))).toEqual(['ok', 409])
    expect(await together(...[1, 2].map(() => call('addPackage', { body: topup('same') })))).toEqual(['ok', 409])
    expect(await together(...[1, 2].map(() => call('addProvider', { body: provider('same') })))).toEqual(['ok', 409])
    expect(
      await together(
        ...[1, 2].map((input) => call('addModel', { body: model('same', { price: { input, output: 1 } }) })),
      ),
    ).toEqual(['ok', 409])
  })

  it('cannot undo each other: a key that is suspended while it is extended is both', async () => {
    const { id } = await call('createKey', { body: { name: 'k', package: 'plenty' } })
    await together(call('suspendKey', { id }), call('extendKey', { id, body: { expires: 'never' } }))
    expect(await call('showKey', { id })).toMatchObject({ status: 'suspended', expires_at: null })
    expect(await restarted(() => call('showKey', { id }))).toMatchObject({ status: 'suspended', expires_at: null })
  })

  it('cannot bring a revoked key back', async () => {
    const { id } = await call('createKey', { body: { name: 'k', package: 'plenty' } })
    const ends = await together(
      call('revokeKey', { id }),
      call('resumeKey', { id }),
      call('suspendKey', { id }),
      call('extendKey', { id, body: { expires: 'never' } }),
      call('topUpKey', { id, body: { credits: 1 } }),
    )
    expect(ends).toEqual(['ok', 409, 409, 409, 409])
    expect((await call('showKey', { id })).status).toBe('revoked')
  })

  it('give a price one version each, and what is charged is what is stored', async () => {
    await call('addModel', { body: model('m') })
    const prices = [2, 3, 4].map((input) => call('priceModel', { id: 'm', body: { input, output: 1 } }))
    expect((await Promise.all(prices)).map(({ price }) => [price?.version, price?.input])).toEqual([
      [2, 2],
      [3, 3],
      [4, 4],
    ])
    const [shown] = await call('listModels', {})
    expect(shown?.price).toMatchObject({ version: 4, input: 4 })
    expect(await restarted(() => call('listModels', {}))).toEqual([shown])
  })

  it('that change different fields of one thing both get what they asked for', async () => {
    await together(
      call('editPackage', { id: 'plenty', body: { credits: 77 } }),
      call('editPackage', { id: 'plenty', body: { limits: { requests_per_minute: 5 } } }),
    )
    const [shown] = await call('listPackages', {})
    expect(shown).toMatchObject({ credits: 77, limits: { requests_per_minute: 5 } })
    expect(await restarted(() => call('listPackages', {}))).toEqual([shown])
  })

  it('that apply the same document create everything once', async () => {
    const document = { providers: [provider('new', { secret: 'x' })], models: [model('new')], packages: [topup('new')] }
    const results = await Promise.all([1, 2].map(() => call('apply', { body: { document } })))
    expect(results.map(({ changes }) => changes.map(({ action }) => action))).toEqual([
      ['create', 'create', 'create'],
      ['none', 'none', 'none'],
    ])
  })

  it('cannot take away what the other one needs, whoever comes first', async () => {
    const created = call('createKey', { body: { name: 'k', package: 'plenty' } })
    const withKey = await together(created, call('removePackage', { id: 'plenty' }))
    expect([
      ['ok', 409],
      [404, 'ok'],
    ]).toContainEqual(withKey)
    const added = call('addModel', { body: model('m') })
    const withModel = await together(added, call('removeProvider', { id: 'main' }))
    expect([
      ['ok', 409],
      [400, 'ok'],
    ]).toContainEqual(withModel)
  })
})

it('an action that is refused or fails does not hold up the next one', async () => {
  const ends = await together(
    call('removePackage', { id: 'nobody' }),
    call('addModel', { body: model('m', { targets: [{ provider: 'nobody', model: 'x' }] }) }),
    call('addPackage', { body: topup('next') }),
  )
  expect(ends).toEqual([404, 400, 'ok'])
})
