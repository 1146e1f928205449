import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readLedger } from '#ledger/entries.ts'
import { ledgerOf } from '#ledger/stored.ts'
import { summarisedUpTo, summariseNext, SUMMARY_STEP } from '#ledger/summary.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { Books, terms, type SetClock } from './books.ts'
import { isLong } from '../support/cases.ts'

const START = Date.parse('2028-02-14T09:30:00Z')
const DAY = 86_400_000
const FILE = 'farebox.db'
/** Of an amount. */
const BITS = 41
/** In which bits an amount is flipped: all of them in turn; FAREBOX_LONG_TESTS: each amount in all of them. */
const FIRST = Math.floor(Math.random() * BITS)
const bitsOf = (index: number) =>
  isLong ? Array.from({ length: BITS }, (_, bit) => bit) : [FIRST + index, FIRST + index + 20].map((bit) => bit % BITS)
/** The writer summarises when it has nothing else to do, which a busy machine may put off. */
const POLL = { timeout: 20_000 }

let clock: SetClock
let books: Books

beforeEach(async () => {
  clock = { nowMs: START }
  books = await Books.open({ clock })
})

afterEach(() => books.remove())

/** As many calls as make so many entries, each charged. */
async function calls(keys: readonly string[], entries: number): Promise<void> {
  for (let done = 0; done < entries;) {
    const holds = await Promise.all(
      Array.from({ length: 100 }, (_, index) => books.held(keys[index % keys.length] ?? '', 50)),
    )
    await Promise.all(holds.map((hold, index) => books.resolve(hold, index % 7)))
    done += 200
  }
}

function inspected<Result>(look: (db: Database.Database) => Result): Result {
  const db = new Database(join(books.dataDir, FILE))
  try {
    return look(db)
  } finally {
    db.close()
  }
}

/** Changes a database that nothing runs on behind the back of everything that protects it. */
function tamper(statement: string): void {
  inspected((db) => {
    db.pragma('ignore_check_constraints = ON')
    db.exec('DROP TRIGGER IF EXISTS ledger_entry_no_update; DROP TRIGGER IF EXISTS ledger_entry_no_delete')
    expect(db.prepare(statement).run().changes, statement).toBeGreaterThan(0)
  })
}

describe('older entries', () => {
  it(
    'are summarised by the writer as calls are made, and the next start finds the same accounts',
    { timeout: 60_000 },
    async () => {
      const keys = [await books.addKey(terms('daily', 900_000)), await books.addKey(terms('topup', 900_000))]
      await calls(keys, SUMMARY_STEP)
      clock.nowMs += DAY
      await calls(keys, SUMMARY_STEP + 400)
      // A step ends before a hold that is open at that moment, so that it may be shorter.
      await expect.poll(() => inspected(summarisedUpTo), POLL).toBeGreaterThan(SUMMARY_STEP)
      const before = keys.map((key) => books.ledger.balance(key))
      const open = await books.held(keys[0] ?? '', 50)
      await books.ledger.flush()
      expect(books.verify()).toMatchObject({ ok: true, problems: [], openHolds: 1 })
      await books.stop()
      const state = ledgerOf(inspected(readLedger))
      expect(state).toMatchObject({ mismatches: [], isSummarised: true })
      expect(state.openHolds.map(({ exchangeId }) => exchangeId)).toEqual([open.exchangeId])
      books = await Books.open({ dataDir: books.dataDir, clock })
      expect([books.mismatches, books.released]).toEqual([[], 1])
      const after = keys.map((key) => books.ledger.balance(key))
      expect(after.map(({ usedMicro, totalMicro }) => [usedMicro, totalMicro])).toEqual(
        before.map(({ usedMicro, totalMicro }) => [usedMicro, totalMicro]),
      )
    },
  )

  it('wait for the oldest hold that is open', { timeout: 60_000 }, async () => {
    const key = await books.addKey(terms('topup', 900_000))
    const long = await books.held(key, 50)
    await calls([key], SUMMARY_STEP + 400)
    expect(inspected(summariseNext)).toBeGreaterThan(0)
    expect(inspected(summarisedUpTo)).toBe(0)
    await books.resolve(long, 1)
    await calls([key], SUMMARY_STEP)
    await expect.poll(() => inspected(summarisedUpTo), POLL).toBeGreaterThanOrEqual(SUMMARY_STEP)
    expect(books.verify()).toMatchObject({ ok: true, problems: [] })
  })
})

describe('what is noticed of a summary', () => {
  beforeEach(async () => {
    await calls(
      [await books.addKey(terms('topup', 900_000)), await books.addKey(terms('unlimited', 0))],
      SUMMARY_STEP + 400,
    )
    await expect.poll(() => inspected(summarisedUpTo), POLL).toBeGreaterThanOrEqual(SUMMARY_STEP / 4)
    await books.stop()
  }, 60_000)

  afterEach(async () => {
    await rm(books.dataDir, { recursive: true, force: true })
    books = await Books.open({ clock })
  })

  it.each([
    ['a sum', `UPDATE cycle_summary SET available_micro = available_micro + 1`],
    ['what was used', `UPDATE cycle_summary SET used_micro = used_micro - 1`],
    ['a count', `UPDATE cycle_summary SET request_count = request_count + 1`],
    ['a row that is gone', `DELETE FROM cycle_summary`],
    ['how far it goes', `UPDATE ledger_summary SET last_seq = last_seq + 1`],
  ])('at the next start: %s', (_, statement) => {
    tamper(statement)
    expect(inspected(readLedger).mismatches).not.toEqual([])
    expect(inspected(verifyLedger)).toMatchObject({ ok: false })
  })

  it('by verify, when an entry that it covers was changed in a way that no sum shows', () => {
    tamper(`UPDATE ledger_entry SET reason = 'changed' WHERE seq = 7`)
    expect(inspected(readLedger).mismatches).toEqual([])
    expect(inspected(verifyLedger).problems).toEqual(['the summarised entries are not those that were written'])
  })

  it('by verify, when one entry that it covers was changed', () => {
    tamper(`UPDATE ledger_entry SET amount_micro = amount_micro + 1 WHERE seq = 100`)
    expect(inspected(readLedger).mismatches).toEqual([])
    expect(inspected(verifyLedger).problems).toContainEqual(expect.stringContaining('the summary of its older entries'))
  })
})

describe('a flipped amount in any entry that is not summarised', () => {
  it('is noticed at the next start, which then admits nothing', { timeout: isLong ? 600_000 : 60_000 }, async () => {
    for (const type of ['daily', 'monthly', 'topup', 'unlimited'] as const) {
      const key = await books.addKey(terms(type, type === 'unlimited' ? 0 : 1000))
      const late = await books.held(key, 50)
      await books.resolve(await books.held(key, 300), 120)
      await books.resolve(await books.held(key, 40), 0)
      clock.nowMs += 40 * DAY
      await books.resolve(await books.held(key, 100), 130)
      await books.resolve(late, 20)
      await books.held(key, 10)
    }
    await books.ledger.flush()
    await books.stop()
    const rows = inspected((db) =>
      db.prepare<[], { seq: number; charge_micro: number | null }>('SELECT * FROM ledger_entry').all(),
    )
    inspected((db) => {
      db.pragma('ignore_check_constraints = ON')
      db.exec('DROP TRIGGER ledger_entry_no_update')
      const amounts = rows.flatMap(({ seq, charge_micro: charge }) =>
        (charge === null ? ['amount_micro'] : ['amount_micro', 'charge_micro']).map((column) => ({ seq, column })),
      )
      expect(amounts.length).toBeGreaterThan(BITS)
      for (const [index, { seq, column }] of amounts.entries()) {
        for (const bit of bitsOf(index)) {
          db.exec('BEGIN')
          // A bit of the stored integer, as a disk that forgets would flip it.
          const flip = `(${column} | (1 << ${bit})) - (${column} & (1 << ${bit}))`
          db.exec(`UPDATE ledger_entry SET ${column} = ${flip} WHERE seq = ${seq}`)
          const state = ledgerOf(readLedger(db))
          const report = verifyLedger(db)
          db.exec('ROLLBACK')
          expect(state.mismatches, `${column} of ${seq}, bit ${bit}`).not.toEqual([])
          expect(report.ok, `${column} of ${seq}, bit ${bit}`).toBe(false)
        }
      }
      db.exec('UPDATE ledger_entry SET amount_micro = amount_micro + 1 WHERE seq = 2')
    })
    books = await Books.open({ dataDir: books.dataDir, clock })
    const [key] = books.rows<{ id: string }>('SELECT id FROM key')
    expect(books.ledger.state).toBe('mismatch')
    expect(await books.hold({ keyId: key?.id ?? '' })).toEqual({ type: 'halted' })
  })
})
