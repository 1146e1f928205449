// Compares money by day and model: what our prices make of our calls, against what the provider bills. One credit is taken for one
// US dollar, as the price card has it.

import { causesOfAll } from '#bills/causes.ts'
import type { DoubtfulCall, OurHour } from '#bills/ours.ts'
import { isForeign, spanName, type BillReport, type CostLine, type Span } from '#bills/report.ts'
import { inOrder, placesIn, spanAt, type PlaceOf } from '#bills/spans.ts'
import type { CompareOptions, OurSide, TokenComparison, TokenDifference } from '#bills/tokens.ts'
import { withinWorth, worthsOf, type Worth } from '#bills/worth.ts'
import type { Cause } from '#contract/bill-causes.ts'
import { isPriceJump } from '#core/pricing.ts'

export type MoneyDifference = Span & {
  /** undefined where the bill does not tell models apart, or where it is for none. */
  readonly model: string | undefined
  /** Millionths of a micro-credit. */
  readonly oursParts: bigint
  readonly theirsParts: bigint
  readonly currency: string
  /** What of the difference its tokens are worth by our prices; the rest has causes of its own. */
  readonly tokenParts: bigint
  /** What of it has no cause, whether too much or too little. */
  readonly unexplainedParts: bigint
  readonly causes: readonly Cause[]
  readonly calls: readonly string[]
}

export type MoneyComparison = { readonly compared: number; readonly differences: readonly MoneyDifference[] }

type Row = Span & {
  /** The time and, where models are told apart, the model. */
  readonly place: string
  readonly model: string | undefined
  readonly oursParts: bigint
  readonly calls: number
  readonly lines: readonly CostLine[]
}

const HOUR_MS = 3_600_000
/** Costs come later than counts: a day is left open for another one. */
const LATE_MS = 24 * HOUR_MS
const CURRENCY = 'USD'
const PARTS_PER_MICRO = 1_000_000n
/** No bill is finer than it is written, and none is taken to be rougher than a cent. */
const ROUGHEST_PLACES = 2
const PLACES = 12

export function compareMoney(
  report: BillReport,
  side: OurSide,
  { tokens, spans, ...options }: CompareOptions & { readonly tokens: TokenComparison; readonly spans: readonly Span[] },
): MoneyComparison {
  const days = inOrder(report.costSpans)
  const counted = inOrder(spans)
  const fees = side.doubtful.filter(({ doubt }) => doubt === 'tool_fees')
  const feesByDay = Map.groupBy(fees, ({ startMs }) => spanAt(days, startMs)?.startMs)
  const rest: CostLine[] = []
  const others: MoneyDifference[] = []
  for (const line of report.costs) {
    const cause = causeApart(line, options.accounts)
    if (cause === undefined) rest.push(line)
    else others.push(differenceApart(line, cause, feesByDay.get(line.startMs) ?? []))
  }
  // A day in which an amount is for all models is compared as a whole.
  const whole = new Set(rest.filter(({ model }) => model === undefined).map(spanName))
  const placeOf = placesIn(days, whole)
  const rows = rowsOf({ days, costs: rest, hours: side.hours, placeOf })
  // Where amounts are told by key, those of others are not in these rows, and neither are their tokens.
  const isByKey = report.costs.some(({ account }) => account !== undefined)
  const isHere = (isOfOthers: boolean) => !(isByKey && isOfOthers)
  const found = tokens.differences.filter((one) => isHere(one.isForeign))
  const usage = report.usage.filter((line) => isHere(isForeign(line, options.accounts)))
  const known = {
    fees: Map.groupBy(fees, placeOf),
    feeDays: new Set(others.filter(({ causes }) => causes.includes('tool_fees')).map(spanName)),
    differences: Map.groupBy(
      found.flatMap((one) => withinDay(one, days) ?? []),
      placeOf,
    ),
    // What left the last hour of the day before came to the first one of this.
    cameOver: Map.groupBy(
      found
        .filter(({ endMs, edgeMs }) => edgeMs === endMs && isStartOf(days, endMs))
        .map((one) => ({ ...one, causes: ['hour_edge'] as const })),
      ({ endMs, model }) => placeOf({ startMs: endMs, model }),
    ),
    worths: worthsOf({ usage, usageSpans: spans, hours: side.hours }, placeOf),
    covered: new Set(days.filter((day) => isCovered(day, counted)).map(spanName)),
    madeMs: options.madeMs,
  }
  const differences = rows.flatMap((row) => differenceOf(row, known) ?? [])
  return {
    compared: rows.length,
    differences: [...differences, ...others].toSorted((one, other) => one.startMs - other.startMs),
  }
}

/** What it does to the money of its day: what a call's hour is counted for changes nothing within one. undefined where nothing is left. */
function withinDay(difference: TokenDifference, days: readonly Span[]): TokenDifference | undefined {
  const { startMs, causes, edgeMs } = difference
  const day = spanAt(days, startMs)
  if (edgeMs === undefined || edgeMs === day?.startMs || edgeMs === day?.endMs) return difference
  const rest = causes.filter((cause) => cause !== 'hour_edge')
  return rest.length === 0 ? undefined : { ...difference, causes: rest }
}

function isStartOf(days: readonly Span[], instantMs: number): boolean {
  return spanAt(days, instantMs)?.startMs === instantMs
}

/** Why an amount stands apart from what our prices make of calls; undefined where it does not. */
function causeApart(line: CostLine, accounts: CompareOptions['accounts']): ApartCause | undefined {
  if (isForeign(line, accounts)) return 'not_through_farebox'
  if (line.currency !== CURRENCY) return 'other_currency'
  if (line.kind === 'other') return 'unexplained'
  return line.kind === 'tool' ? 'tool_fees' : undefined
}

type ApartCause = 'not_through_farebox' | 'other_currency' | 'tool_fees' | 'unexplained'

/** An amount in words that we do not know is for tools where calls of that time used any. */
function differenceApart(line: CostLine, cause: ApartCause, fees: readonly DoubtfulCall[]): MoneyDifference {
  const { startMs, endMs, model, amount, currency } = line
  const calls = cause === 'unexplained' ? fees.map(({ id }) => id) : []
  const known = calls.length > 0 ? 'tool_fees' : cause
  const unexplainedParts = known === 'unexplained' ? absolute(amount.parts) : 0n
  const parts = { oursParts: 0n, theirsParts: amount.parts, tokenParts: 0n, unexplainedParts }
  return { startMs, endMs, model, ...parts, currency, causes: [known], calls }
}

type RowSources = {
  readonly days: readonly Span[]
  readonly costs: readonly CostLine[]
  readonly hours: readonly OurHour[]
  readonly placeOf: PlaceOf
}

function rowsOf({ days, costs, hours, placeOf }: RowSources): Row[] {
  const billed = Map.groupBy(costs, placeOf)
  const charged = Map.groupBy(hours, placeOf)
  const names = new Set([...billed.keys(), ...charged.keys()])
  return [...names].flatMap((place): Row[] => {
    const lines = billed.get(place) ?? []
    const own = charged.get(place) ?? []
    const [first] = [...own, ...lines]
    const day = first && spanAt(days, first.startMs)
    if (place === undefined || day === undefined) return []
    const chargeMicro = own.reduce((sum, hour) => sum + BigInt(hour.chargeMicro), 0n)
    const calls = own.reduce((sum, hour) => sum + hour.calls, 0)
    const isWhole = place === spanName(day)
    const model = isWhole ? undefined : first?.model
    return [{ ...day, place, model, oursParts: chargeMicro * PARTS_PER_MICRO, calls, lines }]
  })
}

type Known = {
  /** By place, as those of the rows. */
  readonly fees: ReadonlyMap<string | undefined, readonly DoubtfulCall[]>
  readonly differences: ReadonlyMap<string | undefined, readonly TokenDifference[]>
  readonly cameOver: ReadonlyMap<string | undefined, readonly TokenDifference[]>
  readonly worths: ReadonlyMap<string, Worth>
  /** The days on which tools are billed by themselves, by name. */
  readonly feeDays: ReadonlySet<string>
  /** The days of which all tokens were compared, by name. */
  readonly covered: ReadonlySet<string>
  readonly madeMs: CompareOptions['madeMs']
}

function differenceOf(row: Row, known: Known): MoneyDifference | undefined {
  const { startMs, endMs, model, oursParts, lines } = row
  const theirsParts = lines.reduce((sum, { amount }) => sum + amount.parts, 0n)
  const parts = theirsParts - oursParts
  const found = [...(known.cameOver.get(row.place) ?? []), ...(known.differences.get(row.place) ?? [])]
  const tokenParts = found.length === 0 ? 0n : withinWorth(parts, known.worths.get(row.place))
  if (parts === 0n && tokenParts === 0n) return undefined
  const ofTokens = { causes: causesOfAll(found), calls: found.flatMap(({ calls }) => calls) }
  const rest = restOf(row, { parts, tokenParts, theirsParts }, found, known)
  // What is less than was reported yet, or nothing but rounding, has that cause alone.
  const all = rest.isAlone ? [rest] : [ofTokens, rest]
  const isUnexplained = !rest.isAlone && ofTokens.causes.includes('unexplained')
  const unexplainedParts =
    (isUnexplained ? absolute(tokenParts) : 0n) +
    (rest.causes.includes('unexplained') ? absolute(parts - tokenParts) : 0n)
  const shown = { startMs, endMs, model, oursParts, theirsParts, tokenParts, unexplainedParts, currency: CURRENCY }
  return { ...shown, causes: causesOfAll(all), calls: [...new Set(all.flatMap(({ calls }) => calls))] }
}

type Amounts = {
  /** Theirs less ours. */
  readonly parts: bigint
  readonly tokenParts: bigint
  readonly theirsParts: bigint
}

type Rest = {
  readonly causes: readonly Cause[]
  readonly calls: readonly string[]
  /** Whether it is the cause of the whole difference. */
  readonly isAlone: boolean
}

/** Why a row differs by more or by less than its tokens are worth. */
function restOf(row: Row, amounts: Amounts, found: readonly TokenDifference[], known: Known): Rest {
  const { parts, tokenParts } = amounts
  const rest = parts - tokenParts
  const hasTokens = found.length > 0
  const alone = (cause: Cause): Rest => ({ causes: [cause], calls: [], isAlone: true })
  const nothing: Rest = { causes: [], calls: [], isAlone: false }
  if (isRounding(row, rest)) return hasTokens ? nothing : alone('rounding')
  const isLate = row.endMs + LATE_MS > known.madeMs('costs', row.startMs)
  if (isLate && parts < 0n) return alone('not_reported_yet')
  // Tokens that are still to come are worth what nobody knows yet.
  if (found.some(({ causes }) => causes.includes('not_reported_yet')))
    return isRounding(row, parts) ? alone('rounding') : nothing
  // Tokens of it were charged by nobody here, so that no price of ours is in question.
  if (row.calls === 0) return hasTokens ? nothing : alone('not_through_farebox')
  return { ...ownCauses(row, rest, amounts, known), isAlone: !hasTokens }
}

/** What is charged here for tools may be billed elsewhere; anything else is a matter of the price, where one can have made it. */
function ownCauses(row: Row, rest: bigint, amounts: Amounts, known: Known): Omit<Rest, 'isAlone'> {
  const fees = (known.fees.get(row.place) ?? []).filter(({ unitParts }) => unitParts > 0n)
  const calls = fees.map(({ id }) => id)
  const feeParts = fees.reduce((sum, { unitParts }) => sum + unitParts, 0n)
  if (rest < 0n && (rest >= -feeParts || isRounding(row, rest + feeParts))) return { causes: ['tool_fees'], calls }
  const isOfPrice = known.covered.has(spanName(row)) && canBePrice(row, amounts)
  if (!isOfPrice) return { causes: ['unexplained'], calls: [] }
  const isBilledApart = feeParts > 0n && known.feeDays.has(spanName(row))
  return isBilledApart ? { causes: ['price_differs', 'tool_fees'], calls } : { causes: ['price_differs'], calls: [] }
}

/** No price is below nothing, and none is a hundred times as high as another one for the same. */
function canBePrice({ oursParts }: Row, { tokenParts, theirsParts }: Amounts): boolean {
  return theirsParts >= 0n && !isPriceJump(Number(oursParts + tokenParts), Number(theirsParts))
}

function absolute(parts: bigint): bigint {
  return parts < 0n ? -parts : parts
}

/** Each of our charges was rounded up by less than a micro-credit, and each amount of theirs by half of its last decimal. */
function isRounding({ calls, lines }: Row, parts: bigint): boolean {
  const theirs = lines.reduce((sum, { amount }) => {
    const places = Math.min(PLACES, Math.max(ROUGHEST_PLACES, amount.places))
    return sum + 10n ** BigInt(PLACES - places) / 2n
  }, 0n)
  return parts <= theirs && parts >= -theirs - BigInt(calls) * PARTS_PER_MICRO
}

/** Whether tokens were compared for all of a time, so that what is left is a matter of prices. `spans` are in order. */
function isCovered({ startMs, endMs }: Span, spans: readonly Span[]): boolean {
  let reachedMs = startMs
  for (const span of spans) {
    if (span.startMs <= reachedMs) reachedMs = Math.max(reachedMs, span.endMs)
  }
  return reachedMs >= endMs
}
