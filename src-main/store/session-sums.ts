// Sums over the calls of one session. Sessions are in no roll-up, because there can be as many as calls: an index finds their records.

import type { Db } from '#store/database.ts'
import { statement } from '#store/statements.ts'
import { ANY_PARTS, partParameters, recordConditions, type UsageParts } from '#store/usage-filter.ts'
import { addSums, MEASURES, RECORD_SUMS, subtractSums, type Sums } from '#store/usage-measures.ts'
import { sumsOfRecords } from '#store/usage-sums.ts'

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

/** Sums of one value of a group, '' where calls have none; with null those of all others together. */
export type ValueSums = Sums & { readonly value: string | null }

/**
 * Sums of calls in a range of time by their session: the `top` sessions with the highest charge in order, and what is left of all calls where there are more.
 * Reads each of the calls that were made in it, and makes rows of those alone that are asked about, of which there can be as many as calls.
 */
export function sumsOfDearestSessions(db: Db, parts: UsageParts, range: SessionSpan, top: number): ValueSums[] {
  const dearest = statement<ValueSums>(
    db,
    `WITH sums AS (
       SELECT session_id, ${RECORD_SUMS} FROM usage_record INDEXED BY usage_record_created
       WHERE created_at_ms >= @fromMs AND created_at_ms < @toMs ${recordConditions(parts)} GROUP BY session_id
       ORDER BY charge_micro DESC, requests DESC, session_id LIMIT @top)
     SELECT coalesce(call_session.name, '') AS value, ${MEASURES.join(', ')} FROM sums
       LEFT JOIN call_session ON call_session.id = sums.session_id
     ORDER BY charge_micro DESC, requests DESC, session_id`,
  ).all({ ...range, top, ...partParameters(parts) })
  return withRest(dearest, sumsOfRecords(db, parts, range))
}

/** Sums of calls in a range of time of the sessions that are named, and what is left of all calls where there is something. */
export function sumsOfSessions(
  db: Db,
  parts: UsageParts,
  range: SessionSpan,
  sessions: readonly string[],
): ValueSums[] {
  const named = statement<ValueSums>(
    db,
    `SELECT coalesce((SELECT name FROM call_session WHERE id = session_id), '') AS value, ${RECORD_SUMS}
       FROM usage_record INDEXED BY usage_record_created
       WHERE created_at_ms >= @fromMs AND created_at_ms < @toMs ${recordConditions(parts)}
         AND coalesce(session_id, 0) IN
           (SELECT CASE WHEN value = '' THEN 0 ELSE (SELECT id FROM call_session WHERE name = value) END FROM json_each(@sessions))
       GROUP BY session_id`,
  ).all({ ...range, sessions: JSON.stringify(sessions), ...partParameters(parts) })
  return withRest(named, sumsOfRecords(db, parts, range))
}

function withRest(sessions: readonly ValueSums[], all: Sums): ValueSums[] {
  const rest = subtractSums(all, addSums(sessions))
  return rest.requests === 0 ? [...sessions] : [...sessions, { ...rest, value: null }]
}
