// What strangers do, as the audit log has it: one entry for as long as the same comes from the same source, with how often that was. It
// is counted in memory and written now and then, so that nobody can have more written by asking more often.

import type { NewAuditEntry } from '#store/audit-rows.ts'
import type { VisitChange } from '#store/session-rows.ts'

/** So long after it began an entry is a new one. */
const MERGED_MS = 60 * 60_000
/** Entries that begin within that time; beyond them sources are no longer told apart. */
const MAX_ENTRIES = 40
const WRITE_MS = 5000

type Counted = { readonly entry: NewAuditEntry; count: number; lastAtMs: number; isWritten: boolean }

export class StrangerNotes {
  readonly #save: (change: VisitChange) => void
  readonly #counted = new Map<string, Counted>()
  #timer: NodeJS.Timeout | undefined

  constructor(save: (change: VisitChange) => void) {
    this.#save = save
  }

  add(entry: NewAuditEntry): void {
    const { atMs } = entry
    for (const [key, { entry: first }] of this.#counted) {
      if (atMs >= first.atMs + MERGED_MS || atMs < first.atMs) this.#end(key)
    }
    if (this.#count(entry)) return
    // Of what is left there are as many kinds as there are actions and outcomes.
    const kept = this.#counted.size < MAX_ENTRIES ? entry : { ...entry, actor: 'nobody', source: 'elsewhere' }
    if (kept !== entry && this.#count(kept)) return
    this.#counted.set(keyOf(kept), { entry: kept, count: 1, lastAtMs: atMs, isWritten: true })
    this.#save({ type: 'add-audit-entry', entry: kept })
  }

  /** Writes what was only counted. */
  write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const counted of this.#counted.values()) this.#writeOne(counted)
  }

  #count(entry: NewAuditEntry): boolean {
    const counted = this.#counted.get(keyOf(entry))
    if (counted === undefined) return false
    counted.count += 1
    counted.lastAtMs = entry.atMs
    counted.isWritten = false
    this.#timer ??= setTimeout(() => this.write(), WRITE_MS).unref()
    return true
  }

  #end(key: string): void {
    const counted = this.#counted.get(key)
    if (counted !== undefined) this.#writeOne(counted)
    this.#counted.delete(key)
  }

  #writeOne(counted: Counted): void {
    if (counted.isWritten) return
    counted.isWritten = true
    const { entry, count, lastAtMs } = counted
    this.#save({ type: 'count-audit-entry', entry, count, lastAtMs })
  }
}

function keyOf({ action, actor, outcome, source, subject }: NewAuditEntry): string {
  return JSON.stringify([action, actor, outcome, source, subject])
}
