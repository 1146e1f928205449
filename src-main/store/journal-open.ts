// Opens the journal of a database: makes its files where they are missing, and finds out whether both belong together.

import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type { Db } from '#store/database.ts'
import { makePrivate, syncFolder } from '#store/files.ts'
import { headOf, IDLE_BYTES, JOURNAL_FILES, journalPaths, scanFrames, seedOf } from '#store/journal-frames.ts'
import { JournalReader, journalNames } from '#store/journal-reader.ts'
import type { JournalPlace } from '#store/journal-writer.ts'

/** Linux keeps what is written at once as one piece in memory, and counts all of a piece as written when a part of it is. */
const PIECE = Buffer.alloc(4096)
const FILES = JOURNAL_FILES.join(' and ')

/** The journal that belongs to a database, and up to where it is projected; undefined where there is none yet. */
export function journalPlace(db: Db): JournalPlace | undefined {
  return db.prepare<[], JournalPlace>('SELECT name, frame FROM journal').get()
}

/** Notes up to where the journal is projected, inside the transaction that projects it. */
export function frameCounter(db: Db): (frame: number) => void {
  const update = db.prepare<[number]>('UPDATE journal SET frame = ?')
  return (frame) => void update.run(frame)
}

/** A copy of a database has no journal: what is appended there is of its own. */
export function forgetJournal(db: Db): void {
  db.exec('DELETE FROM journal')
}

/** Why the journal's files are not those of this database, as a sentence; undefined where they are, and where there are none. */
export function foreignJournal(dataDir: string, db: Db): string | undefined {
  const own = journalPlace(db)?.name
  const paths = journalPaths(dataDir)
  const isForeign = journalNames(dataDir).some((name, index) => {
    if (name === undefined || name === own) return false
    // One that was just made, when the database had no time to note it, holds nothing.
    return !scanFrames(readFileSync(paths[index] ?? ''), seedOf(name)).next().done
  })
  if (!isForeign) return undefined
  const mend =
    'Put back the database that they are of, or restore a backup, or remove both to go on without what they hold'
  return `${FILES} in ${dataDir} are of another database than the one beside them. ${mend}`
}

/** The frames of a journal: up to which one the tables have them all, and the highest that there is, be it behind a gap. */
export type JournalFrames = { readonly projected: number; readonly highest: number }

/** What files hold of the journal of a database. */
export function framesIn(paths: readonly string[], db: Db): JournalFrames {
  const place = journalPlace(db)
  if (place === undefined) return { projected: 0, highest: 0 }
  const reader = new JournalReader(paths, place)
  try {
    return { projected: place.frame, highest: reader.highest() }
  } finally {
    reader.close()
  }
}

/** The journal's files as they are, made whole where something of them is missing; of a new journal where there was none. */
export function openJournal(dataDir: string, db: Db): JournalReader {
  const present = journalPlace(db)
  if (present !== undefined) {
    makeFiles(dataDir, present.name)
    return new JournalReader(journalPaths(dataDir), present)
  }
  return new JournalReader(journalPaths(dataDir), startJournal(dataDir, db, 0))
}

/**
 * Begins a journal behind a frame, in the place of any other, of which nothing is needed any more. The files come first: a name that the
 * database has is always theirs.
 */
export function startJournal(dataDir: string, db: Db, frame: number): JournalPlace {
  const place = { name: randomUUID(), frame }
  makeFiles(dataDir, place.name)
  for (const path of journalPaths(dataDir)) truncateSync(path, IDLE_BYTES)
  db.prepare('INSERT OR REPLACE INTO journal (id, name, frame) VALUES (1, @name, @frame)').run(place)
  return place
}

function makeFiles(dataDir: string, name: string): void {
  const names = journalNames(dataDir)
  for (const [index, path] of journalPaths(dataDir).entries()) {
    if (names[index] !== name) makeFile(path, name)
  }
  syncFolder(dataDir)
}

/** Gives a file its head, and room where it has none. Frames that are in it stay. */
function makeFile(path: string, name: string): void {
  const isNew = !existsSync(path)
  const fd = openSync(path, isNew ? 'wx+' : 'r+', 0o600)
  try {
    if (isNew) makePrivate(path)
    fillUp(fd)
    writeSync(fd, headOf(name), 0, undefined, 0)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function fillUp(fd: number): void {
  for (let at = fstatSync(fd).size; at < IDLE_BYTES; at += PIECE.length) writeSync(fd, PIECE, 0, PIECE.length, at)
}
