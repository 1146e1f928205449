// Finds what the price card says about a model.

import { loadPresets, loadPriceCard } from '#catalog/resources.ts'
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
  const maker = loadPresets().find(({ id }) => id === preset)?.card
  const name = maker === undefined ? model : model.replace(/@default$/, '').replace('@', '-')
  return entries.find(
    (entry) => entry.preset === (maker ?? preset) && (entry.model === name || entry.also?.includes(name)),
  )
}
