// Reads and writes the audit log. Each kind of doer has a bound of its own, so that entries of one kind cannot push out those of another.

import type { Db } from '#store/database.ts'

/** A caller who is not identified, such as one with a wrong password, is a stranger. */
export type Doer = 'administrator' | 'member' | 'stranger'

export type NewAuditEntry = {
  readonly atMs: number
  readonly actor: string
  readonly action: string
  readonly subject: string | undefined
  readonly outcome: string
  readonly status: number | undefined
  /** A JSON object. */
  readonly details: string
  readonly doer: Doer
  /** Where strangers came from. */
  readonly source: string | undefined
}
export type StoredAuditEntry = NewAuditEntry & {
  readonly seq: number
  /** How often it happened, and when last. */
  readonly count: number
  readonly lastAtMs: number
}

/** How many entries the audit log keeps. The schema forbids to delete any of these. */
const KEPT: Readonly<Record<Doer, number>> = { administrator: 100_000, member: 100_000, stranger: 1000 }

export function addAuditEntry(db: Db, entry: NewAuditEntry): void {
  const { doer } = entry
  const newest = db
    .prepare<[Doer], { number: number | null }>('SELECT max(number) AS number FROM audit_entry WHERE doer = ?')
    .get(doer)
  const number = (newest?.number ?? 0) + 1
  const row = { ...entry, subject: entry.subject ?? null, status: entry.status ?? null, source: entry.source ?? null }
  db.prepare(
    `INSERT INTO audit_entry (at_ms, actor, action, subject, outcome, status, details, doer, number, source)
     VALUES (@atMs, @actor, @action, @subject, @outcome, @status, @details, @doer, @number, @source)`,
  ).run({ ...row, number })
  db.prepare('DELETE FROM audit_entry WHERE doer = ? AND number <= ?').run(doer, number - KEPT[doer])
}

/** What a stranger did again, `count` times in all. */
export function countAuditEntry(
  db: Db,
  entry: NewAuditEntry,
  { count, lastAtMs }: { count: number; lastAtMs: number },
) {
  const { subject, source, ...rest } = entry
  db.prepare(
    `UPDATE audit_entry SET count = @count, last_at_ms = @lastAtMs
     WHERE doer = 'stranger' AND at_ms = @atMs AND action = @action AND outcome = @outcome AND actor = @actor
       AND subject IS @subject AND source IS @source`,
  ).run({ ...rest, subject: subject ?? null, source: source ?? null, count, lastAtMs })
}

export type AuditFilter = {
  readonly beforeSeq: number
  readonly action: string | undefined
  readonly actor: string | undefined
  readonly limit: number
}

/** The newest entries first. */
export function listAudit(db: Db, filter: AuditFilter): StoredAuditEntry[] {
  type Row = Omit<StoredAuditEntry, 'subject' | 'status' | 'source'> & {
    readonly subject: string | null
    readonly status: number | null
    readonly source: string | null
  }
  return db
    .prepare<[Record<string, string | number | null>], Row>(
      `SELECT seq, at_ms AS atMs, actor, action, subject, outcome, status, details, doer, source, count,
         coalesce(last_at_ms, at_ms) AS lastAtMs
       FROM audit_entry
       WHERE seq < @beforeSeq AND (@action IS NULL OR action = @action) AND (@actor IS NULL OR actor = @actor)
       ORDER BY seq DESC LIMIT @limit`,
    )
    .all({ ...filter, action: filter.action ?? null, actor: filter.actor ?? null })
    .map((row) => ({
      ...row,
      subject: row.subject ?? undefined,
      status: row.status ?? undefined,
      source: row.source ?? undefined,
    }))
}
