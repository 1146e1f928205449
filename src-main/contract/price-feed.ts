// The price card as a feed: the file that is published, and the versions that are kept of it.

import { Type, type Static } from 'typebox'
import { strict } from '#contract/fields.ts'
import { Day } from '#contract/presets.ts'
import { CardEntry } from '#contract/price-card.ts'

/** The published file. The signature covers text, so that it does not depend on how JSON is written. */
export const SignedCard = Type.Object({
  signed: Type.String({ maxLength: 4_000_000 }),
  /** Ed25519 over the text; base64, 64 bytes. */
  signature: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$' }),
})

export const FeedCard = strict({
  /** Says what was signed, so that a signature over something else is of no use here. */
  type: Type.Literal('farebox-price-card'),
  /** One more with each publication. */
  version: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  unit: Type.Literal('USD per million tokens'),
  date: Day,
  entries: Type.Array(CardEntry, { maxItems: 10_000 }),
})

export const CardVersion = strict({
  /** null for the one that this version of Farebox is delivered with. */
  version: Type.Union([Type.Integer(), Type.Null()]),
  date: Type.String(),
  entries: Type.Integer(),
})

export const CardFetched = strict({
  version: Type.Integer(),
  date: Type.String(),
  entries: Type.Integer(),
  /** Whether it was not there before. */
  is_new: Type.Boolean(),
})

export type FeedCard = Static<typeof FeedCard>
export type CardVersion = Static<typeof CardVersion>
export type CardFetched = Static<typeof CardFetched>
