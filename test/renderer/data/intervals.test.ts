import { describe, expect, it } from 'vitest'
import { axisText, dateAfter, intervalText, isoIn, startOfDate } from '#renderer/data/intervals.ts'

const BERLIN = 'Europe/Berlin'

describe('instants in a zone', () => {
  it('have their offset, so that the hour a change of clocks repeats is clear', () => {
    expect(isoIn(BERLIN, Date.parse('2026-10-25T00:30:00Z'))).toBe('2026-10-25T02:30:00+02:00')
    expect(isoIn(BERLIN, Date.parse('2026-10-25T01:30:00Z'))).toBe('2026-10-25T02:30:00+01:00')
  })

  it.each([
    ['Asia/Kolkata', '2026-11-21T05:30:00+05:30'],
    ['America/St_Johns', '2026-11-20T20:30:00-03:30'],
    ['UTC', '2026-11-21T00:00:00+00:00'],
  ])('know offsets that are no whole hours: %s', (zone, text) => {
    expect(isoIn(zone, Date.parse('2026-11-21T00:00:00Z'))).toBe(text)
  })
})

describe('dates', () => {
  it('are counted by the calendar', () => {
    expect(dateAfter('2026-10-26', -1)).toBe('2026-10-25')
    expect(dateAfter('2028-02-28', 1)).toBe('2028-02-29')
    expect(dateAfter('7d', 1)).toBeUndefined()
  })

  it.each([
    [BERLIN, '2026-10-25', '2026-10-24T22:00:00.000Z'],
    [BERLIN, '2026-10-26', '2026-10-25T23:00:00.000Z'],
    [BERLIN, '2026-03-29', '2026-03-28T23:00:00.000Z'],
    [BERLIN, '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['Pacific/Auckland', '2026-04-05', '2026-04-04T11:00:00.000Z'],
    ['Pacific/Auckland', '2026-04-06', '2026-04-05T12:00:00.000Z'],
    ['America/Los_Angeles', '2026-11-02', '2026-11-02T08:00:00.000Z'],
  ])('begin in %s on %s at %s', (zone, date, start) => {
    expect(new Date(startOfDate(zone, date) ?? 0).toISOString()).toBe(start)
  })

  it('refuse what is no date', () => {
    expect(startOfDate(BERLIN, '2026-13-40')).toBeUndefined()
    expect(startOfDate(BERLIN, 'yesterday')).toBeUndefined()
  })
})

describe('texts', () => {
  const atMs = Date.parse('2026-11-21T13:00:00Z')
  const options = { rollup: 'hour', zone: BERLIN, locale: 'en-GB' } as const

  it('say all that tells an interval from others', () => {
    expect(intervalText(atMs, options)).toBe('Sat, 21 Nov 2026, 14:00')
    expect(intervalText(atMs, { ...options, rollup: 'day' })).toBe('Sat, 21 Nov 2026')
  })

  it('are short on an axis', () => {
    expect(axisText(atMs, options, true)).toBe('14:00')
    expect(axisText(atMs, options, false)).toBe('21 Nov, 14:00')
    expect(axisText(atMs, { ...options, rollup: 'day' }, false)).toBe('21 Nov')
  })
})
