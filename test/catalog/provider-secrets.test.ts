// Several secrets of one provider, as an administrator gives and takes them: what is refused, and where each of them is kept.

import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AdminError } from '#cli/client.ts'
import type { ApplyDocument } from '#contract/schemas.ts'
import { openVault } from '#secret/vault.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'

const URL = 'https://api.example.com/v1'
const ORIGIN = 'https://api.example.com'
const PASSPHRASE = 'a passphrase of a test'

let farebox: Farebox
let names = 0

beforeAll(async () => {
  farebox = await startFarebox()
})
afterAll(() => farebox.close())

async function newProvider(more: object = { secret: 'sk-of-the-first' }): Promise<string> {
  const body = { name: `provider-${++names}`, dialect: 'chat-completions' as const, base_url: URL, ...more }
  return (await farebox.admin.call('addProvider', { body })).id
}

const add = (id: string, label: string, more: object = {}) =>
  farebox.admin.call('addProviderSecret', { id, body: { label, secret: `sk-of-${label}`, ...more } })
const remove = (id: string, label: string) => farebox.admin.call('removeProviderSecret', { id, query: { label } })
const labels = async (id: string) => (await farebox.admin.call('listProviderSecrets', { id })).map(({ label }) => label)

/** What is kept for a provider, by labels; the one without a label under an empty one. */
async function kept(id: string): Promise<Record<string, string | undefined>> {
  const vault = openVault({ dataDir: farebox.dataDir, keyFile: undefined })
  const own = (await vault.list()).filter(({ providerId }) => providerId === id)
  const entries = own.map(async (reference) => [reference.label ?? '', await vault.get(reference)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

async function refusal(call: Promise<unknown>): Promise<readonly [number, string | undefined]> {
  const error: unknown = await call.catch((reason: unknown) => reason)
  if (!(error instanceof AdminError)) throw new Error('expected a refusal')
  return [error.status, error.param]
}

describe('another secret', () => {
  it('is kept beside the first, which stays where it was', async () => {
    const id = await newProvider()
    await add(id, 'second', { weight: 3, limits: { tokens_per_minute: 100, credits_per_day: 1.5 } })
    expect(await farebox.admin.call('listProviderSecrets', { id })).toMatchObject([
      { label: 'first', weight: 1, limits: {} },
      { label: 'second', weight: 3, limits: { tokens_per_minute: 100, credits_per_day: 1.5 } },
    ])
    expect(await kept(id)).toEqual({ '': 'sk-of-the-first', second: 'sk-of-second' })
  })

  it('is the first one of a provider that had none', async () => {
    const id = await newProvider({})
    await add(id, 'only')
    expect(await labels(id)).toEqual(['only'])
    expect(await kept(id)).toEqual({ '': 'sk-of-only' })
  })

  it('is refused under a label that is taken, for the demo, beyond 32, and with limits that mean nothing', async () => {
    const id = await newProvider()
    expect(await refusal(add(id, 'first'))).toEqual([409, 'label'])
    expect(await refusal(add(id, 'b', { limits: { credits_per_day: 0.0000001 } }))).toEqual([
      400,
      'limits.credits_per_day',
    ])
    expect(await refusal(add('nobody', 'second'))).toEqual([404, undefined])
    expect(await refusal(add(id, 'c', { secret: '{"type":"entra_client"}' }))).toEqual([400, 'secret'])
    const demo = await farebox.admin.call('addProvider', { body: { name: `demo-${++names}`, dialect: 'demo' } })
    expect(await refusal(add(demo.id, 'second'))).toEqual([400, 'secret'])
    for (let index = 1; index < 32; index++) await add(id, `s${index}`)
    expect(await refusal(add(id, 'one-more'))).toEqual([409, undefined])
    expect(Object.keys(await kept(id))).toHaveLength(32)
  })

  it('stays beside headers whose values are secrets, whichever is replaced', async () => {
    const id = await newProvider({ secret: 'sk-of-the-first', header_secrets: { 'x-team': 'of the team' } })
    await add(id, 'second')
    await farebox.admin.call('editProviderSecret', { id, body: { label: 'second', secret: 'sk-new' } })
    await farebox.admin.call('setProviderSecret', { id, body: { secret: 'sk-newer' } })
    const texts = await kept(id)
    expect(texts['second']).toBe('sk-new')
    expect(texts['']).toContain('sk-newer')
    expect(texts['']).toContain('of the team')
  })
})

describe('a secret that is removed', () => {
  it('takes its entry along, and leaves the provider as it was before there were several', async () => {
    const id = await newProvider()
    await add(id, 'second')
    expect(await remove(id, 'second')).toEqual({ secret_forgotten: true })
    expect(await kept(id)).toEqual({ '': 'sk-of-the-first' })
    expect(await labels(id)).toEqual(['first'])
  })

  it('makes the next one the first where it was the first, with the headers that are secrets', async () => {
    const id = await newProvider({ secret: 'sk-of-the-first', header_secrets: { 'x-team': 'of the team' } })
    await add(id, 'second')
    await add(id, 'third')
    await remove(id, 'first')
    const texts = await kept(id)
    expect(Object.keys(texts).toSorted()).toEqual(['', 'third'])
    expect(texts['']).toContain('sk-of-second')
    expect(texts['']).toContain('of the team')
    expect(await labels(id)).toEqual(['second', 'third'])
  })

  it('is refused where it is the only one, or not there', async () => {
    const id = await newProvider()
    expect(await refusal(remove(id, 'first'))).toEqual([409, 'label'])
    expect(await refusal(remove(id, 'second'))).toEqual([404, 'label'])
  })
})

describe('all of them', () => {
  it('go with the provider, and when it moves to another origin', async () => {
    const gone = await newProvider()
    await add(gone, 'second')
    expect(await farebox.admin.call('removeProvider', { id: gone })).toEqual({ secret_forgotten: true })
    expect(await kept(gone)).toEqual({})
    const moved = await newProvider()
    await add(moved, 'second')
    await farebox.admin.call('editProvider', { id: moved, body: { base_url: 'https://elsewhere.example/v1' } })
    expect(await kept(moved)).toEqual({})
    expect(await labels(moved)).toEqual([])
  })

  it('come back from a file of secrets, to where each of them was', async () => {
    const id = await newProvider()
    await add(id, 'second')
    const file = join(farebox.dataDir, 'secrets.sealed')
    await farebox.admin.call('exportSecrets', { body: { file, passphrase: PASSPHRASE } })
    expect(await readFile(file, 'utf8')).not.toContain('sk-of-second')
    await farebox.admin.call('editProviderSecret', { id, body: { label: 'second', secret: 'another' } })
    await farebox.admin.call('setProviderSecret', { id, body: { secret: 'one more' } })
    const { imported } = await farebox.admin.call('importSecrets', { body: { file, passphrase: PASSPHRASE } })
    const { name } = (await farebox.admin.call('listProviders', {})).find((one) => one.id === id) ?? { name: '' }
    expect(imported).toEqual(expect.arrayContaining([`${name} (first)`, `${name} (second)`]))
    expect(await kept(id)).toEqual({ '': 'sk-of-the-first', second: 'sk-of-second' })
    await rm(file)
  })

  it('come back from a file that was made before the first was removed, and no other gets the text of the first', async () => {
    const id = await newProvider()
    await add(id, 'second')
    const file = join(farebox.dataDir, 'older.sealed')
    await farebox.admin.call('exportSecrets', { body: { file, passphrase: PASSPHRASE } })
    await remove(id, 'first')
    await farebox.admin.call('editProviderSecret', { id, body: { label: 'second', secret: 'another' } })
    const { imported, skipped } = await farebox.admin.call('importSecrets', { body: { file, passphrase: PASSPHRASE } })
    const { name } = (await farebox.admin.call('listProviders', {})).find((one) => one.id === id) ?? { name: '' }
    expect(imported).toContain(`${name} (second)`)
    expect(skipped).toEqual([`${name} (first)`])
    expect(await kept(id)).toEqual({ '': 'sk-of-second' })
    await rm(file)
  })

  it('find the only secret of a provider that has no others any more', async () => {
    const id = await newProvider()
    await add(id, 'second')
    const file = join(farebox.dataDir, 'of-two.sealed')
    await farebox.admin.call('exportSecrets', { body: { file, passphrase: PASSPHRASE } })
    await remove(id, 'second')
    await farebox.admin.call('setProviderSecret', { id, body: { secret: 'another' } })
    await farebox.admin.call('importSecrets', { body: { file, passphrase: PASSPHRASE } })
    expect(await kept(id)).toEqual({ '': 'sk-of-the-first' })
    expect(await labels(id)).toEqual(['first'])
    await rm(file)
  })

  it('are missing one by one where the store has lost them, and the others are used', async () => {
    const id = await newProvider()
    await add(id, 'second')
    await farebox.admin.call('listProviderSecrets', { id })
    expect((await farebox.admin.call('listProviders', {})).find((one) => one.id === id)?.secret_state).toBe('stored')
    await farebox.stop()
    await openVault({ dataDir: farebox.dataDir, keyFile: undefined }).delete({
      providerId: id,
      origin: ORIGIN,
      label: 'second',
    })
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    expect(await farebox.admin.call('listProviderSecrets', { id })).toMatchObject([
      { label: 'first', secret_state: 'stored' },
      { label: 'second', secret_state: 'missing' },
    ])
    expect(JSON.stringify((await farebox.admin.call('status', {})).attention)).toContain('--label second')
  })
})

describe('the secrets of a file', () => {
  const apply = (providers: NonNullable<ApplyDocument['providers']>, isDryRun = false) =>
    farebox.admin.call('apply', { body: { document: { providers }, dry_run: isDryRun } })
  const described = (name: string, secrets: readonly object[], more: object = {}) =>
    [{ name, dialect: 'chat-completions', base_url: URL, secrets, ...more }] as unknown as NonNullable<
      ApplyDocument['providers']
    >
  const of = (label: string, more: object = {}) => ({ label, secret: `sk-of-${label}`, ...more })
  const idOf = async (name: string) =>
    (await farebox.admin.call('listProviders', {})).find((one) => one.name === name)?.id ?? ''

  it('are kept each under its label, the first as the secret of the provider', async () => {
    const name = `provider-${++names}`
    const secrets = [of('work'), of('home', { weight: 2, limits: { credits_per_day: 1.5 } })]
    expect((await apply(described(name, secrets, { header_secrets: { 'x-team': 'of us' } }))).changes).toEqual([
      { kind: 'provider', name, action: 'create', fields: [] },
    ])
    const id = await idOf(name)
    expect(await farebox.admin.call('listProviderSecrets', { id })).toMatchObject([
      { label: 'work', weight: 1, limits: {} },
      { label: 'home', weight: 2, limits: { credits_per_day: 1.5 } },
    ])
    const texts = await kept(id)
    expect(texts['home']).toBe('sk-of-home')
    expect(texts['']).toContain('sk-of-work')
    expect(texts['']).toContain('of us')
  })

  it('change nothing when they are given again, and say when a text, a weight or the order is another', async () => {
    const name = `provider-${++names}`
    const secrets = [of('work'), of('home', { weight: 2 })]
    await apply(described(name, secrets))
    const id = await idOf(name)
    const before = await farebox.admin.call('listProviderSecrets', { id })
    const isSame = async (given: readonly object[]) => (await apply(described(name, given), true)).changes[0]
    expect(await isSame(secrets)).toMatchObject({ action: 'none', fields: [] })
    for (const other of [
      [of('work'), of('home')],
      [of('work'), of('home', { weight: 2, secret: 'sk-new' })],
      [of('work', { secret: 'sk-new' }), of('home', { weight: 2 })],
      [of('home', { weight: 2 }), of('work')],
      [of('work')],
    ]) {
      expect(await isSame(other)).toMatchObject({ action: 'update', fields: ['secrets'] })
    }
    expect(await farebox.admin.call('listProviderSecrets', { id })).toEqual(before)
    expect(await kept(id)).toEqual({ '': 'sk-of-work', home: 'sk-of-home' })
  })

  it('take the place of those that are there, and leave nothing behind', async () => {
    const id = await newProvider()
    await add(id, 'second')
    const { name } = (await farebox.admin.call('listProviders', {})).find((one) => one.id === id) ?? { name: '' }
    await apply(described(name, [of('third'), of('second', { secret: 'sk-2' })]))
    expect(await labels(id)).toEqual(['third', 'second'])
    expect(await kept(id)).toEqual({ '': 'sk-of-third', second: 'sk-2' })
    await apply(described(name, [of('first', { secret: 'sk-alone' })]))
    expect(await kept(id)).toEqual({ '': 'sk-alone' })
    expect(await labels(id)).toEqual(['first'])
  })

  it('go along to another origin, because they are given anew', async () => {
    const name = `provider-${++names}`
    await apply(described(name, [of('work'), of('home')]))
    await apply(described(name, [of('work'), of('home')], { base_url: 'https://elsewhere.example/v1' }))
    const id = await idOf(name)
    expect(await kept(id)).toEqual({ '': 'sk-of-work', home: 'sk-of-home' })
    expect(await farebox.admin.call('listProviderSecrets', { id })).toMatchObject([
      { label: 'work', secret_state: 'stored' },
      { label: 'home', secret_state: 'stored' },
    ])
  })

  it.each([
    ['beside a single one', [of('work')], { secret: 'sk-1' }, 'document.providers.0.secrets'],
    ['under one label twice', [of('work'), of('work')], {}, 'document.providers.0.secrets'],
    ['that are no secrets', [of('work'), of('home', { secret: '{"type":"entra_client"}' })], {}, undefined],
    ['with a limit that means nothing', [of('a', { limits: { credits_per_day: 0.0000001 } })], {}, undefined],
  ])('are refused %s, and nothing is changed', async (_, secrets, more, param) => {
    const before = await farebox.admin.call('listProviders', {})
    const [status, named] = await refusal(apply(described(`provider-${++names}`, secrets, more)))
    expect(status).toBe(400)
    if (param !== undefined) expect(`document.${named}`).toBe(param)
    expect(await farebox.admin.call('listProviders', {})).toEqual(before)
  })
})
