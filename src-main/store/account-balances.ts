// What providers said is left on their accounts, for as long as a pace is taken from it.

import type { AccountBalance, DatedAmount } from '#core/account-balance.ts'
import type { Db } from '#store/database.ts'

export type BalanceReading = {
  readonly providerId: string
  readonly label: string
  readonly atMs: number
  readonly balances: readonly AccountBalance[]
}

type StoredBalance = DatedAmount & { readonly providerId: string; readonly label: string; readonly currency: string }

const KEPT_MS = 31 * 86_400_000
/** Of one account: a month of hours in a few currencies. */
const MAX_READINGS = 5000

/** In a transaction. A provider that is gone meanwhile keeps nothing. */
export function keepBalances(db: Db, { providerId, label, atMs, balances }: BalanceReading): void {
  const put = db.prepare(
    `INSERT OR REPLACE INTO account_balance (provider_id, label, currency, at_ms, amount)
     SELECT id, ?, ?, ?, ? FROM provider WHERE id = ?`,
  )
  for (const { currency, amount } of balances) put.run(label, currency, atMs, amount, providerId)
  db.prepare<[string, string, number, string, string]>(
    `DELETE FROM account_balance WHERE provider_id = ? AND label = ? AND (at_ms < ? OR at_ms <= (
       SELECT at_ms FROM account_balance WHERE provider_id = ? AND label = ?
       ORDER BY at_ms DESC LIMIT 1 OFFSET ${MAX_READINGS}))`,
  ).run(providerId, label, atMs - KEPT_MS, providerId, label)
}

/** All that are kept, those of one account and currency one after the other, the oldest first. */
export function listBalances(db: Db): StoredBalance[] {
  return db
    .prepare<[], StoredBalance>(
      `SELECT provider_id AS providerId, label, currency, at_ms AS atMs, amount FROM account_balance
       ORDER BY provider_id, label, currency, at_ms`,
    )
    .all()
}
