// What the feed offers: one file that says of a release which packages it has, with their sizes and hashes, and our signature over
// all of that. The signature of the system's own kind is checked as well, by the system; this one holds also where a certificate
// was lost. `test/release/sign.ts` writes the file.

import { verify, type KeyObject } from 'node:crypto'
import { UpdateFile, UpdateManifest } from '#contract/update-files.ts'
import { check } from '#contract/validate.ts'
import type { Build } from '#shell/updates.ts'

export type ReadUpdate =
  /** `isChecked` is false where there are no keys to check it with. */
  | { readonly type: 'update'; readonly manifest: UpdateManifest; readonly isChecked: boolean }
  /** None of the keys has signed it. */
  | { readonly type: 'foreign' }
  | { readonly type: 'broken' }

export type UpdatePackage = UpdateManifest['files'][number]

/** More than a release with every package of every system takes. */
export const MAX_MANIFEST_BYTES = 64 * 1024

/** Nothing of the signed text is parsed before its signature was found right. */
export function readUpdate(text: string, keys: readonly KeyObject[]): ReadUpdate {
  const file = check(UpdateFile, parse(text))
  if (file.type === 'invalid') return { type: 'broken' }
  const { signed, signature } = file.value
  if (keys.length > 0 && !keys.some((key) => isSignedBy(key, signed, signature))) return { type: 'foreign' }
  const manifest = check(UpdateManifest, parse(signed))
  if (manifest.type === 'invalid') return { type: 'broken' }
  return { type: 'update', manifest: manifest.value, isChecked: keys.length > 0 }
}

/** What replaces a program that was installed like this one; undefined where the release has nothing for it. */
export function packageFor(
  { files }: UpdateManifest,
  { kind, arch }: { readonly kind: Build['kind']; readonly arch: string },
): UpdatePackage | undefined {
  // What was installed from a disk image is replaced from an archive of the same program.
  const wanted = kind === 'dmg' ? 'zip' : kind
  return files.find((file) => file.kind === wanted && file.arch === arch)
}

function isSignedBy(key: KeyObject, text: string, signature: string): boolean {
  return verify(undefined, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema refuses undefined like any other broken file.
    return undefined
  }
}
