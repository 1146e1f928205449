import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PART_CLASSES, PART_OF, type PartClass } from '#contract/price-classes.ts'
import { unitPriceFor, unnamedIn } from '#core/fine-pricing.ts'
import { microCredits, type MicroCredits } from '#core/money.ts'
import type { Price, Rates } from '#core/price.ts'
import { affordableOutputTokens, isFree, priceOf, ratesOf, worstPriceOf } from '#core/pricing.ts'
import { receiptLines } from '#core/receipt.ts'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import { cases } from '../support/cases.ts'

const MILLION = 1_000_000

/** Micro-credits per million tokens, given in credits. */
function credits(amount: number): MicroCredits {
  return microCredits(Math.round(amount * MILLION))
}

const RATES: Rates = {
  inputMicro: credits(3),
  outputMicro: credits(15),
  cacheReadMicro: credits(0.3),
  cacheWriteMicro: credits(3.75),
}
const PLAIN: Price = { version: 1, ...RATES }

function usage(counts: Partial<TokenUsage>): TokenUsage {
  return { ...UNKNOWN_USAGE, ...counts }
}

describe('a part of a class', () => {
  const price: Price = {
    ...PLAIN,
    parts: { cache_write_1h: credits(6), output_audio: credits(60), reasoning: credits(20) },
  }

  it('costs its own price where it has one, and the rest what the class costs', () => {
    const counted = usage({ inputTokens: 0, cacheWriteTokens: 1000, details: { parts: { cache_write_1h: 400 } } })
    expect(priceOf(counted, price)).toBe(600 * 3.75 + 400 * 6)
  })

  it('costs what its class costs where it has none, and is named', () => {
    const details = { parts: { cache_write_1h: 400, input_audio: 10 } }
    const counted = usage({ inputTokens: 10, cacheWriteTokens: 1000, details })
    expect(priceOf(counted, PLAIN)).toBe(3780)
    expect(unnamedIn(counted, ratesOf(counted, PLAIN), PLAIN)).toEqual([
      { name: 'cache_write_1h', chargedAs: 'cache_write' },
      { name: 'input_audio', chargedAs: 'input' },
    ])
    expect(unnamedIn(counted, ratesOf(counted, price), price)).toEqual([{ name: 'input_audio', chargedAs: 'input' }])
  })

  it('is never more than its class, whatever a provider reports', () => {
    const details = { parts: { output_audio: 5000 } }
    expect(priceOf(usage({ outputTokens: 100, reasoningTokens: 30, details }), price)).toBe(30 * 20 + 70 * 60)
  })

  it('of the output can be the reasoning, which every usage counts', () => {
    expect(priceOf(usage({ outputTokens: 100, reasoningTokens: 40 }), price)).toBe(60 * 15 + 40 * 20)
  })
})

describe('a step', () => {
  const long: Rates = { ...RATES, inputMicro: credits(6), outputMicro: credits(22.5), cacheReadMicro: credits(0.6) }
  const price: Price = { ...PLAIN, steps: [{ aboveTokens: 200_000, rates: long }] }

  it('is for the whole of a call whose input is longer, with what of it was cached', () => {
    const at = (cacheReadTokens: number) =>
      priceOf(usage({ inputTokens: 1000, cacheReadTokens, outputTokens: 10 }), price)
    expect(at(199_000)).toBe(1000 * 3 + 199_000 * 0.3 + 10 * 15)
    expect(at(199_001)).toBe(Math.ceil(1000 * 6 + 199_001 * 0.6 + 10 * 22.5))
  })

  it('is the last one that is reached', () => {
    const steps = [1, 10, 100].map((aboveTokens) => ({
      aboveTokens,
      rates: { ...RATES, inputMicro: credits(aboveTokens) },
    }))
    const at = (inputTokens: number) => priceOf(usage({ inputTokens }), { ...PLAIN, steps })
    expect([1, 2, 10, 11, 100, 101].map(at)).toEqual([3, 2, 10, 110, 1000, 10_100])
  })
})

describe('a service tier', () => {
  const own: Rates = { ...RATES, inputMicro: credits(10), outputMicro: credits(50) }
  const price: Price = { ...PLAIN, tiers: { flex: { factorMicro: 500_000 }, priority: own } }
  const at = (tier?: string) => priceOf(usage({ inputTokens: 100, outputTokens: 10, details: { tier } }), price)

  it('costs a factor of the standard one, or prices of its own', () => {
    expect([at(), at('flex'), at('priority')]).toEqual([450, 225, 1500])
  })

  it('that the price does not name costs the standard price, and is named', () => {
    const counted = usage({ inputTokens: 100, outputTokens: 10, details: { tier: 'scale' } })
    expect(priceOf(counted, price)).toBe(450)
    expect(unnamedIn(counted, RATES, price)).toEqual([{ name: 'tier/scale', chargedAs: 'tier/standard' }])
    expect(['constructor', '__proto__', 'toString'].map(at)).toEqual([450, 450, 450])
  })

  it('rounds a price up that a factor makes a fraction of, and never down', () => {
    const odd: Price = { ...PLAIN, inputMicro: microCredits(333_333), tiers: { flex: { factorMicro: 333_333 } } }
    const counted = usage({ inputTokens: MILLION, details: { tier: 'flex' } })
    expect(priceOf(counted, odd)).toBe(Math.ceil((333_333 * 333_333) / MILLION))
  })
})

describe('what is not tokens', () => {
  const units = {
    request: microCredits(1_000_000_000),
    image: microCredits(40_000_000_000),
    'image/1024x1024/high': microCredits(167_000_000_000),
    'speech/slow': microCredits(5),
    'speech/fast': microCredits(9),
  }

  it.each([
    ['image/1024x1024/high', 'image/1024x1024/high'],
    ['image/1024x1024/low', 'image'],
    ['image/512x512/high', 'image'],
    ['speech', 'speech/fast'],
    ['speech/medium', 'speech/fast'],
    ['page', undefined],
    ['toString', undefined],
  ])('%s costs what %s costs', (unit, name) => {
    expect(unitPriceFor(units, unit)?.name).toBe(name)
  })

  it('is added to the tokens, with the price of a request', () => {
    const counted = usage({ inputTokens: 100, details: { units: { 'image/1024x1024/high': 2, page: 3 } } })
    expect(priceOf(counted, { ...PLAIN, units })).toBe(300 + 334_000 + 1000)
    expect(unnamedIn(counted, RATES, { ...PLAIN, units })).toEqual([{ name: 'page', chargedAs: undefined }])
  })

  it('costs at least the least', () => {
    const price: Price = { ...PLAIN, minimumMicro: microCredits(500) }
    expect(priceOf(usage({ inputTokens: 100 }), price)).toBe(500)
    expect(priceOf(usage({ inputTokens: 200 }), price)).toBe(600)
    expect(receiptLines(usage({ inputTokens: 100 }), price, microCredits(500))).toEqual([
      { type: 'input', tokens: 100, priceMicro: 3_000_000, amount: '0.0003' },
      { type: 'minimum', amount: '0.0002' },
      { type: 'rounding', amount: '0' },
    ])
  })
})

it('a price is free where nothing of it costs anything', () => {
  const zero = microCredits(0)
  const free: Price = { version: 1, inputMicro: zero, outputMicro: zero, cacheReadMicro: zero, cacheWriteMicro: zero }
  const nothing = {
    tiers: { flex: { factorMicro: 5 } },
    units: { request: zero },
    minimumMicro: zero,
    parts: { reasoning: zero },
  }
  expect([free, { ...free, ...nothing }].map(isFree)).toEqual([true, true])
  const something: Partial<Price>[] = [
    { parts: { reasoning: microCredits(1) } },
    { steps: [{ aboveTokens: 1, rates: RATES }] },
    { tiers: { priority: RATES } },
    { units: { request: microCredits(1) } },
    { minimumMicro: microCredits(1) },
  ]
  expect(something.map((more) => isFree({ ...free, ...more }))).toEqual(something.map(() => false))
})

// ---- Any price and any usage, against a sum that is made in another way.

const micro = fc
  .oneof(fc.constant(0), fc.integer({ min: 1, max: 4_000_000_000 }), fc.integer({ min: 1, max: 1000 }))
  .map(microCredits)
const parts = fc.dictionary(fc.constantFrom(...PART_CLASSES), micro, { noNullPrototype: true })
const rates: fc.Arbitrary<Rates> = fc.record(
  { inputMicro: micro, outputMicro: micro, cacheReadMicro: micro, cacheWriteMicro: micro, parts },
  { requiredKeys: ['inputMicro', 'outputMicro', 'cacheReadMicro', 'cacheWriteMicro'] },
)
const steps = fc
  .uniqueArray(fc.integer({ min: 1, max: 400_000 }), { minLength: 1, maxLength: 3 })
  .chain((above) =>
    fc.tuple(
      ...above.toSorted((a, b) => a - b).map((aboveTokens) => rates.map((ofStep) => ({ aboveTokens, rates: ofStep }))),
    ),
  )
const ladder = fc
  .tuple(rates, fc.option(steps, { nil: undefined }))
  .map(([base, more]) => (more === undefined ? base : { ...base, steps: more }))
const TIERS = ['flex', 'priority', 'batch']
const UNITS = ['web_search', 'image', 'image/a', 'image/a/b', 'image/c']
const tier = fc.oneof(
  ladder,
  fc.integer({ min: 0, max: 3_000_000 }).map((factorMicro) => ({ factorMicro })),
)
const names = {
  tiers: fc.dictionary(fc.constantFrom(...TIERS), tier, { noNullPrototype: true }),
  units: fc.dictionary(fc.constantFrom('request', ...UNITS), micro, { noNullPrototype: true }),
  minimumMicro: micro,
}
const prices: fc.Arbitrary<Price> = fc
  .tuple(ladder, fc.record(names, { requiredKeys: [] }))
  .map(([base, more]) => ({ version: 1, ...base, ...more }))
const tokens = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 200_000 }),
  fc.integer({ min: 1, max: 1_000_000_000 }),
)
const counted = fc.constantFrom(...PART_CLASSES.filter((part) => part !== 'reasoning'))
const details = fc.record(
  {
    parts: fc.dictionary(counted, tokens, { noNullPrototype: true }),
    units: fc.dictionary(fc.constantFrom(...UNITS), fc.integer({ min: 1, max: 1000 }), { noNullPrototype: true }),
    tier: fc.constantFrom(...TIERS, 'unheard-of'),
  },
  { requiredKeys: [] },
)
const usages: fc.Arbitrary<TokenUsage> = fc.record(
  {
    inputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
    outputTokens: tokens,
    reasoningTokens: tokens,
    details,
  },
  { requiredKeys: ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens', 'reasoningTokens'] },
)

/** Every token by itself would be too slow: one pile for each price that tokens have, in exact arithmetic. */
function exactCharge(of: TokenUsage, price: Price): bigint {
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = of
  const named = of.details?.tier === undefined ? undefined : price.tiers?.[of.details.tier]
  const base = named === undefined || 'factorMicro' in named ? price : named
  const factor = named !== undefined && 'factorMicro' in named ? named.factorMicro : MILLION
  const whole = inputTokens + cacheReadTokens + cacheWriteTokens
  let at: Rates = base
  for (const step of base.steps ?? []) if (whole > step.aboveTokens) at = step.rates
  const up = (value: bigint) => (value + 999_999n) / 1_000_000n
  const scaled = (value: number) => up(BigInt(value) * BigInt(factor))
  const left = { input: inputTokens, cache_read: cacheReadTokens, cache_write: cacheWriteTokens, output: outputTokens }
  let sum = 0n
  for (const part of PART_CLASSES) {
    const own = at.parts?.[part]
    if (own === undefined) continue
    const reported =
      part === 'reasoning' ? of.reasoningTokens : of.details?.parts?.[part as Exclude<PartClass, 'reasoning'>]
    const taken = Math.min(reported ?? 0, left[PART_OF[part]])
    left[PART_OF[part]] -= taken
    sum += BigInt(taken) * scaled(own)
  }
  sum += BigInt(left.input) * scaled(at.inputMicro) + BigInt(left.output) * scaled(at.outputMicro)
  sum += BigInt(left.cache_read) * scaled(at.cacheReadMicro) + BigInt(left.cache_write) * scaled(at.cacheWriteMicro)
  for (const [unit, count] of Object.entries({ ...of.details?.units, request: 1 })) {
    sum += BigInt(count) * BigInt(unitPriceFor(price.units ?? {}, unit)?.priceMicro ?? 0)
  }
  const charge = up(sum)
  const least = BigInt(price.minimumMicro ?? 0)
  return charge > least ? charge : least
}

describe('for any price and usage', () => {
  it('the charge is the exact sum', () => {
    fc.assert(
      fc.property(usages, prices, (of, price) => {
        expect(BigInt(priceOf(of, price))).toBe(exactCharge(of, price))
      }),
      { numRuns: cases(1500, 5000, 50_000) },
    )
  })

  it('the lines of the receipt add up to the charge', () => {
    fc.assert(
      fc.property(usages, prices, (of, price) => {
        const charge = priceOf(of, price)
        const sum = receiptLines(of, price, charge).reduce((total, { amount }) => total + parsed(amount), 0n)
        expect(sum).toBe(BigInt(charge) * 1_000_000n)
      }),
      { numRuns: cases(600, 2000, 20_000) },
    )
  })

  /** A usage within what a call is held for, and at a tier that it may reach. */
  const within = (of: TokenUsage, asked: string | undefined) => {
    const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = of
    const served = asked === undefined || of.details?.tier === undefined ? of.details?.tier : asked
    return {
      settled: { ...of, ...(of.details === undefined ? {} : { details: { ...of.details, tier: served } }) },
      worst: {
        inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens,
        outputTokens,
        tier: asked,
        units: of.details?.units,
      },
    }
  }
  const asked = fc.option(fc.constantFrom(...TIERS, 'unheard-of'), { nil: undefined })

  it('no charge is more than what is held for it', () => {
    fc.assert(
      fc.property(usages, prices, asked, tokens, tokens, (of, price, tierAsked, moreInput, moreOutput) => {
        const { settled, worst } = within(of, tierAsked)
        const held = {
          ...worst,
          inputTokens: worst.inputTokens + moreInput,
          outputTokens: worst.outputTokens + moreOutput,
        }
        expect(priceOf(settled, price)).toBeLessThanOrEqual(worstPriceOf(held, price))
      }),
      { numRuns: cases(1500, 5000, 50_000) },
    )
  })

  it('as much output as an amount affords is paid for by it, wherever the call ends up', () => {
    fc.assert(
      fc.property(usages, prices, asked, fc.integer({ min: 0, max: 2 * 10 ** 15 }), (of, price, tierAsked, amount) => {
        const { settled, worst } = within(of, tierAsked)
        const outputTokens = affordableOutputTokens(microCredits(amount), worst, price)
        if (outputTokens === 0 || outputTokens > 1_000_000_000) return
        expect(worstPriceOf({ ...worst, outputTokens }, price)).toBeLessThanOrEqual(amount)
        expect(exactCharge({ ...settled, outputTokens }, price)).toBeLessThanOrEqual(BigInt(amount))
      }),
      { numRuns: cases(1500, 5000, 50_000) },
    )
  })
})

/** Credits as decimal text in millionths of a micro-credit. */
function parsed(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  const value = BigInt(whole + fraction.padEnd(12, '0'))
  return amount.startsWith('-') ? -value : value
}
