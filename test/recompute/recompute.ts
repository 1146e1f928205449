// The books by the program that shares no code with the ledger.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { exportLedger } from '#ledger/export.ts'
import { openForReading } from '#store/database.ts'

const PROGRAM = join(import.meta.dirname, 'recompute.py')

export function exported(dataDir: string): string {
  const db = openForReading(dataDir)
  try {
    return [...exportLedger(db, { program: 'farebox test', exportedAt: '2028-03-01T00:00:00.000Z' })].join('')
  } finally {
    db.close()
  }
}

export function recompute(text: string): { readonly code: number | null; readonly said: string } {
  const result = spawnSync('python3', [PROGRAM], { input: text, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (result.error !== undefined) throw new Error('This test needs python3, and there is none on this machine.')
  return { code: result.status, said: result.stdout + result.stderr }
}
