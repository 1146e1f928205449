// Where providers say what is left on an account, and how their answers are read.
//
// Sources, all read on 2026-11-27: api-docs.deepseek.com/api/get-user-balance, platform.kimi.ai/docs/api/balance and
// openrouter.ai/docs/api-reference/credits.

import { amountOf, decimalText } from '#bills/report.ts'
import type { AccountBalanceView } from '#contract/bills.ts'
import type { BalanceKind } from '#core/account-balance.ts'
import { membersOf } from '#core/members.ts'

type Balance = Pick<AccountBalanceView['balances'][number], 'currency' | 'amount'>

type BalanceInterface = {
  readonly path: string
  /** One for each currency; undefined for an answer that is none. */
  readonly read: (answer: unknown, origin: string) => readonly Balance[] | undefined
  /** What it says beside the amounts that somebody has to know, as a sentence; undefined where there is nothing. */
  readonly warning?: (answer: unknown) => string | undefined
}

/** More than any account has. */
const MAX_CURRENCIES = 8

export const BALANCES: Readonly<Record<BalanceKind, BalanceInterface>> = {
  deepseek: {
    path: '/user/balance',
    read: (answer) => {
      const { balance_infos: infos } = membersOf(answer)
      if (!Array.isArray(infos) || infos.length > MAX_CURRENCIES) return undefined
      return allOf(infos.map(membersOf).map(({ currency, total_balance: total }) => balance(currency, partsOf(total))))
    },
    warning: (answer) =>
      membersOf(answer)['is_available'] === false ? 'It says that what is left does not suffice for calls.' : undefined,
  },
  moonshot: {
    path: '/v1/users/me/balance',
    // It names no currency: accounts of the international site are in dollars, those of the Chinese one in yuan.
    read: (answer, origin) => {
      const { available_balance: available } = membersOf(membersOf(answer)['data'])
      return allOf([balance(new URL(origin).hostname.endsWith('.cn') ? 'CNY' : 'USD', partsOf(available))])
    },
    // What can be used is told without the debt, which has to be paid first.
    warning: (answer) => {
      const cash = partsOf(membersOf(membersOf(answer)['data'])['cash_balance'])
      return cash !== undefined && cash < 0n ? `It says that ${decimalText(-cash)} are owed.` : undefined
    },
  },
  openrouter: {
    path: '/api/v1/credits',
    read: (answer) => {
      const { total_credits: paid, total_usage: used } = membersOf(membersOf(answer)['data'])
      const [paidParts, usedParts] = [partsOf(paid), partsOf(used)]
      if (paidParts === undefined || usedParts === undefined) return undefined
      return allOf([balance('USD', paidParts - usedParts)])
    },
  },
}

function balance(currency: unknown, parts: bigint | undefined): Balance | undefined {
  if (typeof currency !== 'string' || !/^[A-Za-z]{3,5}$/.test(currency) || parts === undefined) return undefined
  return { currency: currency.toUpperCase(), amount: decimalText(parts) }
}

/** Half of an answer is none. Of a currency that comes twice nobody can say which one counts. */
function allOf(balances: readonly (Balance | undefined)[]): readonly Balance[] | undefined {
  const all = balances.flatMap((one) => one ?? [])
  const currencies = new Set(all.map(({ currency }) => currency))
  return all.length > 0 && all.length === balances.length && currencies.size === all.length ? all : undefined
}

/** Amounts are texts or numbers. */
function partsOf(value: unknown): bigint | undefined {
  return typeof value === 'string' || typeof value === 'number' ? amountOf(String(value))?.parts : undefined
}
