// Finds what the price card says about a model.

import { loadPriceCard } from '#catalog/resources.ts'
import type { CardEntry } from '#contract/price-card.ts'

/**
 * The entry for a model at a provider of a preset. Only names that the card has count: a name that merely resembles one may
 * be of another price.
 */
export function cardEntryFor(
  preset: string,
  model: string,
  entries: readonly CardEntry[] = loadPriceCard().entries,
): CardEntry | undefined {
  return entries.find((entry) => entry.preset === preset && (entry.model === model || entry.also?.includes(model)))
}
