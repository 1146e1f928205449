// What the handlers of reports work with.

import type { Alerts } from '#alert/alerts.ts'
import type { CatalogContext } from '#catalog/context.ts'
import type { StatusView } from '#contract/status.ts'
import type { MicroCredits } from '#core/money.ts'
import type { Refusal } from '#core/refusal.ts'
import type { EntryFilter } from '#ledger/list.ts'
import type { OpenExchanges } from '#pipeline/open-exchanges.ts'
import type { BillCheckRequest } from '#reports/bill-check.ts'
import type { BillCorrection } from '#reports/bill-corrections.ts'
import type { BillDaysRequest } from '#reports/bill-day.ts'
import type { OverviewRequest, OverviewSums } from '#reports/overview-sums.ts'
import type { UsageReportRequest } from '#reports/usage-report.ts'
import type { FindRefused } from '#server/reports/why.ts'
import type { BillAccount } from '#store/bill-reports.ts'
import type { RefusedFilter, StoredRefused } from '#store/refused-rows.ts'
import type { UsageFilter } from '#store/usage-list.ts'

/** The questions that the report thread answers; those that answer in bytes answer in JSON. */
/** What is to be kept of a report, in JSON. */
export type BillRows = { readonly form: string; readonly rows: Uint8Array }

export type ReportQuestions = {
  usage(filter: UsageFilter): Promise<Uint8Array>
  usageReport(request: UsageReportRequest): Promise<Uint8Array | Refusal>
  ledger(filter: EntryFilter): Promise<Uint8Array>
  overview(request: OverviewRequest): Promise<OverviewSums>
  billCheck(request: BillCheckRequest): Promise<Uint8Array | Refusal>
  billCorrections(request: BillCheckRequest): Promise<BillCorrection[] | Refusal>
  billDays(request: BillDaysRequest): Promise<Uint8Array | Refusal>
  billRows(text: string): Promise<BillRows | Refusal>
  billAccount(providerId: string): Promise<BillAccount>
  refused(filter: RefusedFilter): Promise<StoredRefused[]>
}

/** What the calls of all keys of a member do at the moment, and what they were charged on this day of the machine's time zone. */
export type MemberUse = {
  readonly running: number
  readonly chargedTodayMicro: MicroCredits
  readonly heldMicro: MicroCredits
}

/** What calls for a project were charged on this day and in this month of the machine's time zone, and what running ones may cost. */
export type ProjectUse = {
  readonly chargedTodayMicro: MicroCredits
  readonly chargedThisMonthMicro: MicroCredits
  readonly heldMicro: MicroCredits
}

export type ReportDeps = {
  readonly context: CatalogContext
  readonly reports: ReportQuestions
  readonly status: () => Promise<StatusView>
  readonly alerting: { readonly alerts: Pick<Alerts, 'standing'> }
  readonly memberUse: (memberId: string) => MemberUse
  readonly projectUse: (project: string) => ProjectUse
  readonly open: Pick<OpenExchanges, 'size' | 'count'>
  readonly findRefused: FindRefused
  /** Bytes that are free where the database is; undefined where nobody can say. */
  readonly freeBytes: () => Promise<number | undefined>
}
