// Whether a data folder is its user's alone. Whoever else may write to it could put another database, or a link, where Farebox writes;
// so this is looked at before anything in it is opened. On Windows modes say nothing, and the user's profile keeps others out.

import { accessSync, constants, lstatSync, mkdirSync, readdirSync, statSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDiskFull } from '#core/disk-failure.ts'
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

/**
 * What keeps a data folder from being used, as a sentence with what to do; undefined where the error is about something else. Errors of
 * SQLite name no file, so that each of the folder is tried.
 */
export function dataFolderProblem(dataDir: string, error: unknown): string | undefined {
  if (isDiskFull(error)) {
    return `The disk with the data folder ${dataDir} is full. Make room on it, and start Farebox again.`
  }
  const code = errorCode(error)
  if (!UNUSABLE.test(code)) return undefined
  const unusable = [dataDir, ...filesIn(dataDir)].find((path) => reasonAgainst(path) !== undefined)
  const named = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined
  const path = unusable ?? named
  if (path === undefined) return `A file in the data folder ${dataDir} cannot be opened (${code}). Look at its disk.`
  const mend = `Give it to this user ('chown', and 'chmod ${path === dataDir ? '700' : '600'}'), and start Farebox again.`
  const reason = reasonAgainst(path) ?? code
  if (reason === 'EISDIR') return `${path} is a folder, and should be a file. Move it out of the data folder.`
  if (reason === 'EROFS') return `${path} is on a disk that is only for reading. Choose another folder with --data-dir.`
  return `Farebox may not read and write ${path} (${reason}). ${mend}`
}

/** The codes of systems and of SQLite for files that cannot be used. */
const UNUSABLE = /^(EACCES|EPERM|EISDIR|ENOTDIR|EROFS|SQLITE_(CANTOPEN|PERM|READONLY|IOERR)(_\w+)?)$/

function filesIn(dataDir: string): string[] {
  try {
    const known = FILES.map((name) => join(dataDir, name)).filter((path) => lookAt(path) !== undefined)
    return [...new Set([...known, ...readdirSync(dataDir).map((name) => join(dataDir, name))])]
  } catch (error) {
    // A folder that cannot be read is what stands before them in the list.
    if (errorCode(error) === '') throw error
    return []
  }
}

function reasonAgainst(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return FILES.some((name) => path.endsWith(join('/', name))) && statSync(path).isDirectory() ? 'EISDIR' : undefined
  } catch (error) {
    return errorCode(error)
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
