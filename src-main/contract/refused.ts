// Calls that were refused before they were admitted, and why a request ended as it did.

import { Type, type Static } from 'typebox'
import { KnownName, ModelName, NullableText, strict, Timestamp } from '#contract/fields.ts'
import { ReceiptView } from '#contract/receipt.ts'

export const RefusedQuery = strict({
  since: Type.Optional(Type.String({ maxLength: 40 })),
  until: Type.Optional(Type.String({ maxLength: 40 })),
  key: Type.Optional(KnownName),
  model: Type.Optional(ModelName),
  owner: Type.Optional(KnownName),
  member: Type.Optional(KnownName),
  code: Type.Optional(Type.String({ pattern: '^[a-z_]{1,40}$' })),
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,5}$' })),
  before: Type.Optional(Type.String({ maxLength: 64 })),
})

/** The same refusals one after another, none of them longer than a minute after the one before. */
export const RefusedView = strict({
  /** The request that began it. */
  id: Type.String(),
  last_id: Type.String(),
  at: Timestamp,
  last_at: Timestamp,
  count: Type.Integer(),
  /** null where no key was known. */
  key: NullableText,
  endpoint: Type.String(),
  /** null where none was named that there is. */
  model: NullableText,
  code: Type.String(),
  status: Type.Integer(),
  /** What the client was told, without words of its own. */
  message: Type.String(),
  /** What whoever reads this can do. */
  advice: Type.String(),
  limit: NullableText,
  limit_scope: NullableText,
})
export const RefusedList = strict({
  refused: Type.Array(RefusedView),
  /** Pass as `before` to go on; null at the end. */
  next: Type.Union([Type.String(), Type.Null()]),
})

export const WhyView = strict({
  id: Type.String(),
  /** What happened, and what to do about it; null where there is nothing to do. */
  says: Type.String(),
  advice: NullableText,
  /** One of the two is there. */
  refused: Type.Union([RefusedView, Type.Null()]),
  receipt: Type.Union([ReceiptView, Type.Null()]),
  /** False where only its time says that the request was one of many that were refused. */
  is_certain: Type.Boolean(),
})

export type RefusedQuery = Static<typeof RefusedQuery>
export type RefusedView = Static<typeof RefusedView>
export type RefusedList = Static<typeof RefusedList>
export type WhyView = Static<typeof WhyView>
