// A provider's own models, as the admin API offers them: what the provider lists, with what the provider or the price card
// says about each.

import { Type, type Static } from 'typebox'
import { WholePrice } from '#contract/prices.ts'
import { KindSource, ModelKind, strict } from '#contract/fields.ts'
import { ModelView } from '#contract/schemas.ts'

const Count = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })

const ModelOffer = strict({
  /** Its name at the provider. */
  model: Type.String(),
  /** The name that it has here, or would get. */
  id: Type.String(),
  display_name: Type.String(),
  kind: ModelKind,
  kind_source: KindSource,
  context_window: Type.Union([Type.Integer(), Type.Null()]),
  max_output_tokens: Type.Union([Type.Integer(), Type.Null()]),
  price: Type.Union([WholePrice, Type.Null()]),
  /** Who says so: the price card, the provider's own list, or a preset of a server of one's own. */
  price_source: Type.Enum(['card', 'provider', 'free', 'none']),
  /** What stands in the way of enabling it, or what the price does not cover. */
  note: Type.Union([Type.String(), Type.Null()]),
  /**
   * `ready` would be added enabled, `unpriced` disabled. `no-limits` needs its context window to be said, `unsupported` cannot
   * be served here, `added` is there already.
   */
  state: Type.Enum(['ready', 'unpriced', 'no-limits', 'unsupported', 'added']),
})
export const ProviderModels = strict({ provider: Type.String(), models: Type.Array(ModelOffer) })

export const ProviderModelsAdd = strict({
  models: Type.Union([
    Type.Literal('all'),
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 5_000 }),
  ]),
  /** The kind of the models. With `all` it applies to those whose kind is not known; a named model gets this kind. */
  kind: Type.Optional(ModelKind),
  /** For models of which neither the provider nor the price card tells it. */
  context_window: Type.Optional(Count),
  max_output_tokens: Type.Optional(Count),
})
export const ProviderModelsAdded = strict({
  added: Type.Array(ModelView),
  skipped: Type.Array(strict({ model: Type.String(), reason: Type.String() })),
  /** Those that were there, with the context window that was assumed until the provider told it. Absent where there are none. */
  contexts: Type.Optional(Type.Array(ModelView)),
})

export type ModelOffer = Static<typeof ModelOffer>
export type ProviderModels = Static<typeof ProviderModels>
export type ProviderModelsAdd = Static<typeof ProviderModelsAdd>
export type ProviderModelsAdded = Static<typeof ProviderModelsAdded>
