// What each action of the admin API does: the catalogue's actions, and reports.

import { applyDocument } from '#catalog/apply.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { addDemo } from '#catalog/demo.ts'
import { addDiscovered } from '#catalog/discovered.ts'
import { addModel, editModel, enableModel, priceModel, removeModel } from '#catalog/models.ts'
import { addOffers, offersOf } from '#catalog/offers.ts'
import { addPackage, editPackage, removePackage } from '#catalog/packages.ts'
import { modelListPlace } from '#catalog/presets.ts'
import { applyPriceCard, comparePriceCard } from '#catalog/price-card.ts'
import { loadPresets } from '#catalog/resources.ts'
import { addProvider, editProvider, noProvider, removeProvider, setProviderSecret } from '#catalog/providers.ts'
import { moveSecrets, refreshSecrets, secretState } from '#catalog/secrets.ts'
import { takeTurns } from '#catalog/turns.ts'
import { isInScope, keyScope } from '#catalog/scope.ts'
import { providerView } from '#catalog/views.ts'
import type { SettingsView } from '#contract/audit.ts'
import type { DiscoveryBody } from '#contract/discovery.ts'
import type { ProviderTestResult } from '#contract/providers.ts'
import type { ProviderModelsAdd, ProviderModelsAdded } from '#contract/provider-models.ts'
import type { WaitingView } from '#contract/waiting.ts'
import type { Provider } from '#core/entities.ts'
import { ledgerReportView, type LedgerReport } from '#core/ledger-report-view.ts'
import type { LocalServer } from '#core/local-servers.ts'
import type { ListedModel, ModelListPlace } from '#core/listed-model.ts'
import type { Viewer } from '#core/member.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { Pause } from '#pipeline/pause.ts'
import type { AdminHandlers } from '#server/admin/admin.ts'
import { backupMaker } from '#server/admin/backup.ts'
import type { Door } from '#server/sign-in/door.ts'
import { inviteHandlers } from '#server/admin/invite-handlers.ts'
import type { KeySignInDeps } from '#server/sign-in/key-sign-in.ts'
import { keyHandlers } from '#server/admin/key-handlers.ts'
import { lanHandlers, type LanControl } from '#server/admin/lan-handlers.ts'
import { memberHandlers } from '#server/admin/member-handlers.ts'
import { pauseHandlers } from '#server/admin/pause.ts'
import type { ReportDeps } from '#server/reports/report-deps.ts'
import { reportHandlers } from '#server/reports/report-handlers.ts'
import { receiptOf, type ReadReceipt } from '#server/gateway/receipts.ts'
import { secretsFileHandlers, type SealedFiles } from '#server/admin/secrets-file.ts'
import type { BackupAnswer, BackupRequest } from '#store/backup.ts'

export type AdminDeps = ReportDeps & {
  readonly pause: Pause
  readonly waiting: (viewer: Viewer) => WaitingView
  /** `model` is one to ask for a few tokens where there is no other way. */
  readonly testProvider: (provider: Provider, model: string | undefined) => Promise<ProviderTestResult>
  /** Looks for model servers on this machine. */
  readonly discover: (ports: DiscoveryBody['ports']) => Promise<readonly LocalServer[]>
  /** Asks a provider for its models. */
  readonly listModels: (provider: Provider, place: ModelListPlace) => Promise<readonly ListedModel[] | Refusal>
  readonly readReceipt: ReadReceipt
  readonly verifyLedger: () => Promise<LedgerReport>
  readonly door: Door
  readonly ticketMade: () => void
  readonly keyGuesses: KeySignInDeps['guesses']
  readonly settings: () => Promise<SettingsView>
  readonly lan: () => Promise<LanControl>
  readonly backUp: (request: BackupRequest) => Promise<BackupAnswer>
  readonly sealedFiles: SealedFiles
}

export function adminHandlers(deps: AdminDeps): AdminHandlers {
  const { context } = deps
  const { catalog } = context
  const inTurn = takeTurns()
  const makeBackup = backupMaker(deps.backUp, context.ledger)
  return {
    ...memberHandlers({ ...deps, inTurn }),
    ...inviteHandlers({ ...deps, inTurn }),
    ...keyHandlers(context, inTurn),
    ...reportHandlers(deps),
    ...pauseHandlers(deps.pause),
    ...secretsFileHandlers(context, deps.sealedFiles, inTurn),
    ...lanHandlers(deps.lan),
    status: () => deps.status(),
    listWaiting: ({ viewer }) => deps.waiting(viewer),
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
    editProvider: ({ id, body }) => inTurn(() => editProvider(context, id, body)),
    removeProvider: ({ id }) => inTurn(() => removeProvider(context, id)),
    discover: async ({ body }) => {
      const servers = await deps.discover(body.ports)
      return inTurn(() => addDiscovered(context, servers, body))
    },
    addDemo: () => inTurn(() => addDemo(context)),
    moveSecrets: () => inTurn(() => moveSecrets(context)),

    addModel: ({ body }) => inTurn(() => addModel(context, body)),
    editModel: ({ id, body }) => inTurn(() => editModel(context, id, body)),
    priceModel: ({ id, body }) => inTurn(() => priceModel(context, id, body)),
    enableModel: ({ id }) => inTurn(() => enableModel(context, id, true)),
    disableModel: ({ id }) => inTurn(() => enableModel(context, id, false)),
    removeModel: ({ id }) => inTurn(() => removeModel(context, id)),

    priceCard: ({ query }) => comparePriceCard(context, query),
    applyPriceCard: ({ body }) => inTurn(() => applyPriceCard(context, body)),

    addPackage: ({ body }) => inTurn(() => addPackage(context, body)),
    editPackage: ({ id, body }) => inTurn(() => editPackage(context, id, body)),
    removePackage: ({ id }) => inTurn(() => removePackage(context, id)),

    receipt: ({ id, viewer }) => {
      const scope = keyScope(viewer, catalog)
      return receiptOf(id, deps.readReceipt, (keyId) => isInScope(scope, keyId))
    },
    verifyLedger: async () => ledgerReportView(await deps.verifyLedger()),
    backUp: ({ body }) => makeBackup(body),
  }
}

type Asked = { readonly provider: Provider; readonly listed: readonly ListedModel[] }

async function askForModels({ context, listModels }: AdminDeps, idOrName: string): Promise<Asked | Refusal> {
  const provider = context.catalog.provider(idOrName)
  if (provider === undefined) return noProvider(idOrName)
  if (isDemo(provider)) return refuse('invalid_request', 'The models of the demo are set up with it.')
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
