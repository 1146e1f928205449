// The encrypted vault: secrets in a file, for machines with or without a keychain. It never logs, never puts a secret into
// an error, and never writes over a file that it could not read in full.

import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { isSameSecret } from '#core/secret-pool.ts'
import type { SecretReference, SecretStore } from '#secret/port.ts'
import { VaultError } from '#secret/vault-error.ts'
import { damaged, readVaultFile, seal, unseal, writeVaultFile, type SealedSecret } from '#secret/vault-file.ts'
import {
  KEY_CREDENTIAL,
  keyFingerprint,
  makeVaultKey,
  placeOfKey,
  readVaultKey,
  type KeyGiven,
} from '#secret/vault-key.ts'

/**
 * `keyFile` is a file that someone else keeps. Without it the key is the credential `farebox-key` in the folder where systemd
 * puts credentials, and where there is none the vault makes `vault.key` in the data folder.
 */
export type VaultPlace = KeyGiven & { readonly dataDir: string }

/**
 * Opens nothing yet: files are first read by the first call, and first made by the first `set`. All methods reject with a
 * VaultError. One process at a time may use a data folder; its lock is the caller's.
 */
export function openVault(place: VaultPlace): SecretStore {
  return new Vault(place)
}

/** Secrets stay sealed in memory until they are asked for. There is no key before the first secret. */
type Opened = { readonly key: KeyObject | undefined; readonly secrets: readonly SealedSecret[] }

class Vault implements SecretStore {
  readonly #place: VaultPlace
  readonly #path: string
  #opened: Promise<Opened> | undefined
  #lastChange: Promise<void> = Promise.resolve()

  constructor(place: VaultPlace) {
    this.#place = place
    this.#path = join(place.dataDir, 'secrets.enc')
  }

  async get(reference: SecretReference): Promise<string | undefined> {
    const { key, secrets } = await this.#open()
    const sealed = secrets.find((candidate) => isSameSecret(candidate, reference))
    if (sealed === undefined || key === undefined) return undefined
    return unseal(key, sealed)
  }

  async set(reference: SecretReference, secret: string): Promise<void> {
    requireSound(reference, secret)
    await this.#change(async ({ key: knownKey, secrets }) => {
      const key = knownKey ?? (await makeVaultKey(this.#ownKeyPath))
      const others = secrets.filter((candidate) => !isSameSecret(candidate, reference))
      return { key, secrets: [...others, seal(key, reference, secret)] }
    })
  }

  async delete(reference: SecretReference): Promise<void> {
    await this.#change((opened) => {
      const others = opened.secrets.filter((candidate) => !isSameSecret(candidate, reference))
      const isThere = others.length < opened.secrets.length
      return Promise.resolve(isThere ? { key: opened.key, secrets: others } : opened)
    })
  }

  async list(): Promise<SecretReference[]> {
    const { secrets } = await this.#open()
    return secrets.map(({ providerId, origin, label }) => ({
      providerId,
      origin,
      ...(label === undefined ? {} : { label }),
    }))
  }

  /** Changes run one after another, each on the outcome of the one before it. */
  #change(edit: (opened: Opened) => Promise<Opened>): Promise<void> {
    const change = this.#lastChange.then(() => this.#apply(edit))
    // The caller gets the error; the next change starts from what is on disk.
    this.#lastChange = change.catch(() => undefined)
    return change
  }

  async #apply(edit: (opened: Opened) => Promise<Opened>): Promise<void> {
    const before = await this.#open()
    try {
      const after = await edit(before)
      if (after === before || after.key === undefined) return
      await writeVaultFile(this.#path, { keyFingerprint: keyFingerprint(after.key), secrets: after.secrets })
      this.#opened = Promise.resolve(after)
    } catch (error) {
      // Whether the file was replaced is not known when the disk fails halfway, so it is read again.
      this.#opened = undefined
      throw error
    }
  }

  /** Reads the files once; after a failure the next call tries again, so that it can be mended without a restart. */
  #open(): Promise<Opened> {
    this.#opened ??= this.#read().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #read(): Promise<Opened> {
    const { key, path: keyPath } = await this.#readKey()
    const content = await readVaultFile(this.#path)
    if (key === undefined) {
      // A new key next to a vault, or in the place of one that was given, would only hide that the right one is gone.
      const isMissing = content !== undefined || this.#place.keyFile !== undefined
      if (isMissing) throw new VaultError('key_missing', `The key file ${keyPath} of the vault is missing.`)
      return { key, secrets: [] }
    }
    if (content === undefined) return { key, secrets: [] }
    if (content.keyFingerprint !== keyFingerprint(key)) {
      throw new VaultError('key_wrong', `The key file ${keyPath} does not fit ${this.#path}.`)
    }
    if (content.secrets.some((sealed) => unseal(key, sealed) === undefined)) throw damaged(this.#path)
    return { key, secrets: content.secrets }
  }

  async #readKey(): Promise<{ readonly path: string; readonly key: KeyObject | undefined }> {
    const { keyFile } = this.#place
    const given = placeOfKey(this.#place, KEY_CREDENTIAL)
    const key = given === undefined ? undefined : await readVaultKey(given)
    // A unit may have other credentials than ours; a file that was named, on the other hand, has to be there.
    if (given !== undefined && (key !== undefined || keyFile !== undefined)) return { path: given.path, key }
    return { path: this.#ownKeyPath, key: await readVaultKey({ path: this.#ownKeyPath, kind: 'file' }) }
  }

  get #ownKeyPath(): string {
    return join(this.#place.dataDir, 'vault.key')
  }
}

/** Throws for what is not to be kept: an empty text is no secret, and two spellings of one origin would be two secrets, of which only one is ever found. */
export function requireSound({ origin }: SecretReference, secret: string): void {
  if (secret === '') throw new VaultError('empty_secret', 'A secret must not be empty.')
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) throw new TypeError(`not an origin: ${origin}`)
}
