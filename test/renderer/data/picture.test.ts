import { expect, it } from 'vitest'
import type { UsageReport } from '#contract/reports.ts'
import { monthAfter, monthName, monthOf } from '#renderer/data/picture.ts'

const NOTHING = {
  requests: 0,
  failed: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  charge_credits: 0,
  estimated_usage: 0,
  unknown_usage: 0,
}

function report(zone: string, spent: Readonly<Record<string, number>>): UsageReport {
  const points = Object.values(spent).map((credits) => ({ ...NOTHING, charge_credits: credits }))
  const series = [{ kind: 'all' as const, id: null, name: null, totals: NOTHING, previous: NOTHING, points }]
  const intervals = Object.keys(spent)
  const [from = '', to = ''] = [intervals[0], intervals.at(-1)]
  const whole = { totals: NOTHING, previous: NOTHING, refused: 0 }
  return { ...whole, from, to, time_zone: zone, rollup: 'day', group: 'none', intervals, series }
}

it('goes from month to month over the end of a year', () => {
  expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1), monthAfter('2028-02', 0)]).toEqual([
    '2027-01',
    '2025-12',
    '2028-02',
  ])
  expect(monthName('2026-11', 'de')).toBe('November 2026')
})

it('puts each day where its week has it, by the zone of the report, with its share of the dearest', () => {
  // In Berlin these are the first, the second and the last of November; the instant before is of October.
  const spent = {
    '2026-10-30T23:00:00Z': 9,
    '2026-10-31T23:00:00Z': 0.000002,
    '2026-11-01T23:00:00Z': 2,
    '2026-11-29T23:00:00Z': 0.5,
  }
  const month = monthOf('2026-11', report('Europe/Berlin', spent), 'en')
  expect(month.weekdays).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'])
  expect(month.blank).toBe(6)
  expect(month.days).toHaveLength(30)
  expect(month.days.filter(({ text }) => text !== '')).toEqual([
    { number: 1, text: '0.000002', share: 0 },
    { number: 2, text: '2.00', share: 1 },
    { number: 30, text: '0.50', share: 0.25 },
  ])
})

it.each([
  ['2028-02', 29, 1],
  ['2027-02', 28, 0],
])('knows how long %s is', (name, days, blank) => {
  const month = monthOf(name, report('UTC', {}), 'en')
  expect([month.days.length, month.blank]).toEqual([days, blank])
})
