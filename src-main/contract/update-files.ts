// The files by which a package finds its updates: what a package knows about itself, and what the feed offers.

import { Type, type Static } from 'typebox'
import { strict } from '#contract/fields.ts'

/** A file beside the one that names it: no folder and no other host. */
const FileName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.+-]{0,150}$' })

/** The feed's file. The signature covers text, so that it does not depend on how JSON is written. Loose: later releases may add to it. */
export const UpdateFile = Type.Object({
  signed: Type.String({ maxLength: 60_000 }),
  /** Base64, 64 bytes. */
  signature: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$' }),
})

export type UpdateFile = Static<typeof UpdateFile>

export const UpdateManifest = Type.Object({
  /** Says what was signed, so that a signature over something else is of no use here. */
  type: Type.Literal('farebox-update'),
  version: Type.String({ maxLength: 100 }),
  released_at: Type.String({ maxLength: 40 }),
  files: Type.Array(
    Type.Object({
      name: FileName,
      /** How it is installed, such as `appimage`. Unknown ones are ignored. */
      kind: Type.String({ maxLength: 20 }),
      /** As Node names it, such as `x64`. */
      arch: Type.String({ maxLength: 20 }),
      /** Bytes. */
      size: Type.Integer({ minimum: 1, maximum: 2 ** 30 }),
      /** Base64, 64 bytes. */
      sha512: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$' }),
    }),
    { maxItems: 50 },
  ),
})

export type UpdateManifest = Static<typeof UpdateManifest>

/** `resources/release.json`. The two names in another style are read by electron-updater from the same file. */
export const ReleaseFile = strict({
  /** The project's page, below which the window may open links; releases are below it. Empty in a build that is no release. */
  place: Type.String({ maxLength: 500 }),
  /** The folder that has `update.json` and the packages. */
  feed: Type.String({ maxLength: 500 }),
  /** Ed25519, base64 of the DER of SubjectPublicKeyInfo. More than one while a key is being replaced. */
  public_keys: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 3 }),
  /** Whether the packages of macOS and Windows carry the signature that their system checks. */
  code_signed: Type.Boolean(),
  /** Whose signature Windows is to find on an installer. */
  publisherName: Type.Array(Type.String({ maxLength: 300 }), { maxItems: 3 }),
  updaterCacheDirName: Type.Literal('farebox-updater'),
})

export type ReleaseFile = Static<typeof ReleaseFile>
