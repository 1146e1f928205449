// What the writer thread is asked, and what it answers.

import type { LanSettings } from '#core/lan.ts'
import type { RefusedBurst } from '#core/refused-call.ts'
import type { SettingChange } from '#core/setting.ts'
import type { ChargedSums, EntryRange } from '#ledger/charged-after.ts'
import type { FirstAdjustment } from '#ledger/entries.ts'
import type { AdjustmentId } from '#ledger/ledger.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { StoredLedger } from '#ledger/stored.ts'
import type { BalanceReading } from '#store/account-balances.ts'
import type { AlertWrite, LoadedAlerts, Raised } from '#store/alert-rows.ts'
import type { BillQuestion } from '#store/bill-questions.ts'
import type { KeepProblem, ReportToKeep } from '#store/bill-reports.ts'
import type { CatalogChange, StoredCatalog } from '#store/catalog-rows.ts'
import type { FleetNote, SightingRow } from '#store/fleet-rows.ts'
import type { JournalPlace } from '#store/journal-writer.ts'
import type { VisitChange, VisitState } from '#store/session-rows.ts'
import type { Charged } from '#store/usage-rows.ts'
import type { SharedUsageOperations } from '#threads/shared-usage.ts'

type LoadedCatalog = { readonly catalog: StoredCatalog; readonly priceVersions: Map<string, number> }

type Loaded = {
  readonly ledger: StoredLedger
  /** Micro-credits by provider. */
  readonly charged: Charged
  /** By project, on the day and in the month. */
  readonly chargedOfProjects: { readonly daily: Map<string, number>; readonly monthly: Map<string, number> }
  /** By tool, on the day. */
  readonly chargedOfTools: Map<string, number>
  /** undefined where nobody ever set it. */
  readonly lan: LanSettings | undefined
  readonly settings: readonly SettingChange[]
  readonly alerts: LoadedAlerts
  /** Whether the process before this one came to its end, as far as anybody noted. */
  readonly endedWell: boolean
  /** Where appending goes on; undefined where nothing may be appended, because something is missing. */
  readonly journal: JournalPlace | undefined
}

/** What is written with changes of the catalogue; `version` is the one that a shared catalogue has then. */
export type CatalogBatch = LedgerBatch & { readonly version?: number | undefined }

type Span = { readonly fromMs: number; readonly toMs: number }

export type WriterOperations = SharedUsageOperations & {
  /** What the gateway is set up with. It comes first, so that the main thread takes it over while the books are looked at. */
  loadCatalog: { input: undefined; output: LoadedCatalog }
  /** Everything else the main thread keeps in memory. Charges are summed up for the day and the month of the clock, whose ends are known. */
  load: { input: { day: Span; month: Span }; output: Loaded }
  /** undefined where there is none of this id. */
  adjustment: { input: AdjustmentId; output: FirstAdjustment | undefined }
  /** Projects the journal up to a frame. */
  project: { input: number; output: void }
  /** What was appended to the journal before must be projected already. */
  change: { input: { changes: readonly CatalogChange[]; batch: CatalogBatch }; output: void }
  /** Sessions and what belongs to them. */
  loadVisits: { input: undefined; output: VisitState }
  changeVisits: { input: readonly VisitChange[]; output: void }
  changeLan: { input: LanSettings; output: void }
  changeSetting: { input: SettingChange; output: void }
  /** The ids of the alerts that are new. */
  raiseAlerts: { input: Raised; output: readonly string[] }
  writeAlerts: { input: AlertWrite; output: void }
  saveRefused: { input: readonly RefusedBurst[]; output: void }
  /** Keeps the numbers of a provider's report, or says why it cannot. */
  keepBill: { input: ReportToKeep; output: KeepProblem | undefined }
  /** By the id of the provider. */
  forgetBills: { input: string; output: void }
  keepBalances: { input: BalanceReading; output: void }
  keepBillQuestion: { input: BillQuestion; output: void }
  /** What this gateway knows of the books that it shares; undefined where it shares none. */
  loadFleet: { input: undefined; output: FleetNote | undefined }
  keepFleet: { input: FleetNote; output: void }
  loadSightings: { input: undefined; output: SightingRow[] }
  keepSightings: { input: readonly SightingRow[]; output: void }
  /** Charges by entries after one, up to a last one if it is given. What was appended to the journal before must be projected already. */
  chargedAfter: { input: EntryRange; output: ChargedSums }
  lastEntry: { input: undefined; output: number }
  close: { input: undefined; output: void }
}
