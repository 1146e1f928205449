// The ledger's tables on disk: appending to them, and reading back what they say. Runs on the writer thread, the only
// place that writes them.

import type { Database } from 'better-sqlite3'
import { microCredits } from '#core/money.ts'
import { nextReset, type Account, type AccountTerms, type OpenHold } from '#ledger/account.ts'
import type { TopUpId } from '#ledger/ledger.ts'
import { BALANCE_COLUMNS, ENTRY_COLUMNS, USAGE_COLUMNS, type Cell, type LedgerBatch } from '#ledger/rows.ts'

/**
 * Returns a function that writes a batch inside the caller's transaction. A row that is there already is passed over, so
 * that a batch whose outcome was unclear can be written again.
 */
export function ledgerAppender(db: Database): (batch: LedgerBatch) => void {
  const insertEntry = db.prepare<Cell[]>(
    `INSERT INTO ledger_entry (${ENTRY_COLUMNS}) VALUES (${marks(ENTRY_COLUMNS)}) ON CONFLICT DO NOTHING`,
  )
  const insertUsage = db.prepare<Cell[]>(
    `INSERT INTO usage_record (${USAGE_COLUMNS}) VALUES (${marks(USAGE_COLUMNS)}) ON CONFLICT DO NOTHING`,
  )
  const putBalance = db.prepare<Cell[]>(
    `INSERT INTO balance (${BALANCE_COLUMNS}) VALUES (${marks(BALANCE_COLUMNS)})
     ON CONFLICT (key_id) DO UPDATE SET cycle_started_at_ms = excluded.cycle_started_at_ms,
       available_micro = excluded.available_micro, granted_micro = excluded.granted_micro,
       used_micro = excluded.used_micro, request_count = excluded.request_count,
       last_used_at_ms = excluded.last_used_at_ms`,
  )
  return (batch) => {
    for (const row of batch.entries) insertEntry.run(...row)
    for (const row of batch.usage) insertUsage.run(...row)
    for (const row of batch.balances) putBalance.run(...row)
  }
}

export type LedgerState = {
  readonly accounts: Account[]
  readonly openHolds: OpenHold[]
  readonly topUps: TopUpId[]
  /** Keys whose projection is not what their entries say. */
  readonly mismatches: string[]
}

/** Rebuilds every account from the entries and compares it with the projection. */
export function loadLedger(db: Database): LedgerState {
  const openHolds = loadOpenHolds(db)
  const accounts = loadAccounts(db)
  for (const hold of openHolds) {
    const account = accounts.get(hold.keyId)
    if (account === undefined || hold.cycleStartedAtMs !== account.cycleStartedAtMs) continue
    account.heldMicro = microCredits(account.heldMicro + hold.amountMicro)
  }
  return { accounts: [...accounts.values()], openHolds, topUps: loadTopUps(db), mismatches: findMismatches(db) }
}

/** Every way in which a projection can differ from its entries, as one line for each key that does. */
export function findMismatches(db: Database): string[] {
  const rows = all<{ key_id: string }>(
    db,
    `WITH entries AS (
       SELECT entry.key_id,
         sum(entry.amount_micro) AS available_micro,
         sum(CASE WHEN entry.cycle_started_at_ms = balance.cycle_started_at_ms AND entry.kind IN ('grant', 'adjustment')
           THEN entry.amount_micro ELSE 0 END) AS granted_micro,
         sum(CASE WHEN entry.cycle_started_at_ms = balance.cycle_started_at_ms
           THEN coalesce(entry.charge_micro, 0) ELSE 0 END) AS used_micro,
         sum(entry.kind = 'hold') AS request_count
       FROM ledger_entry AS entry LEFT JOIN balance ON balance.key_id = entry.key_id
       GROUP BY entry.key_id)
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

type AccountRow = {
  key_id: string
  type: AccountTerms['packageType']
  credits_micro: number
  time_zone: string
  cycle_started_at_ms: number
  granted_micro: number
  used_micro: number
  request_count: number
  last_used_at_ms: number | null
}

function loadAccounts(db: Database): Map<string, Account> {
  const rows = all<AccountRow>(
    db,
    `SELECT balance.*, package.type, package.credits_micro, package.time_zone
     FROM balance JOIN key ON key.id = balance.key_id JOIN package ON package.id = key.package_id`,
  )
  return new Map(rows.map((row) => [row.key_id, accountOf(row)]))
}

function accountOf(row: AccountRow): Account {
  const terms: AccountTerms = {
    packageType: row.type,
    creditsMicro: microCredits(row.credits_micro),
    timeZone: row.time_zone,
  }
  return {
    keyId: row.key_id,
    terms,
    cycleStartedAtMs: row.cycle_started_at_ms,
    nextResetAtMs: nextReset(terms, row.cycle_started_at_ms),
    grantedMicro: microCredits(row.granted_micro),
    usedMicro: microCredits(row.used_micro),
    heldMicro: microCredits(0),
    requestCount: row.request_count,
    lastUsedAtMs: row.last_used_at_ms ?? undefined,
  }
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

function loadOpenHolds(db: Database): OpenHold[] {
  const rows = all<HoldRow>(
    db,
    `SELECT hold.* FROM ledger_entry AS hold WHERE hold.kind = 'hold' AND NOT EXISTS (
       SELECT 1 FROM ledger_entry AS resolution
       WHERE resolution.exchange_id = hold.exchange_id AND resolution.charge_micro IS NOT NULL)
     ORDER BY hold.seq`,
  )
  return rows.map((row) => ({
    exchangeId: row.exchange_id,
    keyId: row.key_id,
    amountMicro: microCredits(0 - row.amount_micro),
    cycleStartedAtMs: row.cycle_started_at_ms,
    modelId: row.model_id,
    priceVersion: row.price_version ?? undefined,
    createdAtMs: row.created_at_ms,
  }))
}

function loadTopUps(db: Database): TopUpId[] {
  return all<TopUpId>(
    db,
    `SELECT key_id AS keyId, idempotency_id AS id FROM ledger_entry WHERE kind = 'adjustment' AND idempotency_id IS NOT NULL`,
  )
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
