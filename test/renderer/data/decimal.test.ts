import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimalOf, decimalText, isSame, neededPlaces, sumOf, type Decimal } from '#renderer/data/decimal.ts'

function decimal(text: string): Decimal {
  const found = decimalOf(text)
  if (found === undefined) throw new Error(`${text} is no decimal`)
  return found
}

describe('decimals', () => {
  it('add up exactly where numbers would not', () => {
    const sum = sumOf(['0.00000165', '0.000003375', '0.0000042', '0.000000775'].map(decimal))
    expect(isSame(sum, decimal('0.00001'))).toBe(true)
    expect(isSame(sumOf([decimal('0.1'), decimal('0.2')]), decimal('0.3'))).toBe(true)
  })

  it('add up to nothing where there are none', () => {
    expect(isSame(sumOf([]), decimal('0'))).toBe(true)
  })

  it.each(['', '.5', '1.', '1e3', '--1', ' 1', '1,5', '1'.repeat(61)])('refuses %j', (text) => {
    expect(decimalOf(text)).toBeUndefined()
  })

  it('are written with the places asked for, and never with fewer than they need', () => {
    expect(decimalText(decimal('1234.5'), 2, 'en')).toBe('1,234.50')
    expect(decimalText(decimal('1234.5'), 2, 'de')).toBe('1.234,50')
    expect(decimalText(decimal('0.000003375'), 2, 'en')).toBe('0.000003375')
    expect(decimalText(decimal('0.1000'), 0, 'en')).toBe('0.1')
    expect(decimalText(decimal('-0.25'), 3, 'en')).toBe('−0.250')
    expect(decimalText(decimal('7.000'), 0, 'en')).toBe('7')
  })

  it('need no zeros at their end', () => {
    expect(neededPlaces(decimal('0.1200'))).toBe(2)
    expect(neededPlaces(decimal('0.000'))).toBe(0)
  })

  it('keep every digit of any text', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
        fc.integer({ min: 1, max: 12 }),
        (units, places) => {
          const text = decimalText({ units, places }, places, 'en').replaceAll(',', '').replace('−', '-')
          expect(decimal(text)).toEqual({ units, places })
        },
      ),
    )
  })
})
