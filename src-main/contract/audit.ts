// The audit log, and the settings that this process runs with.

import { Type, type Static } from 'typebox'
import { KnownName, NullableCount, NullableText, strict, Timestamp } from '#contract/fields.ts'

export const AuditQuery = strict({
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
  before: Type.Optional(Type.String({ maxLength: 64 })),
  /** An action of the admin API, such as `topUpKey`. */
  action: Type.Optional(Type.String({ maxLength: 64 })),
  actor: Type.Optional(KnownName),
})
export const AuditView = strict({
  id: Type.String(),
  at: Timestamp,
  /** A member's name, `owner` for who came with a ticket, `command line`, or `farebox` itself. */
  actor: Type.String(),
  action: Type.String(),
  /** What it was done to, as it was named then. */
  subject: NullableText,
  /** `done`, or why it was refused. */
  outcome: Type.String(),
  status: NullableCount,
  /** Where it came from, of what strangers did: an address, the first 64 bits of an IPv6 address, or `elsewhere`. */
  source: NullableText,
  /** How often the same came from there since `at`, and when last. More than 1 for strangers alone. */
  count: Type.Integer(),
  last_at: Timestamp,
  /** What was asked for, with secrets, passwords and key values left out. */
  details: Type.Record(Type.String(), Type.Unknown()),
})
export const AuditList = strict({ entries: Type.Array(AuditView), next: NullableText })

/** As text, as it would stand in the environment; null for what it is by default. */
export const SettingSet = strict({ value: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()]) })

export const SettingsView = strict({
  settings: Type.Array(
    strict({
      /** As in docs/configuration.md, such as `hold_wait_ms`. */
      name: Type.String(),
      /** As text; null where nothing is set. */
      value: NullableText,
      /** `stored`: changed while Farebox ran. */
      source: Type.Enum(['default', 'environment', 'flag', 'stored']),
      environment: NullableText,
      flag: NullableText,
      /** Whether `PUT /api/settings/{id}` takes it: it can change while Farebox runs, and neither a variable nor a flag fixes it. */
      is_changeable: Type.Boolean(),
      /** What may be chosen; null where it is a number or a text. */
      choices: Type.Union([Type.Array(Type.String()), Type.Null()]),
      description: Type.String(),
    }),
  ),
  time_zone: Type.String(),
  version: Type.String(),
  node: Type.String(),
  data_dir: Type.String(),
  database_bytes: Type.Integer(),
})

export type AuditQuery = Static<typeof AuditQuery>
export type AuditView = Static<typeof AuditView>
export type AuditList = Static<typeof AuditList>
export type SettingsView = Static<typeof SettingsView>
