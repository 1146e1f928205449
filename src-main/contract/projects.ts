// Projects that have limits: what calls for them may be charged, whichever key they are made with.

import { Type, type Static } from 'typebox'
import { Credits, NullableCredits, strict, Timestamp } from '#contract/fields.ts'

/** What is left out stays as it is; null lifts it. */
export const ProjectSet = strict({
  credits_per_day: Type.Optional(Type.Union([Credits, Type.Null()])),
  credits_per_month: Type.Optional(Type.Union([Credits, Type.Null()])),
})
export const ProjectView = strict({
  name: Type.String(),
  /** Null is no limit. Days and months are those of the machine's time zone. */
  credits_per_day: NullableCredits,
  credits_per_month: NullableCredits,
  credits_today: Type.Number(),
  credits_this_month: Type.Number(),
  /** What running calls may come to cost. */
  held_credits: Type.Number(),
  created_at: Timestamp,
})

export type ProjectSet = Static<typeof ProjectSet>
export type ProjectView = Static<typeof ProjectView>
