// Compares tokens by class, model and time. They have to be equal: a token has no price and no rounding.

import { causesOfAll, tokenCauses } from '#bills/causes.ts'
import { choicesOf, edgeCalls } from '#bills/edges.ts'
import type { DoubtfulCall, OurHour } from '#bills/ours.ts'
import { isForeign, modelNameOf, type BillReport, type Span, type TokenCounts, type UsageLine } from '#bills/report.ts'
import { inOrder, placesIn, spanAt } from '#bills/spans.ts'
import type { Cause } from '#contract/bill-causes.ts'
import { PAID_CLASSES } from '#contract/price-classes.ts'

export type TokenDifference = Span & {
  readonly model: string
  readonly ours: TokenCounts
  readonly theirs: TokenCounts
  readonly causes: readonly Cause[]
  /** The ids of the calls that the causes are about. */
  readonly calls: readonly string[]
  /** Whether the report shows that nobody but Farebox is in it: by its requests, or by the names of keys. */
  readonly isOurs: boolean
  /** Whether it is of a key that is known not to be ours. */
  readonly isForeign: boolean
  /** At which of its ends calls are that the provider counts on the other side of it; undefined where there are none. */
  readonly edgeMs: number | undefined
}

export type TokenComparison = {
  /** Pairs of a time and a model in which either side has something. */
  readonly compared: number
  readonly differences: readonly TokenDifference[]
}

export type OurSide = { readonly hours: readonly OurHour[]; readonly doubtful: readonly DoubtfulCall[] }

export type CompareOptions = {
  /** What the provider calls the keys that Farebox uses; undefined where nobody said. */
  readonly accounts: ReadonlySet<string> | undefined
  /** When what is told about a stretch of time was made. */
  readonly madeMs: (kind: 'usage' | 'costs', startMs: number) => number
}

/** A time and a model, and what both sides have of it. */
type Bucket = Span & {
  readonly model: string
  /** What we charged calls for that began in it. */
  readonly charged: TokenCounts
  /** The same, but with calls where the provider counts them. */
  ours: TokenCounts
  readonly theirs: TokenCounts
  ourCalls: number
  readonly requests: number | undefined
  /** Whether all of theirs is of keys that are known to be ours. */
  readonly isNamed: boolean
  /** Whether what was cached is in its input. */
  readonly isInputWhole: boolean
  readonly doubtful: readonly DoubtfulCall[]
  /** Calls that ran when it began, where the report begins with it. */
  readonly before: readonly DoubtfulCall[]
  /** Whether the report ends with it. */
  readonly isLast: boolean
}

const HOUR_MS = 3_600_000
/** Reports are often late, nowhere by more than a promise of hours. */
const LATE_MS = 2 * HOUR_MS
const NOTHING: TokenCounts = { input: 0, cache_read: 0, cache_write: 0, output: 0 }

export function compareTokens(report: BillReport, side: OurSide, options: CompareOptions): TokenComparison {
  const { accounts } = options
  const own = report.usage.filter((line) => !isForeign(line, accounts))
  const buckets = bucketsOf({ ...report, usage: own }, side, accounts !== undefined)
  const moved = moveEdges(buckets)
  const differences = [
    ...buckets.flatMap((bucket) => differenceOf(bucket, moved, options) ?? []),
    ...report.usage.filter((line) => isForeign(line, accounts)).map(foreignDifference),
  ]
  return { compared: buckets.length, differences: differences.toSorted((one, other) => one.startMs - other.startMs) }
}

function less(one: TokenCounts, other: TokenCounts): TokenCounts {
  return plus(one, other, -1)
}

export function plus(one: TokenCounts, other: TokenCounts, sign = 1): TokenCounts {
  return {
    input: one.input + sign * other.input,
    cache_read: one.cache_read + sign * other.cache_read,
    cache_write: one.cache_write + sign * other.cache_write,
    output: one.output + sign * other.output,
  }
}

function isNothing(counts: TokenCounts): boolean {
  return PAID_CLASSES.every((name) => counts[name] === 0)
}

/** In the order of their models and times. */
function bucketsOf({ usage, usageSpans }: BillReport, { hours, doubtful }: OurSide, hasNames: boolean): Bucket[] {
  const spans = inOrder(usageSpans)
  const placeOf = placesIn(spans)
  const ourHours = Map.groupBy(hours, placeOf)
  const lines = Map.groupBy(usage, placeOf)
  const doubts = Map.groupBy(doubtful, placeOf)
  const running = Map.groupBy(
    doubtful.filter(({ doubt }) => doubt === 'hour_edge'),
    ({ startMs, model }) => `${startMs - (startMs % HOUR_MS)} ${modelNameOf(model)}`,
  )
  const [begins, ends] = [new Set(spans.map(({ startMs }) => startMs)), new Set(spans.map(({ endMs }) => endMs))]
  return placesOf(spans, [...hours, ...usage]).map(({ name, model, span }) => {
    const ours = ourHours.get(name) ?? []
    const theirs = lines.get(name) ?? []
    const earlier = ends.has(span.startMs) ? [] : (running.get(`${span.startMs - HOUR_MS} ${model}`) ?? [])
    const place = {
      ...span,
      model: ours[0]?.model ?? theirs[0]?.model ?? model,
      before: earlier.filter((call) => isRunningAt(call, span.startMs)),
      isNamed: hasNames && theirs.every(({ account }) => account !== undefined),
      isLast: !begins.has(span.endMs),
    }
    return bucketOf(place, { ours, theirs, inDoubt: doubts.get(name) ?? [] })
  })
}

type Place = { readonly name: string; readonly model: string; readonly span: Span }

/** Every time and model of which either side has something. */
function placesOf(spans: readonly Span[], both: readonly (OurHour | UsageLine)[]): Place[] {
  const placeOf = placesIn(spans)
  const places = new Map<string, Place>()
  for (const one of both) {
    const [name, span] = [placeOf(one), spanAt(spans, one.startMs)]
    if (name !== undefined && span !== undefined) places.set(name, { name, model: modelNameOf(one.model), span })
  }
  return [...places.values()].toSorted((one, other) => {
    if (one.model !== other.model) return one.model < other.model ? -1 : 1
    return one.span.startMs - other.span.startMs
  })
}

type Sides = {
  readonly ours: readonly OurHour[]
  readonly theirs: readonly UsageLine[]
  readonly inDoubt: readonly DoubtfulCall[]
}

function isRunningAt({ doubt, endMs }: DoubtfulCall, instantMs: number): boolean {
  return doubt === 'hour_edge' && endMs >= instantMs
}

function bucketOf(
  place: Pick<Bucket, keyof Span | 'model' | 'before' | 'isNamed' | 'isLast'>,
  { ours, theirs, inDoubt }: Sides,
): Bucket {
  const isCounted = theirs.every(({ requests }) => requests !== undefined)
  const charged = ours.reduce((sum, { counts }) => plus(sum, counts), NOTHING)
  return {
    ...place,
    charged,
    ours: charged,
    theirs: theirs.reduce((sum, { counts }) => plus(sum, counts), NOTHING),
    ourCalls: ours.reduce((sum, { calls }) => sum + calls, 0),
    isInputWhole: theirs.some(({ isInputWhole }) => isInputWhole === true),
    requests: isCounted ? theirs.reduce((sum, { requests = 0 }) => sum + requests, 0) : undefined,
    doubtful: inDoubt,
  }
}

/**
 * A provider may count a call in the hour in which it ended. Where exactly such calls are missing from a time, or are exactly what the next
 * one has too much, they are taken for calls of the next one. Returns them by the bucket that they left, or came to where the report
 * begins with it.
 */
function moveEdges(buckets: readonly Bucket[]): Map<Bucket, readonly DoubtfulCall[]> {
  const moved = new Map<Bucket, readonly DoubtfulCall[]>()
  for (const [index, bucket] of buckets.entries()) {
    const came = edgeCalls(bucket.before, less(bucket.theirs, bucket.ours))
    if (came !== undefined) {
      moved.set(bucket, came)
      bucket.ours = plus(bucket.ours, sumOf(came))
      bucket.ourCalls += came.length
      continue
    }
    const next = followerOf(bucket, buckets[index + 1])
    const missing = less(bucket.ours, bucket.theirs)
    if (isNothing(missing) || (next === undefined && !bucket.isLast)) continue
    const running = bucket.doubtful.filter((call) => isRunningAt(call, bucket.endMs))
    const left =
      edgeCalls(running, missing) ??
      (next && edgeCalls(running, less(next.theirs, next.ours))) ??
      explainingEdge(bucket, next, running)
    if (left === undefined) continue
    moved.set(bucket, left)
    bucket.ours = less(bucket.ours, sumOf(left))
    bucket.ourCalls -= left.length
    if (next === undefined) continue
    next.ours = plus(next.ours, sumOf(left))
    next.ourCalls += left.length
  }
  return moved
}

/** More calls than these are not tried in all their choices: each of them is looked at in both hours. */
const MAX_TRIED = 6

/** Where something else went wrong in both hours: calls without which neither of them has anything unexplained. */
function explainingEdge(
  bucket: Bucket,
  next: Bucket | undefined,
  running: readonly DoubtfulCall[],
): readonly DoubtfulCall[] | undefined {
  if (next === undefined || running.length > MAX_TRIED || isExplained(bucket, [], 1)) return undefined
  return choicesOf(running).find((some) => isExplained(bucket, some, -1) && isExplained(next, some, 1))
}

function isExplained(bucket: Bucket, calls: readonly DoubtfulCall[], sign: 1 | -1): boolean {
  const { theirs, requests, isNamed, doubtful } = bucket
  const ourCalls = bucket.ourCalls + sign * calls.length
  const difference = less(theirs, plus(bucket.ours, sumOf(calls), sign))
  const extraRequests = requests === undefined ? undefined : requests - ourCalls
  return !tokenCauses({ difference, extraRequests, ourCalls, isNamed, doubtful }).includes('unexplained')
}

function sumOf(calls: readonly DoubtfulCall[]): TokenCounts {
  return calls.reduce((sum, { counts }) => plus(sum, counts), NOTHING)
}

function followerOf(bucket: Bucket, next: Bucket | undefined): Bucket | undefined {
  const isNext = next?.startMs === bucket.endMs && modelNameOf(next.model) === modelNameOf(bucket.model)
  return isNext ? next : undefined
}

function differenceOf(
  bucket: Bucket,
  moved: ReadonlyMap<Bucket, readonly DoubtfulCall[]>,
  { madeMs }: CompareOptions,
): TokenDifference | undefined {
  const { startMs, endMs, model, charged, theirs, doubtful, ourCalls, requests, isNamed, isInputWhole } = bucket
  const late = moved.get(bucket) ?? []
  const difference = less(theirs, bucket.ours)
  // Calls that came from the time before are ours here, and settling needs what is left.
  const ours = late.length > 0 ? charged : bucket.ours
  const edgeMs = late.length === 0 ? undefined : isRunningOver(late, bucket) ? endMs : startMs
  const shown = { startMs, endMs, model, ours, theirs, isOurs: false, isForeign: false, edgeMs }
  const edge: Cause[] = late.length > 0 ? ['hour_edge'] : []
  const lateIds = late.map(({ id }) => id)
  if (isNothing(difference)) return late.length > 0 ? { ...shown, causes: edge, calls: lateIds } : undefined
  const isOpen = endMs + LATE_MS > madeMs('usage', startMs) && PAID_CLASSES.every((name) => difference[name] <= 0)
  if (isOpen) return { ...shown, causes: [...edge, 'not_reported_yet'], calls: lateIds }
  const extraRequests = requests === undefined ? undefined : requests - ourCalls
  const causes = tokenCauses({ difference, extraRequests, ourCalls, isNamed, doubtful })
  const calls = doubtful.filter(({ doubt }) => causes.some((cause) => cause === doubt)).map(({ id }) => id)
  const uncounted = doubtful.reduce((sum, call) => sum + call.uncounted, 0)
  // Of an input that is one number nobody knows at which prices it would be corrected.
  const isOfClasses = !isInputWhole || difference.input === 0
  const isOurs = isOfClasses && (extraRequests === undefined ? isNamed : extraRequests === uncounted)
  const all = causesOfAll([{ causes }, { causes: edge }])
  return { ...shown, causes: all, calls: [...new Set([...calls, ...lateIds])], isOurs }
}

function isRunningOver(calls: readonly DoubtfulCall[], { startMs }: Bucket): boolean {
  return calls.every((call) => call.startMs >= startMs)
}

function foreignDifference({ startMs, endMs, model, counts }: UsageLine): TokenDifference {
  return {
    startMs,
    endMs,
    model,
    ours: NOTHING,
    theirs: counts,
    causes: ['not_through_farebox'],
    calls: [],
    isOurs: false,
    isForeign: true,
    edgeMs: undefined,
  }
}
