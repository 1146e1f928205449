// What each key had available after each step of the summary. With these a list can say the running balance of any entry, and
// find a key's entries among millions, without reading all that came before.

import type { Database } from 'better-sqlite3'
import type { EntryKind } from '#ledger/rows.ts'

/** Bits for the kinds of entries that a step has. */
export const KIND_BITS = {
  hold: 1,
  settle: 2,
  release: 4,
  grant: 8,
  lapse: 16,
  adjustment: 32,
} as const satisfies Record<EntryKind, number>

const KINDS = Object.entries(KIND_BITS)
  .map(([kind, bit]) => `${bit} * max(kind = '${kind}')`)
  .join(' + ')

/** Notes where every key stands that has entries in a step. Runs inside the transaction that writes the summary. */
export function addPoints(db: Database, after: number, upTo: number): void {
  const range = { after, upTo }
  db.prepare(
    `INSERT INTO ledger_point (key_id, last_seq, available_micro, kinds)
     SELECT key_id, @upTo, sum(amount_micro) + coalesce((
         SELECT available_micro FROM ledger_point AS point WHERE point.key_id = entry.key_id AND point.last_seq <= @after
         ORDER BY point.last_seq DESC LIMIT 1), 0), ${KINDS}
     FROM ledger_entry AS entry WHERE seq > @after AND seq <= @upTo GROUP BY key_id`,
  ).run(range)
  db.prepare(
    `INSERT INTO ledger_step (last_seq, kinds, from_ms, to_ms) SELECT @upTo, ${KINDS}, min(created_at_ms), max(created_at_ms)
     FROM ledger_entry WHERE seq > @after AND seq <= @upTo`,
  ).run(range)
}

/** Keys whose last point is not the sum of their summary, as sentences. */
export function pointProblems(db: Database): string[] {
  const keys = db
    .prepare<[], string>(
      `SELECT key_id FROM (SELECT key_id, sum(available_micro) AS available_micro FROM cycle_summary GROUP BY key_id) AS sums
       WHERE available_micro IS NOT (SELECT available_micro FROM ledger_point AS point WHERE point.key_id = sums.key_id
         ORDER BY last_seq DESC LIMIT 1)`,
    )
    .pluck()
    .all()
  return keys.map((keyId) => `key ${keyId}: its running balance is not the sum of its older entries`)
}
