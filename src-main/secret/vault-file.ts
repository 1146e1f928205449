// The file of the vault: JSON with one sealed entry per secret. Each is encrypted with AES-256-GCM under a random 96-bit
// nonce and authenticated together with its provider and origin, so that an entry cannot be moved to another one.

import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto'
import { readPrivateFile, replacePrivateFile } from '#secret/file.ts'
import type { SecretReference } from '#secret/port.ts'
import { VaultError } from '#secret/vault-error.ts'

const VERSION = 1
const MAX_FILE_BYTES = 1_048_576
const MAX_SECRETS = 1_000
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

export type SealedSecret = SecretReference & {
  readonly nonce: Buffer
  readonly ciphertext: Buffer
  readonly tag: Buffer
}

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
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo(reference))
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return {
    ...reference,
    nonce,
    ciphertext,
    tag: cipher.getAuthTag(),
  }
}

/** The secret, or undefined when the entry was not sealed with this key for this provider and origin. */
export function unseal(key: KeyObject, sealed: SealedSecret): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, sealed.nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(boundTo(sealed))
  decipher.setAuthTag(sealed.tag)
  const start = decipher.update(sealed.ciphertext)
  try {
    return Buffer.concat([start, decipher.final()]).toString('utf8')
  } catch {
    // `final` throws when the tag does not fit, and for no other reason.
    return undefined
  }
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
  const nonce = parseBase64(members.nonce)
  const ciphertext = parseBase64(members.ciphertext)
  const tag = parseBase64(members.tag)
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

/** Node's decoder skips what is not base64; a vault must not. */
function parseBase64(value: unknown): Buffer | undefined {
  if (typeof value !== 'string') return undefined
  const bytes = Buffer.from(value, 'base64')
  return bytes.toString('base64') === value ? bytes : undefined
}
