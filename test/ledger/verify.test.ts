import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { openSync, closeSync, writeSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import { ALL_PARTS, findMismatches } from '#ledger/entries.ts'
import { withEntrySums } from '#ledger/entry-sums.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { openForReading } from '#store/database.ts'
import { Books, terms, type SetClock } from './books.ts'

const DAY = 86_400_000
const START = Date.parse('2028-02-14T09:30:00Z')
const FILE = 'farebox.db'

/** A folder whose books are right and hold entries of every kind, in several cycles. */
let sound: string
let copies: string
let count = 0

beforeAll(async () => {
  const clock: SetClock = { nowMs: START }
  const books = await Books.open({ clock })
  sound = books.dataDir
  copies = await mkdtemp(join(tmpdir(), 'farebox-verify-'))
  for (const type of ['daily', 'monthly', 'topup', 'unlimited'] as const) {
    const key = await books.addKey(terms(type, type === 'unlimited' ? 0 : 1000))
    const late = await books.held(key, 50)
    await books.resolve(await books.held(key, 300), 120)
    await books.resolve(await books.held(key, 40), 0)
    if (type !== 'unlimited') await books.topUp(key, 77, 'one')
    clock.nowMs += 40 * DAY
    await books.resolve(await books.held(key, 100), 130)
    await books.resolve(late, 20)
    await books.hold({ keyId: key, worstMicro: microCredits(10) })
  }
  await books.ledger.flush()
  expect(books.verify()).toMatchObject({ ok: true, openHolds: 4 })
  await books.stop()
})

afterAll(async () => {
  await rm(sound, { recursive: true, force: true })
  await rm(copies, { recursive: true, force: true })
})

/** A copy of the books. */
async function copy(): Promise<string> {
  count += 1
  const folder = await mkdtemp(join(copies, `${count}-`))
  await copyFile(join(sound, FILE), join(folder, FILE))
  return folder
}

/** A copy of the books without what protects them, changed by someone with a hex editor and bad intentions. */
async function tampered(...statements: readonly string[]): Promise<string> {
  const folder = await copy()
  const db = new Database(join(folder, FILE))
  db.pragma('foreign_keys = OFF')
  db.pragma('ignore_check_constraints = ON')
  db.exec('DROP TRIGGER ledger_entry_no_update; DROP TRIGGER ledger_entry_no_delete')
  for (const statement of statements) expect(db.prepare(statement).run().changes, statement).toBeGreaterThan(0)
  db.close()
  return folder
}

function verify(folder: string) {
  const db = openForReading(folder)
  try {
    const report = verifyLedger(db)
    // In however small pieces they are read, the same is found.
    const inPieces = [1, 3].map((rows) => verifyLedger(db, { byTable: true, rows }))
    if (report.isDamaged === true) {
      for (const { isDamaged } of inPieces) expect(isDamaged).toBe(true)
      return { report, mismatches: [] }
    }
    for (const one of inPieces) expect(one).toEqual(report)
    const options = { summarisedUpTo: 0, rows: 7 }
    return { report, mismatches: withEntrySums(db, options, () => findMismatches(db, ALL_PARTS)) }
  } finally {
    db.close()
  }
}

/** Picks one row, which a rule must then name. */
const ONE = {
  settle: `(SELECT seq FROM ledger_entry WHERE kind = 'settle' ORDER BY seq LIMIT 1)`,
  settledExchange: `(SELECT exchange_id FROM ledger_entry WHERE kind = 'settle' ORDER BY seq LIMIT 1)`,
  lapse: `(SELECT seq FROM ledger_entry WHERE kind = 'lapse' ORDER BY seq LIMIT 1)`,
  key: `(SELECT key_id FROM ledger_entry WHERE kind = 'settle' ORDER BY seq LIMIT 1)`,
}

describe('books that are right', () => {
  it('are found right, and counted', () => {
    const { report, mismatches } = verify(sound)
    expect(report).toMatchObject({ ok: true, problems: [], keys: 4, openHolds: 4, usageRecords: 16 })
    expect(report.entries).toBeGreaterThan(40)
    expect(mismatches).toEqual([])
  })

  it('are found right when they are empty', async () => {
    const books = await Books.open({ clock: { nowMs: START } })
    expect(books.verify()).toEqual({ ok: true, keys: 0, entries: 0, openHolds: 0, usageRecords: 0, problems: [] })
    await books.remove()
  })
})

describe('a broken rule is found and named', () => {
  it.each([
    [
      'a hold was resolved that was never taken',
      `DELETE FROM ledger_entry WHERE kind = 'hold' AND exchange_id = ${ONE.settledExchange}`,
    ],
    [
      'a resolution does not return its hold less its charge',
      `UPDATE ledger_entry SET amount_micro = amount_micro + 1 WHERE seq = ${ONE.settle}`,
    ],
    [
      'a resolution does not return its hold less its charge',
      `UPDATE ledger_entry SET key_id = (SELECT max(id) FROM key WHERE id <> key_id) WHERE seq = ${ONE.settle}`,
    ],
    [
      'a resolved exchange has no usage record of the same charge',
      `DELETE FROM usage_record WHERE id = ${ONE.settledExchange}`,
    ],
    [
      'a resolved exchange has no usage record of the same charge',
      `UPDATE usage_record SET charge_micro = charge_micro + 1 WHERE id = ${ONE.settledExchange}`,
    ],
    ['a usage record has no resolution', `DELETE FROM ledger_entry WHERE seq = ${ONE.settle}`],
    ['an ended cycle does not sum to zero', `DELETE FROM ledger_entry WHERE seq = ${ONE.lapse}`],
    ['rows refer to rows that are not there', `DELETE FROM key WHERE id = ${ONE.key}`],
    ...['available_micro', 'granted_micro', 'used_micro', 'request_count', 'cycle_started_at_ms'].map((column) => [
      'the stored balance is not the sum of its entries',
      `UPDATE balance SET ${column} = ${column} + 1 WHERE key_id = ${ONE.key}`,
    ]),
    ['the stored balance is not the sum of its entries', `DELETE FROM balance WHERE key_id = ${ONE.key}`],
  ])('%s: %s', async (says, statement) => {
    const { report } = verify(await tampered(statement))
    expect(report.ok).toBe(false)
    expect(report.problems).toContainEqual(expect.stringContaining(says))
  })

  it.each(['available_micro', 'granted_micro', 'used_micro', 'request_count'])(
    'a balance of a key without entries: %s',
    async (column) => {
      const { report } = verify(
        await tampered(
          `INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms)
             SELECT 'new', 'new', substr(hash, 2) || 'x', hint, package_id, status, created_at_ms FROM key LIMIT 1`,
          `INSERT INTO balance SELECT 'new', 0, 0, 0, 0, 0, NULL, 'topup', 0, 'UTC', NULL, NULL`,
          `UPDATE balance SET ${column} = 5 WHERE key_id = 'new'`,
        ),
      )
      expect(report.problems).toEqual([expect.stringContaining('key new: the stored balance')])
    },
  )

  it('with the first few subjects and how many more there are', async () => {
    const { report } = verify(await tampered('DELETE FROM usage_record'))
    expect(report.problems).toEqual([expect.stringMatching(/: id-\d+(, id-\d+){4} and 11 more$/)])
  })

  it('a damaged file', async () => {
    const folder = await copy()
    const path = join(folder, FILE)
    const page = new Database(path, { readonly: true })
    const root = Number(page.prepare(`SELECT rootpage FROM sqlite_master WHERE name = 'usage_record'`).pluck().get())
    const size = Number(page.pragma('page_size', { simple: true }))
    page.close()
    expect(statSync(path).size).toBeGreaterThanOrEqual(root * size)
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (root - 1) * size)
    closeSync(file)
    const { report } = verify(folder)
    expect(report.ok).toBe(false)
    expect(report.problems).toContainEqual(expect.stringContaining('damaged'))
  })
})

describe('one row that was tampered with', () => {
  const seqs = () => {
    const db = openForReading(sound)
    const rows = db.prepare<[], { seq: number }>('SELECT seq FROM ledger_entry ORDER BY seq').all()
    db.close()
    return rows.map((row) => row.seq)
  }

  it.each([
    [
      'an amount that is one more',
      (seq: number) => `UPDATE ledger_entry SET amount_micro = amount_micro + 1 WHERE seq = ${seq}`,
    ],
    [
      'an amount that is one less',
      (seq: number) => `UPDATE ledger_entry SET amount_micro = amount_micro - 1 WHERE seq = ${seq}`,
    ],
    [
      'an amount with its sign turned',
      (seq: number) => `UPDATE ledger_entry SET amount_micro = -amount_micro WHERE seq = ${seq} AND amount_micro <> 0`,
    ],
    [
      'a charge that is one more',
      (seq: number) =>
        `UPDATE ledger_entry SET charge_micro = charge_micro + 1 WHERE seq = ${seq} AND charge_micro IS NOT NULL`,
    ],
    ['no row at all any more', (seq: number) => `DELETE FROM ledger_entry WHERE seq = ${seq}`],
  ])('is noticed, whichever it is: %s', { timeout: 60_000 }, async (_, statement) => {
    const folder = await tampered(`UPDATE ledger_entry SET seq = seq`)
    const db = new Database(join(folder, FILE))
    db.pragma('foreign_keys = OFF')
    db.pragma('ignore_check_constraints = ON')
    let changed = 0
    for (const seq of seqs()) {
      db.exec('BEGIN')
      const { changes } = db.prepare(statement(seq)).run()
      changed += changes
      if (changes > 0 && verifyLedger(db).ok) {
        expect.fail(`entry ${seq} was changed unnoticed`)
      }
      db.exec('ROLLBACK')
    }
    expect(changed).toBeGreaterThan(10)
    db.close()
  })
})

describe('a start on books that do not add up', () => {
  it('admits nothing, resolves nothing, and still shows balances', async () => {
    const folder = await tampered(`UPDATE balance SET available_micro = available_micro + 1 WHERE key_id = ${ONE.key}`)
    const before = verify(folder).report
    const books = await Books.open({ dataDir: folder, clock: { nowMs: START } })
    expect(books.mismatches).toHaveLength(1)
    expect(books.ledger.state).toBe('mismatch')
    expect(books.ledger.openHolds).toBe(4)
    const [key] = books.rows<{ id: string }>('SELECT id FROM key')
    expect(await books.hold({ keyId: key?.id ?? '' })).toEqual({ type: 'halted' })
    expect(books.ledger.balance(key?.id ?? '')).toMatchObject({ heldMicro: expect.any(Number) as number })
    expect(books.verify()).toEqual(before)
    await books.stop()
  })
})
