// The file of the vault: JSON with one entry per secret, each sealed together with its provider and origin, so that an entry cannot be
// moved to another one.

import type { KeyObject } from 'node:crypto'
import { readPrivateFile, replacePrivateFile } from '#secret/file.ts'
import type { SecretReference } from '#secret/port.ts'
import { NONCE_BYTES, parseBase64, sealText, TAG_BYTES, unsealText, type Sealed } from '#secret/sealing.ts'
import { VaultError } from '#secret/vault-error.ts'

const VERSION = 1
const MAX_FILE_BYTES = 1_048_576
const MAX_SECRETS = 1_000

export type SealedSecret = SecretReference & Sealed

/** What the file holds, still sealed. */
export type VaultContent = { readonly keyFingerprint: string; readonly secrets: readonly SealedSecret[] }

/** Reads the vault's file; undefined when there is none. Throws a VaultError for one that no vault wrote. */
export async function readVaultFile(path: string): Promise<VaultContent | undefined> {
  const file = await readPrivateFile(path, MAX_FILE_BYTES)
  if (file === undefined) return undefined
  const content = file.bytes === undefined ? undefined : parseContent(path, file.bytes)
  if (content === undefined) throw damaged(path)
  return content
}

export async function writeVaultFile(path: string, content: VaultContent): Promise<void> {
  const bytes = Buffer.from(formatContent(content))
  if (content.secrets.length > MAX_SECRETS || bytes.length > MAX_FILE_BYTES) {
    const bound = `${MAX_SECRETS} secrets in ${MAX_FILE_BYTES / 1_048_576} MiB`
    throw new VaultError('full', `The vault is full: it holds at most ${bound}.`)
  }
  await replacePrivateFile(path, bytes)
}

export function seal(key: KeyObject, reference: SecretReference, secret: string): SealedSecret {
  return { ...reference, ...sealText(key, boundTo(reference), secret) }
}

/** The secret, or undefined when the entry was not sealed with this key for this provider and origin. */
export function unseal(key: KeyObject, sealed: SealedSecret): string | undefined {
  return unsealText(key, boundTo(sealed), sealed)
}

export function damaged(path: string): VaultError {
  const advice = 'Put a backup in its place, or move it away and enter the secrets of your providers again.'
  return new VaultError('damaged', `${path} is damaged. ${advice}`)
}

/** JSON keeps the two texts apart whatever they contain; joining them would not. */
function boundTo(reference: SecretReference): Buffer {
  const { providerId, origin, label } = reference
  return Buffer.from(
    JSON.stringify(['farebox secret', VERSION, providerId, origin, ...(label === undefined ? [] : [label])]),
  )
}

function formatContent(content: VaultContent): string {
  const secrets = content.secrets.map((sealed) => ({
    provider_id: sealed.providerId,
    origin: sealed.origin,
    label: sealed.label,
    nonce: sealed.nonce.toString('base64'),
    ciphertext: sealed.ciphertext.toString('base64'),
    tag: sealed.tag.toString('base64'),
  }))
  return JSON.stringify({ version: VERSION, key_fingerprint: content.keyFingerprint, secrets }, null, 2) + '\n'
}

function parseContent(path: string, bytes: Buffer): VaultContent | undefined {
  const { version, key_fingerprint: keyFingerprint, secrets } = membersOf(parseJson(bytes.toString('utf8')))
  if (typeof version === 'number' && version > VERSION) {
    throw new VaultError('too_new', `${path} was written by a later version of Farebox; start that one.`)
  }
  if (version !== VERSION || typeof keyFingerprint !== 'string' || !Array.isArray(secrets)) return undefined
  const sealed = secrets.flatMap((secret) => parseSealed(secret) ?? [])
  const names = new Set(sealed.map((secret) => JSON.stringify([secret.providerId, secret.origin, secret.label])))
  if (names.size !== secrets.length) return undefined
  return { keyFingerprint, secrets: sealed }
}

function parseSealed(value: unknown): SealedSecret | undefined {
  const members = membersOf(value)
  const { provider_id: providerId, origin, label } = members
  if (typeof providerId !== 'string' || typeof origin !== 'string') return undefined
  if (label !== undefined && typeof label !== 'string') return undefined
  const nonce = bytesIn(members.nonce)
  const ciphertext = bytesIn(members.ciphertext)
  const tag = bytesIn(members.tag)
  if (nonce?.length !== NONCE_BYTES || tag?.length !== TAG_BYTES || ciphertext === undefined) return undefined
  return { providerId, origin, ...(label === undefined ? {} : { label }), nonce, ciphertext, tag }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the caller says that the file is damaged. The parser's own message would quote the file.
    return undefined
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function bytesIn(value: unknown): Buffer | undefined {
  return typeof value === 'string' ? parseBase64(value) : undefined
}
