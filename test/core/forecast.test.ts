import { describe, expect, it } from 'vitest'
import { expectedMicro, runsOutAtMs, type Spending } from '#core/forecast.ts'
import { microCredits } from '#core/money.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.parse('2027-03-01T12:00:00Z')

function key(remaining: number, charged: number, more: Partial<Spending> = {}): Spending {
  return {
    remainingMicro: microCredits(remaining),
    nextResetAtMs: undefined,
    chargedMicro: charged,
    overMs: 7 * DAY,
    ...more,
  }
}

describe('the run-out', () => {
  it('is when the first key has nothing left at its own speed', () => {
    expect(runsOutAtMs([key(700, 700), key(100, 700)], NOW)).toBe(NOW + DAY)
  })

  it('is none for a key that lasts until its reset', () => {
    expect(runsOutAtMs([key(100, 700, { nextResetAtMs: NOW + DAY })], NOW)).toBeUndefined()
    expect(runsOutAtMs([key(100, 700, { nextResetAtMs: NOW + DAY + 1 })], NOW)).toBe(NOW + DAY)
  })

  it('is none where nothing is used, nothing is left, there is no key, or it is too far away to say', () => {
    expect(runsOutAtMs([], NOW)).toBeUndefined()
    expect(runsOutAtMs([key(100, 0), key(0, 700)], NOW)).toBeUndefined()
    expect(runsOutAtMs([key(100, 700, { overMs: 0 })], NOW)).toBeUndefined()
    expect(runsOutAtMs([key(1_000_000_000, 1)], NOW)).toBeUndefined()
  })
})

describe('the expected charge of a day', () => {
  const day = { startMs: NOW - 6 * HOUR, endMs: NOW + 18 * HOUR }

  it('is what it would be at the speed so far, also on days of 23 and 25 hours', () => {
    expect(expectedMicro(60, { ...day, nowMs: NOW })).toBe(240)
    expect(expectedMicro(60, { ...day, endMs: day.endMs + HOUR, nowMs: NOW })).toBe(250)
    expect(expectedMicro(0, { ...day, nowMs: NOW })).toBe(0)
  })

  it('is not said in the first hour', () => {
    expect(expectedMicro(60, { ...day, nowMs: day.startMs + HOUR - 1 })).toBeUndefined()
    expect(expectedMicro(60, { ...day, nowMs: day.startMs + HOUR })).toBe(1440)
  })
})
