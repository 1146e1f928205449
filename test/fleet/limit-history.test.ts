// What docs/fleet.md promises of limits that gateways divide, in histories that are made up by chance.

import { describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import { checkLimits, newLimitState, takeLimits } from '#core/limits.ts'
import { CycleCount } from '#pipeline/cycle-count.ts'
import { randomFrom } from '../support/random.ts'
import { LimitHistory, type Counter, type Extra, type HistoryOptions, type Passed } from './limit-history.ts'
import { isLong } from '../support/cases.ts'

const HISTORIES = isLong ? 100 : 3
const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const BEGIN = Date.UTC(2026, 2, 3)

const sum = (some: readonly (Passed | Extra)[]) => some.reduce((total, { amount }) => total + amount, 0)

/** Requests a minute, as the gate counts them. */
function ofMinute(history: () => LimitHistory, note: (amount: number) => void): Counter {
  const state = newLimitState()
  return {
    take(limit) {
      const limits = { requestsPerMinute: limit, tokensPerMinute: undefined, concurrentRequests: undefined }
      while (checkLimits(state, limits, 1, history().nowMs).type === 'free') {
        takeLimits(state, 1, history().nowMs)
        state.concurrent -= 1
        note(1)
      }
    },
  }
}

/** Credits of a day, as budgets count them. */
function ofDay(history: () => LimitHistory, note: (amount: number) => void): Counter {
  const count = new CycleCount({ nowMs: () => history().nowMs, timeZone: 'UTC' })
  return {
    take(limit) {
      const amount = Math.max(0, limit - count.takenMicro)
      count.close(microCredits(0), microCredits(amount))
      if (amount > 0) note(amount)
    },
  }
}

function historyOf(seed: number, span: 'minute' | 'day', canCut: boolean) {
  const random = randomFrom(seed)
  const limit = 1 + Math.floor(random() * 40)
  const counter = span === 'minute' ? ofMinute : ofDay
  const options: HistoryOptions = {
    random,
    limit,
    limits: (all) => (span === 'minute' ? { requestsPerMinute: all } : { dailyMicro: all }),
    span,
    stepMs: span === 'minute' ? SECOND : 10 * MINUTE,
    unrest: 0.01,
    canCut,
    newCounter: (note) => counter(() => history, note),
    remembers: span === 'day',
  }
  const history: LimitHistory = new LimitHistory(options, BEGIN)
  return { history, limit }
}

/** Parts of less than 1 are 1. */
function tooSmall(passed: readonly Passed[], limit: number): number {
  const gateways = new Set(passed.map(({ gateway }) => gateway)).size
  return gateways > limit ? gateways : 0
}

const within = <Event extends { readonly atMs: number }>(events: readonly Event[], from: number, to: number) =>
  events.filter(({ atMs }) => atMs > from && atMs <= to)

describe('gateways that divide a limit', { timeout: isLong ? 600_000 : 90_000 }, () => {
  it.each([
    { canCut: false, reachMs: MINUTE },
    { canCut: true, reachMs: 3 * MINUTE },
  ])(
    'let through no more in any minute than it and the parts of newcomers (cut off: $canCut)',
    ({ canCut, reachMs }) => {
      let extraUsed = 0
      for (let seed = 1; seed <= HISTORIES; seed += 1) {
        const { history, limit } = historyOf(seed, 'minute', canCut)
        for (let step = 0; step < 900; step += 1) {
          history.step()
          const now = history.nowMs
          const passed = within(history.passed, now - MINUTE, now)
          const extra = sum(within(history.extras, now - reachMs - SECOND, now))
          expect(sum(passed), `seed ${seed}, step ${step}`).toBeLessThanOrEqual(limit + extra + tooSmall(passed, limit))
          if (sum(passed) > limit) extraUsed += 1
        }
      }
      // Else nothing here would come near to what is promised.
      expect(extraUsed).toBeGreaterThan(0)
    },
  )

  it('charge no more on a day than it, the parts of newcomers and what lost ones had charged', () => {
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const { history, limit } = historyOf(seed, 'day', true)
      for (let step = 0; step < 900; step += 1) history.step()
      for (let day = BEGIN; day < history.nowMs; day += DAY) {
        // A day begins with its first moment.
        const passed = within(history.passed, day - 1, day + DAY - 1)
        const lost = within(history.lost, day - 1, day + DAY - 1).map(({ gateway }) => gateway)
        const ofLost = sum(passed.filter(({ gateway }) => lost.includes(gateway)))
        const extra = sum(within(history.extras, day - 1, day + DAY - 1))
        const most = limit + extra + ofLost + tooSmall(passed, limit)
        expect(sum(passed), `seed ${seed}, day ${new Date(day).toISOString()}`).toBeLessThanOrEqual(most)
      }
    }
  })

  it('have all of it among them again when those that are gone count no more', () => {
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const { history, limit } = historyOf(seed, 'minute', true)
      for (let step = 0; step < 400; step += 1) history.step()
      // Who is cut off hears again within four minutes.
      for (let step = 0; step < 400; step += 1) history.step(true)
      if (history.alive > 0) expect(history.held, `seed ${seed}`).toBe(Math.max(limit, history.alive))
    }
  })
})
