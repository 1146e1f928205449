// From a number to the requests that it is the sum of.

import type { UsageReport } from '#contract/reports.ts'
import type { FilterChoices } from '#renderer/api/use-filter-choices.ts'
import { seriesIds, type Measure } from '#renderer/data/usage-amounts.ts'
import type { Range } from '#renderer/data/usage-range.ts'
import type { RowHead } from '#renderer/data/usage-table.ts'
import type { RequestsSearch } from '#renderer/pages/requests/search.ts'
import { filtersOf, type UsageSearch } from '#renderer/pages/usage/search.ts'

export type LinkContext = {
  readonly search: UsageSearch
  readonly range: Range
  readonly report: UsageReport
  readonly measure: Measure
  readonly choices: FilterChoices
}

/** Undefined where the list of requests has no filter for it: the rest, and groups whose name nobody knows. */
export function linkTo(head: RowHead, context: LinkContext): RequestsSearch | undefined {
  const { search, range, report, measure } = context
  const common = { ...filtersOf(search), ...(measure === 'failed' ? { status: 'failed' as const } : {}) }
  if (head.type === 'interval') {
    const isOpenEnd = range.to === undefined && new Date(head.endMs).toISOString() === report.to
    return { ...common, since: iso(head.startMs), ...(isOpenEnd ? {} : { until: iso(head.endMs) }) }
  }
  const span = { since: report.from, ...(range.to === undefined ? {} : { until: report.to }) }
  if (head.kind === 'all') return { ...common, ...span }
  const value = head.kind === 'value' ? valueOf(head, context) : undefined
  return value === undefined ? undefined : { ...common, ...span, [report.group]: value }
}

/** A bar: its group within its interval. */
export function linkToBar(index: number, seriesId: string, context: LinkContext): RequestsSearch | undefined {
  const { report } = context
  const { intervals, to } = report
  const startMs = Date.parse(intervals[index] ?? to)
  const endMs = Date.parse(intervals[index + 1] ?? to)
  const span = linkTo({ type: 'interval', startMs, endMs }, context)
  const group = report.series[seriesIds(report).indexOf(seriesId)]
  const value = group?.kind === 'value' ? valueOf({ name: group.name, groupId: group.id }, context) : undefined
  return span === undefined || value === undefined ? span : { ...span, [report.group]: value }
}

type Named = { readonly name: string | null; readonly groupId: string | null }

/** What has been removed is found by its id, everything else by its name. */
function valueOf({ name, groupId }: Named, { report: { group }, choices }: LinkContext): string | undefined {
  if (group === 'none' || name === null) return undefined
  // Who is no member cannot be asked for, and may have the name of one.
  if (group === 'member' && groupId === null) return undefined
  const known = group in choices ? choices[group as Exclude<keyof FilterChoices, 'offered'>] : []
  return known.includes(name) ? name : (groupId ?? name)
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString()
}
