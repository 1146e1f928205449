// Batches as texts, as the journal keeps them. Each begins with the number of its form, because a start after an update reads what the
// version before it left.

import type { BalanceRow, LedgerBatch } from '#ledger/rows.ts'

/** To be raised whenever the rows change, together with a reader of the form before. */
const FORM = 3

/** A text in a form that this version does not know. */
export class NewerForm extends Error {
  constructor() {
    super('a batch of the journal was written by a newer Farebox')
    this.name = 'NewerForm'
  }
}

export function batchText({ entries, usage, balances }: LedgerBatch): string {
  return JSON.stringify([FORM, entries, usage, balances])
}

/** Several batches as one, which comes to the same: of a key's balances the last one counts. */
export function joinBatches(texts: readonly string[]): LedgerBatch {
  const balances = new Map<string, BalanceRow>()
  const joined = { entries: [], usage: [] } as {
    entries: LedgerBatch['entries'][number][]
    usage: LedgerBatch['usage'][number][]
  }
  for (const text of texts) {
    const [entries, usage, rows] = partsOf(text)
    for (const row of entries) joined.entries.push(row)
    for (const row of usage) joined.usage.push(row)
    for (const row of rows) {
      const endedCycles = row[11] ?? balances.get(row[0])?.[11]
      balances.set(row[0], endedCycles === undefined ? row : withCycles(row, endedCycles))
    }
  }
  return { ...joined, balances: [...balances.values()] }
}

/** A row that leaves the ended cycles as they are, after one that did not. */
function withCycles(row: BalanceRow, endedCycles: string): BalanceRow {
  const [keyId, startedMs, available, granted, used, requests, lastUsed, type, credits, zone, reset] = row
  return [keyId, startedMs, available, granted, used, requests, lastUsed, type, credits, zone, reset, endedCycles]
}

type Parts = [entries: LedgerBatch['entries'], usage: LedgerBatch['usage'], balances: readonly BalanceRow[]]

/** What a frame's checksum says is what was written. */
function partsOf(text: string): Parts {
  const [form, ...parts] = JSON.parse(text) as [number, ...Parts] | Parts
  // The first texts had no number, and the same rows. Rows of the form 1 end before the names of whom a call was made for,
  // and balances up to the form 2 before the cycles that have ended.
  if (typeof form !== 'number') return [form, ...parts] as unknown as Parts
  if (form > FORM) throw new NewerForm()
  return parts as Parts
}
