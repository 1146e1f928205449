// What must hold at once, whatever the disk says: that a key, or a member, is blocked. Where the disk takes no changes it holds in
// memory, and is written as soon as there is room, before anything else that is written to the catalogue.

import { takeTurns } from '#catalog/turns.ts'
import { diskProblem } from '#core/disk-failure.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'

const RETRY_MS = 1000

type Write<Batch> = (changes: readonly CatalogChange[], batch: Batch) => Promise<void>

export class OverdueChanges<Batch> {
  readonly #write: Write<Batch>
  readonly #nothing: Batch
  readonly #inTurn = takeTurns()
  #overdue: readonly CatalogChange[] = []
  #retry: NodeJS.Timeout | undefined
  #isLasting = false

  /** `nothing` is the batch that goes with changes alone. */
  constructor(write: Write<Batch>, nothing: Batch) {
    this.#write = write
    this.#nothing = nothing
  }

  /** Changes that hold in memory alone. */
  get size(): number {
    return this.#overdue.length
  }

  /** From now on this process lives long enough to try again. A command that ends at once must rather fail. */
  begin(): void {
    this.#isLasting = true
  }

  /** Writes changes, after those that are overdue: an older row must never follow a newer one. */
  write(changes: readonly CatalogChange[], batch: Batch): Promise<void> {
    return this.#inTurn(async () => {
      const overdue = this.#overdue
      await this.#write([...overdue, ...changes], batch)
      this.#overdue = this.#overdue.slice(overdue.length)
    })
  }

  /** Writes changes now or, where the disk does not take them, as soon as it does. Says whether they are on disk. */
  async insist(changes: readonly CatalogChange[]): Promise<boolean> {
    try {
      await this.write(changes, this.#nothing)
      return true
    } catch (error) {
      if (!this.#isLasting || diskProblem(error) === undefined) throw error
      this.#overdue = [...this.#overdue, ...changes]
      this.#tryLater()
      return false
    }
  }

  /** The last try. Says whether everything is on disk. */
  async close(): Promise<boolean> {
    clearTimeout(this.#retry)
    this.#isLasting = false
    return this.#tryAll()
  }

  #tryLater(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      void this.#tryAll().then((isDone) => {
        if (!isDone && this.#isLasting) this.#tryLater()
      })
    }, RETRY_MS)
    this.#retry.unref()
  }

  async #tryAll(): Promise<boolean> {
    try {
      if (this.size > 0) await this.write([], this.#nothing)
      return true
    } catch {
      // Still no room; they are kept.
      return false
    }
  }
}
