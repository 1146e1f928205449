// What Farebox proves to other machines who it is with: the key and certificate that it made, in the data folder, or files of the
// administrator's own.

import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate, type KeyObject } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { parseAddress } from '#core/address.ts'
import type { CertificateFiles } from '#core/lan.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { makeCertificate } from '#lan/certificate.ts'

export type Identity = {
  readonly source: 'farebox' | 'files'
  /** PEM; of one's own files with the certificates of those who issued it, if the file has them. */
  readonly certificate: string
  /** PEM. Never logged or shown. */
  readonly key: string
  /** SHA-256, as pairs of hexadecimal digits with colons between them. */
  readonly fingerprint: string
  readonly names: readonly string[]
  readonly expiresAtMs: number
}

const KEY_FILE = 'lan-key.pem'
const CERTIFICATE_FILE = 'lan-certificate.pem'
const SERIAL_BYTES = 16
const MAX_FILE_BYTES = 256 * 1024

/** A new identity with a key as it was, or a new one. Nothing is on disk yet. */
export function makeIdentity(names: readonly string[], nowMs: number, before?: Identity): Identity {
  const key = before === undefined ? newKey() : createPrivateKey(before.key)
  const certificate = makeCertificate({ key, names, nowMs, serial: randomBytes(SERIAL_BYTES) })
  return describe('farebox', certificate, key.export({ format: 'pem', type: 'pkcs8' }).toString())
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
}

/** Writes an identity that Farebox made; the old one is there whole until the new one is. */
export function saveIdentity(dataDir: string, identity: Identity): void {
  draftIdentity(dataDir, identity).publish()
}

/** Writes an identity beside the one that is there, whose place it takes when it is published: all that needs room is done then. */
export function draftIdentity(dataDir: string, { key, certificate }: Identity): { publish(): void; discard(): void } {
  const texts = { [join(dataDir, KEY_FILE)]: key, [join(dataDir, CERTIFICATE_FILE)]: certificate }
  const discard = () => Object.keys(texts).forEach((path) => rmSync(draftOf(path), { force: true }))
  try {
    for (const [path, text] of Object.entries(texts)) writeDraft(path, text)
  } catch (error) {
    discard()
    throw error
  }
  return { publish: () => Object.keys(texts).forEach((path) => renameSync(draftOf(path), path)), discard }
}

/**
 * The identity that Farebox made here: undefined where it made none. A key that others could read is refused, because it may not be
 * ours alone any more.
 */
export function readMadeIdentity(dataDir: string): Identity | Refusal | undefined {
  const [keyFile, certificateFile] = [join(dataDir, KEY_FILE), join(dataDir, CERTIFICATE_FILE)]
  const hasBoth = [keyFile, certificateFile].every((path) => statSync(path, { throwIfNoEntry: false }) !== undefined)
  if (!hasBoth) return undefined
  if (isOpenTo(keyFile, 0o077)) {
    return refuse(
      'conflict',
      `Other users can read ${keyFile}, so it is not used. Make a new key with new_certificate.`,
    )
  }
  return readPair('farebox', { certificate: certificateFile, key: keyFile })
}

/** An identity from the administrator's files, if it can be shown under all of these names now. */
export function readOwnIdentity(files: CertificateFiles, names: readonly string[], nowMs: number): Identity | Refusal {
  const { certificate, key } = files
  if (![certificate, key].every((path) => isAbsolute(path))) {
    return wrongFile('The paths of a certificate and its key must be absolute')
  }
  const identity = readPair('files', files)
  if (isRefusal(identity)) return identity
  if (isOpenTo(key, 0o007)) return wrongFile(`Everybody on this machine can read ${key}`, 'key_file')
  if (identity.expiresAtMs <= nowMs) return wrongFile(`The certificate in ${certificate} has expired`)
  const missing = names.find((name) => !covers(identity, name))
  if (missing !== undefined) return wrongFile(`The certificate in ${certificate} is not for '${missing}'`)
  return identity
}

/** Whether a certificate is for a host name or an address. */
export function covers({ certificate }: Pick<Identity, 'certificate'>, name: string): boolean {
  const parsed = new X509Certificate(certificate)
  return (parseAddress(name) === undefined ? parsed.checkHost(name) : parsed.checkIP(name)) !== undefined
}

function readPair(source: Identity['source'], files: CertificateFiles): Identity | Refusal {
  const certificate = readSmall(files.certificate)
  if (isRefusal(certificate)) return certificate
  const key = readSmall(files.key)
  if (isRefusal(key)) return { ...key, param: 'key_file' }
  try {
    const fits = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
    if (fits) return describe(source, certificate, key)
  } catch {
    // What is wrong with a key is not repeated: the message could quote it.
    return wrongFile(
      `${files.certificate} and ${files.key} are not a certificate and a key without a passphrase, in PEM`,
    )
  }
  return wrongFile(`The key in ${files.key} is not that of the certificate in ${files.certificate}`, 'key_file')
}

function describe(source: Identity['source'], certificate: string, key: string): Identity {
  const { fingerprint256, subjectAltName = '', validToDate } = new X509Certificate(certificate)
  const names = subjectAltName.split(', ').flatMap((part) => /^(?:DNS|IP Address):(.+)$/.exec(part)?.[1] ?? [])
  return { source, certificate, key, fingerprint: fingerprint256, names, expiresAtMs: validToDate.getTime() }
}

function readSmall(path: string): string | Refusal {
  try {
    const stats = statSync(path)
    // A pipe or a device would be read without an end.
    if (!stats.isFile()) return wrongFile(`${path} is not a file`)
    if (stats.size > MAX_FILE_BYTES) return wrongFile(`${path} is too large for a certificate or a key`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return wrongFile(`${path} cannot be read (${code})`)
  }
}

/** Windows keeps no such modes; there the folder of the user's profile is what keeps others out. */
function isOpenTo(path: string, mask: number): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & mask) !== 0
}

function wrongFile(message: string, param = 'certificate_file'): Refusal {
  return refuse('invalid_request', `${message}.`, { param })
}

/** Only this user can read it, and a reader finds the whole old file or the whole new one. */
function draftOf(path: string): string {
  return `${path}.new`
}

function writeDraft(path: string, text: string): void {
  const draft = draftOf(path)
  // A crash may have left one behind; `wx` insists on a file of ours.
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
