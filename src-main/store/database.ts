// Opens the SQLite database with the settings that the ledger's promises rest on, and brings its schema up to date.
// Everything that writes goes through the one connection of the writer thread.

import { chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { NEW_DATABASE } from '#store/migrations/all-at-once.ts'
import { first } from '#store/migrations/0010-first.ts'
import { quirks } from '#store/migrations/0020-quirks.ts'
import { metering } from '#store/migrations/0030-metering.ts'
import { routing } from '#store/migrations/0040-routing.ts'
import { members } from '#store/migrations/0050-members.ts'
import { rollups } from '#store/migrations/0060-rollups.ts'
import { rotation } from '#store/migrations/0070-rotation.ts'
import { lan } from '#store/migrations/0080-lan.ts'
import { invites } from '#store/migrations/0090-invites.ts'
import { memberLimits } from '#store/migrations/0100-member-limits.ts'
import { announcement } from '#store/migrations/0120-announcement.ts'
import { auditKinds } from '#store/migrations/0130-audit-kinds.ts'
import { guessedContexts } from '#store/migrations/0140-guessed-contexts.ts'
import { providerHeaders } from '#store/migrations/0150-provider-headers.ts'
import { noAnnouncement } from '#store/migrations/0160-no-announcement.ts'
import { journal } from '#store/migrations/0170-journal.ts'
import { finePrices } from '#store/migrations/0180-fine-prices.ts'
import { modelKinds } from '#store/migrations/0190-model-kinds.ts'
import { secretPools } from '#store/migrations/0210-secret-pools.ts'
import { refusedCalls } from '#store/migrations/0220-refused-calls.ts'
import { attribution } from '#store/migrations/0230-attribution.ts'
import { alerts } from '#store/migrations/0240-alerts.ts'
import { mailboxes } from '#store/migrations/0250-mailboxes.ts'
import { settings } from '#store/migrations/0270-settings.ts'
import { billReports } from '#store/migrations/0290-bill-reports.ts'
import { billedAnswers } from '#store/migrations/0310-billed-answers.ts'
import { accountBalances } from '#store/migrations/0360-account-balances.ts'
import { accountQuestions } from '#store/migrations/0370-account-questions.ts'
import { billQuestions } from '#store/migrations/0440-bill-questions.ts'
import { elsewhere } from '#store/migrations/0470-elsewhere.ts'
import { endedCycles } from '#store/migrations/0590-ended-cycles.ts'
import { fleetMark } from '#store/migrations/0570-fleet-mark.ts'
import { fleet } from '#store/migrations/0400-fleet.ts'
import { stepTimes } from '#store/migrations/0420-step-times.ts'

export type Db = Database.Database

/** In order; numbered by tens, so that a fix for an old version finds room between two. */
export const MIGRATIONS = [
  first,
  quirks,
  metering,
  routing,
  members,
  rollups,
  rotation,
  lan,
  invites,
  memberLimits,
  announcement,
  auditKinds,
  guessedContexts,
  providerHeaders,
  noAnnouncement,
  journal,
  finePrices,
  modelKinds,
  secretPools,
  refusedCalls,
  attribution,
  alerts,
  mailboxes,
  settings,
  billReports,
  billedAnswers,
  accountBalances,
  accountQuestions,
  fleet,
  stepTimes,
  billQuestions,
  elsewhere,
  fleetMark,
  endedCycles,
] as const

export const NEWEST_SCHEMA = Math.max(...MIGRATIONS.map((migration) => migration.version))

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
    if (found > NEWEST_SCHEMA) throw newerError(found)
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

export function schemaOf(db: Db): number {
  return Number(db.pragma('user_version', { simple: true }))
}

export function newerError(found: number): DatabaseError {
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
  if (found > NEWEST_SCHEMA) throw newerError(found)
  if (found > 0 && found < NEWEST_SCHEMA) backUp(db, join(dataDir, `farebox.before-${NEWEST_SCHEMA}.db`))
  applyMigrations(db)
}

/** Brings a database to a schema, each step in one transaction; a new one, which has no rows, in one for all that it can be given at once. */
export function applyMigrations(db: Db, upTo: number = NEWEST_SCHEMA): void {
  if (schemaOf(db) === 0 && NEW_DATABASE.version <= upTo) applySteps(db, [NEW_DATABASE])
  const found = schemaOf(db)
  const missing = MIGRATIONS.filter(({ version }) => version > found && version <= upTo)
  for (const steps of found === 0 ? [missing] : missing.map((one) => [one])) applySteps(db, steps)
}

/** In one transaction. */
function applySteps(db: Db, steps: readonly { readonly version: number; readonly sql: string }[]): void {
  const apply = db.transaction(() => {
    for (const { sql, version } of steps) {
      db.exec(sql)
      db.pragma(`user_version = ${version}`)
    }
  })
  apply.immediate()
}

/** A full copy beside the database, so that a failed migration costs nothing. */
function backUp(db: Db, path: string): void {
  rmSync(path, { force: true })
  db.prepare('VACUUM INTO ?').run(path)
  if (process.platform !== 'win32') chmodSync(path, 0o600)
}
