// Finds what the price card says about a model.

import { isDeepStrictEqual } from 'node:util'
import { presetOf } from '#catalog/presets.ts'
import { loadPresets, loadPriceCard } from '#catalog/resources.ts'
import type { CardEntry } from '#contract/price-card.ts'
import type { Provider } from '#core/entities.ts'

export type CardMatch = {
  readonly entry: CardEntry
  /** Who asks the price, where the card knows no more than the name of the model: the provider at hand may ask another one. */
  readonly askedBy: string | undefined
}

/**
 * What the card says about a model at a provider: as the provider's preset has it, or another preset at the same address; else as the
 * one price that the card has for the name, whoever asks it. Undefined where names cost different prices, and for servers whose models are free.
 */
export function cardMatchFor(
  provider: Pick<Provider, 'preset' | 'baseUrl'>,
  model: string,
  entries: readonly CardEntry[] = loadPriceCard().entries,
): CardMatch | undefined {
  const preset = presetOf(provider)
  if (preset?.free === true) return undefined
  const own =
    (preset && cardEntryFor(preset.id, model, entries)) ??
    presetsAt(provider.baseUrl)
      .map(({ id }) => cardEntryFor(id, model, entries))
      .find((entry) => entry !== undefined)
  if (own !== undefined) return { entry: own, askedBy: undefined }
  const [entry, ...others] = entries.filter((one) => isNamed(one, model))
  if (entry === undefined || !others.every(({ price }) => isDeepStrictEqual(price, entry.price))) return undefined
  return { entry, askedBy: loadPresets().find(({ id }) => id === entry.preset)?.display_name ?? entry.preset }
}

/**
 * The entry for a model at a provider of a preset. Only names that the card has count: a name that merely resembles one may
 * be of another price.
 */
function cardEntryFor(preset: string, model: string, entries: readonly CardEntry[]): CardEntry | undefined {
  const maker = loadPresets().find(({ id }) => id === preset)?.card
  const name = maker === undefined ? model : model.replace(/@default$/, '').replace('@', '-')
  return entries.find((entry) => entry.preset === (maker ?? preset) && isNamed(entry, name))
}

function isNamed({ model, also }: CardEntry, name: string): boolean {
  return model === name || also?.includes(name) === true
}

/** Those that are reached where a provider is, whatever it was made from. */
function presetsAt(baseUrl: string) {
  const origin = URL.parse(baseUrl)?.origin
  if (origin === undefined) return []
  return loadPresets().filter(({ dialects }) =>
    Object.values(dialects).some((entry) => URL.parse(entry.base_url)?.origin === origin),
  )
}
