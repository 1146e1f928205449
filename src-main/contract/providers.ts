// Providers as the admin API, the command line, farebox.yaml and the dashboard share them. Unknown fields are refused everywhere.

import { Type, type Static, type TSchema } from 'typebox'
import { PROVIDER_DIALECTS, ROUTE_FAMILIES } from '#contract/dialects.ts'
import {
  Count,
  Credits,
  HeaderChanges,
  Headers,
  KnownName,
  Name,
  NullableCount,
  NullableTimestamp,
  strict,
  Timestamp,
} from '#contract/fields.ts'

/** How a provider differs from others of its dialect. */
export const ProviderQuirks = strict({
  platform: Type.Optional(Type.Enum(['own', 'vertex'])),
  stream_usage: Type.Optional(Type.Boolean()),
  reasoning_field: Type.Optional(Type.Enum(['reasoning_content', 'reasoning', 'none'])),
  tool_ids: Type.Optional(Type.Enum(['any', 'alphanumeric-9'])),
  system_role: Type.Optional(Type.Enum(['system', 'developer'])),
  later_system: Type.Optional(Type.Enum(['keep', 'user'])),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  cache_marks: Type.Optional(Type.Boolean()),
  top_k: Type.Optional(Type.Boolean()),
  max_stops: Type.Optional(Type.Integer({ minimum: 0, maximum: 64 })),
  json_schema: Type.Optional(Type.Boolean()),
  reasoning_effort: Type.Optional(Type.Boolean()),
  user_after_tool: Type.Optional(Type.Boolean()),
  keeps_threads: Type.Optional(Type.Boolean()),
  stops_streams_only: Type.Optional(Type.Boolean()),
  /** What it has beside conversations. */
  routes: Type.Optional(Type.Array(Type.Enum([...ROUTE_FAMILIES]), { uniqueItems: true })),
})

/** What Farebox may ask of a provider. */
const ProviderLimits = strict({
  concurrent_requests: Type.Optional(Count),
  requests_per_minute: Type.Optional(Count),
  tokens_per_minute: Type.Optional(Count),
  credits_per_day: Type.Optional(Credits),
})
/** A day at most: timers that overflow 31 bits fire at once. */
const TimeLimit = Type.Integer({ minimum: 1, maximum: 86_400_000 })
const ProviderTimeLimits = strict({
  connect_ms: Type.Optional(TimeLimit),
  first_byte_ms: Type.Optional(TimeLimit),
  silence_ms: Type.Optional(TimeLimit),
})

export const providerProperties = {
  name: Name,
  /** Fills in what is not said. */
  preset: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  /** May be left out where a preset says it. */
  dialect: Type.Optional(Type.Enum([...PROVIDER_DIALECTS])),
  base_url: Type.Optional(Type.String({ maxLength: 2000 })),
  network: Type.Optional(Type.Enum(['public', 'local'])),
  secret_header: Type.Optional(Type.Enum(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'])),
  /** Sent with every request, beside what Farebox sends itself. Their values are shown: what is secret belongs in `header_secrets`. */
  headers: Type.Optional(Headers),
  output_cap_field: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
  on_disconnect: Type.Optional(Type.Enum(['cancel', 'drain'])),
  quirks: Type.Optional(ProviderQuirks),
  limits: Type.Optional(ProviderLimits),
  time_limits: Type.Optional(ProviderTimeLimits),
}
const Secret = Type.String({ minLength: 1, maxLength: 10_000 })

export const ProviderCreate = strict({
  ...providerProperties,
  secret: Type.Optional(Secret),
  /** Headers whose values are kept where secrets are kept, and never shown. */
  header_secrets: Type.Optional(Headers),
})
/**
 * What may change on a provider; what is left out stays, what is given replaces the whole member. A base URL of another origin needs
 * the secret anew: the one that is there was given for the old one.
 */
export const ProviderEdit = strict({
  base_url: providerProperties.base_url,
  network: providerProperties.network,
  secret_header: providerProperties.secret_header,
  headers: providerProperties.headers,
  /** What is not named stays, because nobody can say it again; null takes one away. */
  header_secrets: Type.Optional(HeaderChanges),
  output_cap_field: providerProperties.output_cap_field,
  on_disconnect: providerProperties.on_disconnect,
  quirks: providerProperties.quirks,
  limits: providerProperties.limits,
  time_limits: providerProperties.time_limits,
})
export const ProviderSecret = strict({ secret: Secret })

/** What one of several secrets is called. */
const SecretLabel = Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' })
const SecretWeight = Type.Integer({ minimum: 1, maximum: 1000 })
export const ProviderSecretAdd = strict({
  label: SecretLabel,
  secret: Secret,
  /** Its part of the calls beside those of the others; 1 unless given. */
  weight: Type.Optional(SecretWeight),
  limits: Type.Optional(ProviderLimits),
})
/** What is left out stays; limits are replaced as a whole. */
export const ProviderSecretEdit = strict({
  label: SecretLabel,
  secret: Type.Optional(Secret),
  weight: Type.Optional(SecretWeight),
  limits: Type.Optional(ProviderLimits),
})
/** All secrets of a provider, the first one first, in place of `secret`. */
export const secretsGiven = <Place extends TSchema>(secret: Place) =>
  Type.Optional(
    Type.Array(
      strict({
        label: SecretLabel,
        secret,
        weight: Type.Optional(SecretWeight),
        limits: Type.Optional(ProviderLimits),
      }),
      { minItems: 1, maxItems: 32 },
    ),
  )
/** A provider as a file describes it. */
export const ProviderApply = strict({ ...ProviderCreate.properties, secrets: secretsGiven(Secret) })
export const ProviderSecretQuery = strict({ label: SecretLabel })
export const ProviderSecretView = strict({
  label: Type.String(),
  weight: Type.Integer(),
  limits: ProviderLimits,
  secret_state: Type.Enum(['stored', 'locked', 'missing']),
  /** `refused`: the provider does not take it, or its account has nothing left; `busy`: the provider asks for patience. */
  state: Type.Enum(['ok', 'refused', 'busy']),
  left_out_until: NullableTimestamp,
  last_failure: Type.Union([strict({ reason: Type.String(), status: NullableCount, at: Timestamp }), Type.Null()]),
  concurrent_requests: Type.Integer(),
  credits_today: Type.Number(),
  created_at: Timestamp,
})
export const ProviderView = strict({
  id: Type.String(),
  name: KnownName,
  preset: Type.Union([Type.String(), Type.Null()]),
  dialect: Type.String(),
  base_url: Type.String(),
  network: Type.String(),
  secret_header: Type.String(),
  headers: Headers,
  /** Their names alone. */
  header_secrets: Type.Array(Type.String()),
  output_cap_field: Type.String(),
  on_disconnect: Type.String(),
  quirks: ProviderQuirks,
  limits: ProviderLimits,
  time_limits: ProviderTimeLimits,
  has_secret: Type.Boolean(),
  /** Of its secret and of `header_secrets`. `locked`: it cannot be read at the moment. `missing`: there should be one and there is none. */
  secret_state: Type.Enum(['none', 'stored', 'locked', 'missing']),
  created_at: Timestamp,
})
/** One of several secrets that is left out for now. */
export const SecretLeftOut = strict({
  provider: Type.String(),
  label: Type.String(),
  state: Type.Enum(['refused', 'busy']),
  left_out_until: NullableTimestamp,
  status: NullableCount,
})
export const ProviderTestQuery = strict({
  /** A model to ask for a few tokens, by its name at the provider: one real call, which the provider may bill. */
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
})
export const ProviderTestResult = strict({
  ok: Type.Boolean(),
  message: Type.String(),
  /** What is wrong, as a name for programs; null where nothing is. */
  problem: Type.Union([Type.String(), Type.Null()]),
  /** What to do about it. */
  advice: Type.Union([Type.String(), Type.Null()]),
})
/** Whether its secret is gone already; if not, it goes as soon as the keychain can be reached. */
export const ProviderRemoved = strict({ secret_forgotten: Type.Boolean() })
/** Providers whose secret came from the other store, and those whose secret is in neither. */
export const SecretsMoved = strict({ moved: Type.Array(KnownName), missing: Type.Array(KnownName) })
/** How many secrets have the present key now, and how many open neither with it nor with the one before. */
export const SecretsResealed = strict({ resealed: Type.Integer(), unreadable: Type.Integer() })

const SecretsFile = {
  /** An absolute path on the gateway's machine. */
  file: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000-\\u001f]+$' }),
  passphrase: Type.String({ minLength: 12, maxLength: 1024 }),
}
export const SecretsExport = strict({
  ...SecretsFile,
  /** Whether an older file of secrets may be replaced. */
  force: Type.Optional(Type.Boolean()),
})
/** Providers whose secret is in the file, and those whose secret cannot be found. */
export const SecretsExported = strict({
  file: Type.String(),
  exported: Type.Array(KnownName),
  missing: Type.Array(KnownName),
})
export const SecretsImport = strict(SecretsFile)
/** Providers that got their secret, and names in the file that no provider here has at the same address. */
export const SecretsImported = strict({ imported: Type.Array(KnownName), skipped: Type.Array(KnownName) })

export type ProviderQuirks = Static<typeof ProviderQuirks>
export type ProviderCreate = Static<typeof ProviderCreate>
export type ProviderEdit = Static<typeof ProviderEdit>
export type ProviderView = Static<typeof ProviderView>
export type ProviderApply = Static<typeof ProviderApply>
export type ProviderSecretAdd = Static<typeof ProviderSecretAdd>
export type ProviderSecretEdit = Static<typeof ProviderSecretEdit>
export type ProviderSecretView = Static<typeof ProviderSecretView>
export type ProviderRemoved = Static<typeof ProviderRemoved>
export type SecretsMoved = Static<typeof SecretsMoved>
export type SecretsResealed = Static<typeof SecretsResealed>
export type SecretsExport = Static<typeof SecretsExport>
export type SecretsExported = Static<typeof SecretsExported>
export type SecretsImport = Static<typeof SecretsImport>
export type SecretsImported = Static<typeof SecretsImported>
export type ProviderTestResult = Static<typeof ProviderTestResult>
