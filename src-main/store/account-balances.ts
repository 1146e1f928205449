// What providers said is left on their accounts, for as long as a pace is taken from it.

import { PACE_MS, type AccountBalance, type DatedAmount } from '#core/account-balance.ts'
import type { Db } from '#store/database.ts'

/** An account, by the secret that it is asked with; `label` is empty where there is one. */
type Account = { readonly providerId: string; readonly label: string }

/** A question, and what was answered. */
export type BalanceQuestion = Account & {
  readonly askedMs: number
  /** Nobody may ask before. */
  readonly quietUntilMs: number
  /** In a row. */
  readonly failures: number
  /** Why it was not answered; empty where it was. */
  readonly problem: string
}

export type BalanceReading = BalanceQuestion & { readonly balances: readonly AccountBalance[] }

export type KnownBalances = {
  /** Of as long as a pace is taken from; those of one account and currency one after the other, the oldest first. */
  readonly readings: readonly StoredBalance[]
  /** The last one to each account. */
  readonly questions: readonly BalanceQuestion[]
}

type StoredBalance = DatedAmount & Account & { readonly currency: string }

const KEPT_MS = 31 * 86_400_000
/** Of one account: a month of hours in a few currencies. */
const MAX_READINGS = 5000

/** In a transaction. A provider that is gone meanwhile keeps nothing. */
export function keepBalances(db: Db, { balances, ...question }: BalanceReading): void {
  const { providerId, label, askedMs } = question
  db.prepare<BalanceQuestion>(
    `INSERT OR REPLACE INTO account_question (provider_id, label, asked_ms, quiet_until_ms, failures, problem)
     SELECT id, @label, @askedMs, @quietUntilMs, @failures, @problem FROM provider WHERE id = @providerId`,
  ).run(question)
  const put = db.prepare(
    `INSERT OR REPLACE INTO account_balance (provider_id, label, currency, at_ms, amount)
     SELECT id, ?, ?, ?, ? FROM provider WHERE id = ?`,
  )
  for (const { currency, amount } of balances) put.run(label, currency, askedMs, amount, providerId)
  db.prepare<[string, string, number, string, string]>(
    `DELETE FROM account_balance WHERE provider_id = ? AND label = ? AND (at_ms < ? OR at_ms <= (
       SELECT at_ms FROM account_balance WHERE provider_id = ? AND label = ?
       ORDER BY at_ms DESC LIMIT 1 OFFSET ${MAX_READINGS}))`,
  ).run(providerId, label, askedMs - KEPT_MS, providerId, label)
}

export function listBalances(db: Db): KnownBalances {
  return {
    readings: db
      .prepare<[], StoredBalance>(
        `SELECT provider_id AS providerId, label, currency, at_ms AS atMs, amount FROM account_balance
         JOIN (SELECT provider_id, label, max(at_ms) AS last_ms FROM account_balance GROUP BY provider_id, label)
           USING (provider_id, label)
         WHERE at_ms >= last_ms - ${PACE_MS} ORDER BY provider_id, label, currency, at_ms`,
      )
      .all(),
    questions: db
      .prepare<[], BalanceQuestion>(
        `SELECT provider_id AS providerId, label, asked_ms AS askedMs, quiet_until_ms AS quietUntilMs, failures, problem
         FROM account_question`,
      )
      .all(),
  }
}
