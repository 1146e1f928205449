// Whether a data folder is its user's alone. Whoever else may write to it could put another database, or a link, where Farebox writes;
// so this is looked at before anything in it is opened. On Windows modes say nothing, and the user's profile keeps others out.

import { lstatSync, mkdirSync, statSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseError } from '#store/database.ts'
import { errorCode } from '#store/files.ts'

/** Every file that Farebox opens in its folder under a fixed name, reads as its own or writes to. */
export const FILES = [
  'farebox.db farebox.db-wal farebox.db-shm farebox.db-journal farebox.lock farebox.lock-journal',
  'farebox.restore.new instance.json instance.json.new',
  'farebox.journal-1 farebox.journal-2 farebox.tail',
  'connections.lock connections.lock-journal',
  'secrets.enc vault.key keychain.json secrets-known.json secrets-to-forget.json',
  'metrics.token lan-key.pem lan-certificate.pem shell.json',
].flatMap((names) => names.split(' '))
const OTHERS_MAY_WRITE = 0o022
const ROOT = 0

/**
 * Makes the folder where it is not there, with those above it, for this user alone. Throws DatabaseError `unsafe` where it cannot be. One
 * at a time: in places such as /proc, where no folder can be made, Node goes on for ever when it is to make those above it too.
 */
export function makeDataDir(dataDir: string): void {
  const missing: string[] = []
  let folder = dataDir
  while (!isThere(folder)) {
    missing.unshift(folder)
    folder = dirname(folder)
  }
  try {
    for (const path of missing) mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Somebody else made it meanwhile.
    if (errorCode(error) === 'EEXIST') return
    throw unsafe(`The data folder ${dataDir} cannot be made (${errorCode(error)}). Choose another one with --data-dir.`)
  }
}

function isThere(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return dirname(path) === path
    // A file stands in the way, or nobody may look: what is opened there says so.
    throw unsafe(`${path} is no place for a data folder (${errorCode(error)}). Choose another one with --data-dir.`)
  }
}

/** Throws DatabaseError `unsafe`, with what to do about it. The folder itself may be a link to one that is safe. */
export function checkDataDir(dataDir: string): void {
  const folder = statSync(dataDir)
  if (!folder.isDirectory()) throw unsafe(`${dataDir} is not a folder. Choose another one with --data-dir.`)
  const problem = problemOf(folder)
  if (problem !== undefined) {
    const how = `Take that away ('chmod go-w ${dataDir}', or 'chown'), or have Farebox make a folder of its own in it:`
    throw unsafe(`The data folder ${dataDir} ${problem}. ${how} --data-dir ${join(dataDir, 'farebox')}`)
  }
  for (const path of FILES.map((name) => join(dataDir, name))) checkFile(path)
}

function checkFile(path: string): void {
  const file = lookAt(path)
  if (file === undefined) return
  if (file.isSymbolicLink())
    throw unsafe(`${path} is a link, and Farebox writes to files of its own alone. Move the file itself there.`)
  if (!file.isFile()) throw unsafe(`${path} is not a file. Move it out of the data folder.`)
  const problem = problemOf(file)
  if (problem !== undefined)
    throw unsafe(`${path} ${problem}. Take that away: 'chmod 600', and 'chown' where it is another user's.`)
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Who else may write to it, to be read after its name. Root may do anything anyway. */
function problemOf({ uid, mode }: Stats): string | undefined {
  const own = process.getuid?.()
  if (process.platform === 'win32' || own === undefined) return undefined
  if (uid !== own && uid !== ROOT) return `belongs to another user (${uid})`
  return (mode & OTHERS_MAY_WRITE) === 0
    ? undefined
    : `may be written to by other users (mode ${(mode & 0o777).toString(8)})`
}

function unsafe(message: string): DatabaseError {
  return new DatabaseError('unsafe', message)
}
