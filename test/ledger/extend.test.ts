import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import type { OpenHold } from '#ledger/account.ts'
import { Books, terms, type SetClock } from './books.ts'

const DAY = 86_400_000
const NOON = Date.parse('2028-02-14T12:00:00Z')

let books: Books
let clock: SetClock

beforeEach(async () => {
  clock = { nowMs: NOON }
  books = await Books.open({ clock })
})

afterEach(async () => {
  await books.ledger.flush()
  expect(books.verify()).toMatchObject({ ok: true, problems: [] })
  await books.remove()
})

const extend = (hold: OpenHold, more: number) => books.ledger.extend(hold, microCredits(more))

describe('a hold that grows', () => {
  it('gets what is available and no more', async () => {
    const key = await books.addKey(terms('topup', 100))
    const [one, other] = [await books.held(key, 40), await books.held(key, 30)]
    expect([extend(one, 20), extend(one, 20), extend(other, 1)]).toEqual([20, 10, 0])
    expect(books.ledger.balance(key)).toMatchObject({ heldMicro: 100, remainingMicro: 100 })
    expect(books.ledger.heldMicro).toBe(100)
    expect(await books.hold({ keyId: key })).toMatchObject({ type: 'held-by-others' })
    await books.resolve(one, 65)
    expect(books.ledger.balance(key)).toMatchObject({ heldMicro: 30, remainingMicro: 35 })
    expect(extend(other, 100)).toBe(5)
  })

  it('is an overrun only beyond all that it held, which the usage record says', async () => {
    const key = await books.addKey(terms('topup', 100))
    for (const charge of [60, 61]) {
      const hold = await books.held(key, 10)
      await books.topUp(key, 100, `refill ${charge}`)
      extend(hold, 50)
      await books.resolve(hold, charge)
    }
    expect(books.rows('SELECT hold_micro, charge_micro, is_overrun FROM usage_record ORDER BY charge_micro')).toEqual([
      { hold_micro: 60, charge_micro: 60, is_overrun: 0 },
      { hold_micro: 60, charge_micro: 61, is_overrun: 1 },
    ])
  })

  it('resolves against the entry that was written for it', async () => {
    const key = await books.addKey(terms('topup', 100))
    const hold = await books.held(key, 10)
    extend(hold, 50)
    await books.resolve(hold, 45)
    expect(books.rows('SELECT kind, amount_micro, charge_micro FROM ledger_entry ORDER BY seq')).toEqual([
      { kind: 'grant', amount_micro: 100, charge_micro: null },
      { kind: 'hold', amount_micro: -10, charge_micro: null },
      { kind: 'settle', amount_micro: -35, charge_micro: 45 },
    ])
  })

  it('of an unlimited key gets everything', async () => {
    const key = await books.addKey(terms('unlimited', 0))
    const hold = await books.held(key, 10)
    expect(extend(hold, 1_000_000)).toBe(1_000_000)
    await books.resolve(hold, 2_000_000)
    expect(books.ledger.heldMicro).toBe(0)
    expect(books.rows('SELECT is_overrun FROM usage_record')).toEqual([{ is_overrun: 0 }])
  })

  it('gets nothing once it was resolved, nor after an overrun of another call', async () => {
    const key = await books.addKey(terms('topup', 100))
    const [one, other] = [await books.held(key, 10), await books.held(key, 10)]
    await books.resolve(one, 500)
    expect([extend(one, 5), extend(other, 5)]).toEqual([0, 0])
  })

  it('gets nothing while the books do not add up', async () => {
    const key = await books.addKey(terms('topup', 100))
    const hold = await books.held(key, 10)
    books.ledger.stopSpending('a test says so')
    expect(extend(hold, 5)).toBe(0)
  })

  it('is forgotten by a process that dies, which loses nothing', async () => {
    const key = await books.addKey(terms('topup', 100))
    extend(await books.held(key, 10), 50)
    await books.ledger.flush()
    await books.stop()
    books = await Books.open({ dataDir: books.dataDir, clock })
    expect(books.mismatches).toEqual([])
    expect(books.ledger.balance(key)).toMatchObject({ heldMicro: 0, remainingMicro: 100, usedMicro: 0 })
  })
})

describe('a hold of a cycle that has ended', () => {
  it('grows by what its own cycle had left, and never by the credits of the new one', async () => {
    const key = await books.addKey(terms('daily', 100))
    const [one, other] = [await books.held(key, 40), await books.held(key, 10)]
    extend(one, 20)
    clock.nowMs += DAY
    expect([extend(one, 25), extend(other, 25)]).toEqual([25, 5])
    expect(books.ledger.balance(key)).toMatchObject({ heldMicro: 0, remainingMicro: 100 })
    await books.resolve(one, 60)
    // What the other call gives back is still of that cycle.
    expect(extend(other, 100)).toBe(25)
    await books.resolve(other, 40)
    expect(books.ledger.balance(key)).toMatchObject({ usedMicro: 0, remainingMicro: 100 })
  })

  it('gets nothing once more cycles have ended than are remembered', async () => {
    const key = await books.addKey(terms('daily', 100))
    const hold = await books.held(key, 40)
    for (let day = 0; day < 8; day++) {
      clock.nowMs += DAY
      books.ledger.balance(key)
    }
    expect(extend(hold, 1)).toBe(0)
  })
})
