import { describe, expect, it } from 'vitest'
import type { PackageLimits } from '#core/entities.ts'
import {
  checkLimits,
  giveBackLimits,
  newLimitState,
  requestStanding,
  takeLimits,
  tokenStanding,
  untakeLimits,
  type LimitState,
} from '#core/limits.ts'

const NONE: PackageLimits = { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrentRequests: undefined }
const MINUTE = 60_000
const START = 1_800_000_000_123
/** The window moves in steps of a second, so that the last place in it frees up to a second late, never early. */
const STEP = 1000

function admit(state: LimitState, limits: PackageLimits, tokens: number, nowMs: number): boolean {
  if (checkLimits(state, limits, tokens, nowMs).type === 'full') return false
  takeLimits(state, tokens, nowMs)
  return true
}

/** A state in which `count` requests of `tokens` each were taken at once. */
function taken(count: number, tokens: number, nowMs: number): LimitState {
  const state = newLimitState()
  for (let index = 0; index < count; index++) takeLimits(state, tokens, nowMs)
  return state
}

describe('requests per minute', () => {
  const limits = { ...NONE, requestsPerMinute: 3 }

  it('admits up to the limit at once and then none', () => {
    const state = newLimitState()
    expect([1, 2, 3, 4, 5].map(() => admit(state, limits, 0, START))).toEqual([true, true, true, false, false])
  })

  it('counts a request for at least a minute and for at most a second longer', () => {
    for (let offset = 0; offset < 1000; offset += 37) {
      const state = taken(3, 0, START + offset)
      expect(checkLimits(state, limits, 0, START + offset + MINUTE).type).toBe('full')
      expect(checkLimits(state, limits, 0, START + offset + MINUTE + STEP).type).toBe('free')
    }
  })

  it('says how long to wait: long enough, and not a second too long', () => {
    for (let offset = 0; offset < 1000; offset += 37) {
      const state = taken(3, 0, START)
      const nowMs = START + 20_000 + offset
      const verdict = checkLimits(state, limits, 0, nowMs)
      if (verdict.type === 'free') expect.fail('the window should be full')
      expect(verdict.limit).toBe('requestsPerMinute')
      expect(checkLimits(state, limits, 0, nowMs + verdict.waitMs - 1).type).toBe('full')
      expect(checkLimits(state, limits, 0, nowMs + verdict.waitMs).type).toBe('free')
    }
  })

  it('frees places one by one, in the order in which they were taken', () => {
    const state = newLimitState()
    for (const second of [0, 10, 20]) takeLimits(state, 0, START + second * 1000)
    const verdict = checkLimits(state, limits, 0, START + 30_000)
    expect(verdict.type === 'full' && verdict.waitMs).toBeLessThanOrEqual(31_000)
    expect(requestStanding(state, 3, START + 65_000).remaining).toBe(1)
    expect(requestStanding(state, 3, START + 75_000).remaining).toBe(2)
    expect(requestStanding(state, 3, START + 85_000)).toEqual({ limit: 3, remaining: 3, resetMs: 0 })
  })
})

describe('tokens per minute', () => {
  const limits = { ...NONE, tokensPerMinute: 100 }

  it('admits as long as the sum fits', () => {
    const state = newLimitState()
    expect([60, 40, 1].map((tokens) => admit(state, limits, tokens, START))).toEqual([true, true, false])
  })

  it('lets a request larger than the whole limit through only when the window is empty', () => {
    const state = newLimitState()
    expect(admit(state, limits, 500, START)).toBe(true)
    expect(admit(state, limits, 500, START + 30_000)).toBe(false)
    expect(admit(state, limits, 500, START + MINUTE + STEP)).toBe(true)
    const used = taken(1, 1, START)
    expect(checkLimits(used, limits, 500, START + 1).type).toBe('full')
  })

  it('adds what an answer used beyond its estimate', () => {
    const state = taken(1, 10, START)
    giveBackLimits(state, 10, 90, START + 1000)
    expect(tokenStanding(state, 100, START + 1000).remaining).toBe(10)
    expect(admit(state, limits, 11, START + 1000)).toBe(false)
  })

  it('shows no less than nothing as remaining', () => {
    const state = taken(1, 10, START)
    giveBackLimits(state, 10, 900, START)
    expect(tokenStanding(state, 100, START).remaining).toBe(0)
  })
})

describe('concurrent requests', () => {
  const limits = { ...NONE, concurrentRequests: 2 }

  it('admits as many as may run, and another one when one has ended', () => {
    const state = newLimitState()
    expect([1, 2, 3].map(() => admit(state, limits, 0, START))).toEqual([true, true, false])
    giveBackLimits(state, 0, 0, START + 1)
    expect(admit(state, limits, 0, START + 2)).toBe(true)
    expect(admit(state, limits, 0, START + 10 * MINUTE)).toBe(false)
  })

  it('tells a caller to come back after a second', () => {
    expect(checkLimits(taken(2, 0, START), limits, 0, START)).toEqual({
      type: 'full',
      limit: 'concurrentRequests',
      waitMs: 1000,
    })
  })
})

describe('a check', () => {
  it('takes nothing, however often it is made', () => {
    const limits = { requestsPerMinute: 1, tokensPerMinute: 10, concurrentRequests: 1 }
    const state = newLimitState()
    for (let count = 0; count < 100; count++) expect(checkLimits(state, limits, 10, START).type).toBe('free')
    expect(admit(state, limits, 10, START)).toBe(true)
  })

  it('takes nothing of the other limits when one of them is full', () => {
    const limits = { requestsPerMinute: 10, tokensPerMinute: 5, concurrentRequests: 10 }
    const state = newLimitState()
    takeLimits(state, 5, START)
    for (let count = 0; count < 20; count++) expect(admit(state, limits, 1, START)).toBe(false)
    expect(requestStanding(state, 10, START).remaining).toBe(9)
    expect(state.concurrent).toBe(1)
  })

  it('finds everything free where there are no limits', () => {
    const state = taken(10_000, 1_000_000, START)
    expect(checkLimits(state, NONE, 1_000_000, START)).toEqual({ type: 'free' })
  })
})

describe('taking a request back', () => {
  it('leaves everything as if it had never been', () => {
    const limits = { requestsPerMinute: 2, tokensPerMinute: 20, concurrentRequests: 2 }
    const state = taken(1, 10, START)
    takeLimits(state, 10, START + 5000)
    untakeLimits(state, { tokens: 10, atMs: START + 5000 }, START + 9000)
    expect(state.concurrent).toBe(1)
    expect(admit(state, limits, 10, START + 9000)).toBe(true)
    expect(admit(state, limits, 10, START + 9000)).toBe(false)
  })

  it('does not make room for what was taken meanwhile to leave early', () => {
    const limits = { ...NONE, requestsPerMinute: 2, tokensPerMinute: 20 }
    const state = taken(1, 10, START)
    takeLimits(state, 10, START + 50_000)
    untakeLimits(state, { tokens: 10, atMs: START }, START + 55_000)
    // The request of second 50 is still in the window, so that one fits beside it and not two.
    expect(admit(state, limits, 10, START + 62_000)).toBe(true)
    expect(admit(state, limits, 10, START + 62_000)).toBe(false)
  })

  it('takes nothing from others when it has left the window itself', () => {
    const limits = { ...NONE, requestsPerMinute: 1, tokensPerMinute: 10 }
    const state = taken(1, 10, START)
    takeLimits(state, 10, START + 70_000)
    untakeLimits(state, { tokens: 10, atMs: START }, START + 80_000)
    expect(state.concurrent).toBe(1)
    expect(admit(state, limits, 10, START + 80_000)).toBe(false)
  })
})

describe('a clock', () => {
  const limits = { ...NONE, requestsPerMinute: 2 }

  it('that is set back frees nothing', () => {
    for (const back of [1, 1000, 59_000, MINUTE, 3_600_000, START]) {
      const state = taken(2, 0, START)
      expect(checkLimits(state, limits, 0, START - back).type).toBe('full')
    }
  })

  it('that is set back does not keep a key waiting until it has caught up', () => {
    for (const back of [1, 1000, 59_000, MINUTE, 3_600_000, 31_536_000_000]) {
      const state = taken(2, 0, START)
      const verdict = checkLimits(state, limits, 0, START - back)
      expect(verdict.type === 'full' && verdict.waitMs).toBeLessThanOrEqual(MINUTE + 2 * STEP)
      expect(checkLimits(state, limits, 0, START - back + MINUTE + 2 * STEP).type).toBe('free')
    }
  })

  it('may stand before 1970', () => {
    const state = newLimitState()
    expect([1, 2, 3].map(() => admit(state, limits, 0, -5_000_000))).toEqual([true, true, false])
    expect(admit(state, limits, 0, -5_000_000 + MINUTE + 2 * STEP)).toBe(true)
  })
})
