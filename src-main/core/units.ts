// What is counted and is not tokens, such as searches. Some answers tell the one, some the other, some both, and a price says which
// of it costs anything.

import { unitPriceFor } from '#core/fine-pricing.ts'
import type { Price } from '#core/price.ts'
import { dearestInputMicro, dearestOutputMicro } from '#core/pricing.ts'
import { inputTotal, MAX_TOKENS, type TokenUsage } from '#core/usage.ts'

/** Whether a usage has units that cost something, at a price at which no token does. */
export function isByUnits({ details }: TokenUsage, price: Price): boolean {
  const { units: prices } = price
  if (prices === undefined || details?.units === undefined) return false
  const most = { inputTokens: MAX_TOKENS }
  if (dearestInputMicro(price, most) > 0 || dearestOutputMicro(price, most) > 0) return false
  return Object.keys(details.units).some((unit) => unitPriceFor(prices, unit) !== undefined)
}

/** A usage without units that have no price, where its tokens say what was used. */
export function withPricedUnits(usage: TokenUsage, { units: prices = {} }: Price): TokenUsage {
  const { details } = usage
  const isInTokens = inputTotal(usage) > 0 || (usage.outputTokens ?? 0) > 0
  if (details?.units === undefined || !isInTokens) return usage
  const priced = Object.entries(details.units).filter(([unit]) => unitPriceFor(prices, unit) !== undefined)
  const units = priced.length === 0 ? undefined : Object.fromEntries(priced)
  return { ...usage, details: { ...details, units } }
}
