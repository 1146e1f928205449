import { describe, expect, it } from 'vitest'
import { partOfLimit, partOfLimits } from '#core/limit-parts.ts'
import { randomFrom } from '../support/random.ts'

const all = (of: number) => Array.from({ length: of }, (_, rank) => ({ of, rank }))

describe('the parts that gateways have of a limit', () => {
  it('add up to it where each of them can have something', () => {
    const random = randomFrom(1)
    for (let round = 0; round < 500; round += 1) {
      const of = 1 + Math.floor(random() * 12)
      const limit = of + Math.floor(random() * 1e12)
      const parts = all(of).map((part) => partOfLimit(limit, part))
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(limit)
      expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1)
    }
  })

  it('are at least 1, and 0 of nothing', () => {
    expect(all(3).map((part) => partOfLimit(2, part))).toEqual([1, 1, 1])
    expect(all(3).map((part) => partOfLimit(0, part))).toEqual([0, 0, 0])
  })

  it('are by the minute, the day and the month, each by whoever counts in it, and leave alone what has no limit', () => {
    const parts = {
      calls: { of: 4, rank: 1 },
      minute: { of: 2, rank: 1 },
      day: { of: 3, rank: 0 },
      month: { of: 4, rank: 3 },
    }
    const limits = {
      requestsPerMinute: 5,
      tokensPerMinute: undefined,
      concurrentRequests: 9,
      dailyMicro: 10,
      monthlyMicro: 10,
    }
    expect(partOfLimits(limits, parts)).toEqual({
      requestsPerMinute: 2,
      tokensPerMinute: undefined,
      concurrentRequests: 2,
      dailyMicro: 4,
      monthlyMicro: 2,
    })
    expect(partOfLimits(limits, undefined)).toBe(limits)
  })
})
