// Writes what is to be remembered about visits in the order in which it happened, without anybody waiting for it: neither a sign-in
// nor a change fails because the disk is full. What could not be written is tried again.

import type { VisitChange } from '#store/session-rows.ts'

const MAX_WAITING = 5000
/** Of what strangers cause, so that the rest has room. */
const MAX_OF_STRANGERS = 2500
const MAX_AT_ONCE = 200
const RETRY_MS = 5000

type VisitJournalDeps = {
  readonly write: (changes: readonly VisitChange[]) => Promise<void>
  /** Told once when something was lost, until something could be written again. */
  readonly onLoss: () => void
}

export class VisitJournal {
  readonly #deps: VisitJournalDeps
  readonly #waiting: VisitChange[] = []
  #writing: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #hasLost = false

  constructor(deps: VisitJournalDeps) {
    this.#deps = deps
  }

  add(change: VisitChange): void {
    if (this.#waiting.length < (isOfStrangers(change) ? MAX_OF_STRANGERS : MAX_WAITING)) this.#waiting.push(change)
    else if (!this.#hasLost) {
      this.#hasLost = true
      this.#deps.onLoss()
    }
    if (this.#retry === undefined) this.#start()
  }

  /** Resolves when what was added so far is on disk, or was tried. */
  async flushed(): Promise<void> {
    this.#start()
    await this.#writing
  }

  /** The last try to write everything. */
  async close(): Promise<void> {
    clearTimeout(this.#retry)
    await this.#writing
    await this.flushed()
    clearTimeout(this.#retry)
  }

  #start(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
  }

  async #writeAll(): Promise<void> {
    clearTimeout(this.#retry)
    this.#retry = undefined
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_AT_ONCE)
      try {
        await this.#deps.write(batch)
        this.#waiting.splice(0, batch.length)
        this.#hasLost = false
      } catch {
        // A full disk. Everything is kept in its order until there is room.
        this.#retry = setTimeout(() => this.#start(), RETRY_MS)
        this.#retry.unref()
        return
      }
    }
  }
}

function isOfStrangers(change: VisitChange): boolean {
  if (change.type === 'put-failure' || change.type === 'delete-failure') return true
  return change.type === 'count-audit-entry' || (change.type === 'add-audit-entry' && change.entry.doer === 'stranger')
}
