// The shapes that the admin API, the command line, farebox.yaml and the dashboard share. Fields are snake_case, amounts are
// credits (not micro-credits), times are ISO 8601 UTC. Unknown fields are refused everywhere.

import { Type, type Static } from 'typebox'
import {
  Count,
  AttributionFields,
  Credits,
  KnownName,
  Label,
  Labels,
  LimitsFields,
  LimitsShown,
  ModelKind,
  ModelName,
  Name,
  NullableCount,
  NullableCredits,
  NullableText,
  NullableTimestamp,
  Reason,
  RequiredReason,
  SessionId,
  ShownModelName,
  strict,
  Timestamp,
  UpstreamModel,
} from '#contract/fields.ts'
import { NullablePrice, PriceFields } from '#contract/prices.ts'
import { ProviderApply, providerProperties, secretsGiven } from '#contract/providers.ts'

export const TargetFields = strict({
  provider: KnownName,
  model: UpstreamModel,
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
})

const modelProperties = {
  id: ModelName,
  display_name: Type.Optional(Name),
  kind: Type.Optional(ModelKind),
  context_window: Count,
  max_output_tokens: Type.Optional(Count),
  enabled: Type.Optional(Type.Boolean()),
  price: Type.Optional(PriceFields),
  targets: Type.Array(TargetFields, { minItems: 1, maxItems: 20 }),
}

export const ModelCreate = strict(modelProperties)
/** What may change on a model beside its price; what is left out stays, targets are replaced as a whole. */
export const ModelEdit = strict({
  display_name: modelProperties.display_name,
  /** One that becomes a chat model needs an output cap, and a price for output. */
  kind: modelProperties.kind,
  context_window: Type.Optional(Count),
  max_output_tokens: modelProperties.max_output_tokens,
  targets: Type.Optional(modelProperties.targets),
})
export const ModelView = strict({
  id: ModelName,
  display_name: ShownModelName,
  kind: Type.String(),
  context_window: Type.Integer(),
  /** Nobody told it yet: it gives way to what the provider tells. Absent where somebody did. */
  context_window_guessed: Type.Optional(Type.Literal(true)),
  max_output_tokens: Type.Integer(),
  enabled: Type.Boolean(),
  price: NullablePrice,
  targets: Type.Array(
    strict({ provider: Type.String(), model: Type.String(), priority: Type.Integer(), weight: Type.Integer() }),
  ),
  created_at: Timestamp,
})

const packageProperties = {
  name: Name,
  type: Type.Enum(['monthly', 'daily', 'topup', 'unlimited']),
  credits: Type.Optional(Credits),
  timezone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  limits: Type.Optional(LimitsFields),
  models: Type.Optional(Type.Union([Type.Literal('all'), Type.Array(ModelName, { maxItems: 1000 })])),
  valid_until: Type.Optional(Type.String({ minLength: 10, maxLength: 40 })),
}

export const PackageCreate = strict(packageProperties)
/** What may change on a package that has keys. */
export const PackageEdit = strict({
  type: Type.Optional(packageProperties.type),
  credits: Type.Optional(Credits),
  timezone: packageProperties.timezone,
  limits: packageProperties.limits,
  models: packageProperties.models,
  valid_until: Type.Optional(Type.Union([Type.String({ minLength: 10, maxLength: 40 }), Type.Null()])),
  /** Forgets what the package's keys have used in their present cycle. */
  reset_used: Type.Optional(Type.Boolean()),
})
export const PackageView = strict({
  id: Type.String(),
  name: KnownName,
  type: Type.String(),
  credits: NullableCredits,
  timezone: Type.String(),
  limits: LimitsShown,
  models: Type.Union([Type.Literal('all'), Type.Array(Type.String())]),
  valid_until: NullableTimestamp,
  keys: Type.Integer(),
  created_at: Timestamp,
})

/** `90d` (days from now), `never`, or an ISO date or date-time. */
const Expires = Type.String({ minLength: 2, maxLength: 40 })

export const KeyCreate = strict({
  name: Name,
  package: KnownName,
  owner: Type.Optional(Name),
  expires: Type.Optional(Expires),
  /** What its calls are counted to, whatever its clients say. */
  tool: Type.Optional(Label),
  project: Type.Optional(Label),
  tags: Type.Optional(Labels),
})
/** null takes one away. */
export const KeyEdit = strict({
  tool: Type.Optional(Type.Union([Label, Type.Null()])),
  project: Type.Optional(Type.Union([Label, Type.Null()])),
  tags: Type.Optional(Labels),
})
export const KeyExtend = strict({ expires: Expires })
export const KeyTopUp = strict({
  credits: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 }),
  reason: Type.Optional(Reason),
  /** Repeating a top-up with the same id changes nothing. */
  idempotency_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
})
/** A correction. Its reason is what the ledger will say about it for good. */
export const KeyAdjust = strict({
  credits: Type.Number({ minimum: -1_000_000_000, maximum: 1_000_000_000 }),
  reason: RequiredReason,
  /** Repeating a correction with the same id changes nothing. */
  idempotency_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
})
/** How long the value before goes on working: `none`, hours or days, 30 days at most. */
const Overlap = Type.String({ pattern: '^(none|[1-9][0-9]{0,2}[hd])$' })
export const KeyRotate = strict({ overlap: Type.Optional(Overlap), expires: Type.Optional(Expires) })
export const KeyMove = strict({ package: KnownName })

/** The balance object of `GET /v1/balance`, also part of a key's view. */
export const BalanceView = strict({
  total_credits: NullableCredits,
  remaining_credits: NullableCredits,
  used_credits: NullableCredits,
  held_credits: Type.Number(),
  cycle_started_at: Timestamp,
  next_reset_at: NullableTimestamp,
  total_requests: Type.Integer(),
  last_used_at: NullableTimestamp,
})
/** What becomes of a key's credits at the pace of its cycle so far; of credits that are never renewed, since the key was made. */
const Outlook = strict({
  /** What the cycle leaves over; null where nothing is renewed or it runs out before. */
  left_over_credits: NullableCredits,
  runs_out_at: NullableTimestamp,
})
export const KeyView = strict({
  id: Type.String(),
  name: KnownName,
  hint: Type.String(),
  package: Type.String(),
  owner: NullableText,
  status: Type.String(),
  expires_at: NullableTimestamp,
  created_at: Timestamp,
  /** When it got the value that it has. */
  value_since: Timestamp,
  /** Until when the value before works as well. */
  previous_valid_until: NullableTimestamp,
  /** What its calls are counted to; null where its clients say it. */
  tool: NullableText,
  project: NullableText,
  tags: Type.Array(Type.String()),
  balance: BalanceView,
  /** null in the first hour, and where nothing is left or nothing bounds the key. */
  outlook: Type.Union([Outlook, Type.Null()]),
  /** What is to be known about the change that this answers, such as that it holds but is not on disk yet. */
  notice: Type.Optional(Type.String()),
})
/** This answer and the next are the only ones that ever hold a key's value. */
export const KeyCreated = strict({
  id: Type.String(),
  name: KnownName,
  key: Type.String(),
  expires_at: NullableTimestamp,
})
export const KeyRotated = strict({
  ...KeyCreated.properties,
  previous_valid_until: NullableTimestamp,
})

export const UsageQuery = strict({
  since: Type.Optional(Type.String({ maxLength: 40 })),
  until: Type.Optional(Type.String({ maxLength: 40 })),
  key: Type.Optional(KnownName),
  model: Type.Optional(ModelName),
  provider: Type.Optional(KnownName),
  package: Type.Optional(KnownName),
  owner: Type.Optional(KnownName),
  member: Type.Optional(KnownName),
  tool: Type.Optional(Label),
  project: Type.Optional(Label),
  /** One of its tags. */
  tag: Type.Optional(Label),
  /** The id that a tool gave its session. */
  session: Type.Optional(SessionId),
  /** `failed`: every call whose client did not get a whole answer; the ones after it are kinds of it. */
  status: Type.Optional(Type.Enum(['ok', 'failed', 'cut', 'out_of_credits', 'client_gone'])),
  min_credits: Type.Optional(Type.String({ pattern: '^[0-9]{1,9}(\\.[0-9]{1,6})?$' })),
  limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,5}$' })),
  before: Type.Optional(Type.String({ maxLength: 64 })),
})
export const UsageView = strict({
  id: Type.String(),
  created_at: Timestamp,
  key: Type.String(),
  endpoint: Type.String(),
  model: Type.String(),
  provider: NullableText,
  upstream_model: NullableText,
  /** The label of the secret that the provider was asked with; null where it has one alone. */
  secret: NullableText,
  stream: Type.Boolean(),
  outcome: Type.String(),
  status: Type.Integer(),
  input_tokens: NullableCount,
  cache_read_tokens: NullableCount,
  cache_write_tokens: NullableCount,
  output_tokens: NullableCount,
  reasoning_tokens: NullableCount,
  usage_source: Type.String(),
  price_version: NullableCount,
  charge_credits: Type.Number(),
  held_credits: Type.Number(),
  overrun: Type.Boolean(),
  first_byte_ms: NullableCount,
  duration_ms: Type.Integer(),
  ...AttributionFields,
})
export const UsageList = strict({
  usage: Type.Array(UsageView),
  /** Pass as `before` to go on; null at the end. */
  next: NullableText,
})

export const LedgerReport = strict({
  ok: Type.Boolean(),
  keys: Type.Integer(),
  entries: Type.Integer(),
  open_holds: Type.Integer(),
  usage_records: Type.Integer(),
  problems: Type.Array(Type.String()),
})

export const BackupCreate = strict({
  /** An absolute path on the gateway's machine. */
  file: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000-\\u001f]+$' }),
  /** Whether an older backup of that name may be replaced. */
  force: Type.Optional(Type.Boolean()),
})
export const BackupView = strict({
  file: Type.String(),
  bytes: Type.Integer(),
  keys: Type.Integer(),
  entries: Type.Integer(),
  open_holds: Type.Integer(),
  usage_records: Type.Integer(),
  /** Providers whose secrets are kept elsewhere, and are not in the file. */
  without_secrets: Type.Array(KnownName),
})

const SecretPlace = Type.Union([
  strict({ env: Type.String({ minLength: 1 }) }),
  strict({ file: Type.String({ minLength: 1 }) }),
])

/** farebox.yaml as it is written; a secret is named, never contained. */
export const FileDocument = strict({
  providers: Type.Optional(
    Type.Array(
      strict({
        ...providerProperties,
        secret: Type.Optional(SecretPlace),
        header_secrets: Type.Optional(Type.Record(Type.String(), SecretPlace, { maxProperties: 16 })),
        secrets: secretsGiven(SecretPlace),
      }),
    ),
  ),
  models: Type.Optional(Type.Array(ModelCreate)),
  packages: Type.Optional(Type.Array(PackageCreate)),
})
/** The same document on its way to the admin API, with the secrets read. */
export const ApplyDocument = strict({
  providers: Type.Optional(Type.Array(ProviderApply)),
  models: Type.Optional(Type.Array(ModelCreate)),
  packages: Type.Optional(Type.Array(PackageCreate)),
})
export const ApplyBody = strict({ document: ApplyDocument, dry_run: Type.Optional(Type.Boolean()) })
export const ApplyChange = strict({
  kind: Type.Enum(['provider', 'model', 'package']),
  name: Type.String(),
  action: Type.Enum(['create', 'update', 'none']),
  fields: Type.Array(Type.String()),
  /** What is to be done about it, in a sentence. */
  note: Type.Optional(Type.String()),
})
export const ApplyResult = strict({ dry_run: Type.Boolean(), changes: Type.Array(ApplyChange) })

export type TargetFields = Static<typeof TargetFields>
export type ModelCreate = Static<typeof ModelCreate>
export type ModelEdit = Static<typeof ModelEdit>
export type ModelView = Static<typeof ModelView>
export type PackageCreate = Static<typeof PackageCreate>
export type PackageEdit = Static<typeof PackageEdit>
export type PackageView = Static<typeof PackageView>
export type KeyCreate = Static<typeof KeyCreate>
export type KeyEdit = Static<typeof KeyEdit>
export type KeyTopUp = Static<typeof KeyTopUp>
export type KeyAdjust = Static<typeof KeyAdjust>
export type KeyRotate = Static<typeof KeyRotate>
export type KeyRotated = Static<typeof KeyRotated>
export type KeyView = Static<typeof KeyView>
export type KeyCreated = Static<typeof KeyCreated>
export type BalanceView = Static<typeof BalanceView>
export type UsageQuery = Static<typeof UsageQuery>
export type UsageView = Static<typeof UsageView>
export type UsageList = Static<typeof UsageList>
export type LedgerReport = Static<typeof LedgerReport>
export type BackupCreate = Static<typeof BackupCreate>
export type BackupView = Static<typeof BackupView>
export type FileDocument = Static<typeof FileDocument>
export type ApplyDocument = Static<typeof ApplyDocument>
export type ApplyChange = Static<typeof ApplyChange>
export type ApplyResult = Static<typeof ApplyResult>
