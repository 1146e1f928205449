import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { applyMigrations, DatabaseError, NEWEST_SCHEMA, openForReading, openForWriting } from '#store/database.ts'

const FILE = 'farebox.db'
/** Windows has no such bits: its files belong to whoever owns the folder. */
const OWNER_ONLY = process.platform === 'win32' ? undefined : 0o600

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farebox-store-'))
})

afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

async function modeOf(file: string): Promise<number | undefined> {
  return process.platform === 'win32' ? undefined : (await stat(join(dataDir, file))).mode & 0o777
}

function pragma(db: Database.Database, name: string): unknown {
  return db.pragma(name, { simple: true })
}

function errorOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return expect.fail('this should have thrown')
}

const PACKAGE = `INSERT INTO package (id, name, type, credits_micro, time_zone, models, created_at_ms)
  VALUES (?, ?, 'topup', 5, 'UTC', '"all"', 1)`

describe('a database opened for writing', () => {
  it('keeps FULL synchronous commits in WAL mode, also after it has written', () => {
    const db = openForWriting(dataDir)
    expect([pragma(db, 'journal_mode'), pragma(db, 'synchronous')]).toEqual(['wal', 2])
    for (let count = 0; count < 3; count++) db.prepare(PACKAGE).run(`p${count}`, `p${count}`)
    db.transaction(() => db.prepare(PACKAGE).run('x', 'x')).immediate()
    expect([pragma(db, 'journal_mode'), pragma(db, 'synchronous')]).toEqual(['wal', 2])
    db.close()
  })

  it('keeps them when it is opened again', () => {
    openForWriting(dataDir).close()
    const db = openForWriting(dataDir)
    db.prepare(PACKAGE).run('p', 'p')
    expect([pragma(db, 'journal_mode'), pragma(db, 'synchronous')]).toEqual(['wal', 2])
    db.close()
  })

  it.each([
    ['foreign_keys', 1],
    ['trusted_schema', 0],
    ['cell_size_check', 1],
    ['fullfsync', 1],
    ['checkpoint_fullfsync', 1],
  ])('sets %s to %d', (name, value) => {
    const db = openForWriting(dataDir)
    expect(pragma(db, name)).toBe(value)
    db.close()
  })

  it('refuses rows that refer to nothing', () => {
    const db = openForWriting(dataDir)
    const insert = () =>
      db.prepare(`INSERT INTO balance VALUES ('nobody', 0, 0, 0, 0, 0, NULL, 'topup', 0, 'UTC', NULL, NULL)`).run()
    expect(insert).toThrow('FOREIGN KEY')
    db.close()
  })

  it('can be read by its owner only, with everything that SQLite puts beside it', async () => {
    const db = openForWriting(dataDir)
    db.prepare(PACKAGE).run('p', 'p')
    const files = (await readdir(dataDir)).filter((name) => name.startsWith(FILE))
    expect(files.toSorted()).toEqual([FILE, `${FILE}-shm`, `${FILE}-wal`])
    for (const file of files) expect(await modeOf(file), file).toBe(OWNER_ONLY)
    db.close()
  })

  it('holds only strict tables, which take no value of another type', () => {
    const db = openForWriting(dataDir)
    const tables = db.prepare<[], { name: string; strict: number }>('PRAGMA table_list').all()
    const own = tables.filter((table) => !table.name.startsWith('sqlite_'))
    expect(own.length).toBeGreaterThan(8)
    expect(own.filter((table) => table.strict !== 1)).toEqual([])
    db.close()
  })
})

describe('a database opened for reading', () => {
  it('sees what was written and cannot write', () => {
    const writing = openForWriting(dataDir)
    const reading = openForReading(dataDir)
    writing.prepare(PACKAGE).run('p', 'p')
    expect(reading.prepare('SELECT name FROM package').pluck().all()).toEqual(['p'])
    expect(() => reading.prepare(PACKAGE).run('q', 'q')).toThrow('readonly')
    reading.close()
    writing.close()
  })

  it('is not made where there is none', () => {
    expect(() => openForReading(dataDir)).toThrow()
  })
})

describe('the schema', () => {
  it('is made at the first start and left alone at the next', () => {
    const first = openForWriting(dataDir)
    const version = Number(pragma(first, 'user_version'))
    expect(version).toBeGreaterThan(0)
    const schema = first.prepare('SELECT sql FROM sqlite_master ORDER BY name').pluck().all()
    first.prepare(PACKAGE).run('p', 'p')
    first.close()
    const second = openForWriting(dataDir)
    expect(pragma(second, 'user_version')).toBe(version)
    expect(second.prepare('SELECT sql FROM sqlite_master ORDER BY name').pluck().all()).toEqual(schema)
    expect(second.prepare('SELECT count(*) FROM package').pluck().get()).toBe(1)
    second.close()
  })

  it('of the future is refused, and not touched', async () => {
    const db = openForWriting(dataDir)
    const newer = Number(pragma(db, 'user_version')) + 1
    db.exec('CREATE TABLE from_the_future (id TEXT) STRICT')
    db.pragma(`user_version = ${newer}`)
    db.close()
    const before = await stat(join(dataDir, FILE))
    const error = errorOf(() => openForWriting(dataDir))
    expect(error).toBeInstanceOf(DatabaseError)
    expect(error).toMatchObject({ reason: 'newer', message: expect.stringContaining(String(newer)) as string })
    expect((await stat(join(dataDir, FILE))).mtimeMs).toBe(before.mtimeMs)
    const untouched = new Database(join(dataDir, FILE), { readonly: true })
    expect(pragma(untouched, 'user_version')).toBe(newer)
    untouched.close()
  })

  it('of the last development version is brought up to date from version 1, with a copy of what was there', async () => {
    const old = new Database(join(dataDir, FILE))
    applyMigrations(old, 1)
    old.prepare(PACKAGE).run('p', 'p')
    old.pragma('user_version = 570')
    old.close()
    const db = openForWriting(dataDir)
    expect(pragma(db, 'user_version')).toBe(NEWEST_SCHEMA)
    expect(db.prepare('SELECT name FROM package').pluck().all()).toEqual(['p'])
    db.close()
    const copy = `farebox.before-${NEWEST_SCHEMA}.db`
    expect(await modeOf(copy)).toBe(OWNER_ONLY)
    const kept = new Database(join(dataDir, copy), { readonly: true })
    expect(kept.prepare('SELECT name FROM package').pluck().all()).toEqual(['p'])
    expect(kept.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'fleet_seen'`).pluck().get()).toBe(0)
    kept.close()
  })

  it.each([10, 120, 560])('%i of a development version is refused with the commit to start first', (version) => {
    const old = new Database(join(dataDir, FILE))
    old.exec('CREATE TABLE key (id TEXT) STRICT')
    old.pragma(`user_version = ${version}`)
    old.close()
    for (const open of [openForWriting, openForReading]) {
      expect(errorOf(() => open(dataDir))).toMatchObject({
        reason: 'older',
        message: expect.stringContaining('Start commit be1b1957') as string,
      })
    }
    const after = new Database(join(dataDir, FILE))
    expect(pragma(after, 'user_version')).toBe(version)
    expect(after.prepare('SELECT name FROM sqlite_master').pluck().all()).toEqual(['key'])
    after.close()
  })

  it('is brought up to date completely or not at all', () => {
    const old = new Database(join(dataDir, FILE))
    applyMigrations(old, 1)
    old.exec('CREATE TABLE fleet_seen (in_the_way TEXT) STRICT')
    old.close()
    expect(() => openForWriting(dataDir)).toThrow('fleet_seen')
    const after = new Database(join(dataDir, FILE))
    expect(pragma(after, 'user_version')).toBe(NEWEST_SCHEMA - 1)
    after.close()
  })

  it('is not looked for in a file that is no database, which is left as it is', async () => {
    const text = 'This is not a database, whatever its name says.'.repeat(100)
    await writeFile(join(dataDir, FILE), text)
    const error = errorOf(() => openForWriting(dataDir))
    expect(error).toBeInstanceOf(DatabaseError)
    expect(error).toMatchObject({ reason: 'damaged' })
    expect(await readFile(join(dataDir, FILE), 'utf8')).toBe(text)
  })
})
