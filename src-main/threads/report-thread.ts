// The report thread: answers questions about history on a connection that can only read, so that a long report neither
// blocks the event loop nor the writer. Long answers leave as the bytes that are sent: the main thread serves calls meanwhile.

import { platform, setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import { checkAll } from '#app/verify-folder.ts'
import type { UsageView } from '#contract/schemas.ts'
import type { Refusal } from '#core/refusal.ts'
import { isRefusal } from '#core/refusal.ts'
import { listEntries, resolvedAfter, type EntryFilter } from '#ledger/list.ts'
import type { LedgerReport } from '#core/ledger-report-view.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { billCheck, type BillCheckRequest } from '#reports/bill-check.ts'
import { billCorrections, type BillCorrection } from '#reports/bill-corrections.ts'
import type { BillDaysRequest } from '#reports/bill-day.ts'
import { areDaysFew, billDays } from '#reports/bill-days.ts'
import { rowsToKeep } from '#reports/kept-bills.ts'
import { ledgerView } from '#reports/ledger-view.ts'
import { overviewSums, type OverviewRequest, type OverviewSums } from '#reports/overview-sums.ts'
import { usagePageView } from '#reports/usage-page.ts'
import { usageReport, type UsageReportRequest } from '#reports/usage-report.ts'
import { usageView } from '#reports/usage-view.ts'
import { backUp, type BackupAnswer, type BackupRequest } from '#store/backup.ts'
import { listBalances } from '#store/account-balances.ts'
import { readBillsKept, type BillsKept } from '#store/bill-questions.ts'
import { readAccount, type BillAccount } from '#store/bill-reports.ts'
import { openForReading } from '#store/database.ts'
import { serveOperations } from '#store/database-thread.ts'
import { journalPaths } from '#store/journal-frames.ts'
import { framesIn } from '#store/journal-open.ts'
import { listAudit, type AuditFilter, type StoredAuditEntry } from '#store/audit-rows.ts'
import {
  findRefused,
  listRefused,
  type FoundRefused,
  type RefusedFilter,
  type StoredRefused,
} from '#store/refused-rows.ts'
import { sumsOfSession, type SessionOfKey } from '#store/session-sums.ts'
import { listUsage, type UsageFilter } from '#store/usage-list.ts'
import type { Sums } from '#store/usage-measures.ts'
import { readReceipt, readUsage, type StoredReceipt } from '#store/usage-rows.ts'

export type MissedRequest = {
  readonly lastId: string
  readonly keyIds: readonly string[] | undefined
  readonly most: number
}

export type ReportOperations = {
  /** JSON text of a `UsageList`. */
  usage: { input: UsageFilter; output: Uint8Array }
  /** JSON text of a `UsageReport`. */
  usageReport: { input: UsageReportRequest; output: Uint8Array | Refusal }
  /** JSON text of a `BillCheck`. */
  billCheck: { input: BillCheckRequest; output: Uint8Array | Refusal }
  billCorrections: { input: BillCheckRequest; output: BillCorrection[] | Refusal }
  /** JSON text of a `BillDays`. */
  billDays: { input: BillDaysRequest; output: Uint8Array | Refusal }
  /** The same where it takes some milliseconds; undefined where it would take long. */
  fewBillDays: { input: BillDaysRequest; output: Uint8Array | Refusal | undefined }
  /** What is to be kept of a report: `rows` is JSON text of `ReportRows`. */
  billRows: { input: string; output: { readonly form: string; readonly rows: Uint8Array } | Refusal }
  /** By the id of the provider. */
  billAccount: { input: string; output: BillAccount }
  accountBalances: { input: undefined; output: ReturnType<typeof listBalances> }
  billsKept: { input: undefined; output: BillsKept }
  /** JSON text of a `LedgerList`. */
  ledger: { input: EntryFilter; output: Uint8Array }
  overview: { input: OverviewRequest; output: OverviewSums }
  /** Calls that ended after the one with an id, in the order in which they did; undefined where they are too many to say. */
  missed: { input: MissedRequest; output: UsageView[] | undefined }
  receipt: { input: string; output: StoredReceipt | undefined }
  session: { input: SessionOfKey; output: Sums }
  /** The books alone, in pieces so small that a stop need not wait for them. */
  verify: { input: undefined; output: LedgerReport }
  /** The books, whether reports agree with them, and whether anything is missing that was noted. `canAppend`: whether frames come meanwhile. */
  verifyAll: { input: { canAppend: boolean }; output: LedgerReport }
  backUp: { input: BackupRequest; output: BackupAnswer }
  audit: { input: AuditFilter; output: StoredAuditEntry[] }
  refused: { input: RefusedFilter; output: StoredRefused[] }
  /** By the id of a request. */
  findRefused: { input: string; output: FoundRefused | undefined }
  databaseBytes: { input: undefined; output: number }
  close: { input: undefined; output: void }
}

export type ReportThreadData = {
  readonly dataDir: string
  /** For work that nobody's call waits for. */
  readonly isPatient: boolean
  /** For work that reads everything once. Reports read the same pages again and again. */
  readonly readsOnce: boolean
}

const PATIENT_NICENESS = 10

const { dataDir, isPatient, readsOnce } = workerData as ReportThreadData
if (isPatient) giveWay()
const db = openForReading(dataDir, { readsOnce })

serveOperations<ReportOperations>({
  usage: (filter) => jsonOf(usagePageView(listUsage(db, filter))),
  usageReport: (request) => {
    const report = usageReport(db, request)
    return isRefusal(report) ? report : jsonOf(report)
  },
  billCorrections: (request) => billCorrections(db, request),
  billDays: daysOfBills,
  fewBillDays: (request) => (areDaysFew(db, request) ? daysOfBills(request) : undefined),
  billRows: (text) => {
    const read = rowsToKeep(text)
    return isRefusal(read) ? read : { form: read.form, rows: jsonOf(read.rows) }
  },
  billAccount: (providerId) => readAccount(db, providerId),
  accountBalances: () => listBalances(db),
  billsKept: () => readBillsKept(db),
  billCheck: (request) => {
    const check = billCheck(db, request)
    return isRefusal(check) ? check : jsonOf(check)
  },
  ledger: (filter) => jsonOf(ledgerView(listEntries(db, filter))),
  overview: (request) => overviewSums(db, request),
  missed,
  receipt: (id) => readReceipt(db, id),
  session: (of) => sumsOfSession(db, of),
  verify: () => verifyLedger(db, { byTable: true }),
  verifyAll: ({ canAppend }) => checkAll(db, dataDir, canAppend ? undefined : framesIn(journalPaths(dataDir), db)),
  backUp: (request) => backUp(db, { ...request, dataDir }, verifyLedger),
  audit: (filter) => listAudit(db, filter),
  refused: (filter) => listRefused(db, filter),
  findRefused: (id) => findRefused(db, id),
  databaseBytes: () =>
    Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
  close: () => {
    db.close()
  },
})

/** On Linux each thread has a priority of its own, so that calls come first where processors are short. Elsewhere it is the process's. */
function giveWay(): void {
  if (platform() !== 'linux') return
  try {
    setPriority(PATIENT_NICENESS)
  } catch {
    // A sandbox may forbid it, and everything works without.
  }
}

function daysOfBills(request: BillDaysRequest): Uint8Array | Refusal {
  const days = billDays(db, request)
  return isRefusal(days) ? days : jsonOf(days)
}

function missed({ lastId, keyIds, most }: MissedRequest): UsageView[] | undefined {
  const ids = resolvedAfter(db, lastId, { keyIds, most })
  if (ids === undefined) return undefined
  const rows = new Map(readUsage(db, ids).map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = rows.get(id)
    return row === undefined ? [] : [usageView(row)]
  })
}

function jsonOf(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
