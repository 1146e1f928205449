import type { LedgerReport as LedgerReportView } from '#contract/schemas.ts'
import type { LedgerReport } from '#ledger/verify.ts'

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
