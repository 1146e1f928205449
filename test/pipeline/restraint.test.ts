import { describe, expect, it } from 'vitest'
import type { Target } from '#core/entities.ts'
import { UpstreamFailure, type FailureKind } from '#core/failure.ts'
import { Health } from '#pipeline/health.ts'

const TARGET: Target = { providerId: 'p', upstreamModel: 'm', priority: 0, weight: 1 }
const OTHER: Target = { ...TARGET, upstreamModel: 'other' }

const failure = (kind: FailureKind, status?: number) =>
  new UpstreamFailure(kind, 'It failed.', status === undefined ? {} : { status })
const BROKEN = failure('closed')

/** Asks every 10 ms for a while, and returns when the target was asked; every call fails. */
function askAlways(
  health: Health,
  { fromMs = 0, forMs, fails = BROKEN }: { fromMs?: number; forMs: number; fails?: UpstreamFailure },
) {
  const asked: number[] = []
  for (let nowMs = fromMs; nowMs < fromMs + forMs; nowMs += 10) {
    if (health.restrained(TARGET, nowMs, false) !== undefined) continue
    health.enter(TARGET, nowMs)
    asked.push(nowMs)
    health.failed(TARGET, fails, nowMs)
  }
  return asked
}

/** The most calls in any second. */
function mostInASecond(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1000).length))
}

describe('a target that fails', () => {
  it('gets two calls a second once it is left out, however many there are', () => {
    const asked = askAlways(new Health(2), { forMs: 60_000 })
    // The third failure in a row tells that it fails; nothing is held back before.
    expect(mostInASecond(asked.slice(3))).toBe(2)
    expect(asked.length).toBeGreaterThan(100)
    expect(asked.length).toBeLessThanOrEqual(3 + 120)
  })

  it('says how long until the next call is due', () => {
    const health = new Health(2)
    askAlways(health, { forMs: 30 })
    expect(health.restrained(TARGET, 30, false)).toEqual({ why: 'asked-enough', waitMs: 980 })
    expect(health.restrained(TARGET, 1009, false)).toEqual({ why: 'asked-enough', waitMs: 1 })
    expect(health.restrained(TARGET, 1010, false)).toBeUndefined()
  })

  it('is asked by the same request again no faster, from its first failure on', () => {
    const health = new Health(2)
    for (const nowMs of [0, 400]) {
      expect(health.restrained(TARGET, nowMs, nowMs > 0)).toBeUndefined()
      health.enter(TARGET, nowMs)
      health.failed(TARGET, BROKEN, nowMs)
    }
    expect(health.restrained(TARGET, 600, true)).toEqual({ why: 'asked-enough', waitMs: 400 })
    expect(health.restrained(TARGET, 600, false)).toBeUndefined()
  })

  it('is not held back while it answers some calls', () => {
    const health = new Health(2)
    let asked = 0
    for (let nowMs = 0; nowMs < 20_000; nowMs += 50) {
      if (health.restrained(TARGET, nowMs, false) !== undefined) continue
      asked += 1
      health.enter(TARGET, nowMs)
      if (asked % 10 === 1) health.answered(TARGET, nowMs)
      else health.failed(TARGET, BROKEN, nowMs)
    }
    expect(asked).toBeGreaterThan(390)
  })

  it('is asked freely from the first byte of an answer on', () => {
    const health = new Health(2)
    askAlways(health, { forMs: 5000 })
    expect(health.restrained(TARGET, 5000, false)).toBeDefined()
    health.answering(TARGET, 5000)
    expect(health.restrained(TARGET, 5000, false)).toBeUndefined()
    expect(health.restrained(TARGET, 8000, false)).toBeUndefined()
  })

  it('holds nothing back from another model of the same provider', () => {
    const health = new Health(2)
    askAlways(health, { forMs: 100 })
    expect(health.restrained(OTHER, 100, false)).toBeUndefined()
  })

  it('is asked as before once it is another one behind the same name', () => {
    const health = new Health(2)
    askAlways(health, { forMs: 100 })
    health.forget(TARGET)
    expect(health.restrained(TARGET, 100, false)).toBeUndefined()
  })

  it('is asked without a bound where none is set', () => {
    expect(askAlways(new Health(0), { forMs: 1000 })).toHaveLength(100)
  })
})

describe('a target that asks for patience', () => {
  it('gets two calls a second until it answers', () => {
    const asked = askAlways(new Health(2), { forMs: 20_000, fails: failure('status', 429) })
    expect(mostInASecond(asked.slice(1))).toBe(2)
  })
})

describe('a target that refuses our account', () => {
  it.each([401, 402, 407])('with %i is asked every five seconds', (status) => {
    const asked = askAlways(new Health(2), { forMs: 21_000, fails: failure('secret', status) })
    expect(asked).toEqual([0, 5000, 10_000, 15_000, 20_000])
  })

  it('with 403 is asked less once it did so twice in a row, since that may be about one request', () => {
    const health = new Health(2)
    const forbidden = failure('secret', 403)
    const asked = askAlways(health, { forMs: 10_000, fails: forbidden })
    expect(asked.slice(0, 2)).toEqual([0, 10])
    expect(mostInASecond(asked)).toBe(2)
    const last = asked.at(-1) ?? 0
    expect(health.restrained(TARGET, last, false)?.why).toBe('refuses-account')
    health.answered(TARGET, 10_000)
    health.failed(TARGET, forbidden, 11_500)
    expect(health.restrained(TARGET, 11_500, false)).toBeUndefined()
  })

  it('is asked at once where the secret could not be read, which is nothing that it said', () => {
    const health = new Health(2)
    health.enter(TARGET, 0)
    health.failed(TARGET, failure('secret'), 0)
    expect(health.restrained(TARGET, 1, false)).toBeUndefined()
  })

  it('is asked at once when it was changed', () => {
    const health = new Health(2)
    askAlways(health, { forMs: 100, fails: failure('secret', 401) })
    expect(health.restrained(TARGET, 100, false)).toEqual({ why: 'refuses-account', waitMs: 4900 })
    health.forget(TARGET)
    expect(health.restrained(TARGET, 100, false)).toBeUndefined()
  })
})
