import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SignInThrottle, waitAfter } from '#server/sign-in-throttle.ts'
import type { StoredFailure, VisitChange } from '#store/session-rows.ts'

const HOUR_MS = 3_600_000
const LONGEST_MS = 15 * 60_000

/** A throttle over a table that outlives it, and a clock of its own. */
function house(nowMs = 1_000_000_000_000) {
  const rows = new Map<string, StoredFailure>()
  const save = (change: VisitChange) => {
    if (change.type === 'put-failure') rows.set(change.failure.subject, change.failure)
    if (change.type === 'delete-failure') rows.delete(change.subject)
  }
  const clock = { nowMs }
  const open = () => new SignInThrottle([...rows.values()], { nowMs: () => clock.nowMs, save })
  return { rows, clock, open }
}

describe('passwords may be tried', () => {
  it('five times at once, then after a second that doubles to a quarter of an hour', () => {
    const { clock, open } = house()
    const throttle = open()
    for (let count = 0; count < 5; count++) expect(throttle.begin('ann', 'here')).toBeUndefined()
    for (const waitMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, LONGEST_MS]) {
      expect(throttle.begin('ann', 'here')).toBe(waitMs)
      clock.nowMs += waitMs - 1
      expect(throttle.begin('ann', 'here')).toBe(1)
      clock.nowMs += 1
      expect(throttle.begin('ann', 'here')).toBeUndefined()
    }
    expect(throttle.begin('ann', 'here')).toBe(LONGEST_MS)
  })

  it('no more often under another name, or at another address', () => {
    const throttle = house().open()
    for (let count = 0; count < 5; count++) throttle.begin(`name ${count}`, 'here')
    expect(throttle.begin('another', 'here')).toBe(1000)
    for (let count = 0; count < 5; count++) throttle.begin('Ann', `address ${count}`)
    expect(throttle.begin('ANN', 'elsewhere')).toBe(1000)
    expect(throttle.begin('bob', 'elsewhere')).toBeUndefined()
  })

  it('again after the right one, without making others at the address forgotten', () => {
    const throttle = house().open()
    for (let count = 0; count < 4; count++) throttle.begin('ann', 'here')
    for (let count = 0; count < 10; count++) {
      expect(throttle.begin('bob', 'there')).toBeUndefined()
      throttle.succeeded('bob', 'there')
    }
    expect(throttle.begin('bob', 'here')).toBeUndefined()
    throttle.succeeded('bob', 'here')
    expect(throttle.begin('ann', 'here')).toBeUndefined()
    expect(throttle.begin('bob', 'here')).toBe(1000)
  })

  it('again after an hour without any', () => {
    const { clock, open } = house()
    const throttle = open()
    for (let count = 0; count < 5; count++) throttle.begin('ann', 'here')
    clock.nowMs += HOUR_MS
    for (let count = 0; count < 5; count++) expect(throttle.begin('ann', 'here')).toBeUndefined()
    expect(throttle.begin('ann', 'here')).toBe(1000)
  })

  it('not sooner because Farebox was started again, nor much later because the clock was set back', () => {
    const { clock, open } = house()
    for (let count = 0; count < 15; count++) {
      const waitMs = open().begin('ann', 'here')
      if (waitMs !== undefined) clock.nowMs += waitMs
      if (waitMs !== undefined) open().begin('ann', 'here')
    }
    const waitMs = open().begin('ann', 'here') ?? 0
    expect(waitMs).toBeGreaterThan(1000)
    const throttle = open()
    clock.nowMs -= 24 * HOUR_MS
    expect(throttle.begin('ann', 'here')).toBeLessThanOrEqual(LONGEST_MS)
    clock.nowMs += LONGEST_MS
    expect(throttle.begin('ann', 'here')).toBeUndefined()
  })

  it('sixty times a minute in all', () => {
    const { clock, open } = house()
    const throttle = open()
    for (let count = 0; count < 60; count++) expect(throttle.begin(`n${count}`, `a${count}`)).toBeUndefined()
    expect(throttle.begin('n', 'a')).toBe(60_000)
    clock.nowMs += 60_000
    expect(throttle.begin('n', 'a')).toBeUndefined()
  })

  it('in whichever order things happen: never more than the waits allow', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b'),
      address: fc.constantFrom('x', 'y'),
      afterMs: fc.nat(40_000),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, open, rows } = house()
        const taken = new Map<string, number[]>()
        for (const { name, address, afterMs } of steps) {
          clock.nowMs += afterMs
          if (open().begin(name, address) !== undefined) continue
          for (const subject of [`name ${name}`, `address ${address}`]) {
            const times = taken.get(subject) ?? []
            const last = times.at(-1)
            if (last !== undefined) expect(clock.nowMs - last).toBeGreaterThanOrEqual(waitAfter(times.length))
            taken.set(subject, [...times, clock.nowMs])
          }
        }
        expect(rows.size).toBeLessThanOrEqual(4)
      }),
    )
  })
})

describe('the memory of failures', () => {
  it('is bounded, in memory and on disk, and forgets the oldest first', () => {
    const { clock, rows, open } = house()
    const throttle = open()
    for (let count = 0; count < 6000; count++) {
      clock.nowMs += 1001
      throttle.begin(`n${count}`, `a${count}`)
    }
    expect(throttle.size).toBe(10_000)
    expect(rows.size).toBe(10_000)
  })

  it('holds no name and no address', () => {
    const { rows, open } = house()
    open().begin('my-password', '127.0.0.1')
    expect(JSON.stringify([...rows])).not.toMatch(/my-password|127/)
  })
})
