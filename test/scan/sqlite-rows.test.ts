// Databases of tools are read as they lie there: the rows are those that SQLite sees, nothing is locked, made or written, and a damaged
// file costs what is damaged.

import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRows } from '#scan/sqlite-rows.ts'
import { columnsOf } from '#scan/sqlite-schema.ts'
import { isLong } from '../support/cases.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-rows-'))
  path = join(folder, 'tool.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Told of nothing unless the test counts. */
const onLong = () => undefined

function rowsOf(tables: readonly string[] = ['t']): unknown[] {
  return [...readRows(path, { tables, onLong })].map(({ row }) => row)
}

/** What is left of a damaged one. */
function survivors(): number {
  let count = 0
  try {
    for (const row of readRows(path, { tables: ['t'], onLong })) count += row['table'] === 't' ? 1 : 0
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
  }
  return count
}

function withTable(pageBytes = 4096): Database.Database {
  const database = new Database(path)
  database.pragma(`page_size = ${pageBytes}`)
  database.exec('CREATE TABLE t (id TEXT PRIMARY KEY, number, data TEXT NOT NULL)')
  return database
}

function insert(database: Database.Database, rows: readonly (readonly [string, unknown, string])[]): void {
  const statement = database.prepare('INSERT OR REPLACE INTO t VALUES (?, ?, ?)')
  database.transaction(() => rows.forEach((row) => statement.run(...row)))()
}

const manyRows = (count: number) =>
  Array.from({ length: count }, (_, at) => [`id-${at}`, at * 1.5, 'x'.repeat((at * 37) % 900)] as const)

describe('the rows of a database', () => {
  it('are those that SQLite sees, for values of every kind, pages of every size and rows over many pages', () => {
    const value = fc.oneof(
      fc.constant(null),
      fc.constantFrom(0, 1, -1, 127, -128, 128, 32_767, -32_768, 8_388_607, -8_388_609, 2 ** 31, 2 ** 40, -(2 ** 47)),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'grapheme' }),
    )
    const text = fc.tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), fc.nat(9000))
    const sizes = fc.constantFrom(512, 1024, 4096, 65_536)
    const rows = fc.uniqueArray(fc.tuple(fc.string(), value, text), { maxLength: 40, selector: ([id]) => id })
    const property = fc.property(sizes, rows, fc.boolean(), (pageBytes, all, isLogged) => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name))
      const database = withTable(pageBytes)
      if (isLogged) database.pragma('journal_mode = WAL')
      insert(
        database,
        all.map(([id, given, [part, times]]) => [id, given, part.repeat(times)]),
      )
      const seen = database.prepare('SELECT * FROM t ORDER BY rowid').all()
      expect(rowsOf()).toEqual(seen)
      database.close()
      expect(rowsOf()).toEqual(seen)
    })
    fc.assert(property, { numRuns: isLong ? 3000 : 60, seed: 5 })
  }, 300_000)

  it('are all there in a tree of many levels, after deletions, and with columns that were added later', () => {
    const database = withTable(512)
    insert(database, manyRows(6000))
    database.exec(
      "DELETE FROM t WHERE rowid % 3 = 0; ALTER TABLE t ADD COLUMN later TEXT; UPDATE t SET later = 'new' WHERE rowid > 5990",
    )
    const seen = database.prepare('SELECT * FROM t ORDER BY rowid').all() as Record<string, unknown>[]
    database.close()
    const old = (row: Record<string, unknown>) => ({ ...row, later: row['later'] ?? undefined })
    expect(rowsOf()).toEqual(seen.map(old))
    expect(rowsOf(['nowhere'])).toEqual([])
  })

  it('are those that were committed, also where they are in the log alone, and where it began anew', () => {
    const database = withTable()
    database.pragma('journal_mode = WAL')
    insert(database, manyRows(500))
    expect(rowsOf()).toHaveLength(500)
    database.exec('BEGIN; DELETE FROM t')
    expect(rowsOf()).toHaveLength(500)
    database.exec('COMMIT')
    expect(rowsOf()).toEqual([])
    insert(database, manyRows(800))
    database.pragma('wal_checkpoint(RESTART)')
    insert(database, [['id-1', 'changed', '']])
    expect(rowsOf()).toEqual(database.prepare('SELECT * FROM t ORDER BY rowid').all())
    database.close()
  })

  it('are read without a lock, a file or a change: the tool writes, brings its log in and closes meanwhile', () => {
    const database = withTable()
    database.pragma('journal_mode = WAL')
    insert(database, manyRows(2000))
    const before = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')])
    const reading = readRows(path, { tables: ['t'], onLong })
    for (let count = 0; count < 100; count++) reading.next()
    expect(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')])).toEqual(
      before,
    )
    database.pragma('busy_timeout = 0')
    expect(database.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }])
    database.exec('DELETE FROM t; VACUUM')
    database.close()
    reading.return(undefined)
    expect(readdirSync(folder)).toEqual(['tool.db'])
    expect(rowsOf()).toEqual([])
  })

  it('beyond the bound is passed over alone, and said', () => {
    const database = withTable()
    insert(database, [
      ['a', 1, 'short'],
      ['b', 2, 'x'.repeat(9 * 1_048_576)],
      ['c', 3, 'short'],
    ])
    database.close()
    let long = 0
    const rows = [...readRows(path, { tables: ['t'], onLong: () => (long += 1) })]
    expect(rows.map(({ row }) => row)).toMatchObject([{ id: 'a' }, { id: 'c' }])
    expect(long).toBe(1)
  })
})

describe('a damaged database', () => {
  it('costs what is damaged, wherever it is cut or changed, and never more than a sentence', () => {
    const database = withTable(512)
    insert(database, manyRows(300))
    database.close()
    const whole = readFileSync(path)
    const changed = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
    const property = fc.property(changed, fc.option(fc.nat(whole.length)), (bytes, length) => {
      const copy = Buffer.from(whole)
      for (const [at, byte] of bytes) copy[at] = byte
      writeFileSync(path, copy)
      if (length !== null) truncateSync(path, length)
      expect(survivors()).toBeLessThan(10_000)
    })
    fc.assert(property, { numRuns: isLong ? 10_000 : 300, seed: 6 })
  }, 300_000)

  it('has the rows of its other pages, and is said to be damaged', () => {
    const database = withTable(512)
    insert(database, manyRows(300))
    database.close()
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(512, 0xff), 0, 512, 512 * Math.floor(statSync(path).size / 1024))
    closeSync(file)
    expect(() => rowsOf()).toThrow('some pages')
    expect(survivors()).toBeGreaterThan(200)
  })

  it('that leads round in a circle ends', () => {
    const database = withTable(512)
    insert(database, manyRows(300))
    const [{ rootpage }] = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 't'").all() as [
      { rootpage: number },
    ]
    database.close()
    const bytes = readFileSync(path)
    const root = (rootpage - 1) * 512
    // Every pointer of the root leads to the root.
    bytes.writeUInt32BE(rootpage, root + 8)
    for (let index = 0; index < bytes.readUInt16BE(root + 3); index++)
      bytes.writeUInt32BE(rootpage, root + bytes.readUInt16BE(root + 12 + index * 2))
    writeFileSync(path, bytes)
    expect(() => rowsOf()).toThrow('some pages')
  })

  it('is none where it is empty, a text, encrypted, of another encoding, or behind a log of another', () => {
    for (const content of ['', 'no database at all', 'x'.repeat(8192)]) {
      writeFileSync(path, content)
      expect(() => rowsOf()).toThrow()
    }
    rmSync(path)
    const other = new Database(path)
    other.pragma("encoding = 'UTF-16le'")
    other.exec('CREATE TABLE t (id)')
    other.close()
    expect(() => rowsOf()).toThrow('encoding')
    rmSync(path)
    const database = withTable()
    insert(database, manyRows(3))
    database.close()
    for (const log of [Buffer.from('x'.repeat(9000)), Buffer.alloc(31)]) {
      writeFileSync(`${path}-wal`, log)
      expect(rowsOf()).toHaveLength(3)
    }
  })

  it('whose log was cut in the middle has what was committed before', () => {
    const database = withTable()
    database.pragma('journal_mode = WAL')
    insert(database, manyRows(10))
    insert(database, manyRows(900))
    const copy = join(folder, 'copy.db')
    for (const end of ['', '-wal']) copyFileSync(path + end, copy + end)
    database.close()
    truncateSync(`${copy}-wal`, statSync(`${copy}-wal`).size - 5000)
    path = copy
    expect(rowsOf()).toHaveLength(10)
    appendFileSync(`${copy}-wal`, 'what a crash left')
    expect(rowsOf()).toHaveLength(10)
  })
})

describe('the columns of a table', () => {
  it('are those that SQLite names, however they are written', () => {
    const database = new Database(path)
    const texts = [
      `CREATE TABLE a ("quoted "" name" TEXT DEFAULT 'a, (b', [square name] INT, \`back\`\`tick\` REAL, plain)`,
      `CREATE TABLE b (\n  id TEXT PRIMARY KEY, -- a comment, with (brackets\n  /* and, one */ n NUMERIC(10, 2) CHECK (n > 0),\n  UNIQUE (id, n), CONSTRAINT c FOREIGN KEY (n) REFERENCES a (plain))`,
      'CREATE TABLE c(x INTEGER NOT NULL,y TEXT GENERATED ALWAYS AS (x || 1) STORED,z)',
    ]
    for (const sql of texts) database.exec(sql)
    for (const { name, sql } of database.prepare('SELECT name, sql FROM sqlite_schema WHERE sql NOTNULL').all() as {
      name: string
      sql: string
    }[]) {
      const named = database.prepare('SELECT name FROM pragma_table_xinfo(?)').pluck().all(name)
      expect(columnsOf(sql)).toEqual(named)
    }
    database.close()
  })
})
