import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { creditsText, microOf, moneyText, shareOf } from '../../../src-renderer/data/money.ts'

const amounts = fc.bigInt({ min: -9_007_199_254_740_991n, max: 9_007_199_254_740_991n })

describe('microOf', () => {
  it.each([
    [41.2, 41_200_000n],
    [0.000001, 1n],
    ['0.000001', 1n],
    ['-3.5', -3_500_000n],
    ['999999999999999.999999', 999_999_999_999_999_999_999n],
    [0, 0n],
  ])('reads %s exactly', (credits, micro) => {
    expect(microOf(credits)).toBe(micro)
  })

  it.each([1e-7, 1e21, Number.NaN, Number.POSITIVE_INFINITY, '', '1,5', '1.2345678', '1.', '.5', '1e3', '+1', '0x10'])(
    'refuses %s',
    (credits) => {
      expect(microOf(credits)).toBeUndefined()
    },
  )

  it('undoes creditsText, and reads what the API sends of any amount', () => {
    fc.assert(
      fc.property(amounts, (micro) => {
        expect(microOf(creditsText(micro))).toBe(micro)
        // As the server computes it; up to here the nearest double prints the same six decimals.
        if (micro > -1_000_000_000_000_000n && micro < 1_000_000_000_000_000n) {
          expect(microOf(Number(micro) / 1_000_000)).toBe(micro)
        }
      }),
    )
  })
})

describe('moneyText', () => {
  it.each([
    [41_200_000n, '41.20'],
    [1_284_000_000n, '1,284.00'],
    [8_300n, '0.0083'],
    [1n, '0.000001'],
    [0n, '0.00'],
    [180_000n, '0.18'],
    [3_125_000n, '3.13'],
    [-3_125_000n, '−3.13'],
    [999_999n, '1.00'],
    [123_456_789_012_345_678n, '123,456,789,012.35'],
  ])('writes %s short as %s', (micro, text) => {
    expect(moneyText(micro, 'en')).toBe(text)
  })

  it('has every digit where it is exact', () => {
    expect(moneyText(41_200_001n, 'en', 'exact')).toBe('41.200001')
    expect(moneyText(41_200_000n, 'en', 'exact')).toBe('41.20')
  })

  it('writes with the separators of the language', () => {
    expect(moneyText(1_284_500_000n, 'de')).toBe('1.284,50')
  })

  it('never shows something as nothing', () => {
    fc.assert(
      fc.property(amounts, (micro) => {
        fc.pre(micro !== 0n)
        expect(moneyText(micro, 'en')).toMatch(/[1-9]/)
      }),
    )
  })
})

describe('shareOf', () => {
  it('stays between nothing and everything', () => {
    expect(shareOf(1n, 4n)).toBe(25)
    expect(shareOf(9n, 4n)).toBe(100)
    expect(shareOf(-1n, 4n)).toBe(0)
    expect(shareOf(1n, 0n)).toBe(0)
  })
})
