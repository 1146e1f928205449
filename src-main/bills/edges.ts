// Finds the calls that a provider counts in another hour than we do.

import type { DoubtfulCall } from '#bills/ours.ts'
import type { TokenCounts } from '#bills/report.ts'
import { PAID_CLASSES } from '#contract/price-classes.ts'

/** More calls than these at the end of an hour are only tried one by one and all together: their choices double with each. */
const MAX_CHOSEN = 12

/** Calls that together used exactly what is missing; undefined where there are none. */
export function edgeCalls(calls: readonly DoubtfulCall[], missing: TokenCounts): readonly DoubtfulCall[] | undefined {
  if (calls.length > MAX_CHOSEN) return [calls, ...calls.map((call) => [call])].find((some) => isSumOf(some, missing))
  return choicesOf(calls).find((some) => isSumOf(some, missing))
}

/** Each choice of one call or more. */
export function choicesOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: 2 ** items.length - 1 }, (_, choice) =>
    items.filter((_item, index) => ((choice + 1) & (1 << index)) !== 0),
  )
}

function isSumOf(calls: readonly DoubtfulCall[], counts: TokenCounts): boolean {
  return PAID_CLASSES.every((name) => calls.reduce((sum, call) => sum + call.counts[name], 0) === counts[name])
}
