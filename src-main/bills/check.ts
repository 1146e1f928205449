// Both comparisons of a report with our side.

import { compareMoney, type MoneyComparison } from '#bills/money.ts'
import type { BillReport, Span } from '#bills/report.ts'
import { compareTokens, type CompareOptions, type OurSide, type TokenComparison } from '#bills/tokens.ts'
import { sideFor } from '#bills/whole-input.ts'

export type Bill = {
  readonly tokens: TokenComparison
  readonly money: MoneyComparison
  readonly unexplained: number
  /** Ours, in the classes of the report. */
  readonly side: OurSide
}

export function checkBill(report: BillReport, ours: OurSide, options: CompareOptions): Bill {
  const side = sideFor(report, ours)
  const tokens = compareTokens(report, side, options)
  const money = compareMoney(report, side, { ...options, tokens, spans: report.usageSpans })
  const all = [...tokens.differences, ...money.differences]
  return { tokens, money, unexplained: all.filter(({ causes }) => causes.includes('unexplained')).length, side }
}

/** From the beginning of the first stretch of time to the end of the last one; undefined for a report of nothing. */
export function timeOf({ usageSpans, costSpans }: Pick<BillReport, 'usageSpans' | 'costSpans'>): Span | undefined {
  const spans = [...usageSpans, ...costSpans]
  if (spans.length === 0) return undefined
  return spans.reduce((all, { startMs, endMs }) => ({
    startMs: Math.min(all.startMs, startMs),
    endMs: Math.max(all.endMs, endMs),
  }))
}
