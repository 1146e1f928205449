import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountText, readAmount } from '#renderer/data/amount-input.ts'

const micro = (text: string, locale = 'en') => {
  const amount = readAmount(text, locale)
  return amount.type === 'amount' ? amount.micro : amount.type === 'wrong' ? amount.reason : amount.type
}

describe('an amount that is typed', () => {
  it('is read to the last digit, with a point or a comma', () => {
    expect(micro('12.5')).toBe(12_500_000n)
    expect(micro('12,5')).toBe(12_500_000n)
    expect(micro(' 0,000001 ', 'de')).toBe(1n)
    expect(micro('.5')).toBe(500_000n)
    expect(micro('7')).toBe(7_000_000n)
    expect(micro('+7')).toBe(7_000_000n)
  })

  it('may be negative, with either minus sign', () => {
    expect(micro('-3')).toBe(-3_000_000n)
    expect(micro('−3,25', 'de')).toBe(-3_250_000n)
  })

  it('is refused where its separator may mean thousands', () => {
    expect(micro('1,000', 'en')).toBe('ambiguous')
    expect(micro('1.000', 'de')).toBe('ambiguous')
    expect(micro('1.000', 'en')).toBe(1_000_000n)
    expect(micro('1,000', 'de')).toBe(1_000_000n)
  })

  it.each(['1,000.00', '1e3', '0x10', 'abc', '1.2.3', '-', '.', '1.0000001', '1000000000.1', '9'.repeat(20), '1 2'])(
    'is refused as %s',
    (text) => {
      expect(micro(text)).toBe('digits')
    },
  )

  it('is empty without a sign of anything', () => {
    expect(micro('   ')).toBe('empty')
  })

  it.each(['en', 'de'])('is what was written out before, in %s', (locale) => {
    fc.assert(
      fc.property(fc.bigInt({ min: -1_000_000_000_000_000n, max: 1_000_000_000_000_000n }), (amount) => {
        expect(micro(amountText(amount, locale), locale)).toBe(amount)
      }),
    )
  })
})
