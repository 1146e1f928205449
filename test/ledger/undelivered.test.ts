// A whole answer whose charge the disk refuses is not delivered, so it is not charged either, whatever comes in between.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { JournalHalted } from '#ledger/journal.ts'
import type { OpenHold } from '#ledger/account.ts'
import { Books, settlement, terms, type SetClock } from './books.ts'

const START = Date.parse('2028-02-14T09:30:00Z')
const DAY = 86_400_000

let clock: SetClock
let books: Books

beforeEach(async () => {
  clock = { nowMs: START }
  books = await Books.open({ clock })
})

afterEach(() => books.remove())

const UNDELIVERED = settlement(0, { usageSource: 'none', inputTokens: undefined, outcome: 'failed', status: 503 })

/** Settles a whole answer of which nothing was sent. */
function withhold(hold: OpenHold, chargeMicro: number): Promise<void> {
  return books.ledger.resolve(hold, settlement(chargeMicro), UNDELIVERED)
}

async function recovered(allowEntries: () => void): Promise<void> {
  allowEntries()
  await expect.poll(() => books.ledger.state).toBe('ok')
  await books.ledger.flush()
}

function stored() {
  return books.rows<{ kind: string; amount_micro: number }>(
    `SELECT kind, amount_micro FROM ledger_entry WHERE kind <> 'grant' ORDER BY seq`,
  )
}

async function expectNothingCharged(key: string): Promise<void> {
  expect(books.ledger.balance(key)).toMatchObject({ usedMicro: 0, heldMicro: 0 })
  expect(books.verify()).toMatchObject({ ok: true, problems: [], openHolds: 0 })
  const before = books.ledger.balance(key)
  await books.stop()
  books = await Books.open({ dataDir: books.dataDir, clock })
  expect(books.mismatches).toEqual([])
  expect(books.ledger.balance(key)).toEqual(before)
}

it('the hold is released and the record says that the call failed', async () => {
  const key = await books.addKey(terms('topup', 1000))
  const hold = await books.held(key, 300)
  const allow = books.refuseEntries()
  await expect(withhold(hold, 120)).rejects.toThrow(JournalHalted)
  expect(books.ledger.balance(key)).toMatchObject({ usedMicro: 0, heldMicro: 0, remainingMicro: 1000 })
  await recovered(allow)
  expect(stored()).toEqual([
    { kind: 'hold', amount_micro: -300 },
    { kind: 'release', amount_micro: 300 },
  ])
  expect(books.rows('SELECT outcome, status, charge_micro, input_tokens FROM usage_record')).toEqual([
    { outcome: 'failed', status: 503, charge_micro: 0, input_tokens: null },
  ])
  await expectNothingCharged(key)
})

it('also when the disk had refused before, and beside calls that are charged', async () => {
  const key = await books.addKey(terms('topup', 1000))
  const [first, second, third] = [await books.held(key, 100), await books.held(key, 100), await books.held(key, 100)]
  const allow = books.refuseEntries()
  await expect(books.resolve(first, 30)).rejects.toThrow(JournalHalted)
  await expect(withhold(second, 50)).rejects.toThrow(JournalHalted)
  await expect(books.resolve(third, 7)).rejects.toThrow(JournalHalted)
  expect(books.ledger.balance(key)).toMatchObject({ usedMicro: 37, heldMicro: 0 })
  await recovered(allow)
  expect(books.verify()).toMatchObject({ ok: true, problems: [], openHolds: 0 })
  expect(books.rows('SELECT used_micro, available_micro FROM balance')).toEqual([
    { used_micro: 37, available_micro: 963 },
  ])
})

it('a stream, which was delivered, is charged all the same', async () => {
  const key = await books.addKey(terms('topup', 1000))
  const hold = await books.held(key, 300)
  const allow = books.refuseEntries()
  await expect(books.resolve(hold, 120)).rejects.toThrow(JournalHalted)
  await recovered(allow)
  expect(books.ledger.balance(key)).toMatchObject({ usedMicro: 120 })
  expect(books.verify()).toMatchObject({ ok: true, problems: [] })
})

it('an answer of a cycle that had ended already leaves that cycle at zero', async () => {
  const key = await books.addKey(terms('daily', 1000))
  const hold = await books.held(key, 300)
  clock.nowMs += DAY
  const allow = books.refuseEntries()
  await expect(withhold(hold, 120)).rejects.toThrow(JournalHalted)
  await recovered(allow)
  await expectNothingCharged(key)
})

it('an answer of a cycle that ends while the disk refuses leaves that cycle at zero', async () => {
  const key = await books.addKey(terms('daily', 1000))
  const hold = await books.held(key, 300)
  const allow = books.refuseEntries()
  const withheld = withhold(hold, 120)
  clock.nowMs += DAY
  expect(books.ledger.balance(key)).toMatchObject({ remainingMicro: 1000 })
  await expect(withheld).rejects.toThrow(JournalHalted)
  await recovered(allow)
  await expectNothingCharged(key)
})

it('an answer of an unlimited key costs it nothing', async () => {
  const key = await books.addKey(terms('unlimited', 0))
  const hold = await books.held(key, 300)
  const allow = books.refuseEntries()
  await expect(withhold(hold, 120)).rejects.toThrow(JournalHalted)
  await recovered(allow)
  expect(stored().map(({ kind }) => kind)).toEqual(['hold', 'release'])
  expect(books.rows('SELECT available_micro FROM balance')).toEqual([{ available_micro: 0 }])
  expect(books.verify()).toMatchObject({ ok: true, problems: [] })
})
