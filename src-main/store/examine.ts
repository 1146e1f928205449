// Looks at a copy of the database before anybody relies on it: that it is one of ours, undamaged, and that its books add up.
// A file may come from anywhere, so that nothing in it runs before its schema was compared with the one that we make.

import Database from 'better-sqlite3'
import { applyMigrations, keepFewPages, NEWEST_SCHEMA, schemaOf, unknownSchema, type Db } from '#store/database.ts'
import { forgetJournal } from '#store/journal-open.ts'
import { forgetVisits } from '#store/session-rows.ts'

/** What the ledger says about its books; handed in, because the ledger stands above the store. */
export type BookReport = {
  readonly keys: number
  readonly entries: number
  readonly openHolds: number
  readonly usageRecords: number
  readonly problems: readonly string[]
}
export type CheckBooks = (db: Db) => BookReport

export type StoredKey = {
  readonly id: string
  readonly name: string
  readonly storedStatus: 'active' | 'suspended' | 'revoked'
  readonly expiresAtMs: number | undefined
}

/** A provider whose secret is kept elsewhere. */
export type SecretHolder = { readonly id: string; readonly name: string; readonly baseUrl: string }

export type CopyContents = {
  /** The schema that the copy had when it was found. */
  readonly schema: number
  readonly books: BookReport
  /** When its last entry was made; undefined for a ledger without any. */
  readonly endsAtMs: number | undefined
  readonly keys: readonly StoredKey[]
  readonly secretHolders: readonly SecretHolder[]
}

export type Examined =
  { readonly type: 'sound'; readonly contents: CopyContents } | { readonly type: 'unsound'; readonly problem: string }

/** Examines a fresh copy, and leaves it as it is. */
export function examineCopy(path: string, checkBooks: CheckBooks): Examined {
  return examine(path, { isReadOnly: true }, checkBooks)
}

/** Examines a copy that an older Farebox may have made and brings it to our schema. It is one file afterwards. */
export function examineAndMigrate(path: string, checkBooks: CheckBooks): Examined {
  return examine(path, { isReadOnly: false }, checkBooks)
}

function examine(path: string, { isReadOnly }: { isReadOnly: boolean }, checkBooks: CheckBooks): Examined {
  const db = new Database(path, { readonly: isReadOnly, fileMustExist: true })
  try {
    db.pragma('trusted_schema = OFF')
    db.pragma('cell_size_check = ON')
    keepFewPages(db)
    // Opening reads nothing; this is where a file that is no database says so.
    const schema = schemaOf(db)
    const problem = schemaProblem(db, schema) ?? damageOf(db)
    if (problem !== undefined) return { type: 'unsound', problem }
    if (!isReadOnly) {
      db.pragma('journal_mode = DELETE')
      db.pragma('foreign_keys = ON')
      applyMigrations(db)
      // A copy from before a migration still has them.
      forgetVisits(db)
      forgetJournal(db)
    }
    const books = checkBooks(db)
    if (books.problems.length > 0) return { type: 'unsound', problem: `its ledger does not add up: ${some(books)}` }
    const contents = { schema, books, endsAtMs: lastEntry(db), keys: readKeys(db), secretHolders: secretHolders(db) }
    return { type: 'sound', contents }
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !/^SQLITE_(NOTADB|CORRUPT|CONSTRAINT)/.test(error.code)) throw error
    return { type: 'unsound', problem: error.code === 'SQLITE_NOTADB' ? NOT_OURS : `it is damaged: ${error.message}` }
  } finally {
    db.close()
  }
}

const NOT_OURS = 'it is not a database of Farebox'

function schemaProblem(db: Db, schema: number): string | undefined {
  if (schema > NEWEST_SCHEMA) return unknownSchema(schema).message
  const expected = new Database(':memory:')
  try {
    applyMigrations(expected, schema)
    // A trigger more would run with everything that is written, one less would let entries be changed.
    const isOurs = schema > 0 && schemaOf(expected) === schema && schemaText(db) === schemaText(expected)
    return isOurs ? undefined : NOT_OURS
  } finally {
    expected.close()
  }
}

/** Everything that was created, without comments and white space. */
function schemaText(db: Db): string {
  const sql = `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name`
  const rows = db.prepare<[], (string | null)[]>(sql).raw().all()
  return JSON.stringify(rows.map((row) => row.map((text) => text?.replaceAll(/--.*/g, '').replaceAll(/\s/g, ''))))
}

function damageOf(db: Db): string | undefined {
  const result = String(db.pragma('integrity_check(1)', { simple: true }))
  if (result !== 'ok') return `it is damaged: ${result}`
  const orphans = db.pragma('foreign_key_check')
  return Array.isArray(orphans) && orphans.length > 0
    ? 'it is damaged: rows refer to rows that are not there'
    : undefined
}

function some({ problems }: BookReport): string {
  return problems.slice(0, 3).join('; ')
}

function lastEntry(db: Db): number | undefined {
  return db.prepare<[], number | null>('SELECT max(created_at_ms) FROM ledger_entry').pluck().get() ?? undefined
}

/** All keys, by their ids. */
export function readKeys(db: Db): StoredKey[] {
  type Row = Omit<StoredKey, 'expiresAtMs'> & { readonly expiresAtMs: number | null }
  const sql = 'SELECT id, name, status AS storedStatus, expires_at_ms AS expiresAtMs FROM key ORDER BY id'
  return db
    .prepare<[], Row>(sql)
    .all()
    .map((row) => ({ ...row, expiresAtMs: row.expiresAtMs ?? undefined }))
}

function secretHolders(db: Db): SecretHolder[] {
  const sql = `SELECT id, name, base_url AS baseUrl FROM provider
    WHERE has_secret = 1 OR header_secrets <> '[]' ORDER BY name`
  return db.prepare<[], SecretHolder>(sql).all()
}
