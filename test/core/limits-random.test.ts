import fc from 'fast-check'
import { expect, it } from 'vitest'
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
import { isLong } from '../support/cases.ts'

const MINUTE = 60_000
const STEP = 1000
const START = 1_800_000_000_000
const numRuns = isLong ? 30_000 : 1000

const limitsOf = fc.record({
  requestsPerMinute: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  tokensPerMinute: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
  concurrentRequests: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
})
/** Moments close together, around a second, and around a minute. */
const pause = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 900, max: 1100 }),
  fc.integer({ min: 0, max: 30_000 }),
  fc.integer({ min: 59_000, max: 62_000 }),
)
const tokens = fc.integer({ min: 0, max: 120 })
const steps = fc.array(
  fc.record({
    pauseMs: pause,
    setBackMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(7_200_000) }),
    act: fc.oneof(
      { weight: 6, arbitrary: fc.record({ type: fc.constant('ask' as const), tokens }) },
      { weight: 2, arbitrary: fc.record({ type: fc.constant('end' as const), used: tokens, which: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('take-back' as const), which: fc.nat() }) },
    ),
  }),
  { minLength: 1, maxLength: 120 },
)
type Steps = typeof steps extends fc.Arbitrary<infer Value> ? Value : never

type Running = { readonly atMs: number; readonly realMs: number; readonly tokens: number }
type Taken = { readonly realMs: number; readonly requests: number; readonly tokens: number }

/** What really happened, kept as a plain list: who was admitted, by a clock that nobody sets. */
class Record60 {
  taken: Taken[] = []

  within(realMs: number): { requests: number; tokens: number } {
    const recent = this.taken.filter((entry) => entry.realMs >= realMs - MINUTE)
    return {
      requests: recent.reduce((sum, entry) => sum + entry.requests, 0),
      tokens: recent.reduce((sum, entry) => sum + entry.tokens, 0),
    }
  }

  forget(running: Running): void {
    const index = this.taken.findIndex(
      (entry) => entry.requests === 1 && entry.realMs === running.realMs && entry.tokens === running.tokens,
    )
    this.taken.splice(index, 1)
  }
}

function play(limits: PackageLimits, script: Steps, options: { readonly setsBack: boolean }): void {
  const state = newLimitState()
  const record = new Record60()
  const running: Running[] = []
  let realMs = 0
  let nowMs = START
  for (const step of script) {
    realMs += step.pauseMs
    nowMs += step.pauseMs - (options.setsBack ? step.setBackMs : 0)
    const { act } = step
    if (act.type === 'ask') {
      const before = record.within(realMs)
      const isFree = checkLimits(state, limits, act.tokens, nowMs).type === 'free'
      if (isFree) {
        expect(before.requests + 1).toBeLessThanOrEqual(limits.requestsPerMinute ?? Infinity)
        const fits = before.tokens + act.tokens <= (limits.tokensPerMinute ?? Infinity)
        expect(fits || before.tokens === 0).toBe(true)
        expect(running.length + 1).toBeLessThanOrEqual(limits.concurrentRequests ?? Infinity)
        takeLimits(state, act.tokens, nowMs)
        running.push({ atMs: nowMs, realMs, tokens: act.tokens })
        record.taken.push({ realMs, requests: 1, tokens: act.tokens })
      }
      continue
    }
    const [ended] = running.splice(act.which % Math.max(1, running.length), 1)
    if (ended === undefined) continue
    if (act.type === 'end') {
      giveBackLimits(state, ended.tokens, act.used, nowMs)
      record.taken.push({ realMs, requests: 0, tokens: Math.max(0, act.used - ended.tokens) })
    } else if (!options.setsBack) {
      untakeLimits(state, ended, nowMs)
      record.forget(ended)
    } else giveBackLimits(state, ended.tokens, 0, nowMs)
  }
  expect(state.concurrent).toBe(running.length)
}

it('never admits more than the limits in any 60 seconds, whatever is asked, ended and taken back', () => {
  fc.assert(
    fc.property(limitsOf, steps, (limits, script) => play(limits, script, { setsBack: false })),
    { numRuns },
  )
})

it('never admits more than the limits in any 60 seconds while the clock is set back now and then', () => {
  fc.assert(
    fc.property(limitsOf, steps, (limits, script) => play(limits, script, { setsBack: true })),
    { numRuns },
  )
})

it('refuses nobody for longer than its own limit asks: after a quiet minute every window is empty', () => {
  fc.assert(
    fc.property(limitsOf, steps, (limits, script) => {
      const state = newLimitState()
      let nowMs = START
      for (const { pauseMs, setBackMs, act } of script) {
        nowMs += pauseMs - setBackMs
        if (act.type === 'ask') takeLimits(state, act.tokens, nowMs)
      }
      // How far a clock was set back shows only when it is looked at.
      requestStanding(state, 5, nowMs)
      tokenStanding(state, 5, nowMs)
      nowMs += MINUTE + 2 * STEP
      expect(requestStanding(state, 5, nowMs)).toEqual({ limit: 5, remaining: 5, resetMs: 0 })
      expect(tokenStanding(state, 5, nowMs)).toEqual({ limit: 5, remaining: 5, resetMs: 0 })
      expect(checkLimits(state, { ...limits, concurrentRequests: undefined }, 1000, nowMs).type).toBe('free')
    }),
    { numRuns },
  )
})

it('says exactly when a refused request will fit', () => {
  fc.assert(
    fc.property(limitsOf, steps, tokens, (limits, script, asked) => {
      const state = newLimitState()
      const minutely = { ...limits, concurrentRequests: undefined }
      let nowMs = START
      for (const { pauseMs, act } of script) {
        nowMs += pauseMs
        if (act.type === 'ask') takeLimits(state, act.tokens, nowMs)
      }
      // One limit may free up while another is still full, so the wait of each is followed.
      for (let verdict = check(); verdict.type === 'full'; verdict = check()) {
        const { limit, waitMs } = verdict
        expect(waitMs).toBeGreaterThan(0)
        expect(waitMs).toBeLessThanOrEqual(MINUTE + STEP)
        const sooner = checkLimits(copy(state), minutely, asked, nowMs + waitMs - 1)
        expect(waitMs === 1 || (sooner.type === 'full' && sooner.limit === limit)).toBe(true)
        nowMs += waitMs
      }
      function check() {
        return checkLimits(state, minutely, asked, nowMs)
      }
    }),
    { numRuns },
  )
})

function copy(state: LimitState): LimitState {
  return structuredClone(state)
}
