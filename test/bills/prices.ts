// What models cost in a month of traffic, as both books know it.

import type { TokenCounts } from '#bills/report.ts'
import { microCredits } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import { priceOf } from '#core/pricing.ts'

/** Cents for a million tokens. */
export function centsOf(model: string): { input: number; cached: number; written: number; output: number } {
  const input = 15 + numberOf(model) * 35
  return { input, cached: Math.round(input / 4), written: Math.round(input * 1.25), output: input * 4 }
}

function numberOf(model: string): number {
  return Number(/\d+/.exec(model)?.[0] ?? 0)
}

/** In percent of the standard price. Every fifth model has tiers. */
const TIERS = { flex: 50, priority: 200 } as const
export function percentsOf(model: string): readonly number[] {
  return numberOf(model) % 5 === 3 ? [TIERS.flex, 100, TIERS.priority] : [100]
}

const prices = new Map<string, Price>()

export function modelPrice(model: string): Price {
  const known = prices.get(model)
  if (known !== undefined) return known
  const cents = centsOf(model)
  const rate = (of: number) => microCredits(of * 10_000)
  const tiers = Object.entries(TIERS).map(([name, percent]) => [name, { factorMicro: percent * 10_000 }] as const)
  const price: Price = {
    version: 1,
    inputMicro: rate(cents.input),
    cacheReadMicro: rate(cents.cached),
    cacheWriteMicro: rate(cents.written),
    outputMicro: rate(cents.output),
    ...(percentsOf(model).length > 1 && { tiers: Object.fromEntries(tiers) }),
    units: { web_search: microCredits(SEARCH_MICRO * 1_000_000) },
  }
  prices.set(model, price)
  return price
}

/** What one search costs here. */
export const SEARCH_MICRO = 10_000

/** Each call is rounded up by itself. */
export function chargeOf(model: string, counts: TokenCounts, searches = 0): number {
  return priceOf(
    {
      inputTokens: counts.input,
      cacheReadTokens: counts.cache_read,
      cacheWriteTokens: counts.cache_write,
      outputTokens: counts.output,
      reasoningTokens: undefined,
      ...(searches > 0 && { details: { units: { web_search: searches } } }),
    },
    modelPrice(model),
  )
}
