// What a model is for, as lists of a provider's models show it.

import { MODEL_KINDS } from '#contract/dialects.ts'
import type { ModelOffer } from '#contract/provider-models.ts'

/** A kind that the provider did not name is marked as guessed. */
export function kindText({ kind, kind_source }: Pick<ModelOffer, 'kind' | 'kind_source'>): string {
  return kind_source === 'name' ? `${kind}, guessed` : kind
}

/** What `--kind` takes. */
export const KINDS = MODEL_KINDS.join('|')
