// One process per data folder, and one at a time that connects tools. A lock is an exclusive transaction on a small database file: the operating system drops it
// when the process dies, however it dies, so that there is no stale lock to guess about.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { checkDataDir, makeDataDir } from '#store/data-folder.ts'
import { DatabaseError } from '#store/database.ts'

export type DataLock = { release(): void }

/** Commands that open the folder themselves hold the lock for a moment; two at once need not fail. */
const PATIENCE_MS = 1000

/** Takes the lock or throws DatabaseError: `in-use`, or `unsafe` for a folder that is not its user's alone. */
export function lockDataDir(dataDir: string): DataLock {
  checkDataDir(dataDir)
  const lock = lockFile(join(dataDir, 'farebox.lock'), PATIENCE_MS)
  if (lock === undefined) throw new DatabaseError('in-use', 'Another Farebox is using this data folder.')
  return lock
}

/**
 * Takes the lock of whoever connects tools, which a command takes beside a gateway that runs; undefined where somebody else has it. It
 * does not wait: a gateway would stand still meanwhile.
 */
export function lockConnections(dataDir: string): DataLock | undefined {
  makeDataDir(dataDir)
  checkDataDir(dataDir)
  return lockFile(join(dataDir, 'connections.lock'), 0)
}

function lockFile(path: string, patienceMs: number): DataLock | undefined {
  const db = new Database(path, { timeout: patienceMs })
  try {
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
  return { release: () => db.close() }
}
