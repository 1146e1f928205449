import { describe, expect, it } from 'vitest'
import { compactText, countText, durationText, percentText } from '../../../src-renderer/data/numbers.ts'
import { exactText, msOf, relativeText } from '../../../src-renderer/data/times.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

describe('relativeText', () => {
  it.each([
    [0, 'now'],
    [-999, 'now'],
    [-1000, '1 second ago'],
    [-59_999, '59 seconds ago'],
    [-3 * 60_000, '3 minutes ago'],
    [-26 * 3_600_000, '1 day ago'],
    [6 * 86_400_000, 'in 6 days'],
    [-31 * 86_400_000, '21 Oct 2026'],
  ])('writes a distance of %s ms as %s', (distance, text) => {
    expect(relativeText(NOW + distance, NOW, 'en-GB')).toBe(text)
  })

  it('speaks German', () => {
    expect(relativeText(NOW - 60_000, NOW, 'de')).toBe('vor 1 Minute')
  })
})

describe('exactText', () => {
  it('names the zone', () => {
    expect(exactText(NOW, 'en-GB', 'Europe/Berlin')).toBe('21 Nov 2026, 13:00:00 CET')
  })
})

describe('msOf', () => {
  it('knows nothing of what is no time', () => {
    expect(msOf('2026-11-21T12:00:00.000Z')).toBe(NOW)
    for (const text of [null, undefined, '', 'soon']) expect(msOf(text)).toBeUndefined()
  })
})

describe('counts', () => {
  it.each([
    [0, '0'],
    [310, '310'],
    [999, '999'],
    [1200, '1.2k'],
    [9960, '10k'],
    [48_400, '48k'],
    [999_499, '999k'],
    [999_500, '1M'],
    [3_140_000, '3.1M'],
    [2_000_000_000, '2B'],
  ])('writes %s in few characters as %s', (count, text) => {
    expect(compactText(count, 'en')).toBe(text)
  })

  it('writes every digit where asked', () => {
    expect(countText(1284, 'en')).toBe('1,284')
    expect(countText(1284, 'de')).toBe('1.284')
  })

  it('writes parts of one in per cent', () => {
    expect(percentText(0.634, 'en')).toBe('63 %')
    expect(percentText(0.0312, 'en')).toBe('3.1 %')
    expect(percentText(0, 'en')).toBe('0 %')
  })
})

describe('durationText', () => {
  it.each([
    [412, '412 ms'],
    [999, '999 ms'],
    [2400, '2.4 s'],
    [59_949, '59.9 s'],
    [59_950, '1 min 0 s'],
    [200_000, '3 min 20 s'],
  ])('writes %s ms as %s', (ms, text) => {
    expect(durationText(ms, 'en')).toBe(text)
  })
})
