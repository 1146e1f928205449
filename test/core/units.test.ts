import { describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import { isByUnits, withPricedUnits } from '#core/units.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'

const ZERO = microCredits(0)
const free: Price = { version: 1, inputMicro: ZERO, outputMicro: ZERO, cacheReadMicro: ZERO, cacheWriteMicro: ZERO }
const paid: Price = { ...free, outputMicro: microCredits(40) }
const units = { image: microCredits(5) }

describe('a price', () => {
  it('is by units where these cost something and tokens do not', () => {
    expect(isByUnits({ image: 1 }, { ...free, units })).toBe(true)
    expect(isByUnits({ 'image/1024x1024': 1 }, { ...free, units })).toBe(true)
    expect(isByUnits({ second: 1 }, { ...free, units })).toBe(false)
    expect(isByUnits({ image: 1 }, { ...paid, units })).toBe(false)
    expect(isByUnits({ image: 1 }, free)).toBe(false)
    expect(isByUnits(undefined, { ...free, units })).toBe(false)
  })

  it('leaves out the units that it does not name, where it has one for tokens', () => {
    const usage = { ...UNKNOWN_USAGE, outputTokens: 5, details: { units: { image: 1, second: 2 } } }
    expect(withPricedUnits(usage, { ...paid, units }).details?.units).toEqual({ image: 1 })
    expect(withPricedUnits(usage, paid)).toEqual({ ...usage, details: undefined })
    expect(withPricedUnits(usage, { ...free, units })).toBe(usage)
    const withParts = { ...usage, details: { ...usage.details, parts: { output_image: 5 } } }
    expect(withPricedUnits(withParts, paid).details).toMatchObject({ parts: { output_image: 5 }, units: undefined })
  })
})
