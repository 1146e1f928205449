// A pause: new calls are refused until it ends.

import { Type, type Static } from 'typebox'
import { strict, Timestamp } from '#contract/fields.ts'

/** An hour unless told, a day at most. */
export const PauseBody = strict({ minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1440 })) })
/** When new calls are taken again; null where they are taken now. */
export const PauseView = strict({ paused_until: Type.Union([Timestamp, Type.Null()]) })

export type PauseView = Static<typeof PauseView>
