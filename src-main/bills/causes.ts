// Why the two sides of a comparison differ. A cause is only said where the facts leave room for it; what none of them covers is
// `unexplained`.

import type { DoubtfulCall } from '#bills/ours.ts'
import type { TokenCounts } from '#bills/report.ts'
import { CAUSES, type Cause } from '#contract/bill-causes.ts'
import { PAID_CLASSES, type PaidClass } from '#contract/price-classes.ts'

export type Facts = {
  /** Theirs less ours. */
  readonly difference: TokenCounts
  /** Their requests less our calls; undefined where the report does not count requests. */
  readonly extraRequests: number | undefined
  readonly ourCalls: number
  /** The calls of this time and model of which something is in doubt. */
  readonly doubtful: readonly DoubtfulCall[]
}

/** The causes of several differences, each once, in the order of the table. */
export function causesOfAll(differences: readonly { readonly causes: readonly Cause[] }[]): Cause[] {
  const found = new Set(differences.flatMap(({ causes }) => causes))
  return CAUSES.filter((cause) => found.has(cause))
}

/** The causes of a difference in tokens, in the order of the table. */
export function tokenCauses(facts: Facts): Cause[] {
  const differing = PAID_CLASSES.filter((name) => facts.difference[name] !== 0)
  const doubts = ['after_disconnect', 'repeated_attempt', 'estimated'] as const
  const able = new Map(doubts.map((doubt) => [doubt, coveredBy(doubt, facts)]))
  const isCovered = (name: PaidClass) => doubts.some((doubt) => able.get(doubt)?.includes(name) === true)
  const rest = differing.filter((name) => !isCovered(name))
  const isForeign = hasForeignRequests(facts)
  if (rest.length > 0 && !(isForeign && rest.every((name) => facts.difference[name] > 0))) return ['unexplained']
  return CAUSES.filter((cause) => {
    if (cause === 'not_through_farebox') return isForeign
    return doubts.some((doubt) => doubt === cause && able.get(doubt)?.some((name) => differing.includes(name)))
  })
}

/** The classes whose difference calls with a doubt can have made. */
function coveredBy(doubt: DoubtfulCall['doubt'], { difference, extraRequests, doubtful }: Facts): PaidClass[] {
  // A request that we did not count can only be one that the provider counted beside ours.
  const isCounted = (call: DoubtfulCall) => call.uncounted === 0 || extraRequests === undefined || extraRequests > 0
  const calls = doubtful.filter((call) => call.doubt === doubt && isCounted(call))
  if (doubt === 'repeated_attempt' && isBeyondInput(calls, difference)) return []
  return PAID_CLASSES.filter((name) => {
    const open = calls.filter((call) => call.open.includes(name) || call.uncounted > 0)
    if (open.length === 0) return false
    const most = open.reduce((sum, call) => sum + call.counts[name], 0)
    // No call can have used less than nothing.
    return difference[name] >= -most
  })
}

/** An attempt that was billed has read what its call read, or less. */
function isBeyondInput(calls: readonly DoubtfulCall[], difference: TokenCounts): boolean {
  if (calls.some(({ inputBound }) => inputBound === undefined)) return false
  const bound = calls.reduce((sum, { inputBound = 0 }) => sum + inputBound, 0)
  return difference.input + difference.cache_read + difference.cache_write > bound
}

/** More requests than we can have made, or a model of which we made none. */
function hasForeignRequests({ extraRequests, ourCalls, doubtful }: Facts): boolean {
  const uncounted = doubtful.reduce((sum, call) => sum + call.uncounted, 0)
  if (extraRequests !== undefined) return extraRequests > uncounted
  return ourCalls === 0 && doubtful.length === 0
}
