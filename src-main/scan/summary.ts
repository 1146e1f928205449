// A scan as people look at it: its rows added up by one of what they are told apart by.

import type { Scan } from '#scan/scan.ts'
import type { ScanRow } from '#scan/tally.ts'

export const SCAN_GROUPS = ['model', 'day', 'project', 'tool'] as const
export type ScanGroup = (typeof SCAN_GROUPS)[number]

/** A name is empty where the logs do not say it. */
export type ScanSum = { readonly name: string } & Omit<ScanRow, ScanGroup>

/** The dearest first, and what has no price last; days in their order. */
export function sumsBy(rows: readonly ScanRow[], by: ScanGroup): ScanSum[] {
  const sums = [...Map.groupBy(rows, (row) => row[by])].map(([name, group]) => ({ name, ...sumOf(group) }))
  return sums.toSorted((left, right) =>
    by === 'day' ? left.name.localeCompare(right.name) : (right.cost_micro ?? -1) - (left.cost_micro ?? -1),
  )
}

/** `cost_micro` is null where nothing of it has a price. */
export function sumOf(rows: readonly Omit<ScanRow, ScanGroup>[]): Omit<ScanRow, ScanGroup> {
  const of = (count: (row: Omit<ScanRow, ScanGroup>) => number) => rows.reduce((sum, row) => sum + count(row), 0)
  return {
    calls: of((row) => row.calls),
    input_tokens: of((row) => row.input_tokens),
    cache_read_tokens: of((row) => row.cache_read_tokens),
    cache_write_tokens: of((row) => row.cache_write_tokens),
    output_tokens: of((row) => row.output_tokens),
    cost_micro: rows.every((row) => row.cost_micro === null) ? null : of((row) => row.cost_micro ?? 0),
  }
}

/** The models that the price card has no price for. */
export function unpricedIn(rows: readonly ScanRow[]): string[] {
  return [...new Set(rows.filter(({ cost_micro: cost }) => cost === null).map(({ model }) => model))].toSorted()
}

/** The most rows of each group that are handed on, and the most names of models without a price. */
const MAX_SUMS = 4000
const MAX_UNPRICED = 200

/** What the dashboard is told: sums alone, bounded. What is beyond the bound is in one more, `others`. */
export type ScanSummary = Omit<Scan, 'rows'> & {
  readonly by: Readonly<Record<ScanGroup, { readonly sums: readonly ScanSum[]; readonly others: ScanSum | null }>>
  readonly total: Omit<ScanRow, ScanGroup>
  readonly unpriced: readonly string[]
}

export function summaryOf({ rows, ...rest }: Scan): ScanSummary {
  const bounded = (by: ScanGroup) => {
    const sums = sumsBy(rows, by)
    const others = sums.splice(MAX_SUMS)
    return { sums, others: others.length === 0 ? null : { name: '', ...sumOf(others) } }
  }
  return {
    ...rest,
    by: { model: bounded('model'), day: bounded('day'), project: bounded('project'), tool: bounded('tool') },
    total: sumOf(rows),
    unpriced: unpricedIn(rows).slice(0, MAX_UNPRICED),
  }
}
