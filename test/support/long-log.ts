// A data folder whose database is about to fold its log, which a short test would never get to.

import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** SQLite folds the log at 4,000 pages; a few dozen calls write more than what is missing here. */
const LOG_PAGES = 3900

/** Lets the log of the database be nearly as long as it gets, as a process leaves it that was killed. */
export function fillLog(dataDir: string): void {
  const filled = `${dataDir}-filled`
  const db = new Database(join(dataDir, 'farebox.db'))
  db.pragma('wal_autocheckpoint = 0')
  db.pragma('synchronous = OFF')
  const version = Number(db.pragma('user_version', { simple: true }))
  for (let page = 0; page < LOG_PAGES; page++) db.pragma(`user_version = ${version}`)
  // Whoever closes the database folds its log.
  cpSync(dataDir, filled, { recursive: true })
  db.close()
  rmSync(dataDir, { recursive: true })
  renameSync(filled, dataDir)
}
