// Opens the SQLite database with the settings that the ledger's promises rest on, and brings its schema up to date.
// Everything that writes goes through the one connection of the writer thread.

import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

export type Db = Database.Database

type Migration = { readonly version: number; readonly sql: string }

/** In order of their versions. A released migration is never edited. The build replaces each call by the text of its file. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: readFileSync(new URL('./schema.sql', import.meta.url), 'utf8') },
  { version: 2, sql: readFileSync(new URL('./migrations/0002-ended-cycles.sql', import.meta.url), 'utf8') },
  { version: 3, sql: readFileSync(new URL('./migrations/0003-fleet-seen.sql', import.meta.url), 'utf8') },
]

export const NEWEST_SCHEMA = MIGRATIONS.at(-1)?.version ?? 0

/** Development databases had schemas 10, 20, ... 570. The last of them is version 1. */
const LAST_DEVELOPMENT_SCHEMA = 570
const LAST_DEVELOPMENT_COMMIT = 'be1b1957'

export const DATABASE_FILE = 'farebox.db'

/** A database that this program must not touch, such as one made by a newer version, or that is not there. */
export class DatabaseError extends Error {
  readonly reason: 'newer' | 'older' | 'damaged' | 'in-use' | 'missing' | 'unsafe'

  constructor(reason: DatabaseError['reason'], message: string) {
    super(message)
    this.name = 'DatabaseError'
    this.reason = reason
  }
}

/** Opens the database for writing, creates or migrates it, and makes commits durable. Throws DatabaseError. */
export function openForWriting(dataDir: string): Db {
  const path = join(dataDir, DATABASE_FILE)
  const isNew = !existsSync(path)
  const db = new Database(path)
  try {
    if (isNew && process.platform !== 'win32') chmodSync(path, 0o600)
    db.pragma('journal_mode = WAL')
    migrate(db, dataDir)
    makeDurable(db)
    return db
  } catch (error) {
    db.close()
    throw damageOf(error, path)
  }
}

/** What goes wrong because the file is damaged, as a DatabaseError; every other error as it is. */
export function damageOf(error: unknown, path: string): unknown {
  if (!isDamage(error)) return error
  const mend = 'Restore a backup: farebox restore FILE'
  return new DatabaseError('damaged', `The database ${path} is damaged: ${error.message}. ${mend}`)
}

function isDamage(error: unknown): error is Error {
  return error instanceof Database.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)
}

/**
 * Opens an existing database for reports, or for one look at all of it. Throws DatabaseError for none, and for one that has another
 * schema than ours.
 */
export function openForReading(dataDir: string, { readsOnce = false } = {}): Db {
  const path = join(dataDir, DATABASE_FILE)
  if (!existsSync(path)) throw new DatabaseError('missing', `There is no database of Farebox in ${dataDir}.`)
  const db = new Database(path, { readonly: true, fileMustExist: true })
  try {
    db.pragma('busy_timeout = 5000')
    db.pragma('trusted_schema = OFF')
    if (readsOnce) keepFewPages(db)
    const found = schemaOf(db)
    if (found > NEWEST_SCHEMA) throw unknownSchema(found)
    if (found < NEWEST_SCHEMA) {
      throw new DatabaseError(
        'older',
        'The database was made by an older Farebox. A start of this one brings it up to date.',
      )
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * 2 MB of pages instead of the 16 of better-sqlite3, for whoever reads all of them once: the system's allocator keeps for ever what
 * such a thread once had. What is copied with `VACUUM INTO` is written through as few.
 */
export function keepFewPages(db: Db): void {
  db.pragma('cache_size = -2000')
}

/** The version of a database's schema; 0 for an empty one. */
export function schemaOf(db: Db): number {
  const found = Number(db.pragma('user_version', { simple: true }))
  return found === LAST_DEVELOPMENT_SCHEMA ? 1 : found
}

/** Why a schema that is not in `MIGRATIONS` cannot be opened. */
export function unknownSchema(found: number): DatabaseError {
  if (found < LAST_DEVELOPMENT_SCHEMA && found % 10 === 0) {
    const message = `The database was made by a development version of Farebox (schema ${found}).`
    return new DatabaseError(
      'older',
      `${message} Start commit ${LAST_DEVELOPMENT_COMMIT} on this folder once, then this version.`,
    )
  }
  const message = `The database was made by a newer Farebox (schema ${found}, this one knows ${NEWEST_SCHEMA}).`
  return new DatabaseError('newer', message)
}

/**
 * better-sqlite3 is compiled to drop to `synchronous=NORMAL` in WAL mode, and does so at the first write, after which the
 * pragma still answered FULL. So it is set once more after a write has happened, and checked.
 */
function makeDurable(db: Db): void {
  db.pragma('foreign_keys = ON')
  // Without it INSERT OR REPLACE deletes a row unseen by the trigger that forbids deleting it.
  db.pragma('recursive_triggers = ON')
  db.pragma('trusted_schema = OFF')
  db.pragma('cell_size_check = ON')
  db.pragma('busy_timeout = 5000')
  // On macOS a plain fsync leaves the data in the drive's cache.
  db.pragma('fullfsync = ON')
  db.pragma('checkpoint_fullfsync = ON')
  // 8 MB of pages instead of 16: what is written is the end of a few tables and indexes, and the rest would only be kept.
  db.pragma('cache_size = -8000')
  // 16 MB instead of 4: the same pages are written again and again, and a checkpoint writes each only once.
  db.pragma('wal_autocheckpoint = 4000')
  const version = schemaOf(db)
  db.pragma(`user_version = ${version}`)
  db.pragma('synchronous = FULL')
  db.pragma(`user_version = ${version}`)
  if (db.pragma('synchronous', { simple: true }) !== 2) throw new Error('SQLite would not keep synchronous=FULL')
}

function migrate(db: Db, dataDir: string): void {
  const found = schemaOf(db)
  if (found > NEWEST_SCHEMA) throw unknownSchema(found)
  if (found > 0 && found < NEWEST_SCHEMA) backUp(db, join(dataDir, `farebox.before-${NEWEST_SCHEMA}.db`))
  applyMigrations(db)
}

/** Brings a database to the schema `upTo`, each migration in one transaction. */
export function applyMigrations(db: Db, upTo: number = NEWEST_SCHEMA): void {
  const found = schemaOf(db)
  for (const { version, sql } of MIGRATIONS) {
    if (version <= found || version > upTo) continue
    const apply = db.transaction(() => {
      db.exec(sql)
      db.pragma(`user_version = ${version}`)
    })
    apply.immediate()
  }
}

/** A full copy beside the database, so that a failed migration costs nothing. */
function backUp(db: Db, path: string): void {
  rmSync(path, { force: true })
  db.prepare('VACUUM INTO ?').run(path)
  if (process.platform !== 'win32') chmodSync(path, 0o600)
}
