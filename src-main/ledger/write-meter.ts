// Measures what is written: how large batches are, how long they take, and for how long the present one has been under way.

import { Histogram } from '#core/histogram.ts'
import type { AppendBatch } from '#ledger/journal.ts'

const ENTRY_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
const SECOND_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export class WriteMeter {
  readonly #monotonicMs: () => number
  readonly entries = new Histogram(ENTRY_BOUNDS)
  readonly seconds = new Histogram(SECOND_BOUNDS)
  #failures = 0
  #sinceMs: number | undefined

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** Batches that the disk refused. */
  get failures(): number {
    return this.#failures
  }

  /** For how long the present batch has been under way; 0 where there is none. */
  get underWayMs(): number {
    return this.#sinceMs === undefined ? 0 : this.#monotonicMs() - this.#sinceMs
  }

  /** The same way to write, measured. The journal writes one batch at a time. */
  measured(append: AppendBatch): AppendBatch {
    return async (batch) => {
      const sinceMs = this.#monotonicMs()
      this.#sinceMs = sinceMs
      try {
        const tookMs = await append(batch)
        this.entries.observe(batch.entries.length)
        this.seconds.observe((this.#monotonicMs() - sinceMs) / 1000)
        return tookMs
      } catch (error) {
        this.#failures += 1
        throw error
      } finally {
        this.#sinceMs = undefined
      }
    }
  }
}
