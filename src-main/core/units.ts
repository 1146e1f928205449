// What is counted and is not tokens, such as searches.

import { unitPriceFor } from '#core/fine-pricing.ts'
import type { Price } from '#core/price.ts'
import { dearestInputMicro, dearestOutputMicro } from '#core/pricing.ts'
import { MAX_TOKENS, type TokenUsage } from '#core/usage.ts'

/** Whether a usage has units that cost something, at a price at which no token does. */
export function isByUnits({ details }: TokenUsage, price: Price): boolean {
  const { units: prices } = price
  if (prices === undefined || details?.units === undefined) return false
  const most = { inputTokens: MAX_TOKENS }
  if (dearestInputMicro(price, most) > 0 || dearestOutputMicro(price, most) > 0) return false
  return Object.keys(details.units).some((unit) => unitPriceFor(prices, unit) !== undefined)
}
