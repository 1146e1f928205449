// What providers reported of models whose price does not name it: it was charged as the class it belongs to, or nothing, and somebody
// should look. In memory: the next such call says it again.

import { unnamedIn, type Unnamed } from '#core/fine-pricing.ts'
import type { Model } from '#core/entities.ts'
import type { Price } from '#core/price.ts'
import { isFree, ratesOf } from '#core/pricing.ts'
import type { TokenUsage } from '#core/usage.ts'

/** What vendors sell at the price of its class, so that nothing is amiss where it has none of its own. */
const ORDINARY = new Set(['input_image', 'cache_read_image', 'cache_read_audio'])
/** More than a provider has words for; one that makes them up is not remembered for all of them. */
const MAX_OF_MODEL = 20

type Missing = { readonly version: number; readonly names: Map<string, Unnamed> }

export class MissingPrices {
  readonly #models = new Map<string, Missing>()

  /** Takes what a call was charged for. */
  note(modelId: string, usage: TokenUsage, price: Price): void {
    // Nearly every usage.
    if (usage.details === undefined || isFree(price)) return
    for (const unnamed of unnamedIn(usage, ratesOf(usage, price), price)) {
      if (ORDINARY.has(unnamed.name)) continue
      const names = this.#namesOf(modelId, price.version)
      if (names.size < MAX_OF_MODEL) names.set(unnamed.name, unnamed)
    }
  }

  /** What the present price of a model does not name. */
  of({ id, price }: Pick<Model, 'id' | 'price'>): readonly Unnamed[] {
    const missing = this.#models.get(id)
    return missing === undefined || missing.version !== price?.version ? [] : [...missing.names.values()]
  }

  #namesOf(modelId: string, version: number): Map<string, Unnamed> {
    const known = this.#models.get(modelId)
    if (known?.version === version) return known.names
    const names = new Map<string, Unnamed>()
    this.#models.set(modelId, { version, names })
    return names
  }
}
