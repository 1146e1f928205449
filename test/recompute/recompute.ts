// The books by the program that shares no code with the ledger.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

type Said = { readonly code: number | null; readonly said: string }

export function recompute(text: string, program: 'recompute.py' | 'fleet.py' = 'recompute.py'): Said {
  const result = spawnSync('python3', [join(import.meta.dirname, program)], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return { code: result.status, said: result.stdout + result.stderr }
}
