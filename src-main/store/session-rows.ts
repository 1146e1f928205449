// Reads and writes what is known about visits of the dashboard: sessions and failed sign-ins, and with them the audit log. None of it is
// part of what the gateway is set up with.

import { addAuditEntry, countAuditEntry, type NewAuditEntry } from '#store/audit-rows.ts'
import type { Db } from '#store/database.ts'
import { deleteInvite } from '#store/invite-rows.ts'

export type StoredSession = {
  readonly id: string
  /** undefined: the owner of the machine. */
  readonly memberId: string | undefined
  readonly cookieHash: string
  readonly tokenHash: string
  readonly createdAtMs: number
  readonly lastSeenAtMs: number
}

/** `subject` is the hash of a name or of an address. */
export type StoredFailure = { readonly subject: string; readonly count: number; readonly lastAtMs: number }

export type VisitState = {
  readonly sessions: readonly StoredSession[]
  readonly failures: readonly StoredFailure[]
  /** When a member was last seen, by their id. */
  readonly lastSeenAtMs: ReadonlyMap<string, number>
}

export type VisitChange =
  | { readonly type: 'put-session'; readonly session: StoredSession }
  | { readonly type: 'delete-session'; readonly id: string }
  | { readonly type: 'put-failure'; readonly failure: StoredFailure }
  | { readonly type: 'delete-failure'; readonly subject: string }
  | { readonly type: 'add-audit-entry'; readonly entry: NewAuditEntry }
  | {
      readonly type: 'count-audit-entry'
      readonly entry: NewAuditEntry
      readonly count: number
      readonly lastAtMs: number
    }
  /** One whose time is over, which opens nothing any more. */
  | { readonly type: 'delete-invite'; readonly codeHash: string }

/** Applies one change inside the caller's transaction. */
export function applyVisitChange(db: Db, change: VisitChange): void {
  switch (change.type) {
    case 'put-session':
      return putSession(db, change.session)
    case 'delete-session':
      db.prepare('DELETE FROM session WHERE id = ?').run(change.id)
      return
    case 'put-failure':
      db.prepare(
        `INSERT INTO sign_in_failure (subject, count, last_at_ms) VALUES (@subject, @count, @lastAtMs)
         ON CONFLICT (subject) DO UPDATE SET count = excluded.count, last_at_ms = excluded.last_at_ms`,
      ).run(change.failure)
      return
    case 'delete-failure':
      db.prepare('DELETE FROM sign_in_failure WHERE subject = ?').run(change.subject)
      return
    case 'add-audit-entry':
      return addAuditEntry(db, change.entry)
    case 'count-audit-entry':
      return countAuditEntry(db, change.entry, change)
    case 'delete-invite':
      return deleteInvite(db, change.codeHash)
  }
}

/** A session of a member who has been removed meanwhile is not written: it would belong to nobody. */
function putSession(db: Db, session: StoredSession): void {
  const memberId = session.memberId ?? null
  db.prepare(
    `INSERT INTO session (id, member_id, cookie_hash, token_hash, created_at_ms, last_seen_at_ms)
     SELECT @id, @memberId, @cookieHash, @tokenHash, @createdAtMs, @lastSeenAtMs
     WHERE @memberId IS NULL OR EXISTS (SELECT 1 FROM member WHERE id = @memberId)
     ON CONFLICT (id) DO UPDATE SET last_seen_at_ms = excluded.last_seen_at_ms`,
  ).run({ ...session, memberId })
  db.prepare('UPDATE member SET last_seen_at_ms = ? WHERE id = ?').run(session.lastSeenAtMs, memberId)
}

export function loadVisits(db: Db): VisitState {
  type SessionRow = Omit<StoredSession, 'memberId'> & { readonly memberId: string | null }
  const sessions = db
    .prepare<[], SessionRow>(
      `SELECT id, member_id AS memberId, cookie_hash AS cookieHash, token_hash AS tokenHash,
         created_at_ms AS createdAtMs, last_seen_at_ms AS lastSeenAtMs FROM session ORDER BY rowid`,
    )
    .all()
  const failures = db
    .prepare<[], StoredFailure>('SELECT subject, count, last_at_ms AS lastAtMs FROM sign_in_failure')
    .all()
  const seen = db
    .prepare<[], { id: string; at: number }>(
      'SELECT id, last_seen_at_ms AS at FROM member WHERE last_seen_at_ms IS NOT NULL',
    )
    .all()
  return {
    sessions: sessions.map((row) => ({ ...row, memberId: row.memberId ?? undefined })),
    failures,
    lastSeenAtMs: new Map(seen.map(({ id, at }) => [id, at])),
  }
}

/**
 * Ends every session and every invite that a copy of the database holds. One that was ended since would be good again where the
 * copy takes the place of the database. What is deleted is overwritten.
 */
export function forgetVisits(db: Db): void {
  db.pragma('secure_delete = ON')
  db.exec('DELETE FROM session; DELETE FROM sign_in_failure; DELETE FROM invite;')
}
