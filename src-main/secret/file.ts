// Reading and replacing small private files. A reader sees the whole old file or the whole new one, whenever the power goes.

import { constants, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemCode, VaultError, withFile } from '#secret/vault-error.ts'

/** A file's bytes, undefined when there are more than was allowed, and who besides its owner may read it. */
export type PrivateFile = { readonly bytes: Buffer | undefined; readonly readers: Readers }
export type Readers = 'nobody else' | 'its group' | 'everybody'

/** Reads a file of at most `maxBytes`. Undefined when there is no file. */
export async function readPrivateFile(path: string, maxBytes: number): Promise<PrivateFile | undefined> {
  return await withFile('unreadable', path, async () => {
    const handle = await openIfThere(path)
    if (handle === undefined) return undefined
    try {
      const stats = await handle.stat()
      if (!stats.isFile()) throw new VaultError('unreadable', `${path} is not a file.`)
      return { bytes: stats.size > maxBytes ? undefined : await handle.readFile(), readers: readersOf(stats.mode) }
    } finally {
      await handle.close()
    }
  })
}

/**
 * Puts `bytes` in the place of a file, readable by its owner only. When it throws, the old file is still there. What is at `temporary` is
 * lost: outside of Farebox's own folder it has to be a name that nobody has.
 */
export async function replacePrivateFile(path: string, bytes: Uint8Array, temporary = `${path}.tmp`): Promise<void> {
  await withFile('unwritable', path, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    // A crash may have left one behind; `wx` below insists on a new file, whose mode is ours and not a planted one's.
    await rm(temporary, { force: true })
    try {
      await writeWhole(temporary, bytes)
      await rename(temporary, path)
    } catch (error) {
      // On a full disk a part of it would take room for nothing.
      await rm(temporary, { force: true })
      throw error
    }
    await syncFolder(dirname(path))
  })
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Windows keeps no POSIX modes; there the folder of the user's profile is what keeps others out. */
function readersOf(mode: number): Readers {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return 'nobody else'
  return (mode & 0o007) === 0 ? 'its group' : 'everybody'
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    // Without O_NONBLOCK a pipe would be waited for, by one of the few threads of the whole process.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Makes a rename durable. Windows cannot open folders, and its file systems log renames themselves. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
