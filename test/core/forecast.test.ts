import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectedMicro, outlookOf, type Standing } from '#core/forecast.ts'
import { microCredits } from '#core/money.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.parse('2027-03-01T12:00:00Z')

function outlook(remaining: number, used: number, more: Partial<Standing> = {}) {
  const amounts = { remainingMicro: microCredits(remaining), usedMicro: microCredits(used) }
  return outlookOf({ ...amounts, sinceMs: NOW - 7 * DAY, nextResetAtMs: undefined, ...more }, NOW)
}

describe('the outlook of an account', () => {
  it('is when it has nothing left at the pace of its cycle', () => {
    expect(outlook(100, 700)).toEqual({ leftOverMicro: undefined, runsOutAtMs: NOW + DAY })
    expect(outlook(100, 700, { nextResetAtMs: NOW + DAY + 1 })?.runsOutAtMs).toBe(NOW + DAY)
  })

  it('is what the cycle leaves over where it lasts until the reset, rounded down', () => {
    expect(outlook(100, 700, { nextResetAtMs: NOW + DAY })).toEqual({ leftOverMicro: 0, runsOutAtMs: undefined })
    expect(outlook(350, 700, { nextResetAtMs: NOW + 2 * DAY })?.leftOverMicro).toBe(150)
    expect(outlook(350, 701, { nextResetAtMs: NOW + 2 * DAY })?.leftOverMicro).toBe(149)
    expect(outlook(100, 0, { nextResetAtMs: NOW + DAY })?.leftOverMicro).toBe(100)
  })

  it('promises nothing of credits that are never renewed and hardly used', () => {
    const nothing = { leftOverMicro: undefined, runsOutAtMs: undefined }
    expect(outlook(100, 0)).toEqual(nothing)
    expect(outlook(1_000_000_000, 1)).toEqual(nothing)
  })

  it('is unknown in the first hour, and where nothing is left', () => {
    expect(outlook(100, 700, { sinceMs: NOW - HOUR + 1 })).toBeUndefined()
    expect(outlook(100, 700, { sinceMs: NOW - HOUR })).toBeDefined()
    expect(outlook(0, 700)).toBeUndefined()
  })

  it('is of an instant that is past where a reset is overdue', () => {
    expect(outlook(100, 700, { nextResetAtMs: NOW - 1 })?.leftOverMicro).toBe(100)
  })

  it('never leaves over more than there is, nor promises to last beyond what the pace pays for', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), fc.integer({ min: 1, max: 60 }), (remaining, used, days) => {
        const said = outlook(remaining, used, { nextResetAtMs: NOW + days * DAY })
        if (said === undefined) return remaining === 0
        if (said.runsOutAtMs !== undefined) return said.runsOutAtMs < NOW + days * DAY
        return said.leftOverMicro !== undefined && said.leftOverMicro >= 0 && said.leftOverMicro <= remaining
      }),
    )
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
