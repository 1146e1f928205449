// Asks for the report that the address names, and for the time before it.

import { useMemo } from 'react'
import type { UsageReport, UsageReportQuery } from '#contract/reports.ts'
import { useApi } from '#renderer/api/use-api.ts'
import type { Rollup } from '#renderer/data/intervals.ts'
import { amountOf, seriesOf, type AmountSeries, type Measure } from '#renderer/data/usage-amounts.ts'
import { periodBefore, rangeOf, rollupOf, type Range } from '#renderer/data/usage-range.ts'
import { filtersOf, type UsageSearch } from '#renderer/pages/usage/search.ts'

const EVERY_MS = 30_000
/** Groups with a hue of their own in the chart. */
const MAX_SERIES = 6
const MAX_GROUPS = 50

export type Usage = {
  readonly range: Range
  readonly rollup: Rollup
  readonly rollups: readonly Rollup[]
  readonly measure: Measure
  readonly answer: ReturnType<typeof useApi<'usageReport'>>
  readonly report: UsageReport | undefined
  readonly series: readonly AmountSeries[]
  /** For each interval the one of the time before; undefined until it is known. */
  readonly before: readonly (bigint | undefined)[] | undefined
}

export function useUsage(search: UsageSearch): Usage {
  const range = useMemo(() => rangeOf(search), [search])
  const { rollup, choices } = rollupOf(range, search.rollup, Date.now())
  const measure: Measure = search.metric === 'tokens' ? (search.tokens ?? 'tokens') : (search.metric ?? 'cost')
  const query: UsageReportQuery = {
    ...filtersOf(search),
    from: range.from,
    ...(range.to === undefined ? {} : { to: range.to }),
    rollup,
    group: search.group ?? 'model',
    // Sessions have no course of time.
    points: search.group === 'session' ? 'none' : 'all',
    top: String(search.groups === 'more' ? MAX_GROUPS : MAX_SERIES),
  }
  const answer = useApi('usageReport', { query }, { everyMs: EVERY_MS, keepsPrevious: true })
  const report = answer.data
  const before = useBefore(report, filtersOf(search), measure)
  const series = useMemo(() => (report === undefined ? [] : seriesOf(report, measure, MAX_SERIES)), [measure, report])
  return { range, rollup, rollups: choices, measure, answer, report, series, before }
}

function useBefore(report: UsageReport | undefined, filters: UsageReportQuery, measure: Measure): Usage['before'] {
  const period = report === undefined ? undefined : periodBefore(report)
  const query = { ...filters, ...period, group: 'none' as const, rollup: report?.rollup ?? ('day' as const) }
  const { data } = useApi('usageReport', { query }, { isEnabled: period !== undefined, keepsPrevious: true })
  return useMemo(() => {
    const points = data?.series[0]?.points
    return points === undefined ? undefined : report?.intervals.map((_, index) => valueAt(points[index], measure))
  }, [data, measure, report])
}

function valueAt(point: UsageReport['totals'] | undefined, measure: Measure): bigint | undefined {
  return point === undefined ? undefined : amountOf(point, measure)
}
