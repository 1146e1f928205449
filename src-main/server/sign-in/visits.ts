// What people sign in with and what remembers their visits: tickets, passwords, sessions, throttles and the audit log. The first request
// that needs it loads it.

import type { Catalog } from '#catalog/catalog.ts'
import { isOver } from '#catalog/invites.ts'
import type { Log } from '#core/log.ts'
import type { Viewer } from '#core/member.ts'
import { AuditLog } from '#server/admin/audit.ts'
import { ChangeLimiter } from '#server/http/change-limiter.ts'
import { heldKey } from '#server/sign-in/key-sign-in.ts'
import { Passwords } from '#server/sign-in/passwords.ts'
import { Sessions, type Session, type SharedSessions, type Whose } from '#server/sign-in/sessions.ts'
import { SignInThrottle } from '#server/sign-in/sign-in-throttle.ts'
import { Tickets } from '#server/sign-in/tickets.ts'
import { VisitJournal } from '#server/sign-in/visit-journal.ts'
import type { AuditFilter, StoredAuditEntry } from '#store/audit-rows.ts'
import type { VisitChange, VisitState } from '#store/session-rows.ts'

export type Visits = {
  readonly tickets: Tickets
  readonly passwords: Passwords
  readonly throttle: SignInThrottle
  /** How often each key signs in. */
  readonly keySignIns: ChangeLimiter
  readonly sessions: Sessions
  readonly audit: AuditLog
  /** On whose behalf a session asks; undefined where its member is gone or suspended, or its key may not be used any more. */
  readonly viewerOf: (session: Session) => Viewer | undefined
  /** Ends what is over: sessions, so that what they have running ends too, and invites. */
  readonly sweep: () => void
  /** Writes down what is left to be written. */
  readonly close: () => Promise<void>
}

export type VisitsDeps = {
  readonly catalog: Catalog
  readonly nowMs: () => number
  readonly monotonicMs: () => number
  readonly newId: () => string
  readonly randomBytes: (length: number) => Uint8Array
  readonly load: () => Promise<VisitState>
  readonly write: (changes: readonly VisitChange[]) => Promise<void>
  readonly readAudit: (filter: AuditFilter) => Promise<readonly StoredAuditEntry[]>
  readonly log: Log
  /** Where several gateways share the books. */
  readonly sharedSessions?: SharedSessions | undefined
}

export async function openVisits(deps: VisitsDeps): Promise<Visits> {
  const { catalog, nowMs } = deps
  const state = await deps.load()
  const onLoss = () => {
    const line = 'The audit log could not be written, and some of its entries are lost.'
    deps.log(line, { event: 'audit_lost', level: 'error' })
  }
  const journal = new VisitJournal({ write: deps.write, onLoss })
  const save = (change: VisitChange) => journal.add(change)
  const isBarred = (whose: Whose) => viewerOf(whose, deps) === undefined
  const sessions = new Sessions(state, { ...deps, save, isBarred, shared: deps.sharedSessions })
  const audit = new AuditLog({ nowMs, save, flushed: () => journal.flushed(), read: deps.readAudit })
  return {
    tickets: new Tickets(deps),
    passwords: new Passwords(),
    throttle: new SignInThrottle(state.failures, { nowMs, save }),
    keySignIns: new ChangeLimiter(deps.monotonicMs),
    sessions,
    audit,
    viewerOf: ({ whose }) => viewerOf(whose, deps),
    sweep() {
      sessions.sweep()
      for (const { codeHash } of catalog.invites.filter((invite) => isOver(invite, nowMs()))) {
        // It opens nothing any more, so that nobody waits until it is gone from the disk.
        const change = { type: 'delete-invite', codeHash } as const
        catalog.accept(change)
        save(change)
      }
    },
    close() {
      audit.write()
      return journal.close()
    },
  }
}

function viewerOf(whose: Whose, { catalog, nowMs }: Pick<VisitsDeps, 'catalog' | 'nowMs'>): Viewer | undefined {
  switch (whose.type) {
    case 'owner':
      return { type: 'owner', name: 'owner' }
    case 'member': {
      const member = catalog.member(whose.memberId)
      return member?.status === 'active' ? { type: 'member', member } : undefined
    }
    case 'holder': {
      const key = heldKey(whose, catalog, nowMs())
      return key === undefined ? undefined : { type: 'holder', keyId: key.id, keyName: key.name }
    }
  }
}
