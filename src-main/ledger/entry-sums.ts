// What the entries of each key and cycle add up to, in a table of the connection that asks. It is made piece by piece, once for
// all the checks that need it, and nothing is written to the database.

import type { Database } from 'better-sqlite3'
import { piecesOf } from '#ledger/pieces.ts'

/** Columns of sums, as a cycle's summary has them too. */
export const SUMS = 'available_micro, granted_micro, used_micro, request_count'

/** The same of entries. */
export const SUM_EXPRESSIONS = `sum(amount_micro) AS available_micro,
  sum(CASE WHEN kind IN ('grant', 'adjustment') THEN amount_micro ELSE 0 END) AS granted_micro,
  sum(coalesce(charge_micro, 0)) AS used_micro, sum(kind = 'hold') AS request_count`

/** To add sums to those that a table has already. */
export const ADD_SUMS = `ON CONFLICT DO UPDATE SET available_micro = available_micro + excluded.available_micro,
  granted_micro = granted_micro + excluded.granted_micro, used_micro = used_micro + excluded.used_micro,
  request_count = request_count + excluded.request_count`

/** `rows`: of a piece. */
type SumsOptions = { readonly summarisedUpTo: number; readonly rows: number }

/**
 * Runs `look` while `temp.entry_sum` has the sums of all entries by key and cycle; `is_summarised` parts those up to a number from the rest.
 */
export function withEntrySums<Found>(db: Database, { summarisedUpTo, rows }: SumsOptions, look: () => Found): Found {
  db.exec(`CREATE TEMP TABLE entry_sum (is_summarised INTEGER, key_id TEXT, cycle_started_at_ms INTEGER, available_micro INTEGER,
    granted_micro INTEGER, used_micro INTEGER, request_count INTEGER, entries INTEGER, resolutions INTEGER, PRIMARY KEY (key_id, cycle_started_at_ms, is_summarised)) WITHOUT ROWID`)
  try {
    const add = db.prepare(
      `INSERT INTO temp.entry_sum (is_summarised, key_id, cycle_started_at_ms, ${SUMS}, entries, resolutions)
       SELECT seq <= @summarisedUpTo, key_id, cycle_started_at_ms, ${SUM_EXPRESSIONS}, count(*), count(charge_micro) FROM ledger_entry NOT INDEXED
       WHERE seq BETWEEN @from AND @upTo GROUP BY 1, 2, 3
       ${ADD_SUMS}, entries = entries + excluded.entries, resolutions = resolutions + excluded.resolutions`,
    )
    for (const piece of piecesOf(db, 'ledger_entry', rows)) add.run({ ...piece, summarisedUpTo })
    return look()
  } finally {
    db.exec('DROP TABLE temp.entry_sum')
  }
}
