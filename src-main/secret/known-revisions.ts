// How far this gateway has seen each shared secret change, in a private file: an earlier state of one that somebody puts back into the
// database is told from the present one by it, also after a restart.

import { readPrivateFile, replacePrivateFile } from '#secret/file.ts'
import { VaultError } from '#secret/vault-error.ts'

/** The name of a secret, and its number. */
type Revision = readonly [name: string, revision: number]

const MAX_BYTES = 4_194_304

export class KnownRevisions {
  readonly #path: string
  #known: Map<string, number> | undefined
  #isWritten = true
  #last: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  /** By the names of secrets; 0 for one that was never seen. Throws a VaultError where the file cannot be used. */
  async of(name: string): Promise<number> {
    return (await this.#read()).get(name) ?? 0
  }

  /**
   * Notes what is later than what is known. It counts at once; where the disk does not take it, it is written with the next. Rejects where the
   * file was never read.
   */
  note(revisions: readonly Revision[]): Promise<void> {
    const noted = this.#last.then(() => this.#note(revisions))
    // The caller gets its error.
    this.#last = noted.catch(() => undefined)
    return noted
  }

  async #note(revisions: readonly Revision[]): Promise<void> {
    const known = await this.#read()
    const later = revisions.filter(([name, revision]) => revision > (known.get(name) ?? 0))
    for (const [name, revision] of later) known.set(name, revision)
    this.#isWritten &&= later.length === 0
    if (this.#isWritten) return
    try {
      await replacePrivateFile(this.#path, Buffer.from(`${JSON.stringify([...known])}\n`))
      this.#isWritten = true
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
    }
  }

  async #read(): Promise<Map<string, number>> {
    if (this.#known !== undefined) return this.#known
    const file = await readPrivateFile(this.#path, MAX_BYTES)
    const known = file === undefined ? new Map<string, number>() : parse(file.bytes)
    if (known !== undefined) return (this.#known = known)
    const advice = 'Remove it; then this gateway takes whichever state of a secret the shared database has.'
    throw new VaultError('damaged', `${this.#path} is damaged. ${advice}`)
  }
}

function parse(bytes: Buffer | undefined): Map<string, number> | undefined {
  try {
    const value: unknown = JSON.parse(bytes?.toString('utf8') ?? '')
    return Array.isArray(value) && value.every(isPair) ? new Map(value) : undefined
  } catch {
    // Not JSON: the caller says that the file is damaged.
    return undefined
  }
}

function isPair(value: unknown): value is Revision {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && Number.isSafeInteger(value[1])
}
