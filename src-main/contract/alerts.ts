// Budgets that reached a threshold, which thresholds hold, and the webhooks that are told.

import { Type, type Static } from 'typebox'
import { KnownName, Name, NullableCount, NullableText, NullableTimestamp, strict, Timestamp } from '#contract/fields.ts'

export const THRESHOLD_SCOPES = ['key', 'package', 'member', 'project', 'provider'] as const

export const AlertView = strict({
  id: Type.String(),
  at: Timestamp,
  /** What the budget belongs to: `key`, `member`, `provider`; an open set. */
  scope: Type.String(),
  /** As it was called then. */
  name: Type.String(),
  /** Percent. */
  threshold: Type.Integer(),
  used_credits: Type.Number(),
  total_credits: Type.Number(),
  cycle_started_at: Timestamp,
  next_reset_at: NullableTimestamp,
})

const Thresholds = Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { maxItems: 10, uniqueItems: true })

export const ThresholdsView = strict({
  scope: Type.String(),
  /** null for all of the scope that have none of their own. */
  name: NullableText,
  thresholds: Type.Array(Type.Integer()),
  /** Whether nobody has said otherwise. */
  is_default: Type.Boolean(),
})

/** Of one key, package, member or provider by its `name`, else of all of the scope. */
export const ThresholdsSet = strict({
  scope: Type.Enum([...THRESHOLD_SCOPES]),
  name: Type.Optional(KnownName),
  /** An empty list: nobody is told. null: what holds otherwise. */
  thresholds: Type.Union([Thresholds, Type.Null()]),
})

export const WebhookCreate = strict({
  name: Name,
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  /** `local` also reaches this machine and private networks. */
  network: Type.Optional(Type.Enum(['public', 'local'])),
})

export const WebhookView = strict({
  id: Type.String(),
  name: KnownName,
  url: Type.String(),
  network: Type.String(),
  created_at: Timestamp,
  /** Messages that are still to be taken, and when the next attempt is made. */
  waiting: Type.Integer(),
  next_attempt_at: NullableTimestamp,
  /** The message that was tried last, and what came of that. */
  last: Type.Union([
    strict({
      created_at: Timestamp,
      state: Type.Enum(['waiting', 'delivered', 'given-up']),
      attempts: Type.Integer(),
      status: NullableCount,
      problem: NullableText,
    }),
    Type.Null(),
  ]),
})

/** The secret that messages are signed with. This answer is the only one that ever holds it. */
export const WebhookCreated = strict({ ...WebhookView.properties, secret: Type.String() })

export const WebhookTested = strict({ delivered: Type.Boolean(), status: NullableCount, problem: NullableText })

export type AlertView = Static<typeof AlertView>
export type ThresholdsView = Static<typeof ThresholdsView>
export type ThresholdsSet = Static<typeof ThresholdsSet>
export type WebhookCreate = Static<typeof WebhookCreate>
export type WebhookView = Static<typeof WebhookView>
export type WebhookCreated = Static<typeof WebhookCreated>
export type WebhookTested = Static<typeof WebhookTested>
