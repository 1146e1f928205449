// Presets: what is known about providers, so that adding one takes a name and a secret. The shape of `resources/presets.json`,
// which is also what the admin API answers with.

import { Type, type Static, type TOptional } from 'typebox'
import { WIRE_DIALECTS } from '#contract/dialects.ts'
import { strict } from '#contract/fields.ts'
import { ProviderQuirks } from '#contract/providers.ts'

/** https, or http for a server on this machine; a placeholder such as `{resource}` is for the administrator to fill in. */
const BaseUrl = Type.String({ maxLength: 2000, pattern: '^(https?://|\\{)[^\\s?#]+$' })
export const PageUrl = Type.String({ maxLength: 2000, pattern: '^https://[^\\s]+$' })
export const Day = Type.String({ format: 'date' })
type WireDialect = (typeof WIRE_DIALECTS)[number]
const Dialect = Type.Enum([...WIRE_DIALECTS])

/** How the provider is reached in one dialect. */
const DialectEntry = strict({
  base_url: BaseUrl,
  secret_header: Type.Optional(Type.Enum(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'])),
  output_cap_field: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
  quirks: Type.Optional(ProviderQuirks),
})

const entryOf = (name: WireDialect) => [name, Type.Optional(DialectEntry)] as const
const DialectEntries = Object.fromEntries(WIRE_DIALECTS.map(entryOf)) as Record<
  WireDialect,
  TOptional<typeof DialectEntry>
>

/** Where the provider lists its models, if that is not `/models` behind the base URL in the dialect of the provider. */
const ModelListPlace = strict({
  base_url: Type.Optional(BaseUrl),
  dialect: Type.Optional(Dialect),
  /** `per-token`: each model has a `pricing` with USD per token, as decimal texts. */
  prices: Type.Enum(['none', 'per-token']),
})

export const Preset = strict({
  id: Type.String({ maxLength: 100, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
  display_name: Type.String({ minLength: 1, maxLength: 100 }),
  /** The one that is used unless another of them is asked for. */
  dialect: Dialect,
  dialects: strict(DialectEntries),
  network: Type.Enum(['public', 'local']),
  secret: Type.Enum(['required', 'optional', 'none']),
  /** What it may be, the usual kind first; left out where it is one text. */
  secret_kinds: Type.Optional(Type.Array(Type.Enum(['text', 'service_account', 'entra_client']))),
  /** The page on which a secret can be had. */
  key_url: Type.Union([PageUrl, Type.Null()]),
  /** A server of one's own: its models cost nothing. */
  free: Type.Boolean(),
  model_list: ModelListPlace,
  /** The preset of who made its models, where a platform asks what the maker asks and names them a little otherwise. */
  card: Type.Optional(Type.String({ maxLength: 100 })),
  on_disconnect: Type.Optional(Type.Enum(['cancel', 'drain'])),
  notes: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 500 }))),
  /** A page of the provider about its API, and the day on which this was written; not all of it stands on that one page. */
  source: PageUrl,
  written: Day,
})
export const Presets = Type.Array(Preset)
export type Preset = Static<typeof Preset>
