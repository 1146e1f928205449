// What providers say is left on their accounts: who says it, with which secret he is asked, and how long it will last.

import type { Provider } from '#core/entities.ts'

/** Whose balances are read, by the ids of their presets. */
const BALANCE_KINDS = ['deepseek', 'moonshot', 'openrouter'] as const
export type BalanceKind = (typeof BALANCE_KINDS)[number]

const HOSTS: Readonly<Record<string, BalanceKind>> = {
  'api.deepseek.com': 'deepseek',
  'api.moonshot.ai': 'moonshot',
  'api.moonshot.cn': 'moonshot',
  'openrouter.ai': 'openrouter',
}

/** Who says what is left of a provider's account; undefined where nobody is known to. */
export function balanceKindOf({ preset, baseUrl }: Pick<Provider, 'preset' | 'baseUrl'>): BalanceKind | undefined {
  if (baseUrl === '') return undefined
  return BALANCE_KINDS.find((kind) => kind === preset) ?? HOSTS[new URL(baseUrl).hostname]
}

/** OpenRouter tells it to an administrator's key alone; the others to every key. */
export function isToldToAdministrators(kind: BalanceKind): boolean {
  return kind === 'openrouter'
}

/** What is left in one currency, as exact decimal text; below 0 where more was used than was paid. */
export type AccountBalance = { readonly currency: string; readonly amount: string }
export type DatedAmount = { readonly atMs: number; readonly amount: string }

const DAY_MS = 86_400_000
/** Over so long the pace is taken. */
export const PACE_MS = 7 * DAY_MS
/** What was used in less time says nothing of a day. */
const SHORTEST_MS = 6 * 3_600_000

/**
 * In how many days nothing is left, at the pace of the last days before the latest reading; undefined where nothing was used in them, or
 * there are too few. What is paid in between is no part of the pace. `readings` begin with the oldest.
 */
export function daysLeft(readings: readonly DatedAmount[]): number | undefined {
  const last = readings.at(-1)
  if (last === undefined) return undefined
  const recent = readings.filter(({ atMs }) => atMs >= last.atMs - PACE_MS)
  const elapsedMs = last.atMs - (recent[0]?.atMs ?? last.atMs)
  if (elapsedMs < SHORTEST_MS) return undefined
  const used = recent.reduce((sum, { amount }, index) => {
    const before = recent[index - 1]?.amount ?? amount
    return sum + Math.max(0, Number(before) - Number(amount))
  }, 0)
  if (used === 0) return undefined
  return Math.max(0, (Number(last.amount) / used) * (elapsedMs / DAY_MS))
}
