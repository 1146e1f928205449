// The check of a data folder on which no gateway runs: it reads, and writes nothing there, so that it also works on a disk that
// cannot be written.

import { openWholeBooks } from '#app/whole-books.ts'
import type { LedgerReport as LedgerReportView } from '#contract/schemas.ts'
import { ledgerReportView, type LedgerReport } from '#core/ledger-report-view.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { DatabaseError, type Db } from '#store/database.ts'
import { foreignJournal, type JournalFrames } from '#store/journal-open.ts'
import { rollupProblems } from '#store/rollup-check.ts'
import { hasTail, noteWith, readTail, tailOf, tailProblems } from '#store/tail.ts'

/** undefined where there is no database, or one of an older Farebox. */
export function verifyFolder(dataDir: string): LedgerReportView | undefined {
  try {
    const { db, frames, close } = openWholeBooks(dataDir, { isRunning: false })
    try {
      return ledgerReportView(checkAll(db, dataDir, frames))
    } finally {
      close()
    }
  } catch (error) {
    if (error instanceof DatabaseError && (error.reason === 'missing' || error.reason === 'older')) return undefined
    throw error
  }
}

/**
 * Everything that a database says about itself, as one snapshot, and whether it is as far as it was. `frames` are those of its journal;
 * where a gateway appends to it meanwhile, they are not looked at.
 */
export function checkAll(db: Db, dataDir: string, frames?: JournalFrames): LedgerReport {
  // Read before the snapshot is taken: a gateway that runs writes both meanwhile. Whoever removed the note goes on with what there is.
  const note = hasTail(dataDir) ? noteWith(readTail(dataDir), frames?.highest ?? 0) : undefined
  const foreign = frames === undefined ? undefined : foreignJournal(dataDir, db)
  return db.transaction(() => {
    const books = verifyLedger(db)
    if (books.isDamaged === true) return books
    const lost = tailProblems(dataDir, note, { ...tailOf(db), frame: frames?.projected ?? Infinity })
    const problems = [...books.problems, ...rollupProblems(db), ...(foreign === undefined ? lost : [foreign, ...lost])]
    return { ...books, ok: problems.length === 0, problems }
  })()
}
