// What differences in tokens are worth by our prices: no more of the money of a day than that can come from them.

import type { OurHour } from '#bills/ours.ts'
import { modelNameOf, type Span, type TokenCounts, type UsageLine } from '#bills/report.ts'
import { inOrder, placesIn, spanAt, type PlaceOf } from '#bills/spans.ts'
import { PAID_CLASSES, PART_CLASSES, PART_OF, type PaidClass } from '#contract/price-classes.ts'
import { ZERO } from '#core/money.ts'
import type { Price, Rates } from '#core/price.ts'
import { ratesOf } from '#core/pricing.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'

/** In millionths of a micro-credit; undefined where there is no bound. */
export type Worth = { readonly least: bigint | undefined; readonly most: bigint | undefined }

/** As much of an amount as lies within a worth; nothing where no tokens differ. */
export function withinWorth(parts: bigint, worth: Worth | undefined): bigint {
  if (worth === undefined) return 0n
  if (worth.least !== undefined && parts < worth.least) return worth.least
  return worth.most !== undefined && parts > worth.most ? worth.most : parts
}

type Counted = {
  readonly usage: readonly UsageLine[]
  readonly usageSpans: readonly Span[]
  readonly hours: readonly OurHour[]
}

/**
 * By the places of money in which tokens differ. A token may be of any tier, length or part that the prices of that time name, and
 * is of no known price where we charged no call of its model. Where the tokens of a place are equal, none of its money is theirs,
 * whichever of its hours they are counted in.
 */
export function worthsOf({ usage, usageSpans, hours }: Counted, placeOf: PlaceOf): Map<string, Worth> {
  const charged = Map.groupBy(hours, (hour) => nameOf(hour, placeOf))
  const worths = new Map<string, Worth>()
  for (const [name, { place, ...drift }] of driftsOf({ usage, usageSpans, hours }, placeOf)) {
    if (PAID_CLASSES.every((kind) => drift.over[kind] === drift.under[kind])) continue
    const worth = worthOf(drift, charged.get(name) ?? [])
    const before = worths.get(place)
    worths.set(place, before === undefined ? worth : sumOf(before, worth))
  }
  return worths
}

/** What the provider counted too much, and what too little, hour by hour. */
type Drift = {
  readonly over: TokenCounts
  readonly under: TokenCounts
  /** Whether `input` may be of any class of it. */
  readonly isInputWhole: boolean
}

/** By place and model. */
function driftsOf({ usage, usageSpans, hours }: Counted, placeOf: PlaceOf): Map<string, Drift & { place: string }> {
  const spans = inOrder(usageSpans)
  const countedAt = placesIn(spans)
  const theirs = Map.groupBy(usage, countedAt)
  const ours = Map.groupBy(hours, countedAt)
  const drifts = new Map<string, Drift & { place: string }>()
  for (const counted of new Set([...theirs.keys(), ...ours.keys()])) {
    const [lines, own] = [theirs.get(counted) ?? [], ours.get(counted) ?? []]
    const [first] = [...own, ...lines]
    const startMs = first && spanAt(spans, first.startMs)?.startMs
    if (startMs === undefined) continue
    const at = { startMs, model: first?.model }
    const [place, name] = [placeOf(at), nameOf(at, placeOf)]
    if (place === undefined || name === undefined) continue
    const { over = NOTHING, under = NOTHING, isInputWhole = false } = drifts.get(name) ?? {}
    const difference = (kind: PaidClass) => countOf(lines, kind) - countOf(own, kind)
    drifts.set(name, {
      place,
      over: countsBy((kind) => over[kind] + Math.max(0, difference(kind))),
      under: countsBy((kind) => under[kind] + Math.max(0, -difference(kind))),
      isInputWhole: isInputWhole || lines.some((line) => line.isInputWhole === true),
    })
  }
  return drifts
}

const NOTHING = countsBy(() => 0)

function countsBy(count: (kind: PaidClass) => number): TokenCounts {
  return {
    input: count('input'),
    cache_read: count('cache_read'),
    cache_write: count('cache_write'),
    output: count('output'),
  }
}

function countOf(all: readonly { readonly counts: TokenCounts }[], kind: PaidClass): number {
  return all.reduce((sum, { counts }) => sum + counts[kind], 0)
}

function nameOf(one: Parameters<PlaceOf>[0], placeOf: PlaceOf): string | undefined {
  const place = placeOf(one)
  return place === undefined ? undefined : `${place} ${modelNameOf(one.model ?? '')}`
}

function worthOf({ over, under, isInputWhole }: Drift, charged: readonly OurHour[]): Worth {
  const prices = [...new Set(charged.map(({ price }) => price))]
  const isBound = prices.length > 0 && !prices.some((price) => price !== undefined && isOfCalls(price))
  const reaches = prices.flatMap((price) => (price === undefined ? [FREE] : allRatesOf(price)))
  let [least, most]: [bigint | undefined, bigint | undefined] = [0n, 0n]
  for (const kind of PAID_CLASSES) {
    const [low, high] = reachOf(isInputWhole && kind === 'input' ? INPUT_CLASSES : [kind], reaches)
    const [more, fewer] = [BigInt(over[kind]), BigInt(under[kind])]
    least = isBound || fewer === 0n ? plus(least, more * low - fewer * high) : undefined
    most = isBound || more === 0n ? plus(most, more * high - fewer * low) : undefined
  }
  return { least, most }
}

/** Whether a call costs more than what it counts: then nobody knows how much of an amount is for how many calls. */
function isOfCalls({ minimumMicro = ZERO, units }: Price): boolean {
  return minimumMicro > 0 || (units?.['request'] ?? 0) > 0
}

const FREE = { inputMicro: 0, cacheReadMicro: 0, cacheWriteMicro: 0, outputMicro: 0 }
type AnyRates = { readonly [Name in keyof typeof FREE]: number } & Pick<Rates, 'parts'>

/** Of each tier, at each length of an input. */
function allRatesOf(price: Price): AnyRates[] {
  const tiers = price.tiers ?? {}
  const lengths = [price, ...Object.values(tiers)].flatMap((ladder) =>
    'factorMicro' in ladder ? [] : (ladder.steps ?? []).map(({ aboveTokens }) => aboveTokens + 1),
  )
  return [undefined, ...Object.keys(tiers)].flatMap((tier) =>
    [0, ...lengths].map((inputTokens) => ratesOf({ ...UNKNOWN_USAGE, inputTokens, details: { tier } }, price)),
  )
}

const RATE_OF = {
  input: 'inputMicro',
  cache_read: 'cacheReadMicro',
  cache_write: 'cacheWriteMicro',
  output: 'outputMicro',
} as const satisfies Readonly<Record<PaidClass, keyof AnyRates>>

const INPUT_CLASSES = ['input', 'cache_read', 'cache_write'] as const

/** The lowest and the highest price of classes or of what is a part of them; a price for a million is as many millionths for one. */
function reachOf(kinds: readonly PaidClass[], all: readonly AnyRates[]): readonly [low: bigint, high: bigint] {
  const parts = PART_CLASSES.filter((part) => kinds.includes(PART_OF[part]))
  const micros = all.flatMap((rates) => [
    ...kinds.map((kind) => rates[RATE_OF[kind]]),
    ...parts.flatMap((part) => rates.parts?.[part] ?? []),
  ])
  const [first = 0] = micros
  const low = micros.reduce((least, micro) => Math.min(least, micro), first)
  return [BigInt(low), BigInt(micros.reduce((most, micro) => Math.max(most, micro), first))]
}

function sumOf(one: Worth, other: Worth): Worth {
  return { least: plus(one.least, other.least), most: plus(one.most, other.most) }
}

function plus(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  return one === undefined || other === undefined ? undefined : one + other
}
