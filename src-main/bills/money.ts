// Compares money by day and model: what our prices make of our calls, against what the provider bills. One credit is taken for one
// US dollar, as the price card has it.

import { eachOnce, isForeign, modelNameOf, spanName, type BillReport, type CostLine, type Span } from '#bills/report.ts'
import { CAUSES, type Cause } from '#contract/bill-causes.ts'
import {
  inOrder,
  type CompareOptions,
  type OurSide,
  type TokenComparison,
  type TokenDifference,
} from '#bills/tokens.ts'

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
  const rest: CostLine[] = []
  const others: MoneyDifference[] = []
  for (const line of report.costs) {
    const cause = causeApart(line, options.accounts)
    if (cause === undefined) rest.push(line)
    else others.push(differenceApart(line, cause))
  }
  const rows = rowsOf({ ...report, costs: rest }, side)
  const known = { side, tokens, spans: inOrder(spans), madeMs: options.madeMs }
  const differences = rows.flatMap((row) => differenceOf(row, known) ?? [])
  return {
    compared: rows.length,
    differences: [...differences, ...others].toSorted((one, other) => one.startMs - other.startMs),
  }
}

/** Why an amount stands apart from what our prices make of calls; undefined where it does not. */
function causeApart(line: CostLine, accounts: CompareOptions['accounts']): Cause | undefined {
  if (isForeign(line, accounts)) return 'not_through_farebox'
  if (line.currency !== CURRENCY) return 'other_currency'
  return line.kind === 'tool' ? 'tool_fees' : undefined
}

function differenceApart({ startMs, endMs, model, amount, currency }: CostLine, cause: Cause): MoneyDifference {
  return { startMs, endMs, model, oursParts: 0n, theirsParts: amount.parts, currency, causes: [cause], calls: [] }
}

/** A day in which an amount is for all models is compared as a whole. */
function rowsOf({ costs, costSpans }: BillReport, { hours }: OurSide): Row[] {
  const linesBySpan = Map.groupBy(costs, spanName)
  return eachOnce(costSpans).flatMap((span) => {
    const lines = linesBySpan.get(spanName(span)) ?? []
    const ours = hours.filter(({ startMs }) => startMs >= span.startMs && startMs < span.endMs)
    const isWhole = lines.some(({ model }) => model === undefined)
    const names = isWhole ? [undefined] : [...new Set([...lines, ...ours].map(({ model = '' }) => modelNameOf(model)))]
    return names.flatMap((name): Row[] => {
      const ofName = ({ model = '' }: { readonly model?: string | undefined }) =>
        name === undefined || modelNameOf(model) === name
      const own = ours.filter(ofName)
      const billed = lines.filter(ofName)
      if (own.length === 0 && billed.length === 0) return []
      const chargeMicro = own.reduce((sum, hour) => sum + BigInt(hour.chargeMicro), 0n)
      const calls = own.reduce((sum, hour) => sum + hour.calls, 0)
      const model = name === undefined ? undefined : (own[0]?.model ?? billed[0]?.model)
      return [{ ...span, model, oursParts: chargeMicro * PARTS_PER_MICRO, calls, lines: billed }]
    })
  })
}

type Known = {
  readonly side: OurSide
  readonly tokens: TokenComparison
  /** In order. */
  readonly spans: readonly Span[]
  readonly madeMs: number
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
  if (row.endMs + LATE_MS > known.madeMs && parts < 0n) return { causes: ['not_reported_yet'], calls: [] }
  const isSame = (model: string) => row.model === undefined || modelNameOf(model) === modelNameOf(row.model)
  const isOf = ({ startMs, model }: { readonly startMs: number; readonly model: string }) =>
    startMs >= row.startMs && startMs < row.endMs && isSame(model)
  // What left the last hour of the day before came to this one.
  const cameOver = ({ endMs, model, causes }: TokenDifference) =>
    endMs === row.startMs && isSame(model) && causes.includes('hour_edge')
  const found = known.tokens.differences.filter((difference) => isOf(difference) || cameOver(difference))
  if (found.length > 0) {
    const causes = new Set(found.flatMap((difference) => difference.causes))
    return { causes: CAUSES.filter((cause) => causes.has(cause)), calls: found.flatMap(({ calls }) => calls) }
  }
  const fees = known.side.doubtful.filter((call) => call.doubt === 'tool_fees' && isOf(call))
  if (parts < 0n && fees.length > 0) return { causes: ['tool_fees'], calls: fees.map(({ id }) => id) }
  if (isCovered(row, known.spans)) return { causes: ['price_differs'], calls: [] }
  return row.calls === 0 ? { causes: ['not_through_farebox'], calls: [] } : { causes: ['unexplained'], calls: [] }
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
