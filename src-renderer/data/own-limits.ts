// What is left of the credits that somebody may use on one day.

import type { OverviewView } from '#contract/reports.ts'
import { microOf } from '#renderer/data/money.ts'

export type OwnLimits = NonNullable<OverviewView['own_limits']>

/**
 * In micro-credits, without what running calls hold: that much a call can still get. The last call of a day may cost more than was
 * left, which leaves nothing and not less. Undefined where the credits are not limited, or their use is not told.
 */
export function leftToday({ limits: { credits_per_day: daily }, use }: OwnLimits): bigint | undefined {
  if (daily === null || use === null) return undefined
  const left = (microOf(daily) ?? 0n) - (microOf(use.credits_today) ?? 0n) - (microOf(use.held_credits) ?? 0n)
  return left > 0n ? left : 0n
}

/** Whether nothing is left even if running calls gave back all that they hold. */
export function isDayUsedUp({ limits: { credits_per_day: daily }, use }: OwnLimits): boolean {
  return daily !== null && use !== null && use.credits_today >= daily
}
