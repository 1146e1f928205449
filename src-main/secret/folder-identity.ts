// Which secrets of the keychain belong to a data folder: a random name in a note inside the folder. The note also says where
// the folder is, so that one that was moved keeps its secrets and one that was copied does not share them.

import { randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { SecretFailure } from '#core/secret-failure.ts'
import { readPrivateFile, replacePrivateFile } from '#secret/file.ts'

type Identity = { readonly id: string; readonly folder: string }

const FILE = 'keychain.json'
const MAX_BYTES = 16_384

/** The name, or undefined for a folder that has put nothing into the keychain yet. Throws a SecretFailure. */
export async function readFolderIdentity(dataDir: string): Promise<string | undefined> {
  const identity = await readNote(dataDir)
  if (identity === undefined) return undefined
  const folder = await realpath(dataDir)
  if (identity.folder === folder) return identity.id
  const original = await readNote(identity.folder)
  if (original?.id === identity.id) return undefined
  await writeNote(dataDir, { id: identity.id, folder })
  return identity.id
}

/** Gives a folder a name that no other has. */
export async function makeFolderIdentity(dataDir: string): Promise<string> {
  const id = randomBytes(8).toString('hex')
  await writeNote(dataDir, { id, folder: await realpath(dataDir) })
  return id
}

async function readNote(folder: string): Promise<Identity | undefined> {
  const path = join(folder, FILE)
  const file = await readPrivateFile(path, MAX_BYTES)
  if (file === undefined) return undefined
  const identity = parse(file.bytes)
  if (identity !== undefined) return identity
  const advice = 'Restore it, or remove it and enter the secrets of your providers again.'
  throw new SecretFailure('files', `${path} is damaged. ${advice}`)
}

async function writeNote(dataDir: string, identity: Identity): Promise<void> {
  await replacePrivateFile(join(dataDir, FILE), Buffer.from(`${JSON.stringify(identity, null, 2)}\n`))
}

function parse(bytes: Buffer | undefined): Identity | undefined {
  try {
    const value: unknown = JSON.parse(bytes?.toString('utf8') ?? '')
    if (typeof value !== 'object' || value === null || !('id' in value) || !('folder' in value)) return undefined
    const { id, folder } = value
    return typeof id === 'string' && /^[0-9a-f]{16}$/.test(id) && typeof folder === 'string'
      ? { id, folder }
      : undefined
  } catch {
    // Not JSON: the caller says that the file is damaged.
    return undefined
  }
}
