// Budgets that reached a threshold, which thresholds hold, and the webhooks and mailboxes that are told.

import { Type, type Static } from 'typebox'
import { KnownName, Name, NullableCount, NullableText, NullableTimestamp, strict, Timestamp } from '#contract/fields.ts'
import { MAIL_ADDRESS, MAX_MAIL_ADDRESS } from '#contract/mail-address.ts'

export const THRESHOLD_SCOPES = ['key', 'package', 'member', 'project', 'tool', 'provider'] as const

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

/** Of one key, package, member, project, tool or provider by its `name`, else of all of the scope. */
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

/** How it stands with what a webhook or a mailbox is told. */
const ReceiverFields = {
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
}

export const WebhookView = strict(ReceiverFields)

/** The secret that messages are signed with. This answer is the only one that ever holds it. */
export const WebhookCreated = strict({ ...WebhookView.properties, secret: Type.String() })

export const WebhookTested = strict({ delivered: Type.Boolean(), status: NullableCount, problem: NullableText })

const MailAddress = Type.String({ maxLength: MAX_MAIL_ADDRESS, pattern: MAIL_ADDRESS })

export const MailboxCreate = strict({
  name: Name,
  /** The mail server: `smtps://` with TLS from the start, `smtp://` with STARTTLS. */
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  from: MailAddress,
  to: MailAddress,
  /** Where the server asks for a login; both or none. */
  user: Type.Optional(Type.String({ minLength: 1, maxLength: 320, pattern: '^[\\u0021-\\u007e]+$' })),
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, pattern: '^[^\\u0000-\\u001f]+$' })),
  /** `local` also reaches this machine and private networks. */
  network: Type.Optional(Type.Enum(['public', 'local'])),
  /** Sends without encryption, which takes `smtp://` and `network: local`. */
  plain: Type.Optional(Type.Boolean()),
})

export const MailboxView = strict({
  ...ReceiverFields,
  from: Type.String(),
  to: Type.String(),
  user: NullableText,
  plain: Type.Boolean(),
})

export type AlertView = Static<typeof AlertView>
export type ThresholdsView = Static<typeof ThresholdsView>
export type ThresholdsSet = Static<typeof ThresholdsSet>
export type MailboxCreate = Static<typeof MailboxCreate>
export type MailboxView = Static<typeof MailboxView>
export type WebhookCreate = Static<typeof WebhookCreate>
export type WebhookView = Static<typeof WebhookView>
export type WebhookCreated = Static<typeof WebhookCreated>
export type WebhookTested = Static<typeof WebhookTested>
