import { exportLedger } from '#ledger/export.ts'
import { openForReading } from '#store/database.ts'

/** The books as `farebox ledger export` writes them. */
export function exported(dataDir: string): string {
  const db = openForReading(dataDir)
  try {
    return [...exportLedger(db, { program: 'farebox test', exportedAt: '2028-03-01T00:00:00.000Z' })].join('')
  } finally {
    db.close()
  }
}
