// How far the database had come, noted outside of it. A log that is lost or damaged makes SQLite go back to an older state that is
// whole in itself; nothing in the database can tell. The note is written after each commit and before whoever waits is answered,
// over itself and without being brought to disk on its own: where a power cut keeps it behind the database, nothing is wrong. The
// database behind the note is: something that was answered is gone. It has two lines: one about the database, by the thread that
// writes it, and one about the journal, by whoever appends to that.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Db } from '#store/database.ts'

const TAIL_FILE = 'farebox.tail'

/** `entries`: the number of the last entry; `changes`: how often the catalogue was changed. */
export type Tail = {
  readonly entries: number
  readonly changes: number
  /** Whether Farebox ended by itself since, with everything in the database. */
  readonly isClosed: boolean
  /** The number of the journal's last frame. */
  readonly frame: number
}

const UNREADABLE: Tail = { entries: 0, changes: 0, isClosed: false, frame: 0 }

/** A note that a power cut may have left behind, or in pieces, with the highest frame that the journal itself has. */
export function noteWith(note: Tail | undefined, highest: number): Tail {
  return { ...(note ?? UNREADABLE), frame: Math.max(note?.frame ?? 0, highest) }
}

/** What the database itself says of it. */
type DatabaseTail = Pick<Tail, 'entries' | 'changes'>

/** As long as any line, so that each covers the one before it. */
const NOTE_BYTES = 96
const FRAME_BYTES = 32

/** Whether there is a note, be it one that cannot be read. */
export function hasTail(dataDir: string): boolean {
  return existsSync(join(dataDir, TAIL_FILE))
}

/** undefined where there is no note that can be read, as in a folder of an older Farebox. */
export function readTail(dataDir: string): Tail | undefined {
  const text = readNote(join(dataDir, TAIL_FILE))
  const database = lineOf(text.subarray(0, NOTE_BYTES))
  const journal = lineOf(text.subarray(NOTE_BYTES))
  if (database === undefined && journal === undefined) return undefined
  const count = (value: unknown) => (Number.isSafeInteger(value) ? Number(value) : 0)
  return {
    entries: count(database?.entries),
    changes: count(database?.changes),
    isClosed: database?.isClosed === true,
    frame: count(journal?.frame),
  }
}

function readNote(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

/** undefined for none, and for one that a power cut left in pieces: it says nothing then. */
function lineOf(bytes: Buffer): Partial<Record<keyof Tail, unknown>> | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as Partial<Record<keyof Tail, unknown>>
  } catch {
    return undefined
  }
}

export function tailOf(db: Db): DatabaseTail {
  const entries = db.prepare<[], number | null>('SELECT max(seq) FROM ledger_entry').pluck().get() ?? 0
  return { entries, changes: changesOf(db) }
}

/** What a database lacks of what its note says, as sentences. */
export function tailProblems(dataDir: string, note: Tail | undefined, present: Omit<Tail, 'isClosed'>): string[] {
  if (note === undefined) return []
  const lost = [
    ...(present.entries < note.entries ? [`entries ${present.entries + 1} to ${note.entries}`] : []),
    ...(present.changes < note.changes
      ? [`${note.changes - present.changes} changes of keys, packages or prices`]
      : []),
    ...(present.frame < note.frame ? [`frames ${present.frame + 1} to ${note.frame} of the journal`] : []),
  ]
  if (lost.length === 0) return []
  const file = join(dataDir, TAIL_FILE)
  const says = `${lost.join(' and ')} had been written and are gone: the database or its log was damaged, or replaced by an older one`
  return [`${says}. Restore a backup, or remove ${file} to go on without them`]
}

/** Counts a change of the catalogue, inside its transaction, in a number that SQLite keeps for programs in a database's header. */
export function countChange(db: Db): void {
  db.pragma(`application_id = ${changesOf(db) + 1}`)
}

function changesOf(db: Db): number {
  return Number(db.pragma('application_id', { simple: true }))
}

/** Forgets how far the database had come that another one takes the place of. */
export function forgetTail(dataDir: string): void {
  rmSync(join(dataDir, TAIL_FILE), { force: true })
}

/** The side that writes the note. A disk that refuses it costs the note and nothing else. */
export class TailWriter {
  readonly #db: Db
  readonly #file: number | undefined
  readonly #lastEntry
  #changes: number

  constructor(dataDir: string, db: Db) {
    this.#db = db
    this.#lastEntry = db.prepare<[], number | null>('SELECT max(seq) FROM ledger_entry').pluck()
    this.#changes = changesOf(db)
    this.#file = openNote(join(dataDir, TAIL_FILE))
  }

  /** To be called after each commit. */
  note({ hasChanged }: { readonly hasChanged: boolean }): void {
    if (hasChanged) this.#changes = changesOf(this.#db)
    this.#write({ entries: this.#lastEntry.get() ?? 0, changes: this.#changes, isClosed: false })
  }

  /** The last note, once the database is closed. */
  close(tail: DatabaseTail): void {
    this.#write({ ...tail, isClosed: true })
    if (this.#file !== undefined) closeSync(this.#file)
  }

  #write(tail: Omit<Tail, 'frame'>): void {
    if (this.#file === undefined) return
    try {
      writeSync(this.#file, `${JSON.stringify(tail).padEnd(NOTE_BYTES - 1)}\n`, 0)
    } catch {
      // The note stays where it was, behind the database, which is no damage.
    }
  }
}

/** The side of the journal, of which the same holds. */
export class JournalNote {
  readonly #file: number | undefined
  readonly #line = Buffer.alloc(FRAME_BYTES)

  constructor(dataDir: string) {
    this.#file = openNote(join(dataDir, TAIL_FILE))
  }

  /** To be called when a frame is on disk, before anybody is told. */
  write(frame: number): void {
    if (this.#file === undefined) return
    this.#line.write(`{"frame":${frame}}`.padEnd(FRAME_BYTES - 1) + '\n', 'latin1')
    try {
      writeSync(this.#file, this.#line, 0, FRAME_BYTES, NOTE_BYTES)
    } catch {
      // As above.
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }
}

function openNote(path: string): number | undefined {
  try {
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    if (fstatSync(file).size > NOTE_BYTES + FRAME_BYTES) ftruncateSync(file, NOTE_BYTES + FRAME_BYTES)
    return file
  } catch {
    // A full disk has no room for a new file; then there is no note until the next start.
    return undefined
  }
}
