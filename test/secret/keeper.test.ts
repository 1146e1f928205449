// What the keeper adds to a store: the vault, whose key file is taken away and put back.

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Forgetting } from '#secret/forgetting.ts'
import { Keeper } from '#secret/keeper.ts'
import type { SecretReference, SecretStore } from '#secret/port.ts'
import { openVault } from '#secret/vault.ts'

const OPENAI = { providerId: 'p1', origin: 'https://api.openai.com' }
const LOCAL = { providerId: 'p2', origin: 'http://127.0.0.1:11434' }

let dataDir: string
let nowMs: number
let asked: number
let inUse: SecretReference[]

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-keeper-'))
  nowMs = 0
  asked = 0
  inUse = []
})

afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

/** A vault that counts how often it is asked for a secret. */
function countingVault(): SecretStore {
  const vault = openVault({ dataDir, keyFile: undefined })
  return {
    get: (reference) => {
      asked += 1
      return vault.get(reference)
    },
    set: (reference, secret) => vault.set(reference, secret),
    delete: (reference) => vault.delete(reference),
    list: () => vault.list(),
  }
}

function open(): Keeper {
  const store = countingVault()
  const isInUse = (reference: SecretReference) =>
    inUse.some((used) => JSON.stringify(used) === JSON.stringify(reference))
  const forgetting = new Forgetting({ path: intentions(), store, isInUse })
  return new Keeper({ store, forgetting, monotonicMs: () => nowMs })
}

const intentions = () => join(dataDir, 'secrets-to-forget.json')
const keyFile = () => join(dataDir, 'vault.key')
const close = () => chmod(keyFile(), 0o644)
const reopen = () => chmod(keyFile(), 0o600)

async function withSecret(): Promise<void> {
  await openVault({ dataDir, keyFile: undefined }).set(OPENAI, 'secret')
}

describe('a store that cannot be read', () => {
  it('is asked once for a burst of calls, and again a second later', async () => {
    await withSecret()
    await close()
    const keeper = open()
    const burst = () => Promise.allSettled(Array.from({ length: 100 }, () => keeper.get(OPENAI)))
    expect(new Set((await burst()).map(({ status }) => status))).toEqual(new Set(['rejected']))
    await burst()
    expect(asked).toBe(1)
    expect(keeper.stateOf(OPENAI)).toBe('locked')
    await reopen()
    nowMs = 999
    await expect(keeper.get(OPENAI)).rejects.toThrow('Others may read')
    nowMs = 1_000
    expect(await keeper.get(OPENAI)).toBe('secret')
    expect(keeper.stateOf(OPENAI)).toBe('stored')
    expect(keeper.trouble).toBeUndefined()
  })

  it('is not asked again for a while where there is no secret, unless one is set', async () => {
    const keeper = open()
    expect(await keeper.get(OPENAI)).toBeUndefined()
    expect(await keeper.get(OPENAI)).toBeUndefined()
    expect(asked).toBe(1)
    expect(keeper.stateOf(OPENAI)).toBe('missing')
    await keeper.set(OPENAI, 'secret')
    expect(await keeper.get(OPENAI)).toBe('secret')
    expect(keeper.stateOf(OPENAI)).toBe('stored')
  })

  it('is locked for all, with its reason, when somebody asks how things stand', async () => {
    await withSecret()
    const keeper = open()
    await keeper.refresh([OPENAI, LOCAL])
    expect([OPENAI, LOCAL].map((reference) => keeper.stateOf(reference))).toEqual(['stored', 'missing'])
    const locked = open()
    await close()
    await locked.refresh([OPENAI, LOCAL])
    expect([OPENAI, LOCAL].map((reference) => locked.stateOf(reference))).toEqual(['locked', 'locked'])
    expect(locked.trouble).toContain('Others may read')
  })
})

describe('what is to be forgotten', () => {
  it('goes at once where it can, but for what is in use again', async () => {
    const keeper = open()
    await keeper.set(OPENAI, 'secret')
    await keeper.set({ ...OPENAI, origin: 'https://old.example' }, 'old')
    await keeper.set(LOCAL, 'of another provider')
    inUse = [OPENAI]
    await keeper.intendToForget(['p1'])
    expect(await keeper.forget()).toBe(true)
    expect(await keeper.list()).toEqual([OPENAI, LOCAL])
    inUse = []
    expect(await keeper.forget()).toBe(true)
    expect(await keeper.list()).toEqual([OPENAI, LOCAL])
  })

  it('waits for a change that keeps what is in no row yet, whoever reads meanwhile', async () => {
    const keeper = open()
    inUse = [OPENAI]
    await keeper.set(OPENAI, 'secret')
    const goOn = await keeper.holdOffForgetting()
    await keeper.set({ ...OPENAI, label: 'second' }, 'added')
    await keeper.intendToForget(['p1'])
    expect(await keeper.forget()).toBe(false)
    await keeper.refresh([OPENAI])
    inUse = [OPENAI, { ...OPENAI, label: 'second' }]
    goOn()
    expect(await keeper.forget()).toBe(true)
    expect(await keeper.list()).toHaveLength(2)
  })

  it('goes later where it cannot, also after a restart, and the note of it holds no secret', async () => {
    await withSecret()
    await close()
    const keeper = open()
    await keeper.intendToForget(['p1'])
    expect(await keeper.forget()).toBe(false)
    expect(keeper.toForget).toBe(1)
    expect(await readFile(intentions(), 'utf8')).toBe('["p1"]\n')
    const again = open()
    await again.refresh([])
    expect(again.toForget).toBe(1)
    await reopen()
    await again.refresh([])
    expect(again.toForget).toBe(0)
    expect(await again.list()).toEqual([])
  })

  it.each(['', '{}', '[1]', 'null'])('is an error when the note is damaged: %j', async (text) => {
    await writeFile(intentions(), text)
    await expect(open().intendToForget(['p1'])).rejects.toThrow('is damaged')
    expect(await open().forget()).toBe(false)
  })
})

describe('the secrets that are known of a provider', () => {
  it('are the one in use and the latest ones that it replaced, without asking the store', async () => {
    await withSecret()
    const keeper = open()
    expect(keeper.known('p1')).toEqual([])
    await keeper.get(OPENAI)
    expect(keeper.known('p1')).toEqual(['secret'])
    expect(keeper.known('p2')).toEqual([])
    await keeper.set(OPENAI, 'second')
    await keeper.get(OPENAI)
    await keeper.set({ ...OPENAI, origin: 'https://elsewhere.example' }, 'third')
    expect(keeper.known('p1')).toEqual(['third', 'second', 'secret'])
    await keeper.set(OPENAI, 'secret')
    for (const secret of ['a', 'b', 'c', 'd']) await keeper.set(OPENAI, secret)
    expect(keeper.known('p1')).toEqual(['d', 'c', 'b', 'a'])
  })

  it('are those of all its labels, each with the latest ones that it replaced', async () => {
    const keeper = open()
    const second = { ...OPENAI, label: 'second' }
    await keeper.set(second, 'of the second')
    for (const secret of ['a', 'b', 'c', 'd', 'e']) await keeper.set(OPENAI, secret)
    for (let count = 0; count < 9; count++) keeper.noteToken('p1', `token ${count}`, 'second')
    expect(new Set(keeper.known('p1'))).toEqual(
      new Set(['b', 'c', 'd', 'e', 'of the second', 'token 5', 'token 6', 'token 7', 'token 8']),
    )
    const known = keeper.known('p1')
    await keeper.get(OPENAI)
    await keeper.get(second)
    expect(keeper.known('p1')).toBe(known)
  })

  it('are the same list for as long as nothing changes', async () => {
    await withSecret()
    const keeper = open()
    await keeper.get(OPENAI)
    const known = keeper.known('p1')
    await keeper.get(OPENAI)
    expect(keeper.known('p1')).toBe(known)
  })

  it('have the latest tokens that were got with them beside them', async () => {
    const keeper = open()
    for (const token of ['a', 'a', 'b', 'c', 'd', 'e']) keeper.noteToken('p1', token)
    await keeper.set(OPENAI, 'secret')
    expect(keeper.known('p1')).toEqual(['secret', 'e', 'd', 'c', 'b'])
    const known = keeper.known('p1')
    keeper.noteToken('p1', 'e')
    expect(keeper.known('p1')).toBe(known)
    expect(keeper.known('p2')).toEqual([])
  })
})
