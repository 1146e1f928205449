// Reads and writes the things a gateway is set up with: providers, models with targets and prices, packages. Keys, members and
// invites have files of their own.

import {
  DISCONNECT_CHOICES,
  NETWORKS,
  PACKAGE_TYPES,
  SECRET_HEADERS,
  type Key,
  type Model,
  type Package,
  type Provider,
  type Target,
} from '#core/entities.ts'
import { PROVIDER_DIALECTS } from '#contract/dialects.ts'
import { microCredits } from '#core/money.ts'
import type { Price } from '#core/pricing.ts'
import type { Invite } from '#core/invite.ts'
import type { Member } from '#core/member.ts'
import type { Db } from '#store/database.ts'
import { deleteInvite, loadInvites, putInvite } from '#store/invite-rows.ts'
import { loadKeys, putKey } from '#store/key-rows.ts'
import { deleteMember, loadMembers, putMember } from '#store/member-rows.ts'
import { oneOf } from '#store/values.ts'

export type CatalogState = {
  readonly providers: readonly Provider[]
  readonly models: readonly Model[]
  readonly packages: readonly Package[]
  readonly keys: readonly Key[]
  readonly members: readonly Member[]
  readonly invites: readonly Invite[]
}

/** One change to the catalogue. `put` inserts or replaces; keys are never deleted, only revoked. */
export type CatalogChange =
  | { readonly type: 'put-provider'; readonly provider: Provider }
  | { readonly type: 'delete-provider'; readonly id: string }
  | { readonly type: 'put-model'; readonly model: Model; readonly changedAtMs: number }
  | { readonly type: 'delete-model'; readonly id: string }
  | { readonly type: 'put-package'; readonly package: Package }
  | { readonly type: 'delete-package'; readonly id: string }
  | { readonly type: 'put-key'; readonly key: Key }
  /** Also ends an invite that the member can no longer have. */
  | { readonly type: 'put-member'; readonly member: Member }
  | { readonly type: 'delete-member'; readonly id: string }
  | { readonly type: 'put-invite'; readonly invite: Invite }
  | { readonly type: 'delete-invite'; readonly codeHash: string }

/** Applies one change inside the caller's transaction. Throws SqliteError where a constraint says no. */
export function applyCatalogChange(db: Db, change: CatalogChange): void {
  switch (change.type) {
    case 'put-provider':
      return putProvider(db, change.provider)
    case 'delete-provider':
      db.prepare('DELETE FROM provider WHERE id = ?').run(change.id)
      return
    case 'put-model':
      return putModel(db, change.model, change.changedAtMs)
    case 'delete-model':
      db.prepare('DELETE FROM model WHERE id = ?').run(change.id)
      return
    case 'put-package':
      return putPackage(db, change.package)
    case 'delete-package':
      db.prepare('DELETE FROM package WHERE id = ?').run(change.id)
      return
    case 'put-key':
      return putKey(db, change.key)
    case 'put-member':
      return putMember(db, change.member)
    case 'delete-member':
      return deleteMember(db, change.id)
    case 'put-invite':
      return putInvite(db, change.invite)
    case 'delete-invite':
      return deleteInvite(db, change.codeHash)
  }
}

/** The whole catalogue as it stands, everything in the order in which it was made. */
export function loadCatalog(db: Db): CatalogState {
  return {
    providers: rows<ProviderRow>(db, 'SELECT * FROM provider ORDER BY rowid').map(providerOf),
    models: loadModels(db),
    packages: rows<PackageRow>(db, 'SELECT * FROM package ORDER BY rowid').map(packageOf),
    keys: loadKeys(db),
    members: loadMembers(db),
    invites: loadInvites(db),
  }
}

type ProviderRow = {
  id: string
  name: string
  preset: string | null
  dialect: string
  base_url: string
  network: string
  has_secret: number
  secret_header: string | null
  headers: string
  header_secrets: string
  output_cap_field: string
  on_disconnect: string
  quirks: string
  limits: string
  time_limits: string
  created_at_ms: number
}

function putProvider(db: Db, provider: Provider): void {
  db.prepare(
    `INSERT INTO provider (id, name, preset, dialect, base_url, network, has_secret, secret_header, headers,
       header_secrets, output_cap_field, on_disconnect, quirks, limits, time_limits, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, preset = excluded.preset, dialect = excluded.dialect,
       base_url = excluded.base_url, network = excluded.network, has_secret = excluded.has_secret,
       secret_header = excluded.secret_header, headers = excluded.headers,
       header_secrets = excluded.header_secrets, output_cap_field = excluded.output_cap_field,
       on_disconnect = excluded.on_disconnect, quirks = excluded.quirks, limits = excluded.limits,
       time_limits = excluded.time_limits`,
  ).run(
    provider.id,
    provider.name,
    provider.preset ?? null,
    provider.dialect,
    provider.baseUrl,
    provider.network,
    Number(provider.hasSecret),
    provider.secretHeader ?? null,
    JSON.stringify(provider.headers),
    JSON.stringify(provider.headerSecrets),
    provider.outputCapField,
    provider.onDisconnect,
    JSON.stringify(provider.quirks),
    JSON.stringify(provider.limits),
    JSON.stringify(provider.timeLimits),
    provider.createdAtMs,
  )
}

function providerOf(row: ProviderRow): Provider {
  return {
    id: row.id,
    name: row.name,
    preset: row.preset ?? undefined,
    dialect: oneOf(PROVIDER_DIALECTS, row.dialect),
    baseUrl: row.base_url,
    network: oneOf(NETWORKS, row.network),
    hasSecret: row.has_secret === 1,
    secretHeader: row.secret_header === null ? undefined : oneOf(SECRET_HEADERS, row.secret_header),
    // Written by this program from values that were checked, as what follows is.
    headers: JSON.parse(row.headers) as Provider['headers'],
    headerSecrets: JSON.parse(row.header_secrets) as Provider['headerSecrets'],
    outputCapField: oneOf(['max_tokens', 'max_completion_tokens'], row.output_cap_field),
    onDisconnect: oneOf(DISCONNECT_CHOICES, row.on_disconnect),
    quirks: JSON.parse(row.quirks) as Provider['quirks'],
    limits: JSON.parse(row.limits) as Provider['limits'],
    timeLimits: JSON.parse(row.time_limits) as Provider['timeLimits'],
    createdAtMs: row.created_at_ms,
  }
}

type ModelRow = {
  id: string
  display_name: string
  kind: string
  context_window: number
  max_output_tokens: number
  is_enabled: number
  is_context_guessed: number
  created_at_ms: number
}
type TargetRow = {
  model_id: string
  provider_id: string
  upstream_model: string
  priority: number
  weight: number
}
type PriceRow = {
  model_id: string
  version: number
  input_micro: number
  output_micro: number
  cache_read_micro: number
  cache_write_micro: number
}

function putModel(db: Db, model: Model, changedAtMs: number): void {
  db.prepare(
    `INSERT INTO model (id, display_name, kind, context_window, max_output_tokens, is_enabled, price_version,
       is_context_guessed, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name, kind = excluded.kind,
       context_window = excluded.context_window, max_output_tokens = excluded.max_output_tokens,
       is_enabled = excluded.is_enabled, price_version = excluded.price_version,
       is_context_guessed = excluded.is_context_guessed`,
  ).run(
    model.id,
    model.displayName,
    model.kind,
    model.contextWindow,
    model.maxOutputTokens,
    Number(model.isEnabled),
    model.price?.version ?? null,
    Number(model.isContextGuessed === true),
    model.createdAtMs,
  )
  db.prepare('DELETE FROM target WHERE model_id = ?').run(model.id)
  const insertTarget = db.prepare(
    `INSERT INTO target (model_id, position, provider_id, upstream_model, priority, weight) VALUES (?, ?, ?, ?, ?, ?)`,
  )
  for (const [position, target] of model.targets.entries()) {
    insertTarget.run(model.id, position, target.providerId, target.upstreamModel, target.priority, target.weight)
  }
  if (model.price !== undefined) putPrice(db, model.id, model.price, changedAtMs)
}

/** Versions of a price are kept for ever, also of removed models: past charges refer to them. */
function putPrice(db: Db, modelId: string, price: Price, changedAtMs: number): void {
  db.prepare(
    `INSERT INTO price (model_id, version, input_micro, output_micro, cache_read_micro, cache_write_micro, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (model_id, version) DO NOTHING`,
  ).run(
    modelId,
    price.version,
    price.inputMicro,
    price.outputMicro,
    price.cacheReadMicro,
    price.cacheWriteMicro,
    changedAtMs,
  )
}

/** The highest price version ever given to a model id, removed models included; 0 if there was none. */
export function loadPriceVersions(db: Db): Map<string, number> {
  const found = rows<{ model_id: string; version: number }>(
    db,
    'SELECT model_id, max(version) AS version FROM price GROUP BY model_id',
  )
  return new Map(found.map((row) => [row.model_id, row.version]))
}

function loadModels(db: Db): Model[] {
  const targets = new Map<string, Target[]>()
  for (const row of rows<TargetRow>(db, 'SELECT * FROM target ORDER BY model_id, position')) {
    const list = targets.get(row.model_id) ?? []
    list.push({
      providerId: row.provider_id,
      upstreamModel: row.upstream_model,
      priority: row.priority,
      weight: row.weight,
    })
    targets.set(row.model_id, list)
  }
  const prices = new Map<string, Price>()
  const present =
    'SELECT price.* FROM price JOIN model ON model.id = price.model_id AND model.price_version = price.version'
  for (const row of rows<PriceRow>(db, present)) prices.set(row.model_id, priceOfRow(row))
  return rows<ModelRow>(db, 'SELECT * FROM model ORDER BY rowid').map((row) => ({
    id: row.id,
    displayName: row.display_name,
    kind: oneOf(['chat', 'embedding'], row.kind),
    contextWindow: row.context_window,
    ...(row.is_context_guessed === 1 ? { isContextGuessed: true } : {}),
    maxOutputTokens: row.max_output_tokens,
    isEnabled: row.is_enabled === 1,
    price: prices.get(row.id),
    targets: targets.get(row.id) ?? [],
    createdAtMs: row.created_at_ms,
  }))
}

function priceOfRow(row: PriceRow): Price {
  return {
    version: row.version,
    inputMicro: microCredits(row.input_micro),
    outputMicro: microCredits(row.output_micro),
    cacheReadMicro: microCredits(row.cache_read_micro),
    cacheWriteMicro: microCredits(row.cache_write_micro),
  }
}

type PackageRow = {
  id: string
  name: string
  type: string
  credits_micro: number
  time_zone: string
  requests_per_minute: number | null
  tokens_per_minute: number | null
  concurrent_requests: number | null
  models: string
  valid_until_ms: number | null
  created_at_ms: number
}

function putPackage(db: Db, entity: Package): void {
  db.prepare(
    `INSERT INTO package (id, name, type, credits_micro, time_zone, requests_per_minute, tokens_per_minute,
       concurrent_requests, models, valid_until_ms, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, type = excluded.type, credits_micro = excluded.credits_micro,
       time_zone = excluded.time_zone, requests_per_minute = excluded.requests_per_minute,
       tokens_per_minute = excluded.tokens_per_minute, concurrent_requests = excluded.concurrent_requests,
       models = excluded.models, valid_until_ms = excluded.valid_until_ms`,
  ).run(
    entity.id,
    entity.name,
    entity.type,
    entity.creditsMicro,
    entity.timeZone,
    entity.limits.requestsPerMinute ?? null,
    entity.limits.tokensPerMinute ?? null,
    entity.limits.concurrentRequests ?? null,
    JSON.stringify(entity.models),
    entity.validUntilMs ?? null,
    entity.createdAtMs,
  )
}

function packageOf(row: PackageRow): Package {
  return {
    id: row.id,
    name: row.name,
    type: oneOf(PACKAGE_TYPES, row.type),
    creditsMicro: microCredits(row.credits_micro),
    timeZone: row.time_zone,
    limits: {
      requestsPerMinute: row.requests_per_minute ?? undefined,
      tokensPerMinute: row.tokens_per_minute ?? undefined,
      concurrentRequests: row.concurrent_requests ?? undefined,
    },
    models: JSON.parse(row.models) as Package['models'],
    validUntilMs: row.valid_until_ms ?? undefined,
    createdAtMs: row.created_at_ms,
  }
}

/** Rows are trusted to have the shape of their table: STRICT and CHECK saw to it when they were written. */
function rows<Row>(db: Db, sql: string): Row[] {
  return db.prepare(sql).all() as Row[]
}
