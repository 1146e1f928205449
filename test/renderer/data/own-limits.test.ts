import { describe, expect, it } from 'vitest'
import { isDayUsedUp, leftToday, type OwnLimits } from '#renderer/data/own-limits.ts'

const NO_LIMITS = { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null }

function own(daily: number | null, used?: readonly [today: number, held: number]): OwnLimits {
  return {
    limits: { ...NO_LIMITS, credits_per_day: daily },
    use: used === undefined ? null : { running_calls: 0, credits_today: used[0], held_credits: used[1] },
    next_reset_at: daily === null ? null : '2026-03-11T00:00:00.000Z',
  }
}

describe('what is left of a day', () => {
  it.each([
    [own(5, [1.2, 0.3]), 3_500_000n, false],
    [own(0.3, [0.1, 0.2]), 0n, false],
    [own(1, [1, 0]), 0n, true],
    [own(1, [1.000001, 0]), 0n, true],
    [own(0, [0, 0]), 0n, true],
  ])('is what nobody used or holds, and never less than nothing: %j', (limits, left, isUsedUp) => {
    expect([leftToday(limits), isDayUsedUp(limits)]).toEqual([left, isUsedUp])
  })

  it.each([own(null, [1, 1]), own(5)])('is unknown where there is no such limit, or its use is not told', (limits) => {
    expect([leftToday(limits), isDayUsedUp(limits)]).toEqual([undefined, false])
  })
})
