// The books by the program that shares no code with the ledger.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { exportLedger } from '#ledger/export.ts'
import { openForReading } from '#store/database.ts'

export function exported(dataDir: string): string {
  const db = openForReading(dataDir)
  try {
    return [...exportLedger(db, { program: 'farebox test', exportedAt: '2028-03-01T00:00:00.000Z' })].join('')
  } finally {
    db.close()
  }
}

type Said = { readonly code: number | null; readonly said: string }

export function recompute(text: string, program: 'recompute.py' | 'fleet.py' = 'recompute.py'): Said {
  const result = spawnSync('python3', [join(import.meta.dirname, program)], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return { code: result.status, said: result.stdout + result.stderr }
}
