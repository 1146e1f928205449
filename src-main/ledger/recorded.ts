// Tells listeners of calls whose usage record is on disk. Without a listener it prepares nothing.

import type { UsageRecord } from '#ledger/rows.ts'

type Listener = (records: readonly UsageRecord[]) => void

export class RecordedCalls {
  readonly #listeners = new Set<Listener>()

  /** Calls back with the records of each batch, in the order in which they were written. Returns what ends that. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  publish(records: readonly UsageRecord[]): void {
    if (this.#listeners.size === 0 || records.length === 0) return
    for (const listener of this.#listeners) listener(records)
  }
}
