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
  /** Whether all of theirs is of keys that are known to be ours. */
  readonly isNamed: boolean
  /** The calls of this time and model of which something is in doubt. */
  readonly doubtful: readonly DoubtfulCall[]
}

/** The causes of several differences, each once, in the order of the table. */
export function causesOfAll(differences: readonly { readonly causes: readonly Cause[] }[]): Cause[] {
  const found = new Set(differences.flatMap(({ causes }) => causes))
  return CAUSES.filter((cause) => found.has(cause))
}

const DOUBTS = ['after_disconnect', 'repeated_attempt', 'estimated'] as const
type TokenDoubt = (typeof DOUBTS)[number]

/**
 * The causes of a difference in tokens, in the order of the table. Where the numbers leave room for several, all of them are said: nobody
 * could tell which of them it was. What none of them covers is `unexplained` beside those that cover the rest.
 */
export function tokenCauses(facts: Facts): Cause[] {
  const differing = PAID_CLASSES.filter((name) => facts.difference[name] !== 0)
  const foreign = foreignRequests(facts)
  const able = ableDoubts(facts, foreign !== 'none')
  const rest = differing.filter((name) => !able.some(({ classes }) => classes.includes(name)))
  const isForeign =
    foreign === 'certain' || (foreign === 'possible' && differing.some((name) => facts.difference[name] > 0))
  const isRestForeign = isForeign && rest.every((name) => facts.difference[name] > 0)
  return CAUSES.filter((cause) => {
    if (cause === 'not_through_farebox') return isForeign
    if (cause === 'unexplained') return rest.length > 0 && !isRestForeign
    return able.some(({ doubt, classes }) => doubt === cause && classes.some((name) => differing.includes(name)))
  })
}

type Able = { readonly doubt: TokenDoubt; readonly classes: readonly PaidClass[] }

/** The classes whose difference each doubt can have made, or a part of it. */
function ableDoubts(facts: Facts, isForeignPossible: boolean): Able[] {
  const open = DOUBTS.map((doubt) => openCalls(doubt, facts))
  // No call can have used less than nothing.
  const least = (name: PaidClass) =>
    -open
      .flat()
      .filter(isOpen(name))
      .reduce((sum, { counts }) => sum + counts[name], 0)
  const able = DOUBTS.map((doubt, index) => {
    const calls = open[index] ?? []
    const classes = PAID_CLASSES.filter((name) => calls.some(isOpen(name)) && facts.difference[name] >= least(name))
    return { doubt, classes, calls }
  })
  return able.filter(({ doubt, calls }) => {
    if (doubt !== 'repeated_attempt' || isForeignPossible) return true
    // What an attempt cannot have read, another call has to have used.
    const isReadElsewhere = able.some(
      (other) => other.doubt !== doubt && INPUT.some((name) => other.classes.includes(name)),
    )
    return isReadElsewhere || !isBeyondInput(calls, facts.difference)
  })
}

const INPUT = ['input', 'cache_read', 'cache_write'] as const satisfies readonly PaidClass[]

/** A request that we did not count can only be one that the provider counted beside ours. */
function openCalls(doubt: TokenDoubt, { extraRequests, doubtful }: Facts): readonly DoubtfulCall[] {
  return doubtful.filter(
    (call) => call.doubt === doubt && (call.uncounted === 0 || extraRequests === undefined || extraRequests > 0),
  )
}

function isOpen(name: PaidClass): (call: DoubtfulCall) => boolean {
  return ({ open, uncounted }) => open.includes(name) || uncounted > 0
}

/** An attempt that was billed has read what its call read, or less. */
function isBeyondInput(calls: readonly DoubtfulCall[], difference: TokenCounts): boolean {
  if (calls.some(({ inputBound }) => inputBound === undefined)) return false
  const bound = calls.reduce((sum, { inputBound = 0 }) => sum + inputBound, 0)
  return difference.input + difference.cache_read + difference.cache_write > bound
}

/**
 * Certain are more requests than we can have made, or a model of which we made none. Where keys are not told apart, a request that we
 * did not count may be somebody else's as well as an attempt of ours.
 */
function foreignRequests({ extraRequests, ourCalls, isNamed, doubtful }: Facts): 'certain' | 'possible' | 'none' {
  const uncounted = doubtful.reduce((sum, call) => sum + call.uncounted, 0)
  if (extraRequests === undefined) return ourCalls === 0 && doubtful.length === 0 ? 'certain' : 'none'
  if (extraRequests > uncounted) return 'certain'
  return extraRequests > 0 && !isNamed ? 'possible' : 'none'
}
