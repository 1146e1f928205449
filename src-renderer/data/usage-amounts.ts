// What a report says about one measure, as integers: micro-credits, tokens or requests.

import type { Totals, UsageReport } from '#contract/reports.ts'
import { microOf } from '#renderer/data/money.ts'

export const METRICS = ['cost', 'tokens', 'requests', 'failed'] as const
export const TOKEN_CLASSES = ['input', 'cache_read', 'cache_write', 'output'] as const
export type Metric = (typeof METRICS)[number]
export type TokenClass = (typeof TOKEN_CLASSES)[number]
/** A metric, or one class of tokens by itself. */
export type Measure = Metric | TokenClass
export type Unit = 'credits' | 'tokens' | 'requests'

export function unitOf(measure: Measure): Unit {
  if (measure === 'cost') return 'credits'
  return measure === 'requests' || measure === 'failed' ? 'requests' : 'tokens'
}

/** Micro-credits where the unit is credits. Undefined is unknown: nobody counted the tokens of any of these calls. */
export function amountOf(totals: Totals, measure: Measure): bigint | undefined {
  if (measure === 'cost') return microOf(totals.charge_credits)
  if (measure === 'requests') return BigInt(totals.requests)
  if (measure === 'failed') return BigInt(totals.failed)
  if (totals.requests > 0 && totals.unknown_usage >= totals.requests) return undefined
  const classes: readonly TokenClass[] = measure === 'tokens' ? TOKEN_CLASSES : [measure]
  return BigInt(classes.reduce((sum, name) => sum + totals[`${name}_tokens`], 0))
}

/** How sure a number of tokens is: calls whose tokens Farebox estimated, and calls of which nobody knows them. */
export type Doubt = { readonly estimated: number; readonly unknown: number; readonly requests: number }

/** Undefined where there is none. Charges and counts of requests are always exact. */
export function doubtOf(totals: Totals, measure: Measure): Doubt | undefined {
  const { estimated_usage: estimated, unknown_usage: unknown, requests } = totals
  if (unitOf(measure) !== 'tokens' || estimated + unknown === 0) return undefined
  return { estimated, unknown, requests }
}

export type AmountSeries = {
  /** The name of the group, so that a model has one hue on all pages. */
  readonly id: string
  /** `value`: a group, whose name may be unknown; `class`: a class of tokens; `other`: the rest; `all`: without groups. */
  readonly kind: 'value' | 'class' | 'other' | 'all'
  readonly name: string | null
  /** One for each interval. */
  readonly points: readonly (bigint | undefined)[]
}

const OTHER: Pick<AmountSeries, 'id' | 'kind' | 'name'> = { id: '\u0000other', kind: 'other', name: null }

/** The series of a chart: groups, or the classes of tokens where nothing is grouped. Those behind the first `most` are one. */
export function seriesOf(report: UsageReport, measure: Measure, most: number): AmountSeries[] {
  if (report.group === 'none') return measure === 'tokens' ? classSeries(report) : wholeSeries(report, measure)
  const ids = seriesIds(report)
  const groups = report.series.map(({ kind, name, points }, index): AmountSeries => {
    const amounts = points.map((point) => amountOf(point, measure))
    if (kind === 'other') return { ...OTHER, points: amounts }
    return { id: ids[index] ?? '', kind: 'value', name, points: amounts }
  })
  const own = groups.filter((group, index) => group.kind === 'value' && index < most)
  const rest = groups.filter((group) => !own.includes(group))
  return rest.length === 0 ? own : [...own, { ...OTHER, points: summed(rest, report.intervals.length) }]
}

/** The id of the series of each group: its name, and where two keys have the same one, with the id of the later. */
export function seriesIds({ series }: UsageReport): string[] {
  const seen = new Set<string>()
  return series.map(({ kind, id, name }) => {
    const plain = kind === 'value' ? (name ?? '\u0000none') : `\u0000${kind}`
    const unique = seen.has(plain) ? `${plain} ${id ?? ''}` : plain
    seen.add(unique)
    return unique
  })
}

/** The sum over all series for each interval. */
export function summed(series: readonly AmountSeries[], length: number): (bigint | undefined)[] {
  return Array.from({ length }, (_, index) => series.map((one) => one.points[index]).reduce(plus, undefined))
}

/** Unknown and known make known: what is unknown is told of as a doubt. */
export function plus(left: bigint | undefined, right: bigint | undefined): bigint | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return left + right
}

function wholeSeries(report: UsageReport, measure: Measure): AmountSeries[] {
  return report.series.map(({ points }) => ({
    id: measure,
    kind: 'all',
    name: null,
    points: points.map((point) => amountOf(point, measure)),
  }))
}

function classSeries(report: UsageReport): AmountSeries[] {
  return TOKEN_CLASSES.map((name) => ({
    id: `${name}_tokens`,
    kind: 'class',
    name,
    points: (report.series[0]?.points ?? []).map((point) => amountOf(point, name)),
  }))
}
