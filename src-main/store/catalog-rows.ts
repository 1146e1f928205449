// Reads and writes the things a gateway is set up with: providers, models with targets and prices, packages. Keys, members and
// invites have files of their own.

import type { Columns } from '#core/columns.ts'
import {
  DISCONNECT_CHOICES,
  NETWORKS,
  PACKAGE_TYPES,
  SECRET_HEADERS,
  type Key,
  type Model,
  type Package,
  type PackageLimits,
  type Provider,
  type Target,
} from '#core/entities.ts'
import { MODEL_KINDS, PROVIDER_DIALECTS } from '#contract/dialects.ts'
import { priceOfRow, priceRow, type Price, type PriceRow } from '#core/price.ts'
import type { Invite } from '#core/invite.ts'
import type { Member } from '#core/member.ts'
import type { Project } from '#core/project.ts'
import type { Db } from '#store/database.ts'
import { entityTable, flag, integer, json, micro, optional, text, wordOf } from '#store/entity-table.ts'
import { deleteInvite, loadInvites, putInvite } from '#store/invite-rows.ts'
import { keysOf, type KeyRow } from '#store/key-columns.ts'
import { putKey, readKeys } from '#store/key-rows.ts'
import { deleteMember, loadMembers, putMember } from '#store/member-rows.ts'
import { deleteProject, loadProjects, putProject } from '#store/project-rows.ts'

export type CatalogState = {
  readonly providers: readonly Provider[]
  readonly models: readonly Model[]
  readonly packages: readonly Package[]
  readonly keys: readonly Key[]
  readonly members: readonly Member[]
  readonly invites: readonly Invite[]
  readonly projects: readonly Project[]
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
  | { readonly type: 'put-project'; readonly project: Project }
  | { readonly type: 'delete-project'; readonly id: string }

/** Applies one change inside the caller's transaction. Throws SqliteError where a constraint says no. */
export function applyCatalogChange(db: Db, change: CatalogChange): void {
  switch (change.type) {
    case 'put-provider':
      return PROVIDERS.put(db, change.provider)
    case 'delete-provider':
      db.prepare('DELETE FROM provider WHERE id = ?').run(change.id)
      return
    case 'put-model':
      return putModel(db, change.model, change.changedAtMs)
    case 'delete-model':
      db.prepare('DELETE FROM model WHERE id = ?').run(change.id)
      return
    case 'put-package':
      return PACKAGES.put(db, { ...change.package, ...change.package.limits })
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
    case 'put-project':
      return putProject(db, change.project)
    case 'delete-project':
      return deleteProject(db, change.id)
  }
}

/** With the keys as columns, for another thread. */
export type StoredCatalog = Omit<CatalogState, 'keys'> & { readonly keys: Columns<KeyRow> }

/** The whole catalogue as it stands, everything in the order in which it was made. */
export function loadCatalog(db: Db): CatalogState {
  const { keys, ...rest } = readCatalog(db)
  return { ...rest, keys: keysOf(keys) }
}

export function readCatalog(db: Db): StoredCatalog {
  return {
    providers: PROVIDERS.load(db),
    models: loadModels(db),
    packages: loadPackages(db),
    keys: readKeys(db),
    members: loadMembers(db),
    invites: loadInvites(db),
    projects: loadProjects(db),
  }
}

const PROVIDERS = entityTable<Omit<Provider, 'chosen'>>('provider', {
  id: text,
  name: text,
  preset: optional(text),
  dialect: wordOf(PROVIDER_DIALECTS),
  baseUrl: text,
  network: wordOf(NETWORKS),
  hasSecret: flag,
  pool: json(),
  secretHeader: optional(wordOf(SECRET_HEADERS)),
  headers: json(),
  headerSecrets: json(),
  outputCapField: wordOf(['max_tokens', 'max_completion_tokens']),
  onDisconnect: wordOf(DISCONNECT_CHOICES),
  quirks: json(),
  limits: json(),
  timeLimits: json(),
  createdAtMs: integer,
})

/** Limits have columns of their own. */
const PACKAGES = entityTable<Omit<Package, 'limits'> & PackageLimits>('package', {
  id: text,
  name: text,
  type: wordOf(PACKAGE_TYPES),
  creditsMicro: micro,
  timeZone: text,
  requestsPerMinute: optional(integer),
  tokensPerMinute: optional(integer),
  concurrentRequests: optional(integer),
  models: json(),
  validUntilMs: optional(integer),
  createdAtMs: integer,
})

function loadPackages(db: Db): Package[] {
  return PACKAGES.load(db).map(({ requestsPerMinute, tokensPerMinute, concurrentRequests, ...entity }) => ({
    ...entity,
    limits: { requestsPerMinute, tokensPerMinute, concurrentRequests },
  }))
}

/** Targets and prices have tables of their own; here is which price is the present one. */
type StoredModel = Omit<Model, 'price' | 'targets' | 'isContextGuessed'> & {
  readonly isContextGuessed: boolean
  readonly priceVersion: number | undefined
}
const MODELS = entityTable<StoredModel>('model', {
  id: text,
  displayName: text,
  kind: wordOf(MODEL_KINDS),
  contextWindow: integer,
  maxOutputTokens: integer,
  isEnabled: flag,
  isContextGuessed: flag,
  priceVersion: optional(integer),
  createdAtMs: integer,
})

type TargetRow = {
  model_id: string
  provider_id: string
  upstream_model: string
  priority: number
  weight: number
}
function putModel(db: Db, model: Model, changedAtMs: number): void {
  MODELS.put(db, { ...model, isContextGuessed: model.isContextGuessed === true, priceVersion: model.price?.version })
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
    `INSERT INTO price (model_id, version, input_micro, output_micro, cache_read_micro, cache_write_micro, created_at_ms, details)
     VALUES (@modelId, @version, @input_micro, @output_micro, @cache_read_micro, @cache_write_micro, @changedAtMs, @details)
     ON CONFLICT (model_id, version) DO NOTHING`,
  ).run({ modelId, changedAtMs, ...priceRow(price) })
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
  for (const row of rows<PriceRow & { model_id: string }>(db, present)) prices.set(row.model_id, priceOfRow(row))
  return MODELS.load(db).map((stored) => {
    const { isContextGuessed, priceVersion: _, ...model } = stored
    const guessed = isContextGuessed ? { isContextGuessed } : {}
    return { ...model, ...guessed, price: prices.get(model.id), targets: targets.get(model.id) ?? [] }
  })
}

/** Rows are trusted to have the shape of their table: STRICT and CHECK saw to it when they were written. */
function rows<Row>(db: Db, sql: string): Row[] {
  return db.prepare(sql).all() as Row[]
}
