// A database on a disk that cannot be written, or in a folder that only others may write. SQLite reads it with the help of files that
// it makes beside it, and without them it would pass over what is still in the log. So it is read from a copy of both, and of the
// journal.

import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_FILE, DatabaseError } from '#store/database.ts'
import { makePrivate } from '#store/files.ts'
import { JOURNAL_FILES } from '#store/journal-frames.ts'

const TRIES = 3

export type ReadableCopy = { readonly folder: string; readonly remove: () => void }

/** A folder with a copy of the database, for the caller to remove. Throws DatabaseError where no copy can be made. */
export function makeReadableCopy(dataDir: string): ReadableCopy {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-read-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    copyWhole(dataDir, folder)
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Somebody else may write there all the same: a copy counts only where nothing has changed while it was made. */
function copyWhole(dataDir: string, folder: string): void {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = stateOf(dataDir)
    for (const name of NAMES) {
      rmSync(join(folder, name), { force: true })
      if (!existsSync(join(dataDir, name))) continue
      copyFileSync(join(dataDir, name), join(folder, name))
      makePrivate(join(folder, name))
    }
    if (stateOf(dataDir) === before) return
  }
  throw new DatabaseError('in-use', `The database in ${dataDir} is being written to, and cannot be copied to be read.`)
}

const NAMES = [DATABASE_FILE, `${DATABASE_FILE}-wal`, ...JOURNAL_FILES] as const

function stateOf(dataDir: string): string {
  const states = NAMES.map((name) => statSync(join(dataDir, name), { throwIfNoEntry: false }))
  return JSON.stringify(states.map((state) => [state?.size, state?.mtimeMs, state?.ino]))
}
