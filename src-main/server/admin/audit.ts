// The audit log: one entry for every change that somebody asked for through the admin API, written when its outcome is known.

import { iso } from '#catalog/dates.ts'
import type { AuditList, AuditQuery, AuditView } from '#contract/audit.ts'
import type { Viewer } from '#core/member.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { StrangerNotes } from '#server/sign-in/stranger-notes.ts'
import type { AuditFilter, NewAuditEntry, StoredAuditEntry } from '#store/audit-rows.ts'
import type { VisitChange } from '#store/session-rows.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000
const NEWEST = Number.MAX_SAFE_INTEGER

/** Whom the log names where nobody is signed in. */
export const NOBODY = 'nobody'
/** Whoever signed in with a key alone; the key is what the entry is about. */
const HOLDER = 'key holder'

type AuditLogDeps = {
  readonly nowMs: () => number
  readonly save: (change: VisitChange) => void
  /** Resolves when what was saved is on disk, or was tried. */
  readonly flushed: () => Promise<void>
  readonly read: (filter: AuditFilter) => Promise<readonly StoredAuditEntry[]>
}

export class AuditLog {
  readonly #deps: AuditLogDeps
  readonly #strangers: StrangerNotes

  constructor(deps: AuditLogDeps) {
    this.#deps = deps
    this.#strangers = new StrangerNotes(deps.save)
  }

  /** Notes a change. It never fails, and nobody waits for it. */
  add(noted: Omit<NewAuditEntry, 'atMs'>): void {
    const entry = { ...noted, atMs: this.#deps.nowMs() }
    if (entry.doer === 'stranger') this.#strangers.add(entry)
    else this.#deps.save({ type: 'add-audit-entry', entry })
  }

  /** Hands over what was only counted so far. */
  write(): void {
    this.#strangers.write()
  }

  /** The newest entries first. */
  async list(query: AuditQuery): Promise<AuditList | Refusal> {
    const before = query.before ?? String(NEWEST)
    if (!/^[0-9]{1,16}$/.test(before)) {
      return refuse('invalid_request', `'before' must be the 'next' of a page.`, { param: 'before' })
    }
    const limit = Math.min(Math.max(1, Number(query.limit ?? DEFAULT_LIMIT)), MAX_LIMIT)
    this.write()
    await this.#deps.flushed()
    const { action, actor } = query
    const rows = await this.#deps.read({ beforeSeq: Number(before), action, actor, limit })
    const last = rows.length < limit ? undefined : rows.at(-1)
    return { entries: rows.map(viewOf), next: last === undefined ? null : String(last.seq) }
  }
}

/** How the log names who asked. No member can have one of the other names. */
export function actorOf(viewer: Viewer): string {
  if (viewer.type === 'holder') return HOLDER
  return viewer.type === 'owner' ? viewer.name : viewer.member.name
}

function viewOf(row: StoredAuditEntry): AuditView {
  return {
    id: String(row.seq),
    at: iso(row.atMs),
    actor: row.actor,
    action: row.action,
    subject: row.subject ?? null,
    outcome: row.outcome,
    status: row.status ?? null,
    source: row.source ?? null,
    count: row.count,
    last_at: iso(row.lastAtMs),
    // Written by this program, as an object.
    details: JSON.parse(row.details) as AuditView['details'],
  }
}
