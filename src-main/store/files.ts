// Files as a database needs them: on disk when it is said that they are, and readable by their owner only.

import { chmodSync, closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs'

/** What SQLite keeps beside a database; beside another database of the same name it would be played into that one. */
const COMPANIONS = ['-wal', '-shm', '-journal']

export function removeDatabase(path: string): void {
  for (const suffix of ['', ...COMPANIONS]) rmSync(path + suffix, { force: true })
}

/** The companions of a database that hold a part of what it says. */
export function unfinishedBeside(path: string): string[] {
  return ['-wal', '-journal'].map((suffix) => path + suffix).filter((companion) => existsSync(companion))
}

export function makePrivate(path: string): void {
  if (process.platform !== 'win32') chmodSync(path, 0o600)
}

/** Comes back when what was written to a file is on disk. */
export function syncFile(path: string): void {
  sync(path, 'r+')
}

/** The same for the names in a folder. Windows does so by itself, and has no way to ask for it. */
export function syncFolder(path: string): void {
  if (process.platform !== 'win32') sync(path, 'r')
}

/** The system's short name of what went wrong, such as ENOSPC; an error of SQLite has one too. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function sync(path: string, flags: string): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
