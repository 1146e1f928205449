// Sums over the calls of one session. Sessions are in no roll-up, because there can be as many as calls: an index finds their records.

import type { Db } from '#store/database.ts'
import { statement } from '#store/statements.ts'
import { ANY_PARTS, partParameters, recordConditions, type UsageParts } from '#store/usage-filter.ts'
import { MEASURES, RECORD_SUMS, type Sums } from '#store/usage-measures.ts'
import type { GroupSums } from '#store/usage-sums.ts'

/** A session by what it is called here. */
export type SessionOfKey = { readonly keyId: string; readonly session: string }

/** What one key did in a session. */
export function sumsOfSession(db: Db, { keyId, session }: SessionOfKey): Sums {
  const range = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
  return sumsOfSessionIn(db, session, { ...ANY_PARTS, keyIds: [keyId] }, range)
}

type SessionSpan = { readonly fromMs: number; readonly toMs: number }

/** Of the calls of one session in a range of time, however many calls others made in it. */
export function sumsOfSessionIn(db: Db, session: string, parts: UsageParts, range: SessionSpan): Sums {
  const row = statement<Sums>(
    db,
    `SELECT ${RECORD_SUMS} FROM usage_record INDEXED BY usage_record_session
       WHERE session_id = (SELECT id FROM call_session WHERE name = @session)
         AND created_at_ms >= @fromMs AND created_at_ms < @toMs ${recordConditions(parts)}`,
  ).get({ session, ...range, ...partParameters(parts) })
  if (row === undefined) throw new Error('a sum has no row')
  return row
}

/** Sums of calls in a range of time by their session, '' for those of none; reads each of the calls that were made in it. */
export function sumsBySession(db: Db, parts: UsageParts, range: SessionSpan): GroupSums[] {
  return statement<GroupSums>(
    db,
    `WITH sums AS MATERIALIZED (
       SELECT session_id, ${RECORD_SUMS} FROM usage_record INDEXED BY usage_record_created
       WHERE created_at_ms >= @fromMs AND created_at_ms < @toMs ${recordConditions(parts)} GROUP BY session_id)
     SELECT coalesce(call_session.name, '') AS value, ${MEASURES.join(', ')} FROM sums
       LEFT JOIN call_session ON call_session.id = sums.session_id`,
  ).all({ ...range, ...partParameters(parts) })
}
