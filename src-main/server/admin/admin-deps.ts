// What the handlers of the admin API work with.

import type { Alerts } from '#alert/alerts.ts'
import type { Deliveries } from '#alert/deliveries.ts'
import type { InTurn } from '#catalog/turns.ts'
import type { SettingsView } from '#contract/audit.ts'
import type { AccountBalanceView, TriedSecret } from '#contract/bills.ts'
import type { DiscoveryBody } from '#contract/discovery.ts'
import type { FleetSettle, FleetSettled, FleetView } from '#contract/fleet.ts'
import type { LanCertificate, LanChange, LanView } from '#contract/lan.ts'
import type { ModelView } from '#contract/schemas.ts'
import type { ProviderSecretView, ProviderTestResult } from '#contract/providers.ts'
import type { ToolConnect, ToolConnection, ToolDisconnection, ToolGuide, ToolScan, ToolView } from '#contract/tools.ts'
import type { PriceCard } from '#contract/price-card.ts'
import type { CardFetched, CardVersion } from '#contract/price-feed.ts'
import type { WaitingView } from '#contract/waiting.ts'
import type { Provider } from '#core/entities.ts'
import type { LedgerReport } from '#core/ledger-report-view.ts'
import type { ListedModel, ModelListPlace } from '#core/listed-model.ts'
import type { LocalServer } from '#core/local-servers.ts'
import type { Viewer } from '#core/member.ts'
import type { Refusal } from '#core/refusal.ts'
import type { Pause } from '#pipeline/pause.ts'
import type { readSealed, writeSealed } from '#secret/sealed-export.ts'
import type { ReadReceipt } from '#server/gateway/receipts.ts'
import type { ReportDeps } from '#server/reports/report-deps.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import type { KeySignInDeps } from '#server/sign-in/key-sign-in.ts'
import type { AlertWrite } from '#store/alert-rows.ts'
import type { BackupAnswer, BackupRequest } from '#store/backup.ts'
import type { KeepProblem, ReportToKeep } from '#store/bill-reports.ts'

export type LanControl = {
  view(): LanView
  certificate(): LanCertificate | Refusal
  change(input: LanChange): Promise<LanView | Refusal>
  turnOff(): Promise<LanView>
}

/** The gateways that share the books. Both throw FleetRefused where the shared database cannot be asked. */
export type FleetControl = {
  view(): Promise<FleetView>
  settle(gatewayId: string, how: FleetSettle['as']): Promise<FleetSettled | Refusal>
}

/** Alerts as administrators work with them. */
export type AlertControl = {
  readonly alerts: Pick<Alerts, 'latest' | 'rules' | 'setRule' | 'standing'>
  readonly deliveries: Pick<Deliveries, 'standings' | 'find' | 'add' | 'remove' | 'test'>
  readonly write: (write: AlertWrite) => Promise<void>
  readonly newSecret: () => string
  readonly testBody: () => string
}

/** From midnight of UTC some days ago until now. */
export type BillWish = {
  readonly days: number
  readonly nowMs: number
  readonly accounts: readonly string[] | undefined
  readonly project: string | undefined
}

export type GuideWish = {
  readonly url: string | undefined
  readonly system: 'linux' | 'macos' | 'windows'
  readonly models: readonly ModelView[]
  readonly model: string | undefined
}

/** What is refused is about the files of tools, and in words. */
export type ToolControl = {
  list(): Promise<ToolView[] | Refusal>
  connect(tool: string, wish: ToolConnect): Promise<ToolConnection | Refusal>
  /** `url` is where the other machine reaches the gateway; undefined for this one. */
  guides(wish: GuideWish): Promise<ToolGuide[] | Refusal>
  disconnect(tool: string, wish: { readonly isDryRun: boolean }): Promise<ToolDisconnection | Refusal>
}

/** What tools used by their own logs: one scan at a time. */
export type ScanControl = {
  run(days: number): Promise<ToolScan | Refusal>
  stop(): void
}

/** The price cards at hand: the one that Farebox is delivered with, and those that were fetched. */
export type PriceFeed = {
  versions(): CardVersion[]
  /** The card of a version, or the one that Farebox is delivered with. */
  card(version: number | undefined): PriceCard | Refusal
  fetchCard(): Promise<CardFetched | Refusal>
}

/** Reports of providers in the database. */
export type KeptBills = {
  keep(report: ReportToKeep): Promise<KeepProblem | undefined>
  forget(providerId: string): Promise<void>
}

/** What is left on the accounts of providers. */
export type BalanceControl = {
  list(): Promise<AccountBalanceView[]>
  /** By the id of a provider; all of them where it is left out. */
  askNow(providerId: string | undefined): Promise<AccountBalanceView[]>
}

export type AdminDeps = ReportDeps & {
  readonly pause: Pause
  readonly waiting: (viewer: Viewer) => WaitingView
  /** `model` is one to ask for a few tokens where there is no other way. */
  readonly testProvider: (provider: Provider, model: string | undefined) => Promise<ProviderTestResult>
  /** The secrets of a provider, and how they are. */
  readonly secretsOf: (provider: Provider) => ProviderSecretView[]
  /** Looks for model servers on this machine. */
  readonly discover: (ports: DiscoveryBody['ports']) => Promise<readonly LocalServer[]>
  /** Asks a provider for its models. */
  readonly listModels: (provider: Provider, place: ModelListPlace) => Promise<readonly ListedModel[] | Refusal>
  /** Asks a provider for its reports of usage and costs: all pages of them. */
  /** The pages of its report, as the text of a list in JSON. */
  readonly readBill: (provider: Provider, wish: BillWish) => Promise<string | Refusal>
  /** Whether a provider takes the secret of its administrator, which is kept already, and whether Farebox has a project for itself. */
  readonly tryBillSecret: (
    provider: Provider,
    tried: { readonly secret: string; readonly project: string | undefined },
  ) => Promise<TriedSecret>
  readonly keptBills: KeptBills
  readonly priceFeed: PriceFeed
  readonly balances: BalanceControl
  readonly readReceipt: ReadReceipt
  readonly alerting: AlertControl
  readonly verifyLedger: () => Promise<LedgerReport>
  readonly visits: Visits
  readonly ticketMade: () => void
  /** Brings the new value of a key to the tool that it was made for, where that reads it from Farebox. */
  readonly keyRotated: (keyId: string, value: string) => void
  readonly keyGuesses: KeySignInDeps['guesses']
  readonly settings: () => Promise<SettingsView>
  /** Null sets a setting back. Keeps it on disk before it holds. */
  readonly setSetting: (name: string, value: string | null) => Promise<Refusal | undefined>
  readonly lan: () => Promise<LanControl>
  readonly fleet: FleetControl
  /** The tools of this machine; keys are made and changed in turn with everything else. */
  readonly tools: (inTurn: InTurn) => Promise<ToolControl>
  readonly scans: ScanControl
  readonly backUp: (request: BackupRequest) => Promise<BackupAnswer>
  readonly sealedFiles: { readonly writeSealed: typeof writeSealed; readonly readSealed: typeof readSealed }
}

/** The same for one entity. Changes of all entities are made one after the other. */
export type EntityDeps = AdminDeps & { readonly inTurn: InTurn }
