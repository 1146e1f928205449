// Following what other gateways change, many changes in one transaction: as if each were made by itself.

import { describe, expect, it } from 'vitest'
import { inPieces, type FollowedChange } from '#catalog/follow.ts'
import { NO_CHANGE } from '#catalog/shared.ts'
import { randomFrom } from '../support/random.ts'
import { Following, historyOf, Killed, type Strike } from './following.ts'
import { isLong } from '../support/cases.ts'

const ROUNDS = isLong ? 500 : 8
const SEEDS = Array.from({ length: ROUNDS }, (_, index) => index + 1)

async function oneByOne(history: readonly FollowedChange[]): Promise<Following> {
  const gateway = new Following(Following.newDisk())
  for (const change of history) await gateway.follow([change])
  return gateway
}

/** In pages of any length, by processes of which any transaction is the last. */
async function inPages(history: readonly FollowedChange[], random: () => number, strike: Strike): Promise<Following> {
  const disk = Following.newDisk()
  let gateway = new Following(disk, strike)
  while (gateway.version < history.length) {
    const page = history.slice(gateway.version, gateway.version + 1 + Math.floor(random() * 60))
    try {
      await gateway.follow(page)
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      gateway = new Following(disk, strike)
    }
  }
  return gateway
}

describe('what other gateways changed', () => {
  it('ends in the same catalogue and the same books in pages as one by one, and tells the same', async () => {
    for (const seed of SEEDS) {
      const random = randomFrom(seed)
      const history = historyOf(random, 120)
      const expected = await oneByOne(history)
      const gateway = await inPages(history, random, () => undefined)
      expect({ seed, ...gateway.onDisk }).toEqual({ seed, ...expected.onDisk })
      expect(gateway.inMemory).toEqual(expected.inMemory)
      const { targets, ...told } = gateway.told
      const { targets: expectedTargets, ...expectedTold } = expected.told
      expect({ seed, ...told, hasTargets: targets > 0 }).toEqual({
        seed,
        ...expectedTold,
        hasTargets: expectedTargets > 0,
      })
      expect(gateway.onDisk.mismatches).toEqual([])
    }
  })

  it('ends in the same where the process is killed before and after any transaction', async () => {
    let kills = 0
    for (const seed of SEEDS) {
      const random = randomFrom(seed)
      const history = historyOf(random, 120)
      const expected = await oneByOne(history)
      const strike: Strike = () => {
        const when = random()
        if (when < 0.2) kills += 1
        return when < 0.1 ? 'before' : when < 0.2 ? 'after' : undefined
      }
      const gateway = await inPages(history, random, strike)
      expect({ seed, ...gateway.onDisk }).toEqual({ seed, ...expected.onDisk })
      // What the last process has in memory is what the next one reads.
      expect(gateway.inMemory).toEqual(gateway.restarted().inMemory)
    }
    expect(kills).toBeGreaterThan(SEEDS.length)
  })

  it('stops at the same change where one cannot be made, with all that is before it', async () => {
    for (const seed of SEEDS) {
      const random = randomFrom(seed)
      const history = historyOf(random, 60)
      const place = 1 + Math.floor(random() * 50)
      // A key of a package that nobody has.
      const [whole] = history
      const row = whole?.change.rows.find((one) => one.type === 'put-key')
      if (whole === undefined || row === undefined) return expect.fail('a whole catalogue has keys')
      const wrong = { ...row, key: { ...row.key, id: 'wrong', name: 'wrong', hash: 'w'.repeat(43), packageId: 'none' } }
      const openings = whole.change.openings.slice(0, 1).map(([, ...rest]) => ['wrong', ...rest] as const)
      const change = { ...whole.change, rows: [wrong], openings }
      const spoilt = history.map((one, index) => (index === place ? { ...one, change } : one))
      const expected = await oneByOne(spoilt.slice(0, place))
      const gateway = new Following(Following.newDisk())
      await expect(gateway.follow(spoilt)).rejects.toThrow('FOREIGN KEY')
      expect({ seed, ...gateway.onDisk }).toEqual({ seed, ...expected.onDisk })
      expect(gateway.inMemory).toEqual(expected.inMemory)
    }
  })

  it('is one transaction and a note, as long as no balance is changed by hand', async () => {
    const history = historyOf(randomFrom(1), 200)
    const plain = history.filter(({ change }) => change.terms.length === 0 && change.adjustments.length === 0)
    const gateway = new Following(Following.newDisk())
    await gateway.follow(plain)
    expect(plain.length).toBeGreaterThan(100)
    expect(gateway.transactions).toBe(2)
  })

  it('takes top-ups and corrections that follow each other together', async () => {
    const [whole] = historyOf(randomFrom(3), 0)
    const limited = whole?.change.openings.filter(([, , , , , , , type]) => type !== 'unlimited') ?? []
    expect(limited.length).toBeGreaterThan(1)
    const adjusting = Array.from({ length: 100 }, (_, index) => {
      const [keyId] = limited[index % limited.length] ?? ['']
      const amountMicro = (index % 3 === 0 ? -1 : 1) * (index + 1)
      // Each third one is told twice.
      const id = `top-up:${index - (index % 3 === 2 ? 1 : 0)}`
      return { ...NO_CHANGE, adjustments: [{ keyId, amountMicro, reason: 'by hand', id }] }
    })
    const changes = whole === undefined ? [] : [whole.change, ...adjusting]
    const history = changes.map((change, index) => ({ version: index + 1, change }))
    const expected = await oneByOne(history)
    const gateway = new Following(Following.newDisk())
    await gateway.follow(history)
    expect(gateway.onDisk).toEqual(expected.onDisk)
    expect(gateway.inMemory).toEqual(expected.inMemory)
    expect(gateway.transactions).toBeLessThan(8)
  })

  it('is a whole catalogue in pieces as it is one in one', async () => {
    const [whole] = historyOf(randomFrom(2), 0)
    if (whole === undefined) return expect.fail('a history begins with a whole catalogue')
    const expected = await oneByOne([whole])
    const pieces = inPieces(whole.change, 2).map((change, index) => ({ version: index + 1, change }))
    expect(pieces.length).toBe(Math.ceil(whole.change.rows.length / 2))
    expect(inPieces(whole.change)).toEqual([whole.change])
    const gateway = await oneByOne(pieces)
    expect({ ...gateway.onDisk, version: 1 }).toEqual(expected.onDisk)
    expect(gateway.inMemory).toEqual(expected.inMemory)
  })
})
