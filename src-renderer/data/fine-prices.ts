// What a price names beside its four classes, in lines: `cache_write_1h 6`, `above 200000: input 4, output 18`, `flex × 0.5`.

import type { finePrices } from '#renderer/data/price-form.ts'

export function fineLines({ steps = [], tiers = {}, units = {}, minimum, ...parts }: ReturnType<typeof finePrices>) {
  return [
    ...Object.entries(parts).map(([name, price]) => `${name} ${price}`),
    ...steps.map(({ above, ...prices }) => `above ${above}: ${pricesText(prices)}`),
    ...Object.entries(tiers).flatMap(([name, tier]) => {
      if (typeof tier === 'number') return [`${name} × ${tier}`]
      const { steps: ofTier = [], ...prices } = tier
      const above = ofTier.map(({ above: tokens, ...more }) => `${name}, above ${tokens}: ${pricesText(more)}`)
      return [`${name}: ${pricesText(prices)}`, ...above]
    }),
    ...Object.entries(units).map(([name, price]) => `${name} ${price}`),
    ...(minimum === undefined ? [] : [`minimum ${minimum}`]),
  ]
}

function pricesText(prices: Readonly<Record<string, number>>): string {
  return Object.entries(prices)
    .map(([name, price]) => `${name} ${price}`)
    .join(', ')
}
