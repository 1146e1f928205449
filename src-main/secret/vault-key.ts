// The key of the vault: 32 random bytes in a file that only its owner may read.

import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { readPrivateFile, replacePrivateFile, type Readers } from '#secret/file.ts'
import { systemCode, VaultError, withFile } from '#secret/vault-error.ts'

const KEY_BYTES = 32
/** Of systemd. */
export const KEY_CREDENTIAL = 'farebox-key'

/** Who may read a key file besides its owner. systemd hands credentials over by an ACL, which looks like a group's right. */
const ALLOWED_READERS = {
  file: ['nobody else'],
  credential: ['nobody else', 'its group'],
} as const satisfies Record<string, readonly Readers[]>

/** A key file, and whether systemd put it there. */
export type KeyPlace = { readonly path: string; readonly kind: keyof typeof ALLOWED_READERS }

/** Where a key may be given: in a file that somebody names, or else in the folder where systemd puts credentials. */
export type KeyGiven = { readonly keyFile: string | undefined; readonly credentialsDir?: string | undefined }

/** The place of the key that was given; undefined where none was. `credential`: what it is called among those of systemd. */
export function placeOfKey({ keyFile, credentialsDir }: KeyGiven, credential: string): KeyPlace | undefined {
  if (keyFile !== undefined) return { path: keyFile, kind: 'file' }
  return credentialsDir === undefined ? undefined : { path: join(credentialsDir, credential), kind: 'credential' }
}

/** Reads a key file; symbolic links are followed. Undefined when there is none. */
export async function readVaultKey({ path, kind }: KeyPlace): Promise<KeyObject | undefined> {
  const file = await readPrivateFile(path, KEY_BYTES)
  if (file === undefined) return undefined
  const allowed: readonly Readers[] = ALLOWED_READERS[kind]
  if (!allowed.includes(file.readers)) {
    throw new VaultError('key_exposed', `Others may read the key file ${path}; make its mode 0600 or 0400.`)
  }
  if (file.bytes?.length !== KEY_BYTES) {
    throw new VaultError('key_invalid', `The key file ${path} must hold exactly ${KEY_BYTES} bytes.`)
  }
  return keyOf(file.bytes)
}

/** Makes a key file where there is none. */
export async function makeVaultKey(path: string): Promise<KeyObject> {
  if (await isLink(path)) throw new VaultError('key_missing', `The key file ${path} is a link that leads nowhere.`)
  const bytes = randomBytes(KEY_BYTES)
  await replacePrivateFile(path, bytes)
  return keyOf(bytes)
}

/** Tells keys apart without giving them away, so that a wrong key is not mistaken for a damaged vault. */
export function keyFingerprint(key: KeyObject): string {
  return createHmac('sha256', key).update('farebox vault key fingerprint').digest('base64')
}

/** A KeyObject shows nothing of itself when it is printed. The bytes it was made from are wiped. */
function keyOf(bytes: Buffer): KeyObject {
  const key = createSecretKey(bytes)
  bytes.fill(0)
  return key
}

async function isLink(path: string): Promise<boolean> {
  return await withFile('unreadable', path, async () => {
    try {
      return (await lstat(path)).isSymbolicLink()
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw error
    }
  })
}
