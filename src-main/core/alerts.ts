// Budgets and their thresholds: what part of an amount is used, and from where on somebody is told. Pure.

import type { MicroCredits } from '#core/money.ts'

/** Percent of an amount at which somebody is told, where nothing else was said. */
export const DEFAULT_THRESHOLDS: readonly number[] = [50, 80, 95, 100]

/** What a budget belongs to, such as `key` or `member`. The set is open: what has a budget names itself. */
export type AlertScope = string

/** How a budget stands in its present cycle. */
export type BudgetStanding = {
  readonly cycleStartedAtMs: number
  readonly usedMicro: MicroCredits
  readonly totalMicro: MicroCredits
  /** When it begins anew; undefined: never. */
  readonly nextResetAtMs: number | undefined
}

/** A threshold that a budget has reached. */
export type Alert = BudgetStanding & {
  readonly id: string
  readonly scope: AlertScope
  readonly subjectId: string
  /** As it was called then. */
  readonly name: string
  /** Percent. */
  readonly threshold: number
  readonly atMs: number
}

/** Which thresholds hold for a budget, or for all of a scope that have none of their own. */
export type ThresholdRule = {
  readonly scope: AlertScope
  /** undefined: for the whole scope. */
  readonly subjectId: string | undefined
  readonly thresholds: readonly number[]
}

/** The amount from which on a threshold is reached, rounded up. In two parts, because a hundredfold amount need not be exact. */
export function lineMicro(totalMicro: number, threshold: number): number {
  return Math.floor(totalMicro / 100) * threshold + Math.ceil(((totalMicro % 100) * threshold) / 100)
}

/** A budget of nothing has no part that could be used. */
export function isReached(
  { usedMicro, totalMicro }: Pick<BudgetStanding, 'usedMicro' | 'totalMicro'>,
  threshold: number,
) {
  return totalMicro > 0 && usedMicro >= lineMicro(totalMicro, threshold)
}
