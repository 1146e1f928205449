// Compares money by day and model: what our prices make of our calls, against what the provider bills. One credit is taken for one
// US dollar, as the price card has it.

import { causesOfAll } from '#bills/causes.ts'
import type { DoubtfulCall, OurHour } from '#bills/ours.ts'
import { isForeign, spanName, type BillReport, type CostLine, type Span } from '#bills/report.ts'
import { inOrder, placesIn, spanAt, type PlaceOf } from '#bills/spans.ts'
import type { CompareOptions, OurSide, TokenComparison, TokenDifference } from '#bills/tokens.ts'
import type { Cause } from '#contract/bill-causes.ts'

export type MoneyDifference = Span & {
  /** undefined where the bill does not tell models apart, or where it is for none. */
  readonly model: string | undefined
  /** Millionths of a micro-credit. */
  readonly oursParts: bigint
  readonly theirsParts: bigint
  readonly currency: string
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
  const known = {
    fees: Map.groupBy(fees, placeOf),
    differences: Map.groupBy(
      tokens.differences.flatMap((one) => withinDay(one, days) ?? []),
      placeOf,
    ),
    // What left the last hour of the day before came to the first one of this.
    cameOver: Map.groupBy(
      tokens.differences
        .filter(({ endMs, edgeMs }) => edgeMs === endMs && isStartOf(days, endMs))
        .map((one) => ({ ...one, causes: ['hour_edge'] as const })),
      ({ endMs, model }) => placeOf({ startMs: endMs, model }),
    ),
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
  const causes: Cause[] = [calls.length > 0 ? 'tool_fees' : cause]
  return { startMs, endMs, model, oursParts: 0n, theirsParts: amount.parts, currency, causes, calls }
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
  /** The days of which all tokens were compared, by name. */
  readonly covered: ReadonlySet<string>
  readonly madeMs: CompareOptions['madeMs']
}

function differenceOf(row: Row, known: Known): MoneyDifference | undefined {
  const { startMs, endMs, model, oursParts, lines } = row
  const theirsParts = lines.reduce((sum, { amount }) => sum + amount.parts, 0n)
  if (oursParts === theirsParts) return undefined
  const { causes, calls } = causesOf(row, theirsParts - oursParts, known)
  return { startMs, endMs, model, oursParts, theirsParts, currency: CURRENCY, causes, calls }
}

function causesOf(
  row: Row,
  parts: bigint,
  known: Known,
): { readonly causes: readonly Cause[]; readonly calls: readonly string[] } {
  if (isRounding(row, parts)) return { causes: ['rounding'], calls: [] }
  if (row.endMs + LATE_MS > known.madeMs('costs', row.startMs) && parts < 0n)
    return { causes: ['not_reported_yet'], calls: [] }
  const fees = known.fees.get(row.place) ?? []
  const found = [...(known.cameOver.get(row.place) ?? []), ...(known.differences.get(row.place) ?? [])]
  if (found.length > 0) {
    const ofFees = fees.length > 0 ? [{ causes: ['tool_fees'] as const }] : []
    const calls = [...found, { calls: fees.map(({ id }) => id) }].flatMap((one) => one.calls)
    return { causes: causesOfAll([...found, ...ofFees]), calls: [...new Set(calls)] }
  }
  if (parts < 0n && fees.length > 0) return { causes: ['tool_fees'], calls: fees.map(({ id }) => id) }
  // Tokens of it were counted on neither side, so that no price of ours is in question.
  if (row.calls === 0) return { causes: ['not_through_farebox'], calls: [] }
  return { causes: [known.covered.has(spanName(row)) ? 'price_differs' : 'unexplained'], calls: [] }
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
