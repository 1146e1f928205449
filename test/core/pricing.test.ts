import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microCredits, ZERO } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import { affordableOutputTokens, isFree, priceOf } from '#core/pricing.ts'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'

const INPUT_CLASSES = ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const
const CLASSES = [...INPUT_CLASSES, 'outputTokens'] as const

function price(input: number, output: number, cacheRead = input, cacheWrite = input): Price {
  return {
    version: 1,
    inputMicro: microCredits(input),
    outputMicro: microCredits(output),
    cacheReadMicro: microCredits(cacheRead),
    cacheWriteMicro: microCredits(cacheWrite),
  }
}

function usage(counts: Partial<TokenUsage>): TokenUsage {
  return { ...UNKNOWN_USAGE, ...counts }
}

/** What a usage costs in exact arithmetic. */
function exactPrice(counted: TokenUsage, at: Price): bigint {
  const total =
    BigInt(counted.inputTokens ?? 0) * BigInt(at.inputMicro) +
    BigInt(counted.cacheReadTokens ?? 0) * BigInt(at.cacheReadMicro) +
    BigInt(counted.cacheWriteTokens ?? 0) * BigInt(at.cacheWriteMicro) +
    BigInt(counted.outputTokens ?? 0) * BigInt(at.outputMicro)
  return total / 1_000_000n + (total % 1_000_000n === 0n ? 0n : 1n)
}

// Up to 4000 credits per million tokens, with the odd zero; and counts up to what a provider's usage is cut to.
const micro = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4_000_000_000 }), fc.integer({ min: 1, max: 1000 }))
const tokens = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 200_000 }),
  fc.integer({ min: 1, max: 1_000_000_000 }),
)
const prices = fc.tuple(micro, micro, micro, micro).map(([a, b, c, d]) => price(a, b, c, d))
const usages = fc
  .tuple(tokens, tokens, tokens, tokens)
  .map(([inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens]) =>
    usage({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }),
  )

describe('priceOf', () => {
  it('adds up every class at its own price', () => {
    const counted = usage({ inputTokens: 1000, cacheReadTokens: 2000, cacheWriteTokens: 3000, outputTokens: 4000 })
    expect(priceOf(counted, price(1_000_000, 2_000_000, 100_000, 1_250_000))).toBe(1000 + 8000 + 200 + 3750)
  })

  it('rounds once, over all classes together', () => {
    const oneTokenEach = usage({ inputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1, outputTokens: 1 })
    expect(priceOf(oneTokenEach, price(250_000, 250_000))).toBe(1)
    expect(priceOf(oneTokenEach, price(250_001, 250_000, 250_000, 250_000))).toBe(2)
  })

  it.each([
    [1, 1, 1],
    [1, 999_999, 1],
    [1, 1_000_000, 1],
    [1, 1_000_001, 2],
    [0, 1_000_000, 0],
  ])('rounds up: %d tokens at %d micro-credits per million cost %d', (inputTokens, inputMicro, cost) => {
    expect(priceOf(usage({ inputTokens }), price(inputMicro, 0))).toBe(cost)
  })

  it('does not charge reasoning a second time: it is part of the output', () => {
    expect(priceOf(usage({ outputTokens: 10, reasoningTokens: 8 }), price(0, 1_000_000))).toBe(10)
  })

  it('is exact where doubles would round', () => {
    fc.assert(
      fc.property(usages, prices, (counted, at) => {
        expect(BigInt(priceOf(counted, at))).toBe(exactPrice(counted, at))
      }),
      { numRuns: 5000 },
    )
  })

  it('is exact on both sides of the last total that a double holds', () => {
    for (let offset = -3; offset <= 3; offset++) {
      for (const last of [0, 1, 999_999]) {
        const inputTokens = 1
        const cacheReadTokens = 9_007_199_254 + offset
        const at = price(last, 0, 1_000_000)
        const counted = usage({ inputTokens, cacheReadTokens })
        expect(BigInt(priceOf(counted, at))).toBe(exactPrice(counted, at))
      }
    }
  })

  it('never gets cheaper with more tokens of any class', () => {
    fc.assert(
      fc.property(usages, prices, fc.constantFrom(...CLASSES), tokens, (counted, at, name, more) => {
        const larger = { ...counted, [name]: (counted[name] ?? 0) + more }
        expect(priceOf(larger, at)).toBeGreaterThanOrEqual(priceOf(counted, at))
      }),
      { numRuns: 2000 },
    )
  })

  it('never settles above a hold of the dearest class when the usage is within the estimate', () => {
    const shares = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
    fc.assert(
      fc.property(
        prices,
        tokens,
        tokens,
        shares,
        tokens,
        (at, estimatedInput, estimatedOutput, [first, second], out) => {
          const hold = Math.max(
            ...INPUT_CLASSES.map((name) =>
              priceOf(usage({ [name]: estimatedInput, outputTokens: estimatedOutput }), at),
            ),
          )
          const cacheReadTokens = Math.floor(estimatedInput * first)
          const cacheWriteTokens = Math.floor((estimatedInput - cacheReadTokens) * second)
          const inputTokens = estimatedInput - cacheReadTokens - cacheWriteTokens
          const outputTokens = Math.min(out, estimatedOutput)
          const settled = priceOf(usage({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }), at)
          expect(settled).toBeLessThanOrEqual(hold)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('affordableOutputTokens', () => {
  const amounts = fc.oneof(
    fc.integer({ min: 0, max: 10_000_000 }),
    fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  )

  it('gives a number of tokens that the amount really pays for, whichever class the input turns out to be', () => {
    fc.assert(
      fc.property(amounts, tokens, prices, (amount, inputTokens, at) => {
        const outputTokens = affordableOutputTokens(microCredits(amount), { inputTokens }, at)
        if (outputTokens === 0 || outputTokens > Number.MAX_SAFE_INTEGER) return
        for (const name of INPUT_CLASSES) {
          const counted = usage({ [name]: inputTokens, outputTokens })
          expect(exactPrice(counted, at)).toBeLessThanOrEqual(BigInt(amount))
        }
      }),
      { numRuns: 10_000 },
    )
  })

  it('gives the largest such number', () => {
    fc.assert(
      fc.property(amounts, tokens, prices, (amount, inputTokens, at) => {
        const outputTokens = affordableOutputTokens(microCredits(amount), { inputTokens }, at)
        if (outputTokens > Number.MAX_SAFE_INTEGER) return
        const costs = INPUT_CLASSES.map((name) =>
          exactPrice(usage({ [name]: inputTokens, outputTokens: outputTokens + 1 }), at),
        )
        expect(costs.some((cost) => cost > BigInt(amount))).toBe(true)
      }),
      { numRuns: 10_000 },
    )
  })

  it.each([
    [1000, 0, 500],
    [1000, 100, 450],
    [1001, 100, 450],
    [99, 100, 0],
    [0, 0, 0],
  ])('an amount of %d after %d input tokens pays for %d', (amount, inputTokens, outputTokens) => {
    const at = price(1_000_000, 2_000_000)
    expect(affordableOutputTokens(microCredits(amount), { inputTokens }, at)).toBe(outputTokens)
  })

  it('sets no bound where output is free', () => {
    expect(affordableOutputTokens(ZERO, { inputTokens: 5 }, price(1, 0))).toBe(Infinity)
  })
})

describe('isFree', () => {
  it('asks for a zero in every class', () => {
    expect(isFree(price(0, 0))).toBe(true)
    for (const at of [price(1, 0, 0, 0), price(0, 1), price(0, 0, 1, 0), price(0, 0, 0, 1)])
      expect(isFree(at)).toBe(false)
  })
})
