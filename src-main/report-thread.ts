// The report thread: answers questions about history on a connection that can only read, so that a long report neither
// blocks the event loop nor the writer.

import { workerData } from 'node:worker_threads'
import { verifyLedger, type LedgerReport } from '#ledger/verify.ts'
import { backUp, type BackupAnswer, type BackupRequest } from '#store/backup.ts'
import { openForReading } from '#store/database.ts'
import { serveOperations } from '#store/database-thread.ts'
import { listUsage, readReceipt, type StoredReceipt, type StoredUsage, type UsageFilter } from '#store/usage-rows.ts'

export type ReportOperations = {
  usage: { input: UsageFilter; output: StoredUsage[] }
  receipt: { input: string; output: StoredReceipt | undefined }
  verify: { input: undefined; output: LedgerReport }
  backUp: { input: BackupRequest; output: BackupAnswer }
  close: { input: undefined; output: void }
}

const { dataDir } = workerData as { dataDir: string }
const db = openForReading(dataDir)

serveOperations<ReportOperations>({
  usage: (filter) => listUsage(db, filter),
  receipt: (id) => readReceipt(db, id),
  verify: () => verifyLedger(db),
  backUp: (request) => backUp(db, { ...request, dataDir }, verifyLedger),
  close: () => {
    db.close()
  },
})
