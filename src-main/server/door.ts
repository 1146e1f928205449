// Where people come in: tickets, passwords, sessions, and the memory of all that. Loaded by the first request that needs it.

import type { Catalog } from '#catalog/catalog.ts'
import type { Log } from '#core/log.ts'
import type { Viewer } from '#core/member.ts'
import { AuditLog } from '#server/audit.ts'
import { Passwords } from '#server/passwords.ts'
import { Sessions, type Session } from '#server/sessions.ts'
import { SignInThrottle } from '#server/sign-in-throttle.ts'
import { Tickets } from '#server/tickets.ts'
import { VisitJournal } from '#server/visit-journal.ts'
import type { AuditFilter, StoredAuditEntry, VisitChange, VisitState } from '#store/session-rows.ts'

export type Door = {
  readonly tickets: Tickets
  readonly passwords: Passwords
  readonly throttle: SignInThrottle
  readonly sessions: Sessions
  readonly audit: AuditLog
  /** On whose behalf a session asks; undefined where its member is gone or suspended. */
  readonly viewerOf: (session: Session) => Viewer | undefined
  /** Writes down what is left to be written. */
  readonly close: () => Promise<void>
}

export type DoorDeps = {
  readonly catalog: Catalog
  readonly nowMs: () => number
  readonly monotonicMs: () => number
  readonly newId: () => string
  readonly randomBytes: (length: number) => Uint8Array
  readonly load: () => Promise<VisitState>
  readonly write: (changes: readonly VisitChange[]) => Promise<void>
  readonly readAudit: (filter: AuditFilter) => Promise<readonly StoredAuditEntry[]>
  readonly log: Log
}

export async function openDoor(deps: DoorDeps): Promise<Door> {
  const { catalog, nowMs } = deps
  const state = await deps.load()
  const onLoss = () => {
    const line = 'The audit log could not be written, and some of its entries are lost.'
    deps.log(line, { event: 'audit_lost', level: 'error' })
  }
  const journal = new VisitJournal({ write: deps.write, onLoss })
  const save = (change: VisitChange) => journal.add(change)
  return {
    tickets: new Tickets(deps),
    passwords: new Passwords(),
    throttle: new SignInThrottle(state.failures, { nowMs, save }),
    sessions: new Sessions(state, { ...deps, save }),
    audit: new AuditLog({ nowMs, save, flushed: () => journal.flushed(), read: deps.readAudit }),
    viewerOf: (session) => viewerOf(session, catalog),
    close: () => journal.close(),
  }
}

function viewerOf({ memberId }: Session, catalog: Catalog): Viewer | undefined {
  if (memberId === undefined) return { type: 'owner', name: 'owner' }
  const member = catalog.member(memberId)
  return member?.status === 'active' ? { type: 'member', member } : undefined
}
