// Whether nothing bounded a key when one of its entries was written. The cycle of the entry does not always say it: a call ends in
// the cycle in which it began, and its key may have got a package of another kind since.

import type { Database } from 'better-sqlite3'
import type { EntryKind } from '#ledger/rows.ts'

export type WrittenEntry = {
  readonly seq: number
  readonly key_id: string
  readonly kind: EntryKind
  readonly exchange_id: string | null
  readonly cycle_started_at_ms: number
  /** Whether its cycle began with a grant: 0 for those of `unlimited` packages. */
  readonly is_granted: 0 | 1
}

/**
 * Returns a function that says it of an entry, from what was written before. `cycleFromMs` is when the cycle of its key began at the
 * earliest, as far as the caller knows from other entries.
 *
 * A key is unlimited until its first grant, and from the end of a granted cycle to the next grant. Ends and grants are looked up by
 * their ids, and grants only from the entry's own cycle on: a few rows for each entry, however long the history. A cycle that ended
 * with exactly nothing left has no lapse to show for it, though. Then its end is known by what late calls returned, and by what the
 * caller saw. Where there is neither, as for a free call, the entry counts as one with a limit: no entry may say when the cycle
 * ended, and to find one that does one would have to read all that was written since the call began.
 */
export function unlimitedJudge(db: Database): (entry: WrittenEntry, cycleFromMs: number) => boolean {
  const find = idFinder(db)
  const nextGrant = grantFinder(db)

  const lastGranted = (entry: WrittenEntry) => {
    let granted = entry.is_granted === 1 ? entry.cycle_started_at_ms : undefined
    let cycleMs = entry.cycle_started_at_ms
    // As many rounds as cycles began while the call ran, and one to find that there are no more.
    for (let next = nextGrant(entry.key_id, cycleMs); next !== undefined; next = nextGrant(entry.key_id, cycleMs)) {
      // Ids are text, of which times of 13 digits are in order: a clock that once stood at 1970 made others.
      if (next.seq > entry.seq || next.cycleMs <= cycleMs) break
      granted = cycleMs = next.cycleMs
    }
    return granted
  }

  const isLate = ({ key_id: keyId, kind, seq, exchange_id: exchangeId }: WrittenEntry) =>
    exchangeId !== null && (kind === 'lapse' || find(keyId, `late:${exchangeId}`) === seq + 1)

  return (entry, cycleFromMs) => {
    if (!MAY_BE_LATE.has(entry.kind)) return entry.is_granted === 0
    const granted = lastGranted(entry)
    if (granted === undefined || granted < cycleFromMs) return true
    const endedAt = find(entry.key_id, `lapse:${granted}`)
    if (endedAt !== undefined && endedAt < entry.seq) return true
    return granted === entry.cycle_started_at_ms && isLate(entry)
  }
}

/** Entries that can belong to a cycle that has ended. All others are written in the present one. */
const MAY_BE_LATE: ReadonlySet<EntryKind> = new Set(['settle', 'release', 'lapse'])

/** The number of the entry that a key has under an id. */
function idFinder(db: Database): (keyId: string, id: string) => number | undefined {
  const sql = 'SELECT seq FROM ledger_entry WHERE key_id = ? AND idempotency_id = ?'
  const statement = db.prepare<[string, string], number>(sql).pluck()
  return (keyId, id) => statement.get(keyId, id)
}

type Grant = { readonly seq: number; readonly cycleMs: number }

/** The first grant of a key for a later cycle than `afterMs`. */
function grantFinder(db: Database): (keyId: string, afterMs: number) => Grant | undefined {
  const statement = db.prepare<[string, string], Grant>(
    `SELECT seq, cycle_started_at_ms AS cycleMs FROM ledger_entry
     WHERE key_id = ? AND idempotency_id > ? AND idempotency_id < 'cycle;' ORDER BY idempotency_id LIMIT 1`,
  )
  return (keyId, afterMs) => statement.get(keyId, `cycle:${afterMs}`)
}
