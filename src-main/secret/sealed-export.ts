// Secrets on their way to another machine: one file, encrypted with a key that is made of a passphrase. Whoever has the file can try
// passphrases as long as they like, so that each try is made to cost 128 MiB and a third of a second.

import { createCipheriv, createDecipheriv, randomBytes, randomUUID, scrypt, type ScryptOptions } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDiskFull } from '#core/disk-failure.ts'
import { readPrivateFile, replacePrivateFile } from '#secret/file.ts'
import { systemCode, VaultError } from '#secret/vault-error.ts'

export type ExportedSecret = {
  readonly providerId: string
  readonly providerName: string
  readonly origin: string
  /** Which of several secrets it is. In files of older versions the first has none. */
  readonly label?: string
  readonly secret: string
}

export type SealedFile = { readonly file: string; readonly passphrase: string }

/**
 * `taken`: there is a file that may not be replaced; `foreign`: it is no file of secrets, or is damaged; `locked`: another passphrase;
 * `full`: there is no room for it.
 */
export type ExportProblem = {
  readonly type: 'problem'
  readonly reason: 'taken' | 'foreign' | 'locked' | 'place' | 'full'
}

const FORMAT = 'farebox-secrets'
const CIPHER = 'aes-256-gcm'
const COST: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const MAX_FILE_BYTES = 4 * 1_048_576

/** Writes a file that only its owner may read. An older one of the same kind is replaced where it is forced. */
export async function writeSealed(
  secrets: readonly ExportedSecret[],
  { file, passphrase, isForced }: SealedFile & { readonly isForced: boolean },
  cost = COST,
): Promise<ExportProblem | undefined> {
  return await orProblem(async () => {
    const present = await readPrivateFile(file, MAX_FILE_BYTES)
    const isOurs = present?.bytes !== undefined && parse(present.bytes) !== undefined
    if (present !== undefined && !(isForced && isOurs)) return problem('taken')
    // A folder with a typing mistake in its name is not made.
    await stat(dirname(file))
    const draft = `${file}.${randomUUID().slice(0, 8)}.tmp`
    await replacePrivateFile(file, sealed(secrets, await newKey(passphrase, cost)), draft)
    return undefined
  })
}

/** What is in such a file. */
export async function readSealed(
  { file, passphrase }: SealedFile,
  cost = COST,
): Promise<readonly ExportedSecret[] | ExportProblem> {
  return await orProblem(async () => {
    const present = await readPrivateFile(file, MAX_FILE_BYTES)
    const box = present?.bytes === undefined ? undefined : parse(present.bytes)
    if (box === undefined) return problem(present === undefined ? 'place' : 'foreign')
    const decipher = createDecipheriv(CIPHER, await keyOf(passphrase, box.salt, cost), box.nonce, {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(FORMAT))
    decipher.setAuthTag(box.tag)
    const start = decipher.update(box.ciphertext)
    try {
      return JSON.parse(Buffer.concat([start, decipher.final()]).toString('utf8')) as readonly ExportedSecret[]
    } catch {
      // The tag does not fit: another passphrase, or a file that somebody changed.
      return problem('locked')
    }
  })
}

type NewKey = { readonly key: Buffer; readonly salt: Buffer }

async function newKey(passphrase: string, cost: ScryptOptions): Promise<NewKey> {
  const salt = randomBytes(SALT_BYTES)
  return { salt, key: await keyOf(passphrase, salt, cost) }
}

function sealed(secrets: readonly ExportedSecret[], { key, salt }: NewKey): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(FORMAT))
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()])
  const parts = { salt, nonce, ciphertext, tag: cipher.getAuthTag() }
  const texts = Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64')])
  return Buffer.from(`${JSON.stringify({ format: FORMAT, version: 1, ...Object.fromEntries(texts) })}\n`)
}

function keyOf(passphrase: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer) => (error === null ? resolve(key) : reject(error))
    // Composed and decomposed letters look alike, and keyboards differ in which they send.
    scrypt(passphrase.normalize('NFC'), salt, 32, cost, done)
  })
}

type Box = { readonly salt: Buffer; readonly nonce: Buffer; readonly ciphertext: Buffer; readonly tag: Buffer }

/** undefined for what this program did not write. */
function parse(bytes: Buffer): Box | undefined {
  const value = membersOf(bytes)
  if (value['format'] !== FORMAT || value['version'] !== 1) return undefined
  const part = (name: string) => {
    const text = value[name]
    return typeof text === 'string' ? Buffer.from(text, 'base64') : Buffer.alloc(0)
  }
  const box = { salt: part('salt'), nonce: part('nonce'), ciphertext: part('ciphertext'), tag: part('tag') }
  const { salt, nonce, tag } = box
  return salt.length === SALT_BYTES && nonce.length === NONCE_BYTES && tag.length === TAG_BYTES ? box : undefined
}

function membersOf(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // Not JSON, and so not ours.
    return {}
  }
}

async function orProblem<Result>(operate: () => Promise<Result>): Promise<Result | ExportProblem> {
  try {
    return await operate()
  } catch (error) {
    if (isDiskFull(error)) return problem('full')
    if (error instanceof VaultError || systemCode(error) !== undefined) return problem('place')
    throw error
  }
}

function problem(reason: ExportProblem['reason']): ExportProblem {
  return { type: 'problem', reason }
}
