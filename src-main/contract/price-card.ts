// The price card: what well-known models cost and hold. The shape of `resources/price-card.json`, and the admin API's
// comparison of it with the models at hand.

import { Type, type Static } from 'typebox'
import { Day, PageUrl } from '#contract/presets.ts'
import { ModelKind, ModelName, strict } from '#contract/fields.ts'
import { PriceFields, WholePrice } from '#contract/prices.ts'
import { ModelView } from '#contract/schemas.ts'

const Count = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
const UpstreamModel = Type.String({ minLength: 1, maxLength: 200 })

export const CardEntry = strict({
  /** The preset of the providers that the entry is for. */
  preset: Type.String({ minLength: 1, maxLength: 100 }),
  model: UpstreamModel,
  /** Other names of the same model at the same price. */
  also: Type.Optional(Type.Array(UpstreamModel)),
  display_name: Type.String({ minLength: 1, maxLength: 100 }),
  kind: ModelKind,
  context_window: Count,
  max_output_tokens: Type.Optional(Count),
  /** USD per million tokens; null where no price can be relied on. A class that is left out costs what input costs. */
  price: Type.Union([PriceFields, Type.Null()]),
  /** Prompts with more tokens than this cost more than the price says. */
  priced_up_to: Type.Optional(Count),
  note: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
  /** The page that the price is from, and the day on which it was there. */
  source: PageUrl,
  date: Day,
  /** Members of the price that are from other pages, and the days on which these were read. */
  sources: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 100 }), strict({ source: PageUrl, read: Day })),
  ),
})

export const PriceCard = strict({
  unit: Type.Literal('USD per million tokens'),
  date: Day,
  entries: Type.Array(CardEntry),
})

const CardRow = strict({
  id: ModelName,
  provider: Type.String(),
  upstream_model: Type.String(),
  change: Type.Enum(['new', 'changed', 'same']),
  old: Type.Union([WholePrice, Type.Null()]),
  new: WholePrice,
  /** A class costs more than a hundred times what it did, or less than a hundredth: more likely a mistake than a price. */
  jump: Type.Boolean(),
  /** Who asks the price, where the card knows the model by its name alone, so that its provider may ask another one; else null. */
  asked_by: Type.Union([Type.String(), Type.Null()]),
  context_window: Type.Integer(),
  priced_up_to: Type.Union([Type.Integer(), Type.Null()]),
  note: Type.Union([Type.String(), Type.Null()]),
  source: Type.String(),
  date: Type.String(),
})

/** A version that was fetched from the feed; the card that Farebox is delivered with where it is left out. */
const KeptVersion = '^[1-9][0-9]{0,6}$'

export const CardQuery = strict({
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  card: Type.Optional(Type.String({ pattern: KeptVersion })),
})
export const CardComparison = strict({
  /** Names this comparison; applying it is refused once it would be another. */
  version: Type.String(),
  date: Type.String(),
  rows: Type.Array(CardRow),
  /** Models that the card has no price for. */
  not_on_card: Type.Array(Type.String()),
})
export const CardApply = strict({
  version: Type.String({ minLength: 1, maxLength: 100 }),
  ids: Type.Array(ModelName, { minItems: 1, maxItems: 10_000 }),
  confirm_jumps: Type.Optional(Type.Boolean()),
  card: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
})
export const CardApplied = strict({ applied: Type.Array(ModelView) })

export type CardEntry = Static<typeof CardEntry>
export type PriceCard = Static<typeof PriceCard>
export type CardRow = Static<typeof CardRow>
export type CardQuery = Static<typeof CardQuery>
export type CardComparison = Static<typeof CardComparison>
export type CardApply = Static<typeof CardApply>
export type CardApplied = Static<typeof CardApplied>
