// Lists of entries, the newest first, each with what its key had available afterwards. The steps of the summary say where a key's
// entries are and where its sum stood, so that no page reads the whole history.

import { append, largest } from '#core/append.ts'
import type { Database } from 'better-sqlite3'
import { KIND_BITS } from '#ledger/points.ts'
import type { EntryKind } from '#ledger/rows.ts'
import { unlimitedJudge, type WrittenEntry } from '#ledger/unlimited.ts'

export type EntryFilter = {
  /** undefined: of all keys. */
  readonly keyIds: readonly string[] | undefined
  readonly kind: EntryKind | undefined
  /** UTC milliseconds: entries written then or later, and before `untilMs`. */
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
  /** Only entries with a lower number. */
  readonly beforeSeq: number | undefined
  readonly limit: number
}

export type StoredEntry = WrittenEntry & {
  readonly key_name: string
  readonly amount_micro: number
  readonly charge_micro: number | null
  readonly model_id: string | null
  readonly reason: string | null
  readonly created_at_ms: number
}

export type ListedEntry = StoredEntry & {
  /** What its key had available afterwards; null where its package was `unlimited` by then, also for a call of an earlier cycle. */
  readonly available_micro: number | null
}

export type EntryPage = {
  readonly entries: ListedEntry[]
  /** Pass as `beforeSeq` to go on; undefined at the end. */
  readonly next: number | undefined
}

/** Steps that a page reads at the most. One with few matches may end before it is full. */
const MAX_STEPS = 40
const ANY_KIND = Object.values(KIND_BITS).reduce((sum, bit) => sum + bit, 0)

/** Reads one consistent page. */
export function listEntries(db: Database, filter: EntryFilter): EntryPage {
  return db.transaction(() => {
    const { rows, next } = readPage(db, filter)
    const standings = standingsAfter(db, rows)
    const isUnlimited = unlimitedJudge(db)
    const entries = rows.map((row) => {
      const { availableMicro, cycleFromMs } = standings.get(row.seq) ?? NOTHING
      return { ...row, available_micro: isUnlimited(row, cycleFromMs) ? null : availableMicro }
    })
    return { entries, next }
  })()
}

function readPage(db: Database, filter: EntryFilter): { rows: StoredEntry[]; next: number | undefined } {
  const rows: StoredEntry[] = []
  let before = filter.beforeSeq ?? Number.MAX_SAFE_INTEGER
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const after = boundaryBefore(db, before)
    append(rows, readRange(db, filter, { after, before, limit: filter.limit - rows.length }))
    if (rows.length === filter.limit) return { rows, next: rows.at(-1)?.seq }
    const end = after === 0 ? undefined : stepWith(db, filter, after)
    if (end === undefined) return { rows, next: undefined }
    before = end + 1
  }
  return { rows, next: before }
}

type Range = { readonly after: number; readonly before: number; readonly limit: number }

function readRange(db: Database, filter: EntryFilter, range: Range): StoredEntry[] {
  const { keyIds, kind } = filter
  return db
    .prepare<[object], StoredEntry>(
      `SELECT seq, key_id, key.name AS key_name, kind, amount_micro, charge_micro, exchange_id, model_id, reason,
         cycle_started_at_ms, entry.created_at_ms, EXISTS (SELECT 1 FROM ledger_entry AS opening
           WHERE opening.key_id = entry.key_id AND opening.idempotency_id = 'cycle:' || entry.cycle_started_at_ms) AS is_granted
       FROM ledger_entry AS entry JOIN key ON key.id = entry.key_id
       WHERE seq > @after AND seq < @before
         ${keyIds === undefined ? '' : 'AND key_id IN (SELECT value FROM json_each(@keyIds))'}
         ${kind === undefined ? '' : 'AND kind = @kind'}
         ${isTimed(filter) ? 'AND entry.created_at_ms >= @sinceMs AND entry.created_at_ms < @untilMs' : ''}
       ORDER BY seq DESC LIMIT @limit`,
    )
    .all({ ...range, ...timesOf(filter), keyIds: JSON.stringify(keyIds ?? []), kind: kind ?? '' })
}

function isTimed({ sinceMs, untilMs }: EntryFilter): boolean {
  return sinceMs !== undefined || untilMs !== undefined
}

function timesOf({ sinceMs, untilMs }: EntryFilter): { sinceMs: number; untilMs: number } {
  return { sinceMs: sinceMs ?? 0, untilMs: untilMs ?? Number.MAX_SAFE_INTEGER }
}

/** The end of the last step that is over before an entry: where the sums of keys are known. */
function boundaryBefore(db: Database, seq: number): number {
  return (
    db
      .prepare<[number], number | null>('SELECT max(last_seq) FROM ledger_step WHERE last_seq < ? - 1')
      .pluck()
      .get(Math.min(seq, Number.MAX_SAFE_INTEGER)) ?? 0
  )
}

/** The end of the last step up to `upTo` that has entries in question. */
function stepWith(db: Database, filter: EntryFilter, upTo: number): number | undefined {
  const { keyIds, kind } = filter
  const parameters = {
    ...timesOf(filter),
    upTo,
    kinds: kind === undefined ? ANY_KIND : KIND_BITS[kind],
    keyIds: JSON.stringify(keyIds ?? []),
  }
  const fits = 'last_seq <= @upTo AND kinds & @kinds'
  // The clock can be set back, so that steps are not in the order of their times.
  const isThen = 'to_ms >= @sinceMs AND from_ms < @untilMs'
  const inTime = isTimed(filter)
    ? `AND EXISTS (SELECT 1 FROM ledger_step AS step WHERE step.last_seq = point.last_seq AND ${isThen})`
    : ''
  const sql =
    keyIds === undefined
      ? `SELECT max(last_seq) FROM ledger_step WHERE ${fits} ${isTimed(filter) ? `AND ${isThen}` : ''}`
      : `SELECT max((SELECT last_seq FROM ledger_point AS point WHERE key_id = wanted.value AND ${fits} ${inTime}
           ORDER BY last_seq DESC LIMIT 1)) FROM json_each(@keyIds) AS wanted`
  return db.prepare<[object], number | null>(sql).pluck().get(parameters) ?? undefined
}

/** Where a key stood after an entry. */
type Standing = {
  readonly availableMicro: number
  /** Its cycle began then or later, as its entries since the last step say. */
  readonly cycleFromMs: number
}

const NOTHING: Standing = { availableMicro: 0, cycleFromMs: 0 }

/** Where the key of each entry stood after it, by the entry's number. */
function standingsAfter(db: Database, rows: readonly StoredEntry[]): Map<number, Standing> {
  const found = new Map<number, Standing>()
  const steps = new Map<number, StoredEntry[]>()
  let after: number | undefined
  for (const row of rows) {
    // The newest come first: those of one step follow each other.
    if (after === undefined || after >= row.seq) after = boundaryBefore(db, row.seq + 1)
    const step = steps.get(after)
    if (step === undefined) steps.set(after, [row])
    else step.push(row)
  }
  for (const [after, wanted] of steps) readStep(db, after, wanted, found)
  return found
}

function readStep(db: Database, after: number, wanted: readonly StoredEntry[], found: Map<number, Standing>): void {
  const keyIds = new Set(wanted.map((row) => row.key_id))
  const first = wanted.reduce((least, { seq }) => Math.min(least, seq), Number.MAX_SAFE_INTEGER)
  const standings = standingsBefore(db, keyIds, { after, before: first })
  const isWanted = new Set(wanted.map((row) => row.seq))
  const rows = db
    .prepare<[object], [number, string, EntryKind, number, number]>(
      `SELECT seq, key_id, kind, amount_micro, cycle_started_at_ms FROM ledger_entry WHERE seq > @after AND seq <= @last
         AND key_id IN (SELECT value FROM json_each(@keyIds)) ORDER BY seq`,
    )
    .raw()
    .iterate({ after: first - 1, last: largest(isWanted), keyIds: JSON.stringify([...keyIds]) })
  for (const [seq, keyId, kind, amount, cycleMs] of rows) {
    const before = standings.get(keyId) ?? NOTHING
    const availableMicro = before.availableMicro + amount
    const cycleFromMs = Math.max(before.cycleFromMs, cycleMs)
    if (isWanted.has(seq)) found.set(seq, { availableMicro, cycleFromMs })
    // Only cycles that are over lapse.
    standings.set(keyId, {
      availableMicro,
      cycleFromMs: kind === 'lapse' ? Math.max(cycleFromMs, cycleMs + 1) : cycleFromMs,
    })
  }
}

/** Where keys stood before the first entry that is wanted: what their points say, and the sums of their entries since. */
function standingsBefore(
  db: Database,
  keyIds: ReadonlySet<string>,
  range: { readonly after: number; readonly before: number },
): Map<string, Standing> {
  const point = db
    .prepare<[string, number], number>(
      'SELECT available_micro FROM ledger_point WHERE key_id = ? AND last_seq <= ? ORDER BY last_seq DESC LIMIT 1',
    )
    .pluck()
  const sums = db
    .prepare<[object], [string, number, number]>(
      `SELECT key_id, sum(amount_micro), max(cycle_started_at_ms + (kind = 'lapse')) FROM ledger_entry NOT INDEXED
         WHERE seq > @after AND seq < @before AND key_id IN (SELECT value FROM json_each(@keyIds)) GROUP BY key_id`,
    )
    .raw()
    .all({ ...range, keyIds: JSON.stringify([...keyIds]) })
  const since = new Map(sums.map(([keyId, sumMicro, cycleFromMs]) => [keyId, { sumMicro, cycleFromMs }]))
  return new Map(
    Array.from(keyIds, (keyId) => {
      const { sumMicro, cycleFromMs } = since.get(keyId) ?? { sumMicro: 0, cycleFromMs: NOTHING.cycleFromMs }
      return [keyId, { availableMicro: (point.get(keyId, range.after) ?? 0) + sumMicro, cycleFromMs }]
    }),
  )
}

/** Calls that were resolved after another one, the newest last; undefined where they are too many to say, or it is not known. */
export function resolvedAfter(
  db: Database,
  exchangeId: string,
  { keyIds, most }: { readonly keyIds: readonly string[] | undefined; readonly most: number },
): string[] | undefined {
  const seq = db
    .prepare<[string], number>('SELECT seq FROM ledger_entry WHERE exchange_id = ? AND charge_micro IS NOT NULL')
    .pluck()
    .get(exchangeId)
  if (seq === undefined) return undefined
  const last = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM ledger_entry').pluck().get() ?? 0
  if (last - seq > MAX_MISSED) return undefined
  const missed = db
    .prepare<[object], string>(
      `SELECT exchange_id FROM ledger_entry WHERE seq > @seq AND charge_micro IS NOT NULL
         ${keyIds === undefined ? '' : 'AND key_id IN (SELECT value FROM json_each(@keyIds))'}
       ORDER BY seq LIMIT @limit`,
    )
    .pluck()
    .all({ seq, limit: most + 1, keyIds: JSON.stringify(keyIds ?? []) })
  return missed.length > most ? undefined : missed
}

/** How many entries are read to find the calls that a listener missed. */
const MAX_MISSED = 20_000
