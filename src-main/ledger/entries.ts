// The ledger's tables on disk: appending to them, and reading back what they say. Runs on the writer thread, the only
// place that writes them.

import type { Database } from 'better-sqlite3'
import { columnTexts, type Columns } from '#core/columns.ts'
import { microCredits, type MicroCredits } from '#core/money.ts'
import { askedOnce, attributionIds } from '#ledger/attribution-ids.ts'
import type { OpenHold } from '#ledger/account.ts'
import type { AdjustmentId } from '#ledger/ledger.ts'
import { SUMS } from '#ledger/entry-sums.ts'
import type { AccountRow, AdjustmentRow, StoredLedger } from '#ledger/stored.ts'
import { summarisedUpTo } from '#ledger/summary.ts'
import {
  BALANCE_COLUMNS,
  ENTRY_COLUMNS,
  PLAIN_USAGE_CELLS,
  USAGE_COLUMNS,
  type Cell,
  type LedgerBatch,
} from '#ledger/rows.ts'

/**
 * Returns a function that writes a batch inside the caller's transaction. A row that is there already is passed over, so
 * that a batch whose outcome was unclear can be written again. Returns the ids of the usage records that were not there before.
 */
export function ledgerAppender(db: Database): (batch: LedgerBatch) => string[] {
  const insertEntry = db.prepare<Cell[]>(
    `INSERT INTO ledger_entry (${ENTRY_COLUMNS}) VALUES (${marks(ENTRY_COLUMNS)}) ON CONFLICT DO NOTHING`,
  )
  const insertUsage = db.prepare<[readonly Cell[]]>(
    `INSERT INTO usage_record (${USAGE_COLUMNS}) VALUES (${marks(USAGE_COLUMNS)}) ON CONFLICT DO NOTHING`,
  )
  const putBalance = db.prepare<[readonly Cell[]]>(putBalanceSql(BALANCE_COLUMNS))
  const putBalanceAndCycles = db.prepare<[readonly Cell[]]>(putBalanceSql(`${BALANCE_COLUMNS}, ended_cycles`))
  const idsFor = attributionIds(db)
  return (batch) => {
    const idsOf = askedOnce(idsFor)
    for (const row of batch.entries) insertEntry.run(...row)
    const recorded = batch.usage.filter((row) => insertUsage.run(whole(row, idsOf)).changes === 1)
    for (const row of batch.balances) {
      const put = row.length > BALANCE_CELLS ? putBalanceAndCycles : putBalance
      put.run(row as readonly Cell[])
    }
    return recorded.map(([id]) => String(id))
  }
}

const USAGE_CELLS = USAGE_COLUMNS.split(', ').length
const BALANCE_CELLS = BALANCE_COLUMNS.split(', ').length

function putBalanceSql(columns: string): string {
  const [key = '', ...others] = columns.split(', ')
  const set = others.map((column) => `${column} = excluded.${column}`).join(', ')
  return `INSERT INTO balance (${columns}) VALUES (${marks(columns)}) ON CONFLICT (${key}) DO UPDATE SET ${set}`
}

/**
 * With the ids in the place of names. The row of a call that was made for nobody ends before them; a journal that an earlier version
 * left has rows without the last cells, which came since.
 */
function whole(row: readonly Cell[], idsOf: ReturnType<typeof askedOnce>): readonly Cell[] {
  if (row.length <= PLAIN_USAGE_CELLS) return [...row, ...Array<null>(USAGE_CELLS - row.length).fill(null)]
  return [...row.slice(0, PLAIN_USAGE_CELLS), ...idsOf(row.slice(PLAIN_USAGE_CELLS))]
}

/** Reads every account, and compares it with the entries; with a summary of those that are old. */
export function readLedger(db: Database): StoredLedger {
  const summarised = summarisedUpTo(db)
  return {
    accounts: readAccounts(db),
    openHolds: loadOpenHolds(db, summarised),
    adjustments: readAdjustments(db),
    mismatches: [...findMismatches(db, partsAfter(summarised)), ...findWrongResolutions(db, summarised)],
    isSummarised: summarised > 0,
  }
}

/** A sum for each key and cycle, or many that are to be added up: all entries, with the summary for those up to `summarisedUpTo`. */
const partsAfter = (summarisedUpTo: number) => `
  SELECT key_id, cycle_started_at_ms, ${SUMS} FROM cycle_summary WHERE ${summarisedUpTo} > 0
  UNION ALL
  SELECT key_id, cycle_started_at_ms, amount_micro,
    CASE WHEN kind IN ('grant', 'adjustment') THEN amount_micro ELSE 0 END, coalesce(charge_micro, 0), kind = 'hold'
  FROM ledger_entry WHERE seq > ${summarisedUpTo}`

/** Of all entries, once they are in `temp.entry_sum`. */
export const ALL_PARTS = `SELECT key_id, cycle_started_at_ms, ${SUMS} FROM temp.entry_sum`

/** Every way in which a projection can differ from its entries, as one line for each key that does. `parts` are the sums of the entries. */
export function findMismatches(db: Database, parts: string): string[] {
  const rows = all<{ key_id: string }>(
    db,
    `WITH part AS (${parts}),
     entries AS (
       SELECT part.key_id, sum(part.available_micro) AS available_micro,
         sum(CASE WHEN part.cycle_started_at_ms = balance.cycle_started_at_ms THEN part.granted_micro ELSE 0 END)
           AS granted_micro,
         sum(CASE WHEN part.cycle_started_at_ms = balance.cycle_started_at_ms THEN part.used_micro ELSE 0 END)
           AS used_micro,
         sum(part.request_count) AS request_count
       FROM part LEFT JOIN balance ON balance.key_id = part.key_id
       GROUP BY part.key_id)
     SELECT entries.key_id FROM entries LEFT JOIN balance ON balance.key_id = entries.key_id
     WHERE balance.key_id IS NULL OR entries.available_micro <> balance.available_micro
       OR entries.granted_micro <> balance.granted_micro OR entries.used_micro <> balance.used_micro
       OR entries.request_count <> balance.request_count
     UNION ALL
     SELECT balance.key_id FROM balance LEFT JOIN entries ON entries.key_id = balance.key_id
     WHERE entries.key_id IS NULL AND (balance.available_micro <> 0 OR balance.granted_micro <> 0
       OR balance.used_micro <> 0 OR balance.request_count <> 0)`,
  )
  return rows.map((row) => `key ${row.key_id}: the stored balance is not the sum of its entries`)
}

/** Charges of ended cycles are in no sum of the projection, so the entries that resolve calls are looked at one by one. */
function findWrongResolutions(db: Database, afterSeq: number): string[] {
  const rows = all<{ exchange_id: string }>(
    db,
    `SELECT resolution.exchange_id FROM ledger_entry AS resolution LEFT JOIN ledger_entry AS hold
       ON hold.exchange_id = resolution.exchange_id AND hold.kind = 'hold'
     WHERE resolution.seq > ${afterSeq} AND resolution.charge_micro IS NOT NULL
       AND (hold.seq IS NULL OR resolution.amount_micro <> -hold.amount_micro - resolution.charge_micro)
     LIMIT 5`,
  )
  return rows.map((row) => `call ${row.exchange_id}: its charge and what it got back are not its hold`)
}

/** What accounts are made of, as columns. */
function readAccounts(db: Database): Columns<AccountRow> {
  const sql = `SELECT ${columnTexts<AccountRow>(ACCOUNT_MEMBERS)}
    FROM balance JOIN key ON key.id = balance.key_id JOIN package ON package.id = key.package_id`
  // Sums of no rows are a row too.
  return db.prepare<[], Columns<AccountRow>>(sql).get() as Columns<AccountRow>
}

const ACCOUNT_MEMBERS: Columns<AccountRow> = {
  key_id: 'balance.key_id',
  cycle_started_at_ms: 'cycle_started_at_ms',
  granted_micro: 'granted_micro',
  used_micro: 'used_micro',
  request_count: 'request_count',
  last_used_at_ms: 'last_used_at_ms',
  package_type: 'package_type',
  package_micro: 'package_micro',
  time_zone: 'balance.time_zone',
  next_reset_at_ms: 'next_reset_at_ms',
  ended_cycles: 'ended_cycles',
  promised_type: 'package.type',
  promised_micro: 'package.credits_micro',
  promised_zone: 'package.time_zone',
}

type HoldRow = {
  exchange_id: string
  key_id: string
  amount_micro: number
  cycle_started_at_ms: number
  model_id: string
  price_version: number | null
  created_at_ms: number
}

/** Holds up to `summarisedUpTo` are all resolved. */
function loadOpenHolds(db: Database, afterSeq: number): OpenHold[] {
  const rows = all<HoldRow>(
    db,
    `SELECT hold.* FROM ledger_entry AS hold WHERE hold.seq > ${afterSeq} AND hold.kind = 'hold' AND NOT EXISTS (
       SELECT 1 FROM ledger_entry AS resolution
       WHERE resolution.exchange_id = hold.exchange_id AND resolution.charge_micro IS NOT NULL)
     ORDER BY hold.seq`,
  )
  return rows.map((row) => ({
    exchangeId: row.exchange_id,
    keyId: row.key_id,
    amountMicro: microCredits(0 - row.amount_micro),
    grownMicro: microCredits(0),
    // Open holds that are read from disk are orphans, and only ever released.
    isUnlimited: false,
    cycleStartedAtMs: row.cycle_started_at_ms,
    modelId: row.model_id,
    priceVersion: row.price_version ?? undefined,
    createdAtMs: row.created_at_ms,
  }))
}

/** What was made with an id for the first time, and so for good. */
export type FirstAdjustment = {
  readonly amountMicro: MicroCredits
  readonly reason: string
  readonly createdAtMs: number
}

export function findAdjustment(db: Database, { keyId, id }: AdjustmentId): FirstAdjustment | undefined {
  return db
    .prepare<[string, string], FirstAdjustment>(
      `SELECT amount_micro AS amountMicro, reason, created_at_ms AS createdAtMs FROM ledger_entry
       WHERE key_id = ? AND idempotency_id = ? AND kind = 'adjustment'`,
    )
    .get(keyId, id)
}

function readAdjustments(db: Database): StoredLedger['adjustments'] {
  const members: StoredLedger['adjustments'] = { keyId: 'key_id', id: 'idempotency_id' }
  const sql = `SELECT ${columnTexts<AdjustmentRow>(members)} FROM ledger_entry
    WHERE kind = 'adjustment' AND idempotency_id IS NOT NULL`
  return db.prepare<[], StoredLedger['adjustments']>(sql).get() as StoredLedger['adjustments']
}

/** Rows are trusted to have the shape of their table: STRICT and CHECK saw to it when they were written. */
function all<Row>(db: Database, sql: string): Row[] {
  return db.prepare(sql).all() as Row[]
}

function marks(columns: string): string {
  return columns
    .split(',')
    .map(() => '?')
    .join(', ')
}
