import type { LedgerReport as LedgerReportView } from '#contract/schemas.ts'

/** What a check of the ledger found. */
export type LedgerReport = {
  readonly ok: boolean
  readonly keys: number
  readonly entries: number
  readonly openHolds: number
  readonly usageRecords: number
  readonly problems: readonly string[]
  /** Whether the file itself is damaged, so that nothing else was looked at. */
  readonly isDamaged?: true
}

/** A check of the ledger as the admin API and the command line tell it. */
export function ledgerReportView(report: LedgerReport): LedgerReportView {
  return {
    ok: report.ok,
    keys: report.keys,
    entries: report.entries,
    open_holds: report.openHolds,
    usage_records: report.usageRecords,
    problems: [...report.problems],
  }
}
