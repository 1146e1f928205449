// What is counted and is not tokens, such as searches, images and seconds. Some answers tell the one, some the other, some both, and
// a price says which of it costs anything.

import { unitPriceFor } from '#core/fine-pricing.ts'
import type { Price } from '#core/price.ts'
import { dearestInputMicro, dearestOutputMicro } from '#core/pricing.ts'
import { MAX_TOKENS, someDetails, type TokenUsage, type Units } from '#core/usage.ts'

/** Whether some of these units cost something, at a price at which no token does. */
export function isByUnits(units: Units | undefined, price: Price): boolean {
  const { units: prices } = price
  if (prices === undefined || units === undefined || areTokensPaid(price)) return false
  return Object.keys(units).some((unit) => unitPriceFor(prices, unit) !== undefined)
}

/** A usage without the units that have no price, where its tokens have one: they say the same. */
export function withPricedUnits(usage: TokenUsage, price: Price): TokenUsage {
  const { units } = usage.details ?? {}
  if (units === undefined || !areTokensPaid(price)) return usage
  const priced = Object.entries(units).filter(([unit]) => unitPriceFor(price.units ?? {}, unit) !== undefined)
  const isPlain = priced.length === 0
  const some = isPlain ? undefined : Object.fromEntries(priced)
  return { ...usage, details: someDetails({ ...usage.details, units: some }) }
}

function areTokensPaid(price: Price): boolean {
  const most = { inputTokens: MAX_TOKENS }
  return dearestInputMicro(price, most) > 0 || dearestOutputMicro(price, most) > 0
}
