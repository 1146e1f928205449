// Secrets that gateways share, against whoever can write to their database: it is a map here, which the tests change as they like.

import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SecretFailure } from '#core/secret-failure.ts'
import { Forgetting } from '#secret/forgetting.ts'
import { Keeper } from '#secret/keeper.ts'
import { KnownRevisions } from '#secret/known-revisions.ts'
import type { SharedRow } from '#secret/shared-rows.ts'
import { SharedVault } from '#secret/shared-vault.ts'
import { readVaultKeys } from '#secret/vault-keys.ts'

const OPENAI = { providerId: 'p1', origin: 'https://api.openai.com' }
const SECOND = { ...OPENAI, label: 'second' }
const OTHER = { providerId: 'p2', origin: 'https://api.example.com' }
const SECRET = 'sk-canary-71fd0b2c-ünïcode'

let folder: string
let database: Map<string, SharedRow>
/** Which gateways have which keys, as they told. */
let told: Map<string, readonly string[]>
let vaults: { readonly vault: SharedVault; readonly look: () => Promise<void> }[]
let flaws: string[]
let changed: string[]
let nowMs: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-shared-vault-'))
  ;[database, told, vaults, flaws, changed, nowMs] = [new Map(), new Map(), [], [], [], 0]
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const nameOf = ({ providerId, origin, label }: { providerId: string; origin: string; label?: string }) =>
  [providerId, origin, label].join(' ')
const rowOf = (reference: typeof OPENAI | typeof SECOND) => database.get(nameOf(reference)) as SharedRow

async function keyFile(name: string, bytes: Buffer = randomBytes(32), mode = 0o400): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  await chmod(path, mode)
  return path
}

type Opening = { readonly key: string; readonly old?: string; readonly books?: string }

/** A gateway; one that is opened again under its name has what it noted. */
async function gateway(name: string, { key, old, books = 'books' }: Opening): Promise<SharedVault> {
  const keys = await readVaultKeys({ keyFile: key, oldKeyFile: old, credentialsDir: undefined })
  const look = () => vault.take([...database.values()], { isAll: true })
  const vault: SharedVault = new SharedVault({
    keys,
    revisions: new KnownRevisions(join(folder, `${name}.json`)),
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    onChanged: (providerId) => changed.push(`${name} ${providerId}`),
    onFlaw: (_providerId, why) => flaws.push(why),
    rows: {
      gatewayId: name,
      booksId: books,
      look,
      async put(row, known) {
        const places = [...told].flatMap(([place, ids]) => (ids.includes(row.keyId) ? [] : [place]))
        if (places.length > 0) return { type: 'keyless', places }
        if (database.get(nameOf(row))?.revision !== known) return { type: 'overtaken' }
        database.set(nameOf(row), { ...row, gateway: name, isLate: true })
        return { type: 'put' }
      },
    },
  })
  vaults.push({ vault, look })
  await look()
  return vault
}

/** As gateways do once they hear that something changed; what was put back is there then. */
async function allLook(): Promise<void> {
  for (const { look } of vaults) await look()
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('sharing secrets', () => {
  it('gives every gateway what one has set, and takes it from all', async () => {
    const key = await keyFile('key')
    const [a, b] = [await gateway('a', { key }), await gateway('b', { key })]
    await a.set(OPENAI, SECRET)
    await a.set(SECOND, 'sk-second')
    await allLook()
    expect([await b.get(OPENAI), await b.get(SECOND), await b.get(OTHER)]).toEqual([SECRET, 'sk-second', undefined])
    expect(changed).toEqual(['b p1'])
    await b.delete(OPENAI)
    await b.delete(OTHER)
    await allLook()
    expect(await a.get(OPENAI)).toBeUndefined()
    expect((await a.list()).map(({ label }) => label)).toEqual(['second'])
    expect(flaws).toEqual([])
  })

  it('leaves nothing of a secret in the database or in its own file', async () => {
    const a = await gateway('a', { key: await keyFile('key') })
    await a.set(OPENAI, SECRET)
    const kept = JSON.stringify([...database]) + (await readFile(join(folder, 'a.json'), 'utf8'))
    for (const text of [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 20)]) expect(kept).not.toContain(text)
    expect(Buffer.from(rowOf(OPENAI).sealed, 'base64').includes(Buffer.from(SECRET))).toBe(false)
    expect((await stat(join(folder, 'a.json'))).mode & 0o777).toBe(0o600)
  })

  it('keeps the later of two that are set at once, and loses neither gateway', async () => {
    const key = await keyFile('key')
    const [a, b] = [await gateway('a', { key }), await gateway('b', { key })]
    await Promise.all([a.set(OPENAI, 'sk-a'), b.set(OPENAI, 'sk-b')])
    await allLook()
    expect(rowOf(OPENAI).revision).toBe(2)
    expect(await a.get(OPENAI)).toBe(await b.get(OPENAI))
  })

  it('forgets nothing that another gateway has just kept for a row that is still to come', async () => {
    const key = await keyFile('key')
    const [a, b] = [await gateway('a', { key }), await gateway('b', { key })]
    const forgetting = new Forgetting({ path: join(folder, 'forget.json'), store: a, isInUse: () => false })
    await b.set(SECOND, 'sk-second')
    await allLook()
    await forgetting.intend(['p1'])
    expect(await forgetting.carryOut()).toBe(false)
    expect(await b.get(SECOND)).toBe('sk-second')
    nowMs += 60_000
    expect(await forgetting.carryOut()).toBe(true)
    await allLook()
    expect(await b.get(SECOND)).toBeUndefined()
  })

  it('says nothing before it has read the database', async () => {
    const keys = await readVaultKeys({ keyFile: await keyFile('key'), oldKeyFile: undefined })
    const rows = {
      gatewayId: 'a',
      booksId: undefined,
      look: async () => {},
      put: async () => ({ type: 'put' as const }),
    }
    const revisions = new KnownRevisions(join(folder, 'a.json'))
    const clock = { nowMs: () => 0, monotonicMs: () => 0 }
    const vault = new SharedVault({ keys, rows, revisions, ...clock, onChanged() {}, onFlaw() {} })
    await expect(vault.get(OPENAI)).rejects.toMatchObject({ trouble: 'database' })
    await expect(vault.list()).rejects.toBeInstanceOf(SecretFailure)
  })
})

describe('whoever can write to the database', () => {
  it('cannot have a secret sent elsewhere by moving its row', async () => {
    const key = await keyFile('key')
    const a = await gateway('a', { key })
    await a.set(OPENAI, SECRET)
    await a.set(OTHER, 'sk-other')
    const stolen = rowOf(OPENAI)
    const places = [OTHER, SECOND, { ...OPENAI, origin: 'https://evil.example' }, { ...OPENAI, providerId: 'p3' }]
    for (const place of places) database.set(nameOf(place), { ...stolen, ...place, revision: 7 })
    const fresh = await gateway('fresh', { key })
    for (const place of places) await expect(fresh.get(place)).rejects.toThrow(/not sealed for it/)
    expect(await fresh.get(OPENAI)).toBe(SECRET)
    // Nor into books of other gateways that have the same key.
    expect((await gateway('foreign', { key, books: 'others' })).isForeign).toBe(true)
  })

  it('cannot change a row, make one, or have plain text taken', async () => {
    const key = await keyFile('key')
    const a = await gateway('a', { key })
    await a.set(OPENAI, SECRET)
    const row = rowOf(OPENAI)
    const bytes = Buffer.from(row.sealed, 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    const forged: Partial<SharedRow>[] = [
      { sealed: bytes.toString('base64') },
      { sealed: Buffer.from(SECRET).toString('base64') },
      { sealed: SECRET },
      { sealed: '' },
      { revision: row.revision + 1 },
      { revision: 2 ** 60 },
      { keyId: 'none' },
    ]
    for (const part of forged) {
      database.set(nameOf(OPENAI), { ...row, ...part })
      await expect((await gateway(`fresh ${JSON.stringify(part)}`, { key })).get(OPENAI)).rejects.toThrow(/database/)
    }
  })

  it('cannot bring back an earlier secret, or one that was removed', async () => {
    const key = await keyFile('key')
    const a = await gateway('a', { key })
    await a.set(OPENAI, 'sk-leaked')
    await a.set(OTHER, 'sk-removed')
    const before = new Map(database)
    await a.set(OPENAI, SECRET)
    await a.delete(OTHER)
    const present = new Map(database)

    database = new Map(before)
    vaults = []
    // One that was not running sees that it knew later ones.
    const restarted = await gateway('a', { key })
    await expect(restarted.get(OPENAI)).rejects.toThrow(/earlier/)
    await expect(restarted.get(OTHER)).rejects.toThrow(/earlier/)

    database = new Map(present)
    vaults = []
    const running = await gateway('a', { key })
    database = new Map(before)
    await allLook()
    // One that runs goes on with what it has, and puts it back.
    expect([await running.get(OPENAI), await running.get(OTHER)]).toEqual([SECRET, undefined])
    await allLook()
    const newcomer = await gateway('new', { key })
    expect([await newcomer.get(OPENAI), await newcomer.get(OTHER)]).toEqual([SECRET, undefined])

    database.clear()
    await allLook()
    expect(rowOf(OPENAI).revision).toBe(2)
  })

  it('is told of by the state of the provider, and what is set again is taken', async () => {
    const key = await keyFile('key')
    const a = await gateway('a', { key })
    await a.set(OPENAI, SECRET)
    const b = await gateway('b', { key })
    database.set(nameOf(OPENAI), { ...rowOf(OPENAI), sealed: 'nonsense' })
    vaults = []
    const fresh = await gateway('fresh', { key })
    const forgetting = new Forgetting({ path: join(folder, 'forget.json'), store: fresh, isInUse: () => true })
    const keeper = new Keeper({ store: fresh, forgetting, monotonicMs: () => nowMs })
    await keeper.refresh([OPENAI, OTHER])
    expect([keeper.stateOf(OPENAI), keeper.stateOf(OTHER)]).toEqual(['locked', 'missing'])
    expect(keeper.trouble).toMatch(/Set it again/)
    // Later than what others have seen, and this one has not.
    nowMs += 1
    await keeper.set(OPENAI, 'sk-anew')
    await keeper.refresh([OPENAI])
    expect([keeper.stateOf(OPENAI), keeper.trouble]).toEqual(['stored', undefined])
    await b.take([...database.values()], { isAll: false })
    expect(await b.get(OPENAI)).toBe('sk-anew')
  })
})

describe('exchanging the key', () => {
  it('reads both meanwhile, seals all with the new one, and then believes the old one no more', async () => {
    const [old, key] = [await keyFile('old'), await keyFile('new')]
    const a = await gateway('a', { key: old })
    await a.set(OPENAI, SECRET)
    await a.set(SECOND, 'sk-second')
    await a.set(OTHER, 'sk-other')
    await a.delete(OTHER)
    const before = new Map(database)
    vaults = []
    const both = await gateway('a', { key, old })
    expect(await both.get(OPENAI)).toBe(SECRET)
    expect(await both.reseal()).toEqual({ resealed: 3, unreadable: 0 })
    expect(await both.reseal()).toEqual({ resealed: 0, unreadable: 0 })
    const only = await gateway('b', { key })
    expect([await only.get(OPENAI), await only.get(SECOND), await only.get(OTHER)]).toEqual([
      SECRET,
      'sk-second',
      undefined,
    ])
    expect((await gateway('late', { key: old })).isForeign).toBe(true)

    // Also to one that has just begun, and to one that still has both keys.
    database = before
    vaults = []
    expect((await gateway('new', { key })).isForeign).toBe(true)
    await expect((await gateway('a', { key, old })).get(OPENAI)).rejects.toThrow(/earlier/)
  })

  it('seals nothing with a key that a running gateway does not have', async () => {
    const [old, key] = [await keyFile('old'), await keyFile('new')]
    const [a, b] = [await gateway('a', { key, old }), await gateway('b', { key: old })]
    told = new Map([
      ['host-a', a.keyIds],
      ['host-b', b.keyIds],
    ])
    await expect(a.set(OPENAI, SECRET)).rejects.toThrow(/host-b\. Give it to all/)
    expect(database.size).toBe(0)
    expect(a.keyIds).toHaveLength(2)
  })

  it('counts what neither key opens, and leaves it', async () => {
    const [old, key] = [await keyFile('old'), await keyFile('new')]
    await (await gateway('a', { key: old })).set(OPENAI, SECRET)
    await (await gateway('stranger', { key: await keyFile('third') })).set(OTHER, 'sk-other')
    expect(await (await gateway('b', { key, old })).reseal()).toEqual({ resealed: 1, unreadable: 1 })
  })
})

describe('the key', () => {
  const read = (given: { keyFile?: string; oldKeyFile?: string; credentialsDir?: string }) =>
    readVaultKeys({ keyFile: given.keyFile, oldKeyFile: given.oldKeyFile, credentialsDir: given.credentialsDir })

  it('is never made, and refused where it is missing, no key, or open to others', async () => {
    const good = await keyFile('good')
    await expect(read({})).rejects.toThrow(/FAREBOX_VAULT_KEY_FILE/)
    await expect(read({ keyFile: join(folder, 'none') })).rejects.toThrow(/is missing/)
    await expect(read({ keyFile: await keyFile('short', randomBytes(31)) })).rejects.toThrow(/exactly 32 bytes/)
    await expect(read({ keyFile: await keyFile('group', randomBytes(32), 0o440) })).rejects.toThrow(/0600 or 0400/)
    await expect(read({ keyFile: await keyFile('all', randomBytes(32), 0o644) })).rejects.toThrow(/0600 or 0400/)
    await expect(read({ keyFile: good, oldKeyFile: join(folder, 'none') })).rejects.toThrow(/is missing/)
    expect((await read({ keyFile: good, oldKeyFile: good })).others).toEqual([])
  })

  it('may be a credential of systemd, and so may the one before it', async () => {
    await keyFile('farebox-key', randomBytes(32), 0o440)
    await keyFile('farebox-old-key', randomBytes(32), 0o440)
    expect((await read({ credentialsDir: folder })).others).toHaveLength(1)
  })

  it.runIf(process.getuid?.() !== 0)('is refused where it cannot be read', async () => {
    await expect(read({ keyFile: await keyFile('closed', randomBytes(32), 0o000) })).rejects.toThrow(/cannot be read/)
  })

  it('keeps to itself when it is printed', async () => {
    const bytes = randomBytes(32)
    const keys = await read({ keyFile: await keyFile('key', Buffer.from(bytes)) })
    expect(JSON.stringify(keys)).not.toContain(bytes.toString('base64'))
    expect(keys.current.id).not.toBe(bytes.toString('base64'))
  })
})
