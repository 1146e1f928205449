// What was charged since an entry, as sums: what a gateway that shares its books tells the others.

import type { Database } from 'better-sqlite3'

export type ChargedSums = {
  /** The last entry that was looked at. */
  readonly upTo: number
  readonly sums: readonly (readonly [keyId: string, cycleStartedAtMs: number, amountMicro: number])[]
  /** Whether there are none after it. */
  readonly isAll: boolean
}

/** Entries after `seq` and up to `last`, which is the last of all unless it is given, and of so many at most. */
export type EntryRange = { readonly seq: number; readonly last?: number | undefined; readonly most: number }

/** The number of the last entry; 0 where there is none. */
export function lastEntry(db: Database): number {
  return db.prepare<[], number | null>('SELECT max(seq) FROM ledger_entry').pluck().get() ?? 0
}

/** Charges by these entries, in micro-credits by key and cycle, of which none is 0. */
export function chargedAfter(db: Database, { seq, last = lastEntry(db), most }: EntryRange): ChargedSums {
  const upTo = Math.max(seq, Math.min(last, seq + most))
  const rows = db
    .prepare<[number, number], readonly [string, number, number]>(
      `SELECT key_id, cycle_started_at_ms, sum(charge_micro) FROM ledger_entry
       WHERE seq > ? AND seq <= ? AND charge_micro > 0 GROUP BY key_id, cycle_started_at_ms ORDER BY key_id, cycle_started_at_ms`,
    )
    .raw()
    .all(seq, upTo)
  return { upTo, sums: rows, isAll: upTo >= last }
}
