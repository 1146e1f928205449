// What each action of the admin API does: the catalogue's actions, and reports.

import { adjustKey, topUpKey } from '#catalog/adjustments.ts'
import { applyDocument } from '#catalog/apply.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { iso, readBeginning } from '#catalog/dates.ts'
import { addDiscovered } from '#catalog/discovered.ts'
import { createKey, extendKey, listKeys, moveKey, resumeKey, revokeKey, showKey, suspendKey } from '#catalog/keys.ts'
import { addModel, enableModel, priceModel, removeModel } from '#catalog/models.ts'
import { addOffers, offersOf } from '#catalog/offers.ts'
import { addPackage, editPackage, removePackage } from '#catalog/packages.ts'
import { modelListPlace } from '#catalog/presets.ts'
import { applyPriceCard, comparePriceCard } from '#catalog/price-card.ts'
import { loadPresets } from '#catalog/resources.ts'
import { addProvider, noProvider, removeProvider, setProviderSecret } from '#catalog/providers.ts'
import { moveSecrets, refreshSecrets, secretState } from '#catalog/secrets.ts'
import { takeTurns } from '#catalog/turns.ts'
import { modelView, packageView, providerView } from '#catalog/views.ts'
import type { DiscoveryBody } from '#contract/discovery.ts'
import type { ProviderTestResult } from '#contract/providers.ts'
import type {
  LedgerReport as LedgerReportView,
  StatusView,
  UsageList,
  UsageQuery,
  UsageView,
} from '#contract/schemas.ts'
import type { ProviderModelsAdd, ProviderModelsAdded } from '#contract/provider-models.ts'
import type { Provider } from '#core/entities.ts'
import type { LocalServer } from '#core/local-servers.ts'
import type { ListedModel, ModelListPlace } from '#core/listed-model.ts'
import { microCredits, microToCredits } from '#core/money.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AdminHandlers } from '#server/admin.ts'
import { backupMaker } from '#server/backup.ts'
import { receiptOf, type ReadReceipt } from '#server/receipts.ts'
import type { LedgerReport } from '#ledger/verify.ts'
import type { BackupAnswer, BackupRequest } from '#store/backup.ts'
import type { StoredUsage, UsageFilter } from '#store/usage-rows.ts'

export type AdminDeps = {
  readonly context: CatalogContext
  readonly status: () => Promise<StatusView>
  /** `model` is one to ask for a few tokens where there is no other way. */
  readonly testProvider: (provider: Provider, model: string | undefined) => Promise<ProviderTestResult>
  /** Looks for model servers on this machine. */
  readonly discover: (ports: DiscoveryBody['ports']) => Promise<readonly LocalServer[]>
  /** Asks a provider for its models. */
  readonly listModels: (provider: Provider, place: ModelListPlace) => Promise<readonly ListedModel[] | Refusal>
  readonly listUsage: (filter: UsageFilter) => Promise<readonly StoredUsage[]>
  readonly readReceipt: ReadReceipt
  readonly verifyLedger: () => Promise<LedgerReport>
  readonly backUp: (request: BackupRequest) => Promise<BackupAnswer>
}

export function adminHandlers(deps: AdminDeps): AdminHandlers {
  const { context } = deps
  const { catalog } = context
  const inTurn = takeTurns()
  const makeBackup = backupMaker(deps.backUp, context.ledger)
  return {
    status: () => deps.status(),
    apply: ({ body }) => inTurn(() => applyDocument(context, body.document, body.dry_run ?? false)),

    listPresets: () => [...loadPresets()],
    listProviders: async () => {
      await refreshSecrets(context)
      return catalog.providers.map((provider) => providerView(provider, secretState(context, provider)))
    },
    addProvider: ({ body }) => inTurn(() => addProvider(context, body)),
    setProviderSecret: ({ id, body }) => inTurn(() => setProviderSecret(context, id, body.secret)),
    testProvider: ({ id, query }) => {
      const provider = catalog.provider(id)
      return provider === undefined ? noProvider(id) : deps.testProvider(provider, query.model)
    },
    listProviderModels: async ({ id }) => {
      const asked = await askForModels(deps, id)
      if (isRefusal(asked)) return asked
      return { provider: asked.provider.name, models: offersOf(catalog, asked.provider, asked.listed) }
    },
    addProviderModels: async ({ id, body }) => {
      // Asked before its turn: a slow provider must not hold up other changes.
      const asked = await askForModels(deps, id)
      return isRefusal(asked) ? asked : inTurn(() => addListed(context, { ...asked, input: body }))
    },
    removeProvider: ({ id }) => inTurn(() => removeProvider(context, id)),
    discover: async ({ body }) => {
      const servers = await deps.discover(body.ports)
      return inTurn(() => addDiscovered(context, servers, body.add))
    },
    moveSecrets: () => inTurn(() => moveSecrets(context)),

    listModels: () => catalog.models.map((model) => modelView(model, catalog)),
    addModel: ({ body }) => inTurn(() => addModel(context, body)),
    priceModel: ({ id, body }) => inTurn(() => priceModel(context, id, body)),
    enableModel: ({ id }) => inTurn(() => enableModel(context, id, true)),
    disableModel: ({ id }) => inTurn(() => enableModel(context, id, false)),
    removeModel: ({ id }) => inTurn(() => removeModel(context, id)),

    priceCard: ({ query }) => comparePriceCard(context, query),
    applyPriceCard: ({ body }) => inTurn(() => applyPriceCard(context, body)),

    listPackages: () => catalog.packages.map((entity) => packageView(entity, catalog)),
    addPackage: ({ body }) => inTurn(() => addPackage(context, body)),
    editPackage: ({ id, body }) => inTurn(() => editPackage(context, id, body)),
    removePackage: ({ id }) => inTurn(() => removePackage(context, id)),

    listKeys: () => listKeys(context),
    createKey: ({ body }) => inTurn(() => createKey(context, body)),
    showKey: ({ id }) => showKey(context, id),
    suspendKey: ({ id }) => inTurn(() => suspendKey(context, id)),
    resumeKey: ({ id }) => inTurn(() => resumeKey(context, id)),
    extendKey: ({ id, body }) => inTurn(() => extendKey(context, id, body.expires)),
    topUpKey: ({ id, body }) => inTurn(() => topUpKey(context, id, body)),
    adjustKey: ({ id, body }) => inTurn(() => adjustKey(context, id, body)),
    moveKey: ({ id, body }) => inTurn(() => moveKey(context, id, body.package)),
    revokeKey: ({ id }) => inTurn(() => revokeKey(context, id)),

    usage: ({ query }) => listUsage(deps, query),
    receipt: ({ id }) => receiptOf(id, deps.readReceipt),
    verifyLedger: async () => ledgerReportView(await deps.verifyLedger()),
    backUp: ({ body }) => makeBackup(body),
  }
}

type Asked = { readonly provider: Provider; readonly listed: readonly ListedModel[] }

async function askForModels({ context, listModels }: AdminDeps, idOrName: string): Promise<Asked | Refusal> {
  const provider = context.catalog.provider(idOrName)
  if (provider === undefined) return noProvider(idOrName)
  if (provider.dialect === 'demo') return refuse('invalid_request', 'The models of the demo are set up with it.')
  const listed = await listModels(provider, modelListPlace(provider))
  return isRefusal(listed) ? listed : { provider, listed }
}

/** The provider may have gone while it was asked. */
async function addListed(
  context: CatalogContext,
  { provider, listed, input }: Asked & { readonly input: ProviderModelsAdd },
): Promise<ProviderModelsAdded | Refusal> {
  const present = context.catalog.provider(provider.id)
  return present === undefined ? noProvider(provider.name) : addOffers(context, present, { listed, input })
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

async function listUsage(deps: AdminDeps, query: UsageQuery): Promise<UsageList | Refusal> {
  const { catalog, ledger } = deps.context
  const { timeZone, nowMs } = deps.context
  const sinceMs = query.since === undefined ? undefined : readBeginning(query.since, timeZone, nowMs())
  if (isRefusal(sinceMs)) return sinceMs
  const key = query.key === undefined ? undefined : catalog.key(query.key)
  if (query.key !== undefined && key === undefined) return refuse('not_found', `There is no key '${query.key}'.`)
  const limit = Math.min(Math.max(1, Number(query.limit ?? DEFAULT_LIMIT)), MAX_LIMIT)
  // What was answered is on disk already; what is being written belongs to answers that are not complete yet.
  // On a disk that refuses, what is there can be read all the same.
  if (ledger.state === 'ok') await ledger.flush().catch(() => undefined)
  const rows = await deps.listUsage({ sinceMs, keyId: key?.id, modelId: query.model, beforeId: query.before, limit })
  return { usage: rows.map(usageView), next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
}

function usageView(row: StoredUsage): UsageView {
  return {
    id: row.id,
    created_at: iso(row.created_at_ms),
    key: row.key_name,
    endpoint: row.endpoint,
    model: row.model_id,
    provider: row.provider_name,
    upstream_model: row.upstream_model,
    stream: row.is_stream === 1,
    outcome: row.outcome,
    status: row.status,
    input_tokens: row.input_tokens,
    cache_read_tokens: row.cache_read_tokens,
    cache_write_tokens: row.cache_write_tokens,
    output_tokens: row.output_tokens,
    reasoning_tokens: row.reasoning_tokens,
    usage_source: row.usage_source,
    price_version: row.price_version,
    charge_credits: microToCredits(microCredits(row.charge_micro)),
    held_credits: microToCredits(microCredits(row.hold_micro)),
    overrun: row.is_overrun === 1,
    first_byte_ms: row.first_byte_ms,
    duration_ms: row.duration_ms,
  }
}

function ledgerReportView(report: LedgerReport): LedgerReportView {
  return {
    ok: report.ok,
    keys: report.keys,
    entries: report.entries,
    open_holds: report.openHolds,
    usage_records: report.usageRecords,
    problems: [...report.problems],
  }
}
