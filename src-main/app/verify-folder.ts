// The check of a data folder on which no gateway runs: it reads, and writes nothing there, so that it also works on a disk that
// cannot be written.

import { openWholeBooks } from '#app/whole-books.ts'
import type { LedgerReport as LedgerReportView } from '#contract/schemas.ts'
import { ledgerReportView, type LedgerReport } from '#core/ledger-report-view.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { DatabaseError, type Db } from '#store/database.ts'
import { foreignJournal } from '#store/journal-open.ts'
import { rollupProblems } from '#store/rollup-check.ts'
import { readTail, tailOf, tailProblems } from '#store/tail.ts'

/** undefined where there is no database, or one of an older Farebox. */
export function verifyFolder(dataDir: string): LedgerReportView | undefined {
  try {
    const { db, frame, close } = openWholeBooks(dataDir, { isRunning: false })
    try {
      return ledgerReportView(checkAll(db, dataDir, frame))
    } finally {
      close()
    }
  } catch (error) {
    if (error instanceof DatabaseError && (error.reason === 'missing' || error.reason === 'older')) return undefined
    throw error
  }
}

/**
 * Everything that a database says about itself, as one snapshot, and whether it is as far as it was. `frame`: up to which frame of the
 * journal it is whole; of a gateway that runs the journal is not looked at.
 */
export function checkAll(db: Db, dataDir: string, frame = Infinity): LedgerReport {
  // Read before the snapshot is taken: a gateway that runs writes both meanwhile.
  const note = readTail(dataDir)
  const foreign = frame === Infinity ? undefined : foreignJournal(dataDir, db)
  return db.transaction(() => {
    const books = verifyLedger(db)
    if (books.isDamaged === true) return books
    const lost = tailProblems(dataDir, note, { ...tailOf(db), frame })
    const problems = [...books.problems, ...rollupProblems(db), ...(foreign === undefined ? lost : [foreign, ...lost])]
    return { ...books, ok: problems.length === 0, problems }
  })()
}
