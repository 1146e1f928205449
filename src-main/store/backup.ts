// A backup: one file with everything but secrets, copied out of a database that is in use, and accepted only once it was
// read back and its books add up. It blocks until it is done, so it runs on a thread of its own.

import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Db } from '#store/database.ts'
import { examineCopy, type CheckBooks, type CopyContents } from '#store/examine.ts'
import { errorCode, makePrivate, syncFile, syncFolder } from '#store/files.ts'
import { forgetJournal } from '#store/journal-open.ts'
import { forgetVisits } from '#store/session-rows.ts'

export type BackupRequest = {
  /** An absolute path. */
  readonly file: string
  /** Whether it may take the place of an older backup. */
  readonly isForced: boolean
}

export type BackupAnswer =
  | { readonly type: 'made'; readonly bytes: number; readonly contents: CopyContents }
  | { readonly type: 'refused'; readonly reason: RefusalReason; readonly message: string }
type RefusalReason = 'taken' | 'no-place' | 'full' | 'unsound'

/** Copies what `db` shows at this moment. What goes wrong with the place or the copy is an answer. */
export function backUp(
  db: Db,
  { dataDir, file, isForced }: BackupRequest & { readonly dataDir: string },
  checkBooks: CheckBooks,
): BackupAnswer {
  const draft = `${file}.new`
  try {
    const refusal = refusalOfPlace({ dataDir, file, isForced }) ?? refusalOfDraft(draft, isForced)
    if (refusal !== undefined) return refusal
    // Exclusive, so that two backups to one place cannot write into each other's file.
    if (isForced) rmSync(draft, { force: true })
    closeSync(openSync(draft, 'wx', 0o600))
  } catch (error) {
    return refusalOf(error, draft)
  }
  try {
    return copy(db, { draft, file, isForced }, checkBooks)
  } catch (error) {
    rmSync(draft, { force: true })
    return refusalOf(error, file)
  }
}

type Place = { readonly draft: string; readonly file: string; readonly isForced: boolean }

function copy(db: Db, place: Place, checkBooks: CheckBooks): BackupAnswer {
  const { draft } = place
  db.prepare('VACUUM INTO ?').run(draft)
  makePrivate(draft)
  withoutCompany(draft)
  // SQLite leaves it to us when a copy reaches the disk.
  syncFile(draft)
  const examined = examineCopy(draft, checkBooks)
  if (examined.type === 'unsound') {
    rmSync(draft, { force: true })
    return unsound(examined.problem)
  }
  const bytes = statSync(draft).size
  publish(place)
  return { type: 'made', bytes, contents: examined.contents }
}

/** Nobody is signed in to a backup, and no journal goes with it. */
function withoutCompany(draft: string): void {
  const db = new Database(draft, { fileMustExist: true })
  try {
    db.pragma('journal_mode = DELETE')
    forgetVisits(db)
    forgetJournal(db)
  } finally {
    db.close()
  }
}

/** The copy gets its name when it is whole. Nothing of that name is replaced unless it was said that it may be. */
function publish({ draft, file, isForced }: Place): void {
  if (isForced) renameSync(draft, file)
  else {
    try {
      // Unlike a renaming, a link fails where there is something already.
      linkSync(draft, file)
      rmSync(draft)
    } catch (error) {
      if (errorCode(error) === 'EEXIST' || existsSync(file)) throw error
      // The disk has no links, as memory sticks do.
      renameSync(draft, file)
    }
  }
  syncFolder(dirname(file))
}

function refusalOfPlace({ dataDir, file, isForced }: BackupRequest & { dataDir: string }): BackupAnswer | undefined {
  // Also by another name: a forced backup to one of the gateway's own files would be the end of it.
  if (realpathSync(dirname(file)) === realpathSync(dataDir)) {
    return refused(
      'no-place',
      `A backup cannot be among the gateway's own files. Choose a place outside of ${dataDir}.`,
    )
  }
  const present = lstatSync(file, { throwIfNoEntry: false })
  if (present === undefined) return undefined
  if (!isForced) return refused('taken', `There is a file at ${file} already. Choose another name, or force it.`)
  if (present.isFile() && isDatabase(file)) return undefined
  return refused('taken', `What is at ${file} is no database, so it is not replaced.`)
}

/** A forced backup takes away what another one left behind, and nothing else. */
function refusalOfDraft(draft: string, isForced: boolean): BackupAnswer | undefined {
  const present = isForced ? lstatSync(draft, { throwIfNoEntry: false }) : undefined
  // SQLite writes the first page when the others are there.
  if (present === undefined || (present.isFile() && [DATABASE_HEAD, NO_HEAD].includes(headOf(draft)))) return undefined
  return refused('taken', `What is at ${draft} was not left by a backup. Move it, or choose another name.`)
}

const DATABASE_HEAD = 'SQLite format 3\0'
const NO_HEAD = '\0'.repeat(DATABASE_HEAD.length)

function isDatabase(file: string): boolean {
  return headOf(file) === DATABASE_HEAD
}

/** The first bytes of a file, and zeros where it has none. */
function headOf(file: string): string {
  const head = Buffer.alloc(DATABASE_HEAD.length)
  const opened = openSync(file, 'r')
  try {
    readSync(opened, head)
  } finally {
    closeSync(opened)
  }
  return head.toString('latin1')
}

/** Errors of the system and of SQLite that say something about the place or the disk; all others are faults. */
function refusalOf(error: unknown, path: string): BackupAnswer {
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return refused('no-place', `The folder of ${path} is not there.`)
    case 'EEXIST': {
      const says = `There is a file at ${path} already`
      return refused('taken', `${says}, perhaps left by a backup that broke off. Remove it, or force it.`)
    }
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'EISDIR':
    case 'ENAMETOOLONG':
    case 'ELOOP':
      return refused('no-place', `${path} cannot be written (${errorCode(error)}).`)
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
    case 'SQLITE_FULL':
      return refused('full', `The disk is full: there is not enough room for a backup at ${path}.`)
  }
  if (!(error instanceof Database.SqliteError)) throw error
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) return unsound(`it is damaged: ${error.message}`)
  if (error.code.startsWith('SQLITE_IOERR')) return refused('full', `${path} could not be written (${error.code}).`)
  throw error
}

function unsound(problem: string): BackupAnswer {
  return refused('unsound', `The database was copied and looked at, and ${problem}. So no backup was kept.`)
}

function refused(reason: RefusalReason, message: string): BackupAnswer {
  return { type: 'refused', reason, message }
}
