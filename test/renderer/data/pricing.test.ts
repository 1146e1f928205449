// Holds the dashboard's arithmetic of prices against that of the ledger.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microCredits } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import { isPriceJump, priceOf } from '#core/pricing.ts'
import { callCost, jumpsBetween, PRICE_CLASSES, type PriceMicro } from '#renderer/data/pricing.ts'
import { fineLines } from '#renderer/data/fine-prices.ts'
import { finePrices, priceBody, priceFormOf, readPrice, EMPTY_PRICE } from '#renderer/data/price-form.ts'

const MAX_MICRO = 1_000_000_000_000
const prices = fc.record({
  input: fc.nat(MAX_MICRO),
  output: fc.nat(MAX_MICRO),
  cache_read: fc.nat(MAX_MICRO),
  cache_write: fc.nat(MAX_MICRO),
})
const tokens = fc.record({
  input: fc.nat(1_000_000_000),
  output: fc.nat(1_000_000_000),
  cache_read: fc.nat(1_000_000_000),
  cache_write: fc.nat(1_000_000_000),
})
type Amounts = {
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
}

describe('the cost of a call', () => {
  it('is what the ledger would charge, to the last micro-credit', () => {
    fc.assert(
      fc.property(tokens, prices, (call, price) => {
        expect(callCost(call, bigPrice(price))).toBe(BigInt(priceOf(usageOf(call), corePrice(price))))
      }),
    )
  })

  it('is rounded up once, not for each class', () => {
    const price = bigPrice({ input: 1, output: 1, cache_read: 1, cache_write: 1 })
    expect(callCost({ input: 1, output: 1, cache_read: 1, cache_write: 1 }, price)).toBe(1n)
  })
})

describe('a jump of a price', () => {
  it('is one wherever the server would refuse the price', () => {
    const small = fc.nat(300)
    const near = fc.record({ input: small, output: small, cache_read: small, cache_write: small })
    fc.assert(
      fc.property(near, near, (before, after) => {
        const jumps = jumpsBetween(bigPrice(before), bigPrice(after))
        const valuesOf = (price: Amounts) => PRICE_CLASSES.map((name) => price[name])
        if (isPriceJump(valuesOf(before), valuesOf(after))) expect(jumps).not.toEqual([])
      }),
    )
  })

  it('is a rise to ten times or a fall below a hundredth, and none from or to 0', () => {
    const at = (input: number) => bigPrice({ input, output: 0, cache_read: 0, cache_write: 0 })
    expect(jumpsBetween(at(5), at(49))).toEqual([])
    expect(jumpsBetween(at(5), at(50))).toEqual(['input'])
    expect(jumpsBetween(at(500), at(5))).toEqual([])
    expect(jumpsBetween(at(501), at(5))).toEqual(['input'])
    expect(jumpsBetween(at(0), at(MAX_MICRO))).toEqual([])
    expect(jumpsBetween(undefined, at(5))).toEqual([])
  })
})

describe('a price as it is typed', () => {
  it('takes cached input at the price of input where nothing else is said', () => {
    expect(readPrice({ ...EMPTY_PRICE, input: '3' }, 'en')).toBeUndefined()
    expect(readPrice({ ...EMPTY_PRICE, input: '3' }, 'en', 'embedding')).toMatchObject({
      input: 3_000_000n,
      output: 0n,
    })
    const read = readPrice({ ...EMPTY_PRICE, input: '3', output: '15' }, 'en')
    expect(read && priceBody(read)).toEqual({ input: 3, output: 15, cache_read: 3, cache_write: 3 })
  })

  it.each(['', '-1', 'x', '1.0000001', '1000001'])('is refused for an input of "%s"', (input) => {
    expect(readPrice({ ...EMPTY_PRICE, input, output: '1' }, 'en')).toBeUndefined()
  })

  it('comes back as it was from its own form, in both languages', () => {
    const price = { input: 3, output: 0.000001, cache_read: 0.3, cache_write: 3 }
    for (const locale of ['en', 'de']) {
      const read = readPrice(priceFormOf(price, locale), locale)
      expect(read && priceBody(read)).toEqual(price)
    }
  })
})

function bigPrice(price: Amounts): PriceMicro {
  return {
    input: BigInt(price.input),
    output: BigInt(price.output),
    cache_read: BigInt(price.cache_read),
    cache_write: BigInt(price.cache_write),
  }
}

function corePrice(price: Amounts): Price {
  return {
    version: 1,
    inputMicro: microCredits(price.input),
    outputMicro: microCredits(price.output),
    cacheReadMicro: microCredits(price.cache_read),
    cacheWriteMicro: microCredits(price.cache_write),
  }
}

function usageOf(call: Amounts): Parameters<typeof priceOf>[0] {
  return {
    inputTokens: call.input,
    outputTokens: call.output,
    cacheReadTokens: call.cache_read,
    cacheWriteTokens: call.cache_write,
    reasoningTokens: undefined,
  }
}

describe('what a price names beside its classes', () => {
  const fine = {
    cache_write_1h: 6,
    steps: [{ above: 200_000, input: 2, output: 3 }],
    tiers: { flex: 0.5, priority: { input: 2, output: 4, steps: [{ above: 9, input: 5, output: 6 }] } },
    units: { 'image/a': 0.04 },
    minimum: 0.1,
  }

  it('is kept by the form, which does not show its fields, and shown in lines', () => {
    const price = { version: 3, input: 1, output: 2, cache_read: 1, cache_write: 1, ...fine }
    expect(finePrices(price)).toEqual(fine)
    expect(fineLines(fine)).toEqual([
      'cache_write_1h 6',
      'above 200000: input 2, output 3',
      'flex × 0.5',
      'priority: input 2, output 4',
      'priority, above 9: input 5, output 6',
      'image/a 0.04',
      'minimum 0.1',
    ])
    expect(fineLines(finePrices(null))).toEqual([])
  })
})
