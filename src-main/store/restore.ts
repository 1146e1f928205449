// Puts a backup in the place of the database. It is decided by one renaming: a crash before it leaves what was there, and
// what a crash interrupts after it the next start completes, so that there is never a mixture of the two.

import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync, constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { makeDataDir } from '#store/data-folder.ts'
import { DATABASE_FILE, DatabaseError } from '#store/database.ts'
import { examineAndMigrate, readKeys, type CheckBooks, type CopyContents, type StoredKey } from '#store/examine.ts'
import { errorCode, makePrivate, removeDatabase, syncFile, syncFolder, unfinishedBeside } from '#store/files.ts'
import { JOURNAL_FILES } from '#store/journal-frames.ts'
import { framesIn } from '#store/journal-open.ts'
import { lockDataDir } from '#store/lock.ts'
import { forgetTail } from '#store/tail.ts'

export type RestoreRequest = {
  readonly dataDir: string
  readonly file: string
  readonly nowMs: number
  /** Only looks at the file and at what would change. */
  readonly isDryRun: boolean
}

/** What is in the place of the backup now; `unreadable` is also a database of a newer Farebox. */
export type Present =
  | { readonly type: 'none' }
  | { readonly type: 'unreadable' }
  | {
      readonly type: 'read'
      readonly keys: readonly StoredKey[]
      readonly entries: number
      readonly usageRecords: number
    }

export type RestoreAnswer =
  | { readonly type: 'refused'; readonly message: string }
  | {
      readonly type: 'restored'
      readonly contents: CopyContents
      readonly present: Present
      /** Where the database is that was there; undefined where there was none, and in a dry run. */
      readonly keptAs: string | undefined
    }

const DRAFT = 'farebox.restore.new'
/** A backup that was decided on, until it is in its place. */
const DECIDED = /^farebox\.restored-(\w+)\.db$/

/** What the ledger does for a restore. */
export type RestoreBooks = {
  readonly check: CheckBooks
  /** Projects what a killed process left in the journal into the database of a folder. Says whether nothing is left. */
  readonly complete: (dataDir: string) => boolean
}

/** Restores a backup into a data folder on which no Farebox runs. What is wrong with file or folder is an answer. */
export function restoreBackup(request: RestoreRequest, books: RestoreBooks): RestoreAnswer {
  const { dataDir, file } = request
  const problem = fileProblem(file)
  if (problem !== undefined) return refused(problem)
  makeDataDir(dataDir)
  try {
    const lock = lockDataDir(dataDir)
    try {
      finishRestore(dataDir)
      return restoreLocked(request, books)
    } finally {
      removeDatabase(join(dataDir, DRAFT))
      lock.release()
    }
  } catch (error) {
    if (error instanceof DatabaseError && error.reason === 'unsafe') return refused(error.message)
    if (error instanceof DatabaseError) return refused(`${error.message} Stop it before a backup is restored.`)
    const code = errorCode(error)
    if (!/^(SQLITE_(FULL|IOERR.*)|E[A-Z]+)$/.test(code)) throw error
    const isDecided = existsSync(dataDir) && readdirSync(dataDir).some((name) => DECIDED.test(name))
    const says = isDecided ? 'It is completed by the next start, or by trying again' : 'Nothing was changed'
    return refused(`The backup could not be put into ${dataDir} (${code}). ${says}.`)
  }
}

/**
 * Completes a restore that was decided and interrupted; says whether there was one. Whoever opens the database for writing
 * does this first, holding the lock of the folder. Each step can be repeated.
 */
export function finishRestore(dataDir: string): boolean {
  const decided = readdirSync(dataDir).filter((name) => DECIDED.test(name))
  for (const name of decided.toSorted()) {
    const target = join(dataDir, DATABASE_FILE)
    const kept = join(dataDir, name.replace('restored', 'before-restore'))
    // A log that stayed behind would be played into the new database, and the old one is not whole without it.
    for (const suffix of ['-wal', '-journal', '']) {
      if (existsSync(target + suffix)) renameSync(target + suffix, kept + suffix)
    }
    rmSync(`${target}-shm`, { force: true })
    for (const file of JOURNAL_FILES) {
      if (existsSync(join(dataDir, file))) renameSync(join(dataDir, file), keptJournal(kept, file))
    }
    forgetTail(dataDir)
    // The new name must not reach the disk before the old ones have left it.
    syncFolder(dataDir)
    renameSync(join(dataDir, name), target)
    syncFolder(dataDir)
  }
  return decided.length > 0
}

/** Under the name of the database that it belongs to. */
function keptJournal(kept: string, file: string): string {
  return kept.replace(/\.db$/, file.slice(file.indexOf('.')))
}

function restoreLocked({ dataDir, file, nowMs, isDryRun }: RestoreRequest, books: RestoreBooks): RestoreAnswer {
  const draft = join(dataDir, DRAFT)
  removeDatabase(draft)
  copyFileSync(file, draft, constants.COPYFILE_EXCL)
  makePrivate(draft)
  if (isUnfinished(draft, file)) {
    return refused(`${file} is not a backup but a database that was in use: the journal beside it has more.`)
  }
  const examined = examineAndMigrate(draft, books.check)
  if (examined.type === 'unsound') return refused(`The file ${file} is not restored: ${examined.problem}.`)
  const path = join(dataDir, DATABASE_FILE)
  const isComplete = !isDryRun && books.complete(dataDir)
  const present = readPresent(path)
  const { contents } = examined
  if (isDryRun) return { type: 'restored', contents, present, keptAs: undefined }
  if (present.type === 'read') foldLog(path)
  syncFile(draft)
  const stamp = freeStamp(dataDir, nowMs)
  renameSync(draft, join(dataDir, `farebox.restored-${stamp}.db`))
  syncFolder(dataDir)
  finishRestore(dataDir)
  const kept = join(dataDir, `farebox.before-restore-${stamp}.db`)
  if (isComplete) for (const name of JOURNAL_FILES) rmSync(keptJournal(kept, name), { force: true })
  const keptAs = present.type === 'none' ? undefined : kept
  return { type: 'restored', contents, present, keptAs }
}

function fileProblem(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return `There is no file ${file}.`
  if (!found.isFile()) return `${file} is not a file.`
  // Its own drafts, which it removes before it begins.
  if (basename(file) === DRAFT || DECIDED.test(basename(file)))
    return `${file} is what a restore left behind, not a backup.`
  // A database that was copied while it was in use is not whole without its log, and a backup has none.
  const [log] = unfinishedBeside(file)
  return log && `${file} is not a backup but a database that was in use: there is ${log} too.`
}

/**
 * Whether a journal beside a file has something that is not in its tables, under the names that a gateway gives it and a restore keeps it
 * under. A backup has no journal. The copy is asked, because SQLite leaves files beside what it opens.
 */
function isUnfinished(copy: string, file: string): boolean {
  const names = JOURNAL_FILES.flatMap((name) => [name, keptJournal(basename(file), name)])
  const paths = names.filter((name) => name !== basename(file)).map((name) => join(dirname(file), name))
  try {
    const db = new Database(copy, { readonly: true, fileMustExist: true })
    try {
      db.pragma('trusted_schema = OFF')
      const { projected, highest } = framesIn(paths, db)
      return highest > projected
    } finally {
      db.close()
    }
  } catch {
    // Damaged, or of another Farebox: that is found out by whoever looks at the copy.
    return false
  }
}

/** The present database may be the damaged one that the restore replaces, so nothing about it is taken for granted. */
function readPresent(path: string): Present {
  if (!existsSync(path)) return { type: 'none' }
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true })
    try {
      db.pragma('trusted_schema = OFF')
      const count = (sql: string) => Number(db.prepare(sql).pluck().get())
      const entries = count('SELECT count(*) FROM ledger_entry')
      return { type: 'read', keys: readKeys(db), entries, usageRecords: count('SELECT count(*) FROM usage_record') }
    } finally {
      db.close()
    }
  } catch {
    // Damaged, foreign or newer: it is kept as it is, and nothing can be compared with it.
    return { type: 'unreadable' }
  }
}

/** Merges a database and its log into one file, so that the kept file is complete by itself. */
function foldLog(path: string): void {
  try {
    const db = new Database(path, { fileMustExist: true, timeout: 1000 })
    try {
      db.pragma('journal_mode = DELETE')
    } finally {
      db.close()
    }
  } catch {
    // Somebody reads it, or the disk is full: then the log is kept beside it under the same name.
  }
}

/** A time that no database was kept under yet. */
function freeStamp(dataDir: string, nowMs: number): string {
  for (let atMs = nowMs; ; atMs += 1) {
    const stamp = new Date(atMs).toISOString().replaceAll(/[^\dTZ]/g, '')
    if (!existsSync(join(dataDir, `farebox.before-restore-${stamp}.db`))) return stamp
  }
}

function refused(message: string): RestoreAnswer {
  return { type: 'refused', message }
}
