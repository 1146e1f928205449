// Batches as texts, as the journal keeps them.

import type { BalanceRow, LedgerBatch } from '#ledger/rows.ts'

export function batchText({ entries, usage, balances }: LedgerBatch): string {
  return JSON.stringify([entries, usage, balances])
}

/** Several batches as one, which comes to the same: of a key's balances the last one counts. */
export function joinBatches(texts: readonly string[]): LedgerBatch {
  const balances = new Map<string, BalanceRow>()
  const joined = { entries: [], usage: [] } as {
    entries: LedgerBatch['entries'][number][]
    usage: LedgerBatch['usage'][number][]
  }
  for (const text of texts) {
    // What a frame's checksum says is what was written.
    const [entries, usage, rows] = JSON.parse(text) as [LedgerBatch['entries'], LedgerBatch['usage'], BalanceRow[]]
    for (const row of entries) joined.entries.push(row)
    for (const row of usage) joined.usage.push(row)
    for (const row of rows) balances.set(row[0], row)
  }
  return { ...joined, balances: [...balances.values()] }
}
