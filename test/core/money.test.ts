import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { creditsToMicro, microCredits, microToCredits, ZERO } from '#core/money.ts'

/** A billion credits, the most that the admin API takes. */
const MAX_MICRO = 1_000_000_000_000_000

describe('microCredits', () => {
  it.each([0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])('takes the whole amount %d', (amount) => {
    expect(microCredits(amount)).toBe(amount)
  })

  it.each([0.5, -0.1, 1e-6, Number.NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 1e300])(
    'refuses %d, which a ledger could not add up exactly',
    (amount) => {
      expect(() => microCredits(amount)).toThrow(RangeError)
    },
  )

  it('refuses what is no number', () => {
    for (const value of ['5', null, undefined, 5n, {}]) expect(() => microCredits(value as number)).toThrow(RangeError)
  })

  it('has a zero', () => {
    expect(ZERO).toBe(0)
  })
})

describe('credits that an administrator writes', () => {
  it.each([
    [0, 0],
    [1, 1_000_000],
    [0.000001, 1],
    [0.1, 100_000],
    [1.25, 1_250_000],
    [10.000001, 10_000_001],
    [0.07, 70_000],
    [1_000_000_000, MAX_MICRO],
    [999_999_999.999999, 999_999_999_999_999],
  ])('%d credits are %d micro-credits', (credits, micro) => {
    expect(creditsToMicro(credits)).toBe(micro)
  })

  it.each([0.0000001, 1.2345678, 0.1 + 0.2, 1e-7, 1 / 3])('are refused with more than six decimals: %d', (credits) => {
    expect(creditsToMicro(credits)).toBeUndefined()
  })

  it.each([Number.NaN, Infinity, -Infinity, 1e10, Number.MAX_VALUE])('are refused out of range: %d', (credits) => {
    expect(creditsToMicro(credits)).toBeUndefined()
  })

  it('come back as they were written, whatever the amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_MICRO }), (micro) => {
        expect(creditsToMicro(microToCredits(microCredits(micro)))).toBe(micro)
      }),
      { numRuns: 5000 },
    )
  })

  it('are shown with at most six decimals and without an exponent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_MICRO }), (micro) => {
        const text = JSON.stringify(microToCredits(microCredits(micro)))
        expect(text).toMatch(/^\d+(\.\d{1,6})?$/)
        const [whole = '', fraction = ''] = text.split('.')
        expect(BigInt(whole + fraction.padEnd(6, '0'))).toBe(BigInt(micro))
      }),
      { numRuns: 5000 },
    )
  })
})
