// The price card by names of models alone, for whoever does not know the provider: logs of tools name none.

import { readPrice } from '#catalog/prices.ts'
import { loadPriceCard } from '#catalog/resources.ts'
import type { Price } from '#core/price.ts'
import { isRefusal } from '#core/refusal.ts'

/** Of several providers with a model of one name the first on the card counts, which has those who made it before those who host it. */
export function cardPrices(): { readonly date: string; readonly priceOfModel: (model: string) => Price | undefined } {
  const { date, entries } = loadPriceCard()
  const prices = new Map<string, Price>()
  for (const { model, also = [], price, kind } of entries) {
    const read = price === null ? undefined : readPrice(price, { kind, price: undefined }, 1)
    if (read === undefined || isRefusal(read)) continue
    for (const name of [model, ...also]) if (!prices.has(name)) prices.set(name, read)
  }
  return { date, priceOfModel: (model) => prices.get(model) }
}
