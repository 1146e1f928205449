// Who waits and why, and what runs, at this moment. Members are shown their own calls only; nothing of what a call says is in it.

import { Type, type Static } from 'typebox'
import { NullableText, NullableTimestamp, strict, Timestamp } from '#contract/fields.ts'

/** What a call waits for. */
const WAIT_REASONS = ['key_limit', 'member_limit', 'credits', 'provider', 'retry'] as const

export const WaitingView = strict({
  /** Longest first, at most 200. */
  waiting: Type.Array(
    strict({
      /** The request's id. */
      id: Type.String(),
      key: Type.String(),
      /** Whose key it is. */
      member: NullableText,
      model: Type.String(),
      reason: Type.Enum([...WAIT_REASONS]),
      /** Which limit it is, where it is one. */
      limit: NullableText,
      provider: NullableText,
      /** Its turn among those that wait for the same: 1 is next. */
      place: Type.Integer(),
      since: Timestamp,
      /** When it goes on, where that is known. */
      expected_at: NullableTimestamp,
      /** When it gives up. */
      until: NullableTimestamp,
    }),
  ),
  /** Of all of them. */
  waiting_calls: Type.Integer(),
  /** Calls that were admitted and have not ended, by key; the keys with the most first, at most 200. */
  running: Type.Array(
    strict({ key: Type.String(), member: NullableText, calls: Type.Integer(), oldest_at: Timestamp }),
  ),
  running_calls: Type.Integer(),
})

export type WaitingView = Static<typeof WaitingView>
