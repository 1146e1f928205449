import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sourceOf } from '#core/source.ts'
import { SignInThrottle, type Try } from '#server/sign-in/sign-in-throttle.ts'
import type { StoredFailure, VisitChange } from '#store/session-rows.ts'

const HOUR_MS = 3_600_000
const LONGEST_MS = 15 * 60_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * HOUR_MS

/** A throttle over a table that outlives it, and a clock of its own. */
function house(nowMs = 1_000_000_000_000) {
  const rows = new Map<string, StoredFailure>()
  const save = (change: VisitChange) => {
    if (change.type === 'put-failure') rows.set(change.failure.subject, change.failure)
    if (change.type === 'delete-failure') rows.delete(change.subject)
  }
  const clock = { nowMs }
  const open = () => new SignInThrottle([...rows.values()], { nowMs: () => clock.nowMs, save })
  /** Tries as soon as it may, for so long, and says when it did. */
  const tryFor = (throttle: SignInThrottle, asked: Try, forMs: number) => {
    const times: number[] = []
    for (const endsAtMs = clock.nowMs + forMs; clock.nowMs < endsAtMs;) {
      const waitMs = throttle.begin(asked)
      if (waitMs === undefined) times.push(clock.nowMs)
      else clock.nowMs += waitMs
    }
    return times
  }
  return { rows, clock, open, tryFor }
}

/** The most of these times that lie within any stretch of so long. */
function mostWithin(times: readonly number[], lengthMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + lengthMs).length))
}

const by = (name: string, address: string): Try => ({ name, address })

describe('passwords may be tried', () => {
  it('five times at once, then after a second that doubles to a quarter of an hour', () => {
    const { clock, open } = house()
    const throttle = open()
    const ann = by('ann', 'here')
    for (let count = 0; count < 5; count++) expect(throttle.begin(ann)).toBeUndefined()
    for (const waitMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, LONGEST_MS]) {
      expect(throttle.begin(ann)).toBe(waitMs)
      clock.nowMs += waitMs - 1
      expect(throttle.begin(ann)).toBe(1)
      clock.nowMs += 1
      expect(throttle.begin(ann)).toBeUndefined()
    }
    expect(throttle.begin(ann)).toBe(LONGEST_MS)
  })

  it('no more often under another name, or from another address of the network', () => {
    const throttle = house().open()
    for (let count = 0; count < 5; count++) throttle.begin(by(`name ${count}`, 'here'))
    expect(throttle.begin(by('another', 'here'))).toBe(1000)
    for (let count = 0; count < 5; count++) throttle.begin(by('Ann', `2001:db8::${count}`))
    expect(throttle.begin(by('ANN', '2001:db8::ffff'))).toBe(1000)
  })

  it('by anybody elsewhere, however often the same name was tried', () => {
    const throttle = house().open()
    for (let count = 0; count < 30; count++) throttle.begin(by('ann', `192.0.2.${count >> 1}`))
    expect(throttle.begin(by('ann', '198.51.100.1'))).toBeUndefined()
  })

  it('with a proof, whatever was tried with the same name at the same address', () => {
    const throttle = house().open()
    for (let count = 0; count < 6; count++) throttle.begin(by('ann', 'here'))
    const proved = { name: 'ann', proof: 'a session' }
    for (let count = 0; count < 5; count++) expect(throttle.begin(proved)).toBeUndefined()
    expect(throttle.begin(proved)).toBe(1000)
    expect(throttle.begin({ name: 'ann', proof: 'another session' })).toBeUndefined()
  })

  it('again after the right one, without making others at the address forgotten', () => {
    const throttle = house().open()
    for (let count = 0; count < 4; count++) throttle.begin(by('ann', 'here'))
    for (let count = 0; count < 10; count++) {
      expect(throttle.begin(by('bob', 'there'))).toBeUndefined()
      throttle.succeeded(by('bob', 'there'))
    }
    expect(throttle.begin(by('bob', 'here'))).toBeUndefined()
    throttle.succeeded(by('bob', 'here'))
    expect(throttle.begin(by('ann', 'here'))).toBeUndefined()
    expect(throttle.begin(by('bob', 'here'))).toBe(1000)
  })

  it('again after an hour without any', () => {
    const { clock, open } = house()
    const throttle = open()
    for (let count = 0; count < 5; count++) throttle.begin(by('ann', 'here'))
    clock.nowMs += HOUR_MS
    for (let count = 0; count < 5; count++) expect(throttle.begin(by('ann', 'here'))).toBeUndefined()
    expect(throttle.begin(by('ann', 'here'))).toBe(1000)
  })

  it('not sooner because Farebox was started again, nor much later because the clock was set back', () => {
    const { clock, open } = house()
    const ann = by('ann', 'here')
    for (let count = 0; count < 15; count++) {
      const waitMs = open().begin(ann)
      if (waitMs !== undefined) clock.nowMs += waitMs
      if (waitMs !== undefined) open().begin(ann)
    }
    const waitMs = open().begin(ann) ?? 0
    expect(waitMs).toBeGreaterThan(1000)
    const throttle = open()
    clock.nowMs -= 24 * HOUR_MS
    // The longest wait, or the time in which one of a day's tries is forgiven.
    expect(throttle.begin(ann)).toBeLessThanOrEqual(18 * MINUTE_MS)
    clock.nowMs += 18 * MINUTE_MS
    expect(throttle.begin(ann)).toBeUndefined()
  })

  it('a hundred times a day with one name by one source, over restarts, and by pausing no more', () => {
    const { clock, open, tryFor } = house()
    const times: number[] = []
    // Pauses of an hour are what makes the waits begin anew.
    for (let count = 0; count < 60; count++) {
      times.push(...tryFor(open(), by('ann', '192.0.2.1'), 20 * MINUTE_MS))
      clock.nowMs += HOUR_MS
    }
    times.push(...tryFor(open(), by('ann', '192.0.2.1'), 2 * DAY_MS))
    expect(mostWithin(times, DAY_MS)).toBeGreaterThan(90)
    expect(mostWithin(times, DAY_MS)).toBeLessThanOrEqual(100)
  })

  it('a hundred times a day by a program of this machine, from however many of its addresses', () => {
    const { clock, open } = house()
    const throttle = open()
    const times: number[] = []
    for (let count = 0; count < 5000; count++) {
      clock.nowMs += 30_000
      if (throttle.begin(by('ann', `127.0.${count >> 8}.${count & 255}`)) === undefined) times.push(clock.nowMs)
    }
    expect(mostWithin(times, DAY_MS)).toBeLessThanOrEqual(100)
  })

  it('as often as somebody likes who knows it', () => {
    const { clock, open } = house()
    const throttle = open()
    for (let count = 0; count < 500; count++) {
      clock.nowMs += 2000
      expect(throttle.begin(by('ann', 'here'))).toBeUndefined()
      throttle.succeeded(by('ann', 'here'))
    }
    expect(throttle.size).toBe(0)
  })
})

describe('of all together', () => {
  it('no more than sixty tries are made in any minute, the last of them by who is known', () => {
    const { clock, open } = house()
    const throttle = open()
    for (let count = 0; count < 50; count++) expect(throttle.begin(by(`n${count}`, `a${count}`))).toBeUndefined()
    expect(throttle.begin(by('n', 'a'))).toBe(60_000)
    for (let count = 0; count < 10; count++) {
      expect(throttle.begin({ name: `n${count}`, proof: `s${count}` })).toBeUndefined()
    }
    expect(throttle.begin({ name: 'n', proof: 's' })).toBe(60_000)
    clock.nowMs += 60_000
    expect(throttle.begin(by('n', 'a'))).toBeUndefined()
  })

  it('thirty may be made by those who failed lately, from many networks of one site too', () => {
    const throttle = house().open()
    for (let count = 0; count < 100; count++) throttle.begin(by(`n${count}`, `2001:db8:1:${count.toString(16)}::1`))
    expect(throttle.begin(by('n', '2001:db8:1:ffff::1'))).toBe(60_000)
    for (let count = 0; count < 20; count++) {
      expect(throttle.begin(by('n', `2001:db8:${count + 2}::1`))).toBeUndefined()
    }
  })

  it('what was refused, or not looked at, counts for nothing', () => {
    const throttle = house().open()
    for (let count = 0; count < 1000; count++) throttle.begin(by(`n${count % 7}`, 'here'))
    for (let count = 0; count < 1000; count++) {
      const asked = by(`n${count}`, `a${count}`)
      expect(throttle.begin(asked)).toBeUndefined()
      throttle.takeBack(asked)
    }
    for (let count = 0; count < 45; count++) expect(throttle.begin(by(`n${count}`, `a${count}`))).toBeUndefined()
    expect(throttle.begin(by('n', 'a'))).toBe(60_000)
  })
})

/** Anybody's tries: some with the right person's name, from few networks or from many, of which none is the right person's. */
const strangers = fc.array(
  fc.record({
    name: fc.constantFrom('ann', 'Ann', 'bob', 'eve'),
    address: fc.oneof(
      fc.constantFrom('192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2', '127.0.0.1', '::1'),
      fc.integer({ min: 0, max: 0xffff }).map((network) => `2001:db8:1:${network.toString(16)}::1`),
      fc.integer({ min: 0, max: 0xffff }).map((host) => `2001:db8:2:2::${host.toString(16)}`),
    ),
    afterMs: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(40_000), fc.nat(2 * HOUR_MS)),
    ending: fc.constantFrom('wrong', 'wrong', 'wrong', 'unseen'),
  }),
  { minLength: 50, maxLength: 400 },
)

describe('however strangers try', () => {
  it('nobody gets more tries than the waits, the minute and the day allow', () => {
    fc.assert(
      fc.property(strangers, (steps) => {
        const { clock, open } = house()
        const throttle = open()
        const all: number[] = []
        const own = new Map<string, number[]>()
        for (const { name, address, afterMs } of steps) {
          clock.nowMs += afterMs
          if (throttle.begin({ name, address }) !== undefined) continue
          all.push(clock.nowMs)
          const source = `${name.toLowerCase()} ${sourceOf(address)}`
          own.set(source, [...(own.get(source) ?? []), clock.nowMs])
        }
        expect(mostWithin(all, MINUTE_MS)).toBeLessThanOrEqual(60)
        for (const times of own.values()) {
          expect(mostWithin(times, DAY_MS)).toBeLessThanOrEqual(100)
          for (const [index, at] of times.entries()) {
            // Within an hour all before it count.
            const before = times.slice(0, index).filter((time) => time > at - HOUR_MS)
            const last = before.at(-1)
            if (last !== undefined && before.length >= 5) expect(at - last).toBeGreaterThanOrEqual(1000)
          }
        }
      }),
    )
  })

  it('the right person gets in from elsewhere: at once, and after mistakes of their own within an hour and a quarter', () => {
    fc.assert(
      fc.property(strangers, fc.nat(6), fc.boolean(), (steps, mistakes, isProved) => {
        const { clock, open } = house()
        const throttle = open()
        const asked: Try = isProved ? { name: 'ann', proof: 'a session' } : by('ann', '2001:db8:ffff::7')
        const attack = () => {
          for (const { name, address, afterMs, ending } of steps) {
            clock.nowMs += Math.min(afterMs, 2000)
            const stranger = { name, address }
            if (throttle.begin(stranger) === undefined && ending === 'unseen') throttle.takeBack(stranger)
          }
        }
        attack()
        if (mistakes === 0) {
          expect(throttle.begin(asked)).toBeUndefined()
          return
        }
        for (let count = 0; count < mistakes; count++) throttle.begin(asked)
        const sinceMs = clock.nowMs
        for (let waitMs = throttle.begin(asked); waitMs !== undefined; waitMs = throttle.begin(asked)) {
          clock.nowMs += waitMs
          // They go on trying all the while, and always come first.
          attack()
          expect(clock.nowMs - sinceMs).toBeLessThan(HOUR_MS + LONGEST_MS)
        }
      }),
    )
  })
})

describe('the memory of failures', () => {
  it('is bounded, in memory and on disk, for whoever tries from as many networks as they like', () => {
    const { clock, rows, open } = house()
    const throttle = open()
    let most = 0
    for (let count = 0; count < 20_000; count++) {
      clock.nowMs += 1001
      throttle.begin(by(`n${count}`, `2001:${(count % 65_536).toString(16)}:${count.toString(16)}::1`))
      most = Math.max(most, throttle.size, rows.size)
    }
    expect(most).toBeGreaterThan(10_000)
    expect(most).toBeLessThanOrEqual(20_000)
  })

  it('holds no name and no address', () => {
    const { rows, open } = house()
    open().begin(by('my-password', '127.0.0.1'))
    expect(JSON.stringify([...rows])).not.toMatch(/my-password|127/)
  })
})
