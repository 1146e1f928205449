// Reports for tests, whose totals are the sums of their points as in those of the API.

import type { Totals, UsageReport } from '#contract/reports.ts'

type Point = {
  readonly micro?: number
  readonly requests?: number
  readonly failed?: number
  readonly input?: number
  readonly output?: number
  readonly estimated?: number
  readonly unknown?: number
}

export function totals(point: Point = {}): Totals {
  return {
    requests: point.requests ?? 0,
    failed: point.failed ?? 0,
    input_tokens: point.input ?? 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: point.output ?? 0,
    reasoning_tokens: 0,
    charge_credits: (point.micro ?? 0) / 1e6,
    estimated_usage: point.estimated ?? 0,
    unknown_usage: point.unknown ?? 0,
  }
}

type Series = {
  readonly kind?: 'value' | 'other' | 'all'
  readonly name?: string | null
  readonly id?: string
  readonly points: readonly Point[]
  readonly previous?: Point
}

export function report(series: readonly Series[], changes: Partial<UsageReport> = {}): UsageReport {
  const count = Math.max(...series.map((one) => one.points.length))
  return {
    from: '2026-11-14T23:00:00.000Z',
    to: '2026-11-21T12:00:00.000Z',
    time_zone: 'Europe/Berlin',
    rollup: 'day',
    refused: 0,
    group: 'model',
    intervals: Array.from({ length: count }, (_, day) =>
      new Date(Date.parse('2026-11-14T23:00:00Z') + day * 86_400_000).toISOString(),
    ),
    series: series.map((one) => ({
      kind: one.kind ?? 'value',
      id: one.id ?? null,
      name: one.name ?? null,
      totals: totals(sum(one.points)),
      previous: totals(one.previous),
      points: one.points.map(totals),
    })),
    totals: totals(sum(series.flatMap((one) => one.points))),
    previous: totals(sum(series.flatMap((one) => one.previous ?? []))),
    ...changes,
  }
}

function sum(points: readonly Point[]): Point {
  const of = (name: keyof Point) => points.reduce((whole, point) => whole + (point[name] ?? 0), 0)
  return {
    micro: of('micro'),
    requests: of('requests'),
    failed: of('failed'),
    input: of('input'),
    output: of('output'),
    estimated: of('estimated'),
    unknown: of('unknown'),
  }
}
