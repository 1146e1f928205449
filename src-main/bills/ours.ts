// Our side of a comparison: what the usage records say about one provider, and which calls leave room for doubt.

import type { TokenCounts } from '#bills/report.ts'
import { PAID_CLASSES, type PaidClass } from '#contract/price-classes.ts'
import type { Price } from '#core/price.ts'

/** What calls of an hour used of a model, as they were charged at one price. */
export type OurHour = {
  readonly startMs: number
  readonly model: string
  /** Calls whose usage is known or was estimated. */
  readonly calls: number
  readonly counts: TokenCounts
  readonly chargeMicro: number
  /** undefined where there was none, so that they were charged nothing. */
  readonly price: Price | undefined
}

/** Why the provider may have counted a call differently from us. */
export type Doubt = 'repeated_attempt' | 'after_disconnect' | 'estimated' | 'hour_edge' | 'tool_fees'

export type DoubtfulCall = {
  readonly id: string
  readonly model: string
  readonly startMs: number
  readonly endMs: number
  readonly doubt: Doubt
  /** The classes that nobody but us counted. */
  readonly open: readonly PaidClass[]
  /** What is in the sums of its hour. */
  readonly counts: TokenCounts
  /** Requests that the provider may have counted and that are not in the sums. */
  readonly uncounted: number
  /** The most that an attempt could have read; undefined where that is not known. */
  readonly inputBound: number | undefined
  /** What is charged for its units, in millionths of a micro-credit. */
  readonly unitParts: bigint
}

/** A record of a call of which something is in doubt, as it is stored. */
export type DoubtfulRecord = {
  readonly id: string
  /** Whether the provider in question served it in the end; else it was only asked on the way. */
  readonly isServed: boolean
  readonly upstreamModel: string
  readonly outcome: string
  readonly usageSource: string
  readonly estimatedClasses: string | null
  readonly counts: TokenCounts
  readonly hasUnits: boolean
  /** What it was charged for them, in millionths of a micro-credit. */
  readonly unitParts: bigint
  readonly startMs: number
  readonly endMs: number
  /** The models of this provider that attempts before the last one asked for. */
  readonly failedModels: readonly string[]
}

const HOUR_MS = 3_600_000
const NO_COUNTS: TokenCounts = { input: 0, cache_read: 0, cache_write: 0, output: 0 }
/** Ends before the whole answer was read. */
const BROKEN_OFF = ['client_gone', 'cut', 'out_of_credits', 'interrupted']

/** Every doubt about a call by itself. */
export function doubtsOf(record: DoubtfulRecord): DoubtfulCall[] {
  const { id, upstreamModel: model, startMs, endMs, counts, unitParts } = record
  const plain = { id, model, startMs, endMs, open: [], counts, uncounted: 0, inputBound: undefined, unitParts }
  const known = counts.input + counts.cache_read + counts.cache_write
  const failed = record.failedModels.map((failedModel): DoubtfulCall => {
    const inputBound = known === 0 ? undefined : known
    return { ...plain, model: failedModel, doubt: 'repeated_attempt', counts: NO_COUNTS, uncounted: 1, inputBound }
  })
  if (!record.isServed) return failed
  const uncertain = uncertainty(record)
  const isLate = Math.floor(startMs / HOUR_MS) !== Math.floor(endMs / HOUR_MS)
  return [
    ...failed,
    ...(uncertain === undefined ? [] : [{ ...plain, ...uncertain }]),
    ...(isLate ? [{ ...plain, doubt: 'hour_edge' as const }] : []),
    ...(record.hasUnits ? [{ ...plain, doubt: 'tool_fees' as const }] : []),
  ]
}

type Uncertainty = Pick<DoubtfulCall, 'doubt' | 'open' | 'uncounted'>

/** What is in doubt of a call by how it was counted; undefined where its provider counted all of it. */
export function uncertainty({
  usageSource,
  estimatedClasses,
  outcome,
}: Pick<DoubtfulRecord, 'usageSource' | 'estimatedClasses' | 'outcome'>): Uncertainty | undefined {
  const isBroken = BROKEN_OFF.includes(outcome)
  if (usageSource === 'none') {
    return { doubt: isBroken ? 'after_disconnect' : 'repeated_attempt', open: PAID_CLASSES, uncounted: 1 }
  }
  const open = openClasses(usageSource, estimatedClasses)
  if (open.length === 0) return undefined
  return { doubt: isBroken ? 'after_disconnect' : 'estimated', open, uncounted: 0 }
}

/** Where the input was counted by us, nobody said what of it was cached. */
function openClasses(usageSource: string, estimatedClasses: string | null): readonly PaidClass[] {
  if (estimatedClasses === null) return usageSource === 'estimated' ? PAID_CLASSES : []
  const named = estimatedClasses.split(',')
  return PAID_CLASSES.filter((name) => named.includes(name === 'output' ? 'output' : 'input'))
}
