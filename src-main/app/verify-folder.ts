// The check of a data folder on which no gateway runs: it reads, and writes nothing there, so that it also works on a disk that
// cannot be written.

import type { LedgerReport as LedgerReportView } from '#contract/schemas.ts'
import { ledgerReportView, type LedgerReport } from '#core/ledger-report-view.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { DatabaseError, openForReading, type Db } from '#store/database.ts'
import { withReadableCopy } from '#store/readable-copy.ts'
import { rollupProblems } from '#store/rollup-check.ts'
import { readTail, tailOf, tailProblems } from '#store/tail.ts'

/** undefined where there is no database, or one of an older Farebox. */
export function verifyFolder(dataDir: string): LedgerReportView | undefined {
  try {
    return checkAt(dataDir)
  } catch (error) {
    if (error instanceof DatabaseError && (error.reason === 'missing' || error.reason === 'older')) return undefined
    if (!isUnwritable(error)) throw error
    return withReadableCopy(dataDir, (folder) => checkAt(folder, dataDir))
  }
}

/** `folder` has the database, `dataDir` the note about it. */
function checkAt(folder: string, dataDir = folder): LedgerReportView {
  const db = openForReading(folder, { readsOnce: true })
  try {
    return ledgerReportView(checkAll(db, dataDir))
  } finally {
    db.close()
  }
}

/** Everything that a database says about itself, as one snapshot, and whether it is as far as it was. */
export function checkAll(db: Db, dataDir: string): LedgerReport {
  // Read before the snapshot is taken: a gateway that runs writes both meanwhile.
  const note = readTail(dataDir)
  return db.transaction(() => {
    const books = verifyLedger(db)
    if (books.isDamaged === true) return books
    const problems = [...books.problems, ...rollupProblems(db), ...tailProblems(dataDir, note, tailOf(db))]
    return { ...books, ok: problems.length === 0, problems }
  })()
}

/** SQLite makes files beside a database even to read it. Where it may not, it says one of these. */
function isUnwritable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(CANTOPEN|READONLY|IOERR|FULL|PERM)/.test(code)
}
