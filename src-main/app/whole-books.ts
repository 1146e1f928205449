// The books of a data folder as somebody reads them who writes nothing there: with what a process that was killed left in the journal.
// That is projected in a copy, since it is for the next start to do so in the folder itself.

import { existsSync } from 'node:fs'
import { DatabaseError, openForReading, openForWriting, type Db } from '#store/database.ts'
import { errorCode } from '#store/files.ts'
import { journalPaths } from '#store/journal-frames.ts'
import { foreignJournal, framesIn, type JournalFrames } from '#store/journal-open.ts'
import { makeReadableCopy } from '#store/readable-copy.ts'
import { summedZone, UsageRollups } from '#store/usage-rollups.ts'
import { isMisfit, Projector } from '#threads/projector.ts'

export type WholeBooks = {
  readonly db: Db
  /** Those of the journal; the tables have all of them that there are in their order, where no gateway runs. */
  readonly frames: JournalFrames
  readonly close: () => void
}

/** Throws DatabaseError as `openForReading` does. Of a gateway that runs, what it projects meanwhile may be missing. */
export function openWholeBooks(dataDir: string, { isRunning }: { readonly isRunning: boolean }): WholeBooks {
  try {
    const db = openForReading(dataDir, { readsOnce: true })
    const frames = framesIn(journalPaths(dataDir), db)
    if (isRunning || frames.highest === frames.projected) return { db, frames, close: () => db.close() }
    db.close()
  } catch (error) {
    if (error instanceof DatabaseError || !isUnwritable(error)) throw error
  }
  return openCopy(dataDir)
}

function openCopy(dataDir: string): WholeBooks {
  const { folder, remove } = makeReadableCopy(dataDir)
  try {
    projectIn(folder)
    const db = openForReading(folder, { readsOnce: true })
    const close = () => {
      db.close()
      remove()
    }
    return { db, frames: framesIn(journalPaths(folder), db), close }
  } catch (error) {
    remove()
    throw error
  }
}

/**
 * Brings what a killed process left in the journal into the database of a folder that is about to be replaced, and says whether nothing
 * is left. A database of another schema is left alone: it may have no journal, and is kept as it is.
 */
export function completeBooks(dataDir: string): boolean {
  try {
    const db = openForReading(dataDir)
    const isForeign = foreignJournal(dataDir, db) !== undefined
    const hasJournal = journalPaths(dataDir).every((path) => existsSync(path))
    db.close()
    return !isForeign && hasJournal && projectIn(dataDir)
  } catch {
    // Damaged, of another schema, or on a full disk: then the journal is kept beside the database.
    return false
  }
}

/** As far as it goes; what does not fit is for the check to tell. Says whether nothing is left. */
function projectIn(folder: string): boolean {
  const db = openForWriting(folder)
  try {
    if (foreignJournal(folder, db) !== undefined) return false
    const rollups = new UsageRollups(db, summedZone(db) ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
    rollups.open()
    const projector = new Projector({
      dataDir: folder,
      db,
      rollups,
      write: (transaction) => transaction(),
      onProjected: () => undefined,
    })
    try {
      projectAll(projector)
      return projector.highestFrame() === projector.projected
    } finally {
      projector.close()
    }
  } finally {
    db.close()
  }
}

function projectAll(projector: Projector): void {
  try {
    projector.upTo(Infinity)
  } catch (error) {
    if (!isMisfit(error)) throw error
  }
}

/** SQLite makes files beside a database even to read it. Where it may not, it says one of these. */
function isUnwritable(error: unknown): boolean {
  return /^SQLITE_(CANTOPEN|READONLY|IOERR|FULL|PERM)/.test(errorCode(error))
}
