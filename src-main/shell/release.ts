// What this program is: a clone or a package, of which kind, whether it is signed, and where its updates are. A release says that of
// itself in `resources/release.json`; the file in the repository is empty, so that a build that nobody released has no feed, no key
// and no place to open links at, and never replaces itself.

import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ReleaseFile } from '#contract/update-files.ts'
import { check } from '#contract/validate.ts'
import type { Build } from '#shell/updates.ts'

export type Release = {
  readonly path: string
  readonly place: string
  /** Ends with a slash. */
  readonly feed: string
  /** None in a release that is not signed by us. */
  readonly keys: readonly KeyObject[]
  readonly isCodeSigned: boolean
  readonly publishers: readonly string[]
}

/** undefined for a build that is no release, and for a file with a mistake: such a build looks for nothing. */
export function readRelease(path: string): Release | undefined {
  const checked = check(ReleaseFile, readJson(path))
  if (checked.type === 'invalid') return undefined
  const { place, feed, public_keys: encoded, code_signed: isCodeSigned, publisherName: publishers } = checked.value
  const keys = encoded.flatMap(keyOf)
  // A key that cannot be read must not turn into a release without keys, which would check nothing.
  if (!isAddress(place) || !isAddress(feed) || keys.length < encoded.length) return undefined
  return { path, place, feed: feed.endsWith('/') ? feed : `${feed}/`, keys, isCodeSigned, publishers }
}

export type BuildFacts = {
  readonly platform: NodeJS.Platform
  readonly isPackaged: boolean
  readonly version: string
  readonly release: Release | undefined
  /** The file of the AppImage that runs, see `ownAppImage`. */
  readonly appImage: string | undefined
  /** What a deb or an rpm says of itself beside the program; undefined elsewhere. */
  readonly packageType: string | undefined
}

export function buildOf({ platform, isPackaged, version, release, appImage, packageType }: BuildFacts): Build {
  const kind = kindOf(platform, appImage, packageType)
  return { isPackaged, version, kind, isSigned: release !== undefined && isSigned(kind, release) }
}

/**
 * The file of the AppImage that runs this program; undefined where none does. The variables alone prove nothing: whatever is started
 * from the terminal of another AppImage inherits them, and that one would be started at login, or be replaced by an update.
 */
export function ownAppImage(
  env: { readonly [name: string]: string | undefined },
  execPath: string,
): string | undefined {
  const { APPIMAGE: file = '', APPDIR: folder = '' } = env
  return file.startsWith('/') && folder.startsWith('/') && execPath.startsWith(`${folder}/`) ? file : undefined
}

function kindOf(platform: NodeJS.Platform, appImage?: string, packageType?: string): Build['kind'] {
  if (platform === 'darwin') return 'dmg'
  if (platform === 'win32') return 'nsis'
  if (appImage !== undefined) return 'appimage'
  return packageType === 'deb' || packageType === 'rpm' ? packageType : 'other'
}

/** An AppImage has no signature but ours. Windows is told whose signature to look for, and checks nothing otherwise. */
function isSigned(kind: Build['kind'], { keys, isCodeSigned, publishers }: Release): boolean {
  if (keys.length === 0) return false
  if (kind === 'dmg') return isCodeSigned
  if (kind === 'nsis') return isCodeSigned && publishers.length > 0
  return true
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}

function keyOf(encoded: string): KeyObject[] {
  try {
    const key = createPublicKey({ key: Buffer.from(encoded, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' ? [key] : []
  } catch {
    // The caller counts the keys that could be read.
    return []
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // The schema refuses undefined like any other broken file.
    return undefined
  }
}
