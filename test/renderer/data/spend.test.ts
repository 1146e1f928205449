import { describe, expect, it } from 'vitest'
import type { Totals, UsageReport } from '#contract/reports.ts'
import { intervalFormat, isNothing, spendRows, spendSeries } from '#renderer/data/spend.ts'
import { cacheHitPart, changeOf, chargeOf } from '#renderer/data/totals.ts'

const WORDS = { other: 'Other', none: 'Not known' }

describe('the spend of a report', () => {
  it('is drawn in whole micro-credits, so that nothing is lost on the way to the text', () => {
    const { times, series } = spendSeries(report(), 'cost', WORDS)
    expect(times).toEqual([Date.parse('2026-11-20T23:00:00Z'), Date.parse('2026-11-21T23:00:00Z')])
    expect(series.map(({ id, label, values }) => [id, label, values])).toEqual([
      ['demo-chat', 'demo-chat', [100_000, 200_001]],
      ['\u0000none', 'Not known', [0, 300_000]],
      ['\u0000other', 'Other', [1, 2]],
    ])
    expect(series.map(({ isOther }) => isOther)).toEqual([false, false, true])
  })

  it('has a row for each series of the chart, and names only what can be filtered by', () => {
    expect(spendRows(report(), WORDS).map(({ name, isNamed, change }) => [name, isNamed, change])).toEqual([
      ['demo-chat', true, { direction: 'up', by: 200_001n }],
      ['Not known', false, undefined],
      ['Other', false, { direction: 'down', by: 999_997n }],
    ])
  })

  it('adds up to the totals of the report, to the last digit', () => {
    const sum = spendRows(report(), WORDS).reduce((all, row) => all + chargeOf(row.totals), 0n)
    expect(sum).toBe(chargeOf(report().totals))
  })

  it('writes days and hours in the zone of the report, not of the reader', () => {
    const at = Date.parse('2026-11-20T23:00:00Z')
    expect(intervalFormat(report(), 'en').format(at)).toContain('21')
    expect(intervalFormat({ ...report(), rollup: 'hour' }, 'en').format(at)).toContain('00:00')
  })

  it('is nothing without requests, even where something was spent before', () => {
    expect(isNothing({ ...report(), totals: totals(0, 0) })).toBe(true)
    expect(isNothing(report())).toBe(false)
  })
})

describe('sums', () => {
  it('have no share of the cache where there was no input', () => {
    expect(cacheHitPart(totals(3, 1))).toBeUndefined()
    const input = { input_tokens: 20, cache_write_tokens: 20, cache_read_tokens: 60 }
    expect(cacheHitPart({ ...totals(3, 1), ...input })).toBe(0.6)
  })

  it('change by what lies between them', () => {
    expect(changeOf(5n, 5n)).toBeUndefined()
    expect(changeOf(5n, 7n)).toEqual({ direction: 'down', by: 2n })
    expect(changeOf(7n, 0n)).toEqual({ direction: 'up', by: 7n })
  })
})

type Series = UsageReport['series'][number]

function report(): UsageReport {
  return {
    from: '2026-11-20T23:00:00.000Z',
    to: '2026-11-22T12:00:00.000Z',
    time_zone: 'Europe/Berlin',
    rollup: 'day',
    refused: 0,
    group: 'model',
    intervals: ['2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z'],
    series: [
      series('value', 'demo-chat', { credits: [0.1, 0.200001], sum: 0.300001, before: 0.1 }),
      series('value', null, { credits: [0, 0.3], sum: 0.3, before: 0.3 }),
      series('other', null, { credits: [0.000001, 0.000002], sum: 0.000003, before: 1 }),
    ],
    totals: totals(12, 0.600004),
    previous: totals(4, 1.4),
  }
}

type Sums = { readonly credits: readonly number[]; readonly sum: number; readonly before: number }

function series(kind: Series['kind'], name: string | null, { credits, sum, before }: Sums): Series {
  return {
    kind,
    id: null,
    name,
    totals: totals(4, sum),
    previous: totals(1, before),
    points: credits.map((amount) => totals(2, amount)),
  }
}

function totals(requests: number, charge: number): Totals {
  return {
    requests,
    failed: 0,
    input_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    charge_credits: charge,
    estimated_usage: 0,
    unknown_usage: 0,
  }
}
