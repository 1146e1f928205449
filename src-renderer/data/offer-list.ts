// The models that a provider lists, and which of them can be added.

import type { ModelOffer, ProviderModelsAdd } from '#contract/provider-models.ts'
import { readTokens } from '#renderer/data/model-form.ts'

const ADDABLE: readonly ModelOffer['state'][] = ['ready', 'unpriced', 'no-limits']

export type OfferTexts = {
  /** Empty where each is what its name suggests. */
  readonly kind: '' | ModelOffer['kind']
  readonly context: string
  readonly maxOutput: string
}

export function canBeAdded({ state }: ModelOffer): boolean {
  return ADDABLE.includes(state)
}

export function filteredOffers(offers: readonly ModelOffer[], text: string): readonly ModelOffer[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return offers.filter(({ model, id, display_name }) => {
    const searched = `${model} ${id} ${display_name}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}

/** Whether the context window of something chosen is known to nobody. */
export function needsLimits(offers: readonly ModelOffer[], chosen: ReadonlySet<string>): boolean {
  return offers.some(({ model, state }) => state === 'no-limits' && chosen.has(model))
}

/** Whether something is chosen, and nobody says of any of it what it is for. */
export function isKindOpen(offers: readonly ModelOffer[], chosen: ReadonlySet<string>): boolean {
  const wanted = offers.filter(({ model }) => chosen.has(model))
  return wanted.length > 0 && wanted.every(({ kind_source }) => kind_source === 'name')
}

/** What adds the chosen models; undefined while what has to be said of them is missing. */
export function offersBody(
  offers: readonly ModelOffer[],
  chosen: ReadonlySet<string>,
  texts: OfferTexts,
): ProviderModelsAdd | undefined {
  const models = offers.filter((offer) => canBeAdded(offer) && chosen.has(offer.model)).map(({ model }) => model)
  if (models.length === 0) return undefined
  const said = texts.kind !== '' && isKindOpen(offers, chosen) ? { models, kind: texts.kind } : { models }
  if (!needsLimits(offers, chosen)) return said
  const context = readTokens(texts.context)
  const maxOutput = texts.maxOutput.trim() === '' ? undefined : readTokens(texts.maxOutput)
  if (context === undefined || (maxOutput === undefined && texts.maxOutput.trim() !== '')) return undefined
  return { ...said, context_window: context, ...(maxOutput === undefined ? {} : { max_output_tokens: maxOutput }) }
}
