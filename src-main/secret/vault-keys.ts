// The keys with which gateways share secrets: the one that seals, and while it is exchanged the one before it, which only opens.

import type { KeyObject } from 'node:crypto'
import { VaultError } from '#secret/vault-error.ts'
import {
  KEY_CREDENTIAL,
  keyFingerprint,
  placeOfKey,
  readVaultKey,
  type KeyGiven,
  type KeyPlace,
} from '#secret/vault-key.ts'

type NamedKey = { readonly id: string; readonly key: KeyObject }

export type VaultKeys = { readonly current: NamedKey; readonly others: readonly NamedKey[] }

export type SharedKeysGiven = KeyGiven & { readonly oldKeyFile: string | undefined }

const OLD_KEY_CREDENTIAL = 'farebox-old-key'
const NONE =
  'Secrets in the shared database need a key that only the gateways have: name its file with FAREBOX_VAULT_KEY_FILE.'

/** Throws a VaultError where a key that was named is missing, is none, or may be read by others. None is ever made. */
export async function readVaultKeys({ keyFile, oldKeyFile, credentialsDir }: SharedKeysGiven): Promise<VaultKeys> {
  const place = placeOfKey({ keyFile, credentialsDir }, KEY_CREDENTIAL)
  const current = place === undefined ? undefined : await keyAt(place)
  if (current === undefined) throw new VaultError('key_missing', NONE)
  const oldPlace = placeOfKey({ keyFile: oldKeyFile, credentialsDir }, OLD_KEY_CREDENTIAL)
  const old = oldPlace === undefined ? undefined : await keyAt(oldPlace)
  return { current, others: old === undefined || old.id === current.id ? [] : [old] }
}

/** A unit may have other credentials than ours; a file that was named, on the other hand, has to be there. */
async function keyAt(place: KeyPlace): Promise<NamedKey | undefined> {
  const key = await readVaultKey(place)
  if (key !== undefined) return { id: keyFingerprint(key), key }
  if (place.kind === 'credential') return undefined
  throw new VaultError('key_missing', `The key file ${place.path} of the vault is missing.`)
}
