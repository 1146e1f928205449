// Where providers say what is left on an account, and how their answers are read.
//
// Sources, all read on 2026-11-27: api-docs.deepseek.com/api/get-user-balance, platform.kimi.ai/docs/api/balance and
// openrouter.ai/docs/api-reference/credits.

import { amountOf, decimalText } from '#bills/report.ts'
import type { AccountBalanceView } from '#contract/bills.ts'
import { membersOf } from '#core/members.ts'

type Balance = Pick<AccountBalanceView['balances'][number], 'currency' | 'amount'>

type BalanceInterface = {
  readonly path: string
  /** One for each currency; undefined for an answer that is none. */
  readonly read: (answer: unknown, origin: string) => readonly Balance[] | undefined
}

/** More than any account has. */
const MAX_CURRENCIES = 8

export const BALANCES = {
  deepseek: {
    path: '/user/balance',
    read: (answer) => {
      const { balance_infos: infos } = membersOf(answer)
      if (!Array.isArray(infos) || infos.length > MAX_CURRENCIES) return undefined
      return allOf(infos.map(membersOf).map(({ currency, total_balance: total }) => balance(currency, partsOf(total))))
    },
  },
  moonshot: {
    path: '/v1/users/me/balance',
    // It names no currency: accounts of the international site are in dollars, those of the Chinese one in yuan.
    read: (answer, origin) => {
      const { available_balance: available } = membersOf(membersOf(answer)['data'])
      return allOf([balance(new URL(origin).hostname.endsWith('.cn') ? 'CNY' : 'USD', partsOf(available))])
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
} as const satisfies Readonly<Record<string, BalanceInterface>>

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
