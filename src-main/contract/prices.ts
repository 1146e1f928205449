// Prices as they are given and shown: credits per million tokens of each class, and what some providers price beside them.

import { Type, type Static } from 'typebox'
import { Count, Credits, strict } from '#contract/fields.ts'

/** Credits per million tokens; up to a credit per token, which keeps every charge an exact integer. */
const TokenPrice = Type.Number({ minimum: 0, maximum: 1_000_000 })
/** Credits for one, with at most twelve decimals: what a provider sells by the million or by the hour. */
const UnitPrice = Type.Number({ minimum: 0, maximum: 1000 })

/** Parts of the classes. One that is left out costs what its class costs. */
const PartFields = {
  cache_write_1h: Type.Optional(TokenPrice),
  input_audio: Type.Optional(TokenPrice),
  input_image: Type.Optional(TokenPrice),
  cache_read_audio: Type.Optional(TokenPrice),
  cache_read_image: Type.Optional(TokenPrice),
  reasoning: Type.Optional(TokenPrice),
  output_audio: Type.Optional(TokenPrice),
  output_image: Type.Optional(TokenPrice),
}

/** Prices of their own, for long inputs or another service tier. A cache that is left out costs what input costs. */
const OwnRates = {
  input: TokenPrice,
  output: TokenPrice,
  cache_read: Type.Optional(TokenPrice),
  cache_write: Type.Optional(TokenPrice),
  ...PartFields,
}
const Steps = Type.Array(
  /** What a whole call costs whose input has more tokens than this, with those that were cached. */
  strict({ above: Count, ...OwnRates }),
  { minItems: 1, maxItems: 10 },
)
/** A factor on the prices of tokens, with at most six decimals, or prices of its own. */
const Tier = Type.Union([
  Type.Number({ minimum: 0, maximum: 100 }),
  strict({ ...OwnRates, steps: Type.Optional(Steps) }),
])

/** What a price may name beside its four classes. */
const FineFields = {
  ...PartFields,
  steps: Type.Optional(Steps),
  /** By the name under which providers report them, such as `flex`, `priority` and `batch`. */
  tiers: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), Tier, { additionalProperties: false }),
  ),
  /** By what is counted: `request`, `web_search`, `image`, `image/1024x1024/high`, `second`, `character`, `search`. */
  units: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z_]{0,39}(/[A-Za-z0-9._-]{1,40}){0,3}$' }), UnitPrice, {
      additionalProperties: false,
    }),
  ),
  /** What a call is charged at least. */
  minimum: Type.Optional(Credits),
}

export const PriceFields = strict({
  input: TokenPrice,
  /** What a chat model needs, and a model for embeddings has none of: 0 where it is left out. */
  output: Type.Optional(TokenPrice),
  cache_read: Type.Optional(TokenPrice),
  cache_write: Type.Optional(TokenPrice),
  ...FineFields,
})

/** A new price for a model. A jump is more likely a price per token, or per thousand, than a price that changed so much. */
export const PriceChange = strict({ ...PriceFields.properties, confirm_jump: Type.Optional(Type.Boolean()) })

/** A price with each of its classes, and of the rest what it names. */
export const WholePrice = strict({
  input: Type.Number(),
  output: Type.Number(),
  cache_read: Type.Number(),
  cache_write: Type.Number(),
  ...FineFields,
})

/** The same as it is shown, with its version; null where there is none. */
export const NullablePrice = Type.Union([strict({ version: Type.Integer(), ...WholePrice.properties }), Type.Null()])

export type PriceFields = Static<typeof PriceFields>
export type PriceChange = Static<typeof PriceChange>
export type WholePrice = Static<typeof WholePrice>
