// What a release says of itself: in each package, before it is made (`stamp`), and beside all packages, afterwards (`sign`). Uses
// nothing but Node, so that the job that holds the key runs no code of anybody else.

import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReleaseFile, UpdateFile, UpdateManifest } from '#contract/update-files.ts'

type Package = UpdateManifest['files'][number]

const KINDS: readonly (readonly [extension: string, kind: string])[] = [
  ['.AppImage', 'appimage'],
  ['.deb', 'deb'],
  ['.rpm', 'rpm'],
  ['.dmg', 'dmg'],
  ['.zip', 'zip'],
  ['.exe', 'nsis'],
]
/** How the formats write what Node calls x64 and arm64. */
const ARCHES: readonly (readonly [pattern: RegExp, arch: string])[] = [
  [/(x64|x86_64|amd64)/, 'x64'],
  [/(arm64|aarch64)/, 'arm64'],
]
const SUMS = 'SHA256SUMS'
const SUMS_SIGNATURE = 'SHA256SUMS.sig'
const UPDATE = 'update.json'
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.+-]{0,150}$/

export type Signing = {
  /** Holds the packages and whatever else is released, and nothing else. */
  readonly folder: string
  readonly version: string
  /** PEM of an Ed25519 key. */
  readonly privateKey: string
  /** The ones that the packages carry, base64 of SubjectPublicKeyInfo. */
  readonly publicKeys: readonly string[]
  readonly nowMs: number
}

/** Writes the feed's file, the sums of all files, and their signature. Throws with a sentence where something does not fit. */
export function signRelease({ folder, version, privateKey, publicKeys, nowMs }: Signing): UpdateManifest {
  const key = createPrivateKey(privateKey)
  if (!publicKeys.includes(encode(createPublicKey(key)))) {
    throw new Error('The packages do not carry the public half of this key: no Farebox would take this release.')
  }
  const names = readdirSync(folder).filter((name) => ![SUMS, SUMS_SIGNATURE, UPDATE].includes(name))
  const files = names.toSorted().flatMap((name) => packageOf(folder, name, version))
  if (files.length === 0) throw new Error(`There are no packages in ${folder}.`)
  const released_at = new Date(nowMs).toISOString()
  const manifest: UpdateManifest = { type: 'farebox-update', version, released_at, files }
  const signed = JSON.stringify(manifest)
  const file: UpdateFile = { signed, signature: signature(signed, key).toString('base64') }
  writeFileSync(join(folder, UPDATE), `${JSON.stringify(file)}\n`)
  const sums = sumsOf(folder, [...names, UPDATE])
  writeFileSync(join(folder, SUMS), sums)
  // As it is, for `openssl pkeyutl -verify -rawin`.
  writeFileSync(join(folder, SUMS_SIGNATURE), signature(sums, key))
  return manifest
}

function packageOf(folder: string, name: string, version: string): Package[] {
  if (!NAME.test(name)) throw new Error(`A release cannot have a file that is called '${name}'.`)
  const [, kind] = KINDS.find(([extension]) => name.endsWith(extension)) ?? []
  if (kind === undefined) return []
  const [, arch] = ARCHES.find(([pattern]) => pattern.test(name)) ?? []
  if (arch === undefined) throw new Error(`The name of ${name} does not say for which processor it is.`)
  if (!name.includes(version)) throw new Error(`The name of ${name} does not say that it is ${version}.`)
  const bytes = readFileSync(join(folder, name))
  const sha512 = createHash('sha512').update(bytes).digest('base64')
  return [{ name, kind, arch, size: bytes.length, sha512 }]
}

function sumsOf(folder: string, names: readonly string[]): string {
  const lines = names.toSorted().map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, name)))
    return `${hash.digest('hex')}  ${name}\n`
  })
  return lines.join('')
}

function signature(text: string, key: KeyObject): Buffer {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key is not an Ed25519 key.')
  return sign(undefined, Buffer.from(text), key)
}

export function encode(publicKey: KeyObject): string {
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
}

export type Stamp = {
  readonly root: string
  /** Such as `v1.2.3`. */
  readonly tag: string
  readonly env: { readonly [name: string]: string | undefined }
}

/**
 * Writes into `resources/release.json` where a release finds its updates and whose signature they carry. Resolves to a sentence about
 * it. Without a feed the file stays empty, and the packages of this release never update themselves.
 */
export function stampRelease({ root, tag, env }: Stamp): string {
  const version = versionOf(root)
  if (tag !== `v${version}`)
    throw new Error(`The tag ${tag} does not name the version of the sources, which is ${version}.`)
  const place = env['FAREBOX_RELEASE_PLACE'] ?? ''
  const feed = env['FAREBOX_RELEASE_FEED'] ?? ''
  if (place === '' || feed === '') return `Farebox ${version} has no feed: its packages do not look for updates.`
  const file: ReleaseFile = {
    place,
    feed,
    public_keys: listOf(env['FAREBOX_RELEASE_PUBLIC_KEYS']),
    code_signed: env['FAREBOX_RELEASE_CODE_SIGNED'] === 'yes',
    publisherName: listOf(env['FAREBOX_RELEASE_PUBLISHER'], '|'),
    updaterCacheDirName: 'farebox-updater',
  }
  writeFileSync(join(root, 'resources', 'release.json'), `${JSON.stringify(file, undefined, 2)}\n`)
  // The registry holds it against where the package was built.
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object
  const repository = { type: 'git', url: `git+${place}.git` }
  writeFileSync(join(root, 'package.json'), `${JSON.stringify({ ...manifest, repository }, undefined, 2)}\n`)
  return `Farebox ${version} looks for updates at ${feed}, with ${file.public_keys.length} keys.`
}

/** The names of companies hold commas. */
export function listOf(text = '', separator = ','): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function versionOf(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const config = readFileSync(join(root, 'src-main', 'config', 'config.ts'), 'utf8')
  if (!config.includes(`VERSION = '${version}'`))
    throw new Error(`src-main/config/config.ts is not at version ${version}.`)
  return version
}
