import { describe, expect, it } from 'vitest'
import { periodBefore, rangeOf, rollupOf } from '#renderer/data/usage-range.ts'
import { report } from './usage-report.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

describe('the range', () => {
  it('is the last seven days where the address says nothing', () => {
    expect(rangeOf({})).toEqual({ from: '7d', to: undefined, preset: '7d' })
  })

  it('is a named one only while it ends now', () => {
    expect(rangeOf({ from: '24h' }).preset).toBe('24h')
    expect(rangeOf({ from: '24h', to: '2026-11-20' }).preset).toBeUndefined()
    expect(rangeOf({ from: '2026-11-01', to: '2026-11-20' })).toEqual({
      from: '2026-11-01',
      to: '2026-11-20',
      preset: undefined,
    })
  })
})

describe('the steps', () => {
  it('are hours for a day and days for a week', () => {
    expect(rollupOf(rangeOf({ from: '24h' }), undefined, NOW).rollup).toBe('hour')
    expect(rollupOf(rangeOf({}), undefined, NOW).rollup).toBe('day')
    expect(rollupOf(rangeOf({}), 'hour', NOW).rollup).toBe('hour')
  })

  it('cannot be hours where a report would have too many of them', () => {
    expect(rollupOf(rangeOf({ from: '30d' }), 'hour', NOW)).toEqual({ rollup: 'day', choices: ['day'] })
    expect(rollupOf(rangeOf({ from: '2026-11-01', to: '2026-11-21' }), 'hour', NOW).choices).toEqual(['day'])
    expect(rollupOf(rangeOf({ from: '2026-11-10', to: '2026-11-21' }), 'hour', NOW).choices).toEqual(['day'])
    expect(rollupOf(rangeOf({ from: '2026-11-14', to: '2026-11-21' }), 'hour', NOW).rollup).toBe('hour')
  })

  it('are days where nobody can tell how long the range is', () => {
    expect(rollupOf(rangeOf({ from: '2024-01-01' }), undefined, NOW).rollup).toBe('day')
  })
})

describe('the period before', () => {
  it('has the same number of days, and ends as early on its last day', () => {
    const seven = report([{ points: Array.from({ length: 7 }, () => ({})) }])
    expect(periodBefore(seven)).toEqual({ from: '2026-11-07T23:00:00.000Z', to: '2026-11-14T12:00:00.000Z' })
  })

  it('counts days by the calendar where a clock was changed', () => {
    const two = report([{ points: [{}, {}] }], {
      intervals: ['2026-10-25T23:00:00.000Z', '2026-10-26T23:00:00.000Z'],
      to: '2026-10-27T23:00:00.000Z',
    })
    // The 25th of October has 25 hours in Berlin.
    expect(periodBefore(two)).toEqual({ from: '2026-10-23T22:00:00.000Z', to: '2026-10-25T23:00:00.000Z' })
  })

  it('has the same number of hours', () => {
    const hours = report([{ points: [{}, {}] }], {
      rollup: 'hour',
      intervals: ['2026-11-21T10:00:00.000Z', '2026-11-21T11:00:00.000Z'],
      to: '2026-11-21T11:20:00.000Z',
    })
    expect(periodBefore(hours)).toEqual({ from: '2026-11-21T08:00:00.000Z', to: '2026-11-21T09:20:00.000Z' })
  })

  it('is none where there are no intervals', () => {
    expect(periodBefore(report([{ points: [] }]))).toBeUndefined()
  })
})
