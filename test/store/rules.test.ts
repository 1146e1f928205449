import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForWriting, type Db } from '#store/database.ts'

let dataDir: string
let db: Db

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-rules-'))
  db = openForWriting(dataDir)
  db.exec(`
    INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
      VALUES ('p', 'p', 'topup', 5, 'UTC', '"all"', 1);
    INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms)
      VALUES ('k', 'k', '${'h'.repeat(43)}', 'hint', 'p', 'active', 1)`)
})

afterEach(async () => {
  db.close()
  await rm(dataDir, { recursive: true, force: true })
})

type Entry = Readonly<Record<string, string | number | null>>

const ENTRY: Entry = {
  key_id: 'k',
  kind: 'adjustment',
  amount_micro: 5,
  charge_micro: null,
  exchange_id: null,
  cycle_started_at_ms: 1,
  created_at_ms: 1,
  reason: null,
  idempotency_id: null,
}
const SOUND: Readonly<Record<string, Entry>> = {
  grant: { kind: 'grant' },
  lapse: { kind: 'lapse', amount_micro: -5 },
  'late lapse': { kind: 'lapse', amount_micro: 5, exchange_id: 'x' },
  hold: { kind: 'hold', amount_micro: -5, exchange_id: 'x' },
  'hold of nothing': { kind: 'hold', amount_micro: 0, exchange_id: 'x' },
  settle: { kind: 'settle', amount_micro: 2, charge_micro: 3, exchange_id: 'x' },
  'settle of more than was held': { kind: 'settle', amount_micro: -2, charge_micro: 7, exchange_id: 'x' },
  release: { kind: 'release', amount_micro: 5, charge_micro: 0, exchange_id: 'x' },
  adjustment: { kind: 'adjustment', reason: 'r' },
  'adjustment downwards': { kind: 'adjustment', amount_micro: -5, reason: 'r' },
}

function insert(entry: Entry): void {
  const row = { ...ENTRY, ...entry }
  const columns = Object.keys(row)
  db.prepare(`INSERT INTO ledger_entry (${columns.join()}) VALUES (${columns.map(() => '?').join()})`).run(
    ...Object.values(row),
  )
}

describe('a ledger entry', () => {
  it.each(Object.entries(SOUND))('may be a %s', (_, entry) => {
    expect(() => insert(entry)).not.toThrow()
  })

  it.each([
    ['of an unknown kind', { kind: 'gift' }],
    ['with an amount that is no whole number', { ...SOUND['grant'], amount_micro: 0.5 }],
    ['with an amount that is a text', { ...SOUND['grant'], amount_micro: 'five' }],
    ['of nobody', { ...SOUND['grant'], key_id: 'nobody' }],
    ['hold that adds credit', { ...SOUND['hold'], amount_micro: 1 }],
    ['hold without an exchange', { ...SOUND['hold'], exchange_id: null }],
    ['hold with a charge', { ...SOUND['hold'], charge_micro: 1 }],
    ['settle without a charge', { ...SOUND['settle'], charge_micro: null }],
    ['settle without an exchange', { ...SOUND['settle'], exchange_id: null }],
    ['settle with a charge below nothing', { ...SOUND['settle'], charge_micro: -1 }],
    ['release with a charge', { ...SOUND['release'], charge_micro: 1 }],
    ['release without a charge at all', { ...SOUND['release'], charge_micro: null }],
    ['release that takes credit', { ...SOUND['release'], amount_micro: -1 }],
    ['grant that takes credit', { ...SOUND['grant'], amount_micro: -1 }],
    ['grant with an exchange', { ...SOUND['grant'], exchange_id: 'x' }],
    ['grant with a charge', { ...SOUND['grant'], charge_micro: 0 }],
    ['adjustment without a reason', { ...SOUND['adjustment'], reason: null }],
    ['adjustment with an exchange', { ...SOUND['adjustment'], exchange_id: 'x' }],
    ['lapse with a charge', { ...SOUND['lapse'], charge_micro: 0 }],
  ])('cannot be a %s', (_, entry) => {
    expect(() => insert(entry)).toThrow()
  })

  it('cannot be changed', () => {
    for (const entry of Object.values(SOUND).filter((sound) => sound['kind'] !== 'hold')) {
      db.exec('SAVEPOINT one')
      insert(entry)
      for (const column of [...Object.keys(ENTRY), 'seq', 'model_id', 'price_version']) {
        expect(() => db.exec(`UPDATE ledger_entry SET ${column} = ${column}`)).toThrow('never changed')
      }
      expect(() => db.exec('DELETE FROM ledger_entry')).toThrow('never deleted')
      db.exec('ROLLBACK TO one')
    }
  })

  it('cannot be replaced by another one', () => {
    insert({ ...SOUND['grant'], idempotency_id: 'a' })
    const seq = db.prepare('SELECT seq FROM ledger_entry').pluck().get()
    expect(() => db.exec(`UPDATE OR REPLACE ledger_entry SET amount_micro = 9`)).toThrow('never changed')
    expect(() => db.exec('INSERT INTO ledger_entry SELECT * FROM ledger_entry')).toThrow('UNIQUE')
    expect(() => db.exec('INSERT OR REPLACE INTO ledger_entry SELECT * FROM ledger_entry')).toThrow('never deleted')
    expect(db.prepare('SELECT seq FROM ledger_entry').pluck().all()).toEqual([seq])
  })

  it('is the only hold and the only resolution of its exchange', () => {
    insert({ ...SOUND['hold'] })
    expect(() => insert({ ...SOUND['hold'] })).toThrow('UNIQUE')
    insert({ ...SOUND['settle'] })
    for (const second of [SOUND['settle'], SOUND['release']]) expect(() => insert({ ...second })).toThrow('UNIQUE')
    insert({ ...SOUND['hold'], exchange_id: 'y' })
    insert({ ...SOUND['release'], exchange_id: 'y' })
    expect(() => insert({ ...SOUND['settle'], exchange_id: 'y' })).toThrow('UNIQUE')
  })

  it('is the only one of its key with its id, which other keys may use too', () => {
    db.exec(`INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms)
      SELECT 'l', 'l', '${'i'.repeat(43)}', hint, package_id, status, created_at_ms FROM key`)
    insert({ ...SOUND['adjustment'], idempotency_id: 'a' })
    expect(() => insert({ ...SOUND['grant'], idempotency_id: 'a' })).toThrow('UNIQUE')
    insert({ ...SOUND['adjustment'], idempotency_id: 'b' })
    insert({ ...SOUND['adjustment'], idempotency_id: 'a', key_id: 'l' })
    insert({ ...SOUND['adjustment'] })
    insert({ ...SOUND['adjustment'] })
  })
})

describe('a key', () => {
  it('that is revoked stays revoked', () => {
    db.exec(`UPDATE key SET status = 'suspended'; UPDATE key SET status = 'active'; UPDATE key SET status = 'revoked'`)
    for (const status of ['active', 'suspended']) {
      expect(() => db.prepare('UPDATE key SET status = ?').run(status)).toThrow('stays revoked')
    }
    db.exec(`UPDATE key SET name = 'other name'`)
    expect(db.prepare('SELECT status FROM key').pluck().get()).toBe('revoked')
  })

  it('shares its name with revoked keys only, and its hash with none', () => {
    const add = (id: string, name: string, hash: string) =>
      db
        .prepare(
          `INSERT INTO key (id, name, hash, hint, package_id, status, created_at_ms) VALUES (?, ?, ?, '', 'p', 'active', 1)`,
        )
        .run(id, name, hash.repeat(43))
    expect(() => add('l', 'k', 'i')).toThrow('UNIQUE')
    expect(() => add('l', 'l', 'h')).toThrow('UNIQUE')
    db.exec(`UPDATE key SET status = 'revoked'`)
    add('l', 'k', 'i')
    expect(() => add('m', 'm', 'h')).toThrow('UNIQUE')
  })

  it('keeps its package from being deleted', () => {
    expect(() => db.exec('DELETE FROM package')).toThrow('FOREIGN KEY')
  })

  it('that has entries cannot be deleted', () => {
    insert({ ...SOUND['grant'] })
    expect(() => db.exec('DELETE FROM key')).toThrow('FOREIGN KEY')
  })

  it.each(['expired', '', 'ACTIVE'])('cannot be stored as %j', (status) => {
    expect(() => db.prepare('UPDATE key SET status = ?').run(status)).toThrow('CHECK')
  })
})
