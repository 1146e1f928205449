// One process per data folder. The lock is an exclusive transaction on a small database file: the operating system drops it
// when the process dies, however it dies, so that there is no stale lock to guess about.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { checkDataDir } from '#store/data-folder.ts'
import { DatabaseError } from '#store/database.ts'

export type DataLock = { release(): void }

/** Commands that open the folder themselves hold the lock for a moment; two at once need not fail. */
const PATIENCE_MS = 1000

/** Takes the lock or throws DatabaseError: `in-use`, or `unsafe` for a folder that is not its user's alone. */
export function lockDataDir(dataDir: string): DataLock {
  checkDataDir(dataDir)
  const db = new Database(join(dataDir, 'farebox.lock'), { timeout: PATIENCE_MS })
  try {
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new DatabaseError('in-use', 'Another Farebox is using this data folder.')
    }
    throw error
  }
  return { release: () => db.close() }
}
