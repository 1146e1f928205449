// A usage report as the chart and the table of the overview show it: both from the same report, so that they agree.

import type { Totals, UsageReport } from '#contract/reports.ts'
import type { ChartSeries } from '#renderer/data/series.ts'
import { msOf } from '#renderer/data/times.ts'
import { changeOf, chargeOf, type Change } from '#renderer/data/totals.ts'
import { seriesIds, seriesOf, type Measure } from '#renderer/data/usage-amounts.ts'

/** More than these cannot be told apart by their hues. */
const MAX_SERIES = 6

/** Words for what has no name of its own. */
export type SpendWords = { readonly other: string; readonly none: string }

export type SpendRow = {
  readonly id: string
  readonly name: string
  /** One group by its own name, which is no sum of several and not the lack of a name. */
  readonly isNamed: boolean
  readonly totals: Totals
  /** How the charge changed since the same length of time before. */
  readonly change: Change | undefined
}

/** The points in time and one series for each group, in whole micro-credits, tokens or requests. */
export function spendSeries(
  report: UsageReport,
  measure: Measure,
  words: SpendWords,
): { readonly times: readonly number[]; readonly series: readonly ChartSeries[] } {
  return {
    times: report.intervals.flatMap((at) => msOf(at) ?? []),
    series: seriesOf(report, measure, MAX_SERIES).map((one) => ({
      id: one.id,
      label: nameOf(one, words),
      isOther: one.kind === 'other',
      values: one.points.map((amount) => (amount === undefined ? undefined : Number(amount))),
    })),
  }
}

export function spendRows(report: UsageReport, words: SpendWords): readonly SpendRow[] {
  const ids = seriesIds(report)
  return report.series.map((one, index) => ({
    id: ids[index] ?? '',
    name: nameOf(one, words),
    isNamed: one.kind === 'value' && one.name !== null,
    totals: one.totals,
    change: changeOf(chargeOf(one.totals), chargeOf(one.previous)),
  }))
}

export function isNothing(report: UsageReport): boolean {
  return report.totals.requests === 0
}

/** An interval on the axis, in the zone of the report: `Sat 21 Nov` for a day, `Sat 14:00` for an hour. */
export function intervalFormat(report: UsageReport, locale: string): Intl.DateTimeFormat {
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const
  const hour = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat(locale, { ...(report.rollup === 'day' ? day : hour), timeZone: report.time_zone })
}

function nameOf({ kind, name }: { readonly kind: string; readonly name: string | null }, words: SpendWords): string {
  return kind === 'other' ? words.other : (name ?? words.none)
}
