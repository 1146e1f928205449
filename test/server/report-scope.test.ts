// What a member's questions are limited to, whatever they ask for.

import { describe, expect, it } from 'vitest'
import { Catalog } from '#catalog/catalog.ts'
import type { Key, Package, Provider } from '#core/entities.ts'
import { NO_LIMITS, type Viewer } from '#core/member.ts'
import { microCredits } from '#core/money.ts'
import { isRefusal } from '#core/refusal.ts'
import { keysOf, ownersOf, partsOfQuery } from '#server/reports/report-filter.ts'
import { ReportQueue } from '#server/reports/report-queue.ts'

function key(id: string, memberId: string | undefined, owner?: string): Key {
  const rest = {
    hash: id,
    hint: 'h',
    packageId: 'p',
    storedStatus: 'active',
    suspendedBy: undefined,
    expiresAtMs: undefined,
    createdAtMs: 1,
    valueSinceMs: 1,
    previous: undefined,
  } as const
  return { id, name: `name ${id}`, owner, memberId, ...rest }
}

const PACKAGE = { id: 'p', name: 'team', type: 'topup', creditsMicro: microCredits(1) } as unknown as Package
const PROVIDER = { id: 'o', name: 'openai' } as unknown as Provider
const KEYS = [key('one', 'm1', 'Ann'), key('two', 'm1'), key('three', 'm2', 'Ann'), key('four', undefined, 'Bob')]
const catalog = new Catalog(
  { providers: [PROVIDER], models: [], packages: [PACKAGE], keys: KEYS, members: [], invites: [], projects: [] },
  new Map(),
)

const HOLDER: Viewer = { type: 'holder', keyId: 'two', keyName: 'name two' }
const OWNER: Viewer = { type: 'owner', name: 'owner' }

function member(id: string, role: 'member' | 'administrator' = 'member'): Viewer {
  const rest = {
    name: id,
    status: 'active',
    packages: 'all',
    passwordHash: undefined,
    limits: NO_LIMITS,
    createdAtMs: 1,
  } as const
  return { type: 'member', member: { id, role, ...rest } }
}

describe('a member', () => {
  it('does not learn which packages and providers there are by asking for their calls', () => {
    for (const kind of ['provider', 'package'])
      for (const viewer of [member('m1'), HOLDER])
        expect(isRefusal(partsOfQuery({ [kind]: 'is there one?' }, viewer, catalog))).toBe(false)
    expect(partsOfQuery({ package: 'is there one?' }, OWNER, catalog)).toMatchObject({ code: 'not_found' })
  })

  it('only ever asks about their own keys', () => {
    const queries = [
      {},
      { owner: 'Ann' },
      { key: 'name one' },
      { model: 'm' },
      { provider: 'openai' },
      { package: 'team' },
    ]
    for (const query of queries) {
      const parts = partsOfQuery(query, member('m1'), catalog)
      if (isRefusal(parts)) throw new Error(parts.message)
      expect(parts.keyIds).toBeDefined()
      expect(['one', 'two']).toEqual(expect.arrayContaining([...(parts.keyIds ?? [])]))
    }
    expect(keysOf({}, member('m1'), catalog)).toEqual(['one', 'two'])
    expect(keysOf({ owner: 'Bob' }, member('m1'), catalog)).toEqual([])
    expect(keysOf({}, member('nobody'), catalog)).toEqual([])
  })

  it("hears of another's key what they would hear of one that is not there", () => {
    for (const name of ['name three', 'three', 'four', 'nothing']) {
      expect(keysOf({ key: name }, member('m1'), catalog)).toMatchObject({
        code: 'not_found',
        message: `There is no key '${name}'.`,
      })
    }
  })
})

describe('the holder of a key', () => {
  it('only ever asks about that key', () => {
    const queries = [
      {},
      { key: 'name two' },
      { key: 'two' },
      { model: 'm' },
      { provider: 'openai' },
      { package: 'team' },
    ]
    for (const query of queries) expect(partsOfQuery(query, HOLDER, catalog)).toMatchObject({ keyIds: ['two'] })
    expect(keysOf({ owner: 'Ann' }, HOLDER, catalog)).toEqual([])
    // Neither another's key nor another one of the same member.
    for (const name of ['name three', 'four', 'name one', 'one', 'nothing']) {
      expect(keysOf({ key: name }, HOLDER, catalog)).toMatchObject({ message: `There is no key '${name}'.` })
    }
  })
})

describe('an administrator', () => {
  it.each([OWNER, member('m1', 'administrator')])('asks about every key', (viewer) => {
    expect(keysOf({}, viewer, catalog)).toBeUndefined()
    expect(keysOf({ owner: 'Ann' }, viewer, catalog)).toEqual(['one', 'three'])
    expect(keysOf({ key: 'three', owner: 'Bob' }, viewer, catalog)).toEqual([])
  })

  it('may name what was removed by its id, and nothing else that is not there', () => {
    const gone = '01a1fc79-d4e6-7000-857c-a4383ac1ac29'
    expect(partsOfQuery({ provider: gone, package: gone }, OWNER, catalog)).toMatchObject({
      providerId: gone,
      packageId: gone,
    })
    expect(partsOfQuery({ provider: 'gone' }, OWNER, catalog)).toMatchObject({ code: 'not_found' })
    expect(ownersOf(catalog)).toEqual({ one: 'Ann', three: 'Ann', four: 'Bob' })
  })
})

describe('reports that wait', () => {
  it('are bounded for each member, for all members, and for all', async () => {
    const queue = new ReportQueue()
    let finish: () => void = () => undefined
    const done = new Promise<void>((resolve) => (finish = resolve))
    const ask = (viewer: Viewer) => queue.run(viewer, () => done)
    const members = Array.from({ length: 48 }, (_, index) => ask(member(`m${Math.floor(index / 8)}`)))
    expect(await ask(member('m0'))).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 })
    expect(await ask(member('late'))).toMatchObject({ code: 'overloaded' })
    expect(await ask(HOLDER)).toMatchObject({ code: 'overloaded' })
    const own = Array.from({ length: 16 }, () => ask(OWNER))
    expect(await ask(OWNER)).toMatchObject({ code: 'overloaded' })
    finish()
    expect(await Promise.all([...own, ...members])).toEqual(Array.from({ length: 64 }, () => undefined))
    expect(await ask(member('m0'))).toBeUndefined()
    expect(await ask(OWNER)).toBeUndefined()
  })

  it('are counted off also where they fail', async () => {
    const queue = new ReportQueue()
    for (let index = 0; index < 20; index += 1) {
      await expect(queue.run(OWNER, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    }
    expect(await queue.run(OWNER, async () => 1)).toBe(1)
  })
})
