// Sums of the oldest entries, so that a start need not read a history that grows for ever. What a summary covers is final:
// every hold in it is resolved, and entries never change. Written by the writer thread; `ledger verify` recomputes it from
// the entries, and a start does so in the background.

import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { ADD_SUMS, SUM_EXPRESSIONS, SUMS } from '#ledger/entry-sums.ts'
import { addPoints, pointProblems } from '#ledger/points.ts'
import { ENTRY_COLUMNS } from '#ledger/rows.ts'

/** A summary grows by this many entries at once: some milliseconds of the writer's time every few thousand calls. */
export const SUMMARY_STEP = 4096

type Covered = { readonly last_seq: number; readonly digest: string }

/** The number of the last entry that is summarised; 0 for none. */
export function summarisedUpTo(db: Database): number {
  return covered(db).last_seq
}

/**
 * Summarises the next entries, if there are enough of them before the oldest hold that is still open. Runs inside the
 * caller's transaction. Says how many more entries there must be before it is worth another try; 0 to go on at once.
 */
export function summariseNext(db: Database): number {
  const { last_seq: after, digest } = covered(db)
  const last = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM ledger_entry').pluck().get() ?? 0
  const missing = after + SUMMARY_STEP - last
  if (missing > 0) return missing
  const firstOpen = firstOpenHold(db, after)
  const upTo = firstOpen === null ? after + SUMMARY_STEP : firstOpen - 1
  // A call that takes long holds back what came after it; a summary of a few entries would be all work and no gain.
  if (upTo - after < SUMMARY_STEP / 4) return SUMMARY_STEP / 4
  db.prepare(
    `INSERT INTO cycle_summary (key_id, cycle_started_at_ms, ${SUMS})
     SELECT key_id, cycle_started_at_ms, ${SUM_EXPRESSIONS} FROM ledger_entry
     WHERE seq > @after AND seq <= @upTo GROUP BY key_id, cycle_started_at_ms
     ${ADD_SUMS}`,
  ).run({ after, upTo })
  db.prepare(
    `INSERT INTO ledger_summary (id, last_seq, digest) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET last_seq = excluded.last_seq, digest = excluded.digest`,
  ).run(upTo, digestOf(db, { after, upTo, digest }))
  addPoints(db, after, upTo)
  return Math.max(0, upTo + SUMMARY_STEP - last)
}

/** What the summary says that its entries do not: for `ledger verify`, with their sums in `temp.entry_sum`. */
export function summaryProblems(db: Database): string[] {
  const { last_seq: upTo, digest } = covered(db)
  const recomputed = `SELECT key_id, cycle_started_at_ms, ${SUMS} FROM temp.entry_sum WHERE is_summarised`
  const stored = `SELECT key_id, cycle_started_at_ms, ${SUMS} FROM cycle_summary`
  const differing = db
    .prepare<[], string>(
      `SELECT DISTINCT key_id FROM (${recomputed} EXCEPT ${stored})
       UNION SELECT DISTINCT key_id FROM (${stored} EXCEPT ${recomputed})`,
    )
    .pluck()
    .all()
  const wrong = differing.map((keyId) => `key ${keyId}: the summary of its older entries is not their sum`)
  const sums = [...wrong, ...pointProblems(db)]
  if (digestOf(db, { after: 0, upTo, digest: '' }) === digest) return sums
  return [...sums, 'the summarised entries are not those that were written']
}

function covered(db: Database): Covered {
  const row = db.prepare<[], Covered>('SELECT last_seq, digest FROM ledger_summary').get()
  return row ?? { last_seq: 0, digest: '' }
}

function firstOpenHold(db: Database, after: number): number | null {
  const sql = `SELECT min(seq) FROM ledger_entry AS hold
    WHERE seq > ? AND seq <= ? AND kind = 'hold' AND NOT EXISTS (SELECT 1 FROM ledger_entry AS resolution
      WHERE resolution.exchange_id = hold.exchange_id AND resolution.charge_micro IS NOT NULL)`
  return (
    db
      .prepare<[number, number], number | null>(sql)
      .pluck()
      .get(after, after + SUMMARY_STEP) ?? null
  )
}

/** A chain over the entries, each with the digest of all before it: two changes that cancel each other out break it too. */
function digestOf(db: Database, { after, upTo, digest }: { after: number; upTo: number; digest: string }): string {
  const sql = `SELECT json_array(seq, ${ENTRY_COLUMNS}) FROM ledger_entry WHERE seq > ? AND seq <= ? ORDER BY seq`
  let last = digest
  for (const row of db.prepare<[number, number], string>(sql).pluck().iterate(after, upTo))
    last = hash('sha256', last + row)
  return last
}
