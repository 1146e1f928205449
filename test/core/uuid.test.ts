import { randomFillSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uuidV7Generator } from '#core/uuid.ts'

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const realRandom = (bytes: Uint8Array) => void randomFillSync(bytes)
const filledWith = (byte: number) => (bytes: Uint8Array) => void bytes.fill(byte)

function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

function counterOf(id: string): number {
  return Number.parseInt(id.slice(15, 18), 16)
}

describe('an id', () => {
  it('has version 7 and the RFC variant, whatever the random bytes are', () => {
    for (let byte = 0; byte < 256; byte++) {
      expect(uuidV7Generator(() => 1_800_000_000_000, filledWith(byte))()).toMatch(FORM)
    }
  })

  it.each([0, 1, 255, 256, 65_535, 65_536, 0xffff_ffff, 1_790_000_000_123, 2 ** 48 - 1])(
    'holds the time %d',
    (timeMs) => {
      expect(timeOf(uuidV7Generator(() => timeMs, realRandom)())).toBe(timeMs)
    },
  )

  it('holds all other random bits', () => {
    expect(uuidV7Generator(() => 1, filledWith(0xff))()).toBe('00000000-0001-7000-bfff-ffffffffffff')
    expect(uuidV7Generator(() => 1, filledWith(0))()).toBe('00000000-0001-7000-8000-000000000000')
  })
})

describe('ids of one generator', () => {
  it('are unique and sort in the order they were made, also many within one millisecond', () => {
    const next = uuidV7Generator(() => 1_800_000_000_000, realRandom)
    const ids = Array.from({ length: 50_000 }, next)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.toSorted()).toEqual(ids)
    expect(ids.every((id) => FORM.test(id))).toBe(true)
  })

  it('count up within a millisecond and borrow from the next one when the counter is full', () => {
    const next = uuidV7Generator(() => 5000, filledWith(0))
    const ids = Array.from({ length: 4097 }, next)
    expect(ids.slice(0, 4096).map(counterOf)).toEqual(Array.from({ length: 4096 }, (_, index) => index))
    expect(ids.slice(0, 4096).every((id) => timeOf(id) === 5000)).toBe(true)
    expect([timeOf(ids[4096] ?? ''), counterOf(ids[4096] ?? '')]).toEqual([5001, 0])
  })

  it('go on sorting when the clock is set back, and follow it again once it has caught up', () => {
    let now = 1_800_000_000_000
    const next = uuidV7Generator(() => now, realRandom)
    const before = next()
    now -= 3_600_000
    const after = Array.from({ length: 10_000 }, next)
    expect([before, ...after].toSorted()).toEqual([before, ...after])
    now += 7_200_000
    expect(timeOf(next())).toBe(now)
  })

  it('sort for any movement of the clock', () => {
    const steps = fc.array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -1e12, max: 1e12 })), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(steps, (jumps) => {
        let now = 1_800_000_000_000
        const next = uuidV7Generator(() => Math.max(0, now), realRandom)
        const ids = jumps.map((jump) => {
          now += jump
          return next()
        })
        expect(ids.toSorted()).toEqual(ids)
        expect(new Set(ids).size).toBe(ids.length)
      }),
      { numRuns: 500 },
    )
  })
})
