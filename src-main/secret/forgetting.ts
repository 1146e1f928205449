// Secrets that are to be forgotten. A keychain may be locked when a provider is removed, and a process may die right after, so
// the intention is written down first, with nothing but the provider's id, and carried out as soon as that is possible.

import { ownerOfSecret } from '#core/bill-secret.ts'
import { readPrivateFile, replacePrivateFile } from '#secret/file.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import type { SecretReference, SecretStore } from '#secret/port.ts'

export type ForgettingOptions = {
  /** The file of the intentions. */
  readonly path: string
  readonly store: SecretStore
  /** Whether a provider uses this secret now, so that it must stay whatever was intended. */
  readonly isInUse: (reference: SecretReference) => boolean
}

const MAX_BYTES = 262_144
const MAX_PROVIDERS = 5_000

export class Forgetting {
  readonly #options: ForgettingOptions
  #pending: Set<string> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #heldOff = 0

  constructor(options: ForgettingOptions) {
    this.#options = options
  }

  /** Of how many providers something is still to be forgotten, as far as it was looked at. */
  get size(): number {
    return this.#pending?.size ?? 0
  }

  /** Durable when it resolves. Rejects with a SecretFailure. */
  intend(providerIds: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const pending = await this.#read()
      const more = providerIds.filter((id) => !pending.has(id))
      if (more.length === 0) return
      if (pending.size + more.length > MAX_PROVIDERS) {
        throw new SecretFailure('files', 'Too many secrets are waiting to be removed. Unlock the keychain first.')
      }
      await this.#write(new Set([...pending, ...more]))
    })
  }

  /**
   * Nothing is forgotten from when it resolves until what it resolves to is called: meanwhile a change keeps secrets that are in no row
   * yet, and leaves others that still are.
   */
  async holdOff(): Promise<() => void> {
    this.#heldOff += 1
    await this.#last
    return () => {
      this.#heldOff -= 1
    }
  }

  /** Resolves to whether nothing is left. Never rejects: what could not be forgotten now is tried again later. */
  async carryOut(): Promise<boolean> {
    try {
      return await this.#inTurn(() => this.#forget())
    } catch (error) {
      if (error instanceof SecretFailure) return false
      throw error
    }
  }

  async #forget(): Promise<boolean> {
    const pending = await this.#read()
    if (pending.size === 0) return true
    if (this.#heldOff > 0) return false
    const { store, isInUse } = this.#options
    let isLeft = false
    for (const reference of await store.list()) {
      if (this.#heldOff > 0) return false
      if (!pending.has(ownerOfSecret(reference.providerId)) || isInUse(reference)) continue
      if (reference.isFresh === true) isLeft = true
      else await store.delete(reference)
    }
    if (isLeft) return false
    // What was kept for a change that began meanwhile was looked at before its rows were there.
    if (this.#heldOff > 0) return false
    await this.#write(new Set())
    return true
  }

  #inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(action)
    // The caller gets its error.
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #read(): Promise<Set<string>> {
    if (this.#pending !== undefined) return this.#pending
    const file = await readPrivateFile(this.#options.path, MAX_BYTES)
    const ids = file === undefined ? [] : parse(file.bytes)
    if (ids === undefined) {
      const advice = 'Remove it, and look for secrets of removed providers yourself.'
      throw new SecretFailure('files', `${this.#options.path} is damaged. ${advice}`)
    }
    return (this.#pending = new Set(ids))
  }

  async #write(pending: Set<string>): Promise<void> {
    await replacePrivateFile(this.#options.path, Buffer.from(`${JSON.stringify([...pending])}\n`))
    this.#pending = pending
  }
}

function parse(bytes: Buffer | undefined): string[] | undefined {
  try {
    const value: unknown = JSON.parse(bytes?.toString('utf8') ?? '')
    return Array.isArray(value) && value.every((id) => typeof id === 'string') ? value : undefined
  } catch {
    // Not JSON: the caller says that the file is damaged.
    return undefined
  }
}
