// Sums over the calls of one session. Sessions are in no roll-up, because there can be as many as calls: an index finds their records.

import type { Db } from '#store/database.ts'
import { statement } from '#store/statements.ts'
import { RECORD_SUMS, type Sums } from '#store/usage-measures.ts'

/** A session by what it is called here. */
export type SessionOfKey = { readonly keyId: string; readonly session: string }

/** What one key did in a session. */
export function sumsOfSession(db: Db, of: SessionOfKey): Sums {
  const row = statement<Sums>(
    db,
    `SELECT ${RECORD_SUMS} FROM usage_record INDEXED BY usage_record_session
       WHERE session_id = (SELECT id FROM call_session WHERE name = @session) AND key_id = @keyId`,
  ).get(of)
  if (row === undefined) throw new Error('a sum has no row')
  return row
}
