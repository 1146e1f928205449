// The writer thread: the only connection that writes to the database. It migrates at start, appends the ledger's batches
// and applies changes to the catalogue, each as one durable transaction.

import { workerData } from 'node:worker_threads'
import { ledgerAppender, loadLedger, type LedgerState } from '#ledger/entries.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import { summariseNext, SUMMARY_STEP } from '#ledger/summary.ts'
import {
  applyCatalogChange,
  loadCatalog,
  loadPriceVersions,
  type CatalogChange,
  type CatalogState,
} from '#store/catalog-rows.ts'
import { openForWriting } from '#store/database.ts'
import { serveOperations } from '#store/database-thread.ts'
import { chargedByProvider } from '#store/usage-rows.ts'

type Loaded = {
  readonly catalog: CatalogState
  readonly ledger: LedgerState
  readonly priceVersions: Map<string, number>
  /** Micro-credits by provider. */
  readonly charged: Map<string, number>
}

export type WriterOperations = {
  /** Everything the main thread keeps in memory. `chargedSinceMs`: from when on the charges of providers are summed up. */
  load: { input: { chargedSinceMs: number }; output: Loaded }
  append: { input: LedgerBatch; output: void }
  change: { input: { changes: readonly CatalogChange[]; batch: LedgerBatch }; output: void }
  close: { input: undefined; output: void }
}

const { dataDir } = workerData as { dataDir: string }
const db = openForWriting(dataDir)
const appendRows = ledgerAppender(db)
const append = db.transaction(appendRows)
const change = db.transaction((changes: readonly CatalogChange[], batch: LedgerBatch) => {
  for (const item of changes) applyCatalogChange(db, item)
  appendRows(batch)
})

const summarise = db.transaction(() => summariseNext(db))
/** At first nobody knows how much an earlier process left to be summarised. */
let entriesUntilSummary = 0
let summaryTimer: NodeJS.Timeout | undefined

/** Summarises after the batch was answered, so that no call waits for it, one step at a time, so that no batch waits long. */
function summariseLater(entries: number): void {
  entriesUntilSummary -= entries
  if (entriesUntilSummary > 0 || summaryTimer !== undefined) return
  summaryTimer = setTimeout(() => {
    summaryTimer = undefined
    entriesUntilSummary = trySummarise()
    if (entriesUntilSummary === 0) summariseLater(0)
  }, 0)
}

function trySummarise(): number {
  try {
    return summarise.immediate()
  } catch {
    // A full disk, or somebody else's lock. Nothing is lost: the entries stay, and it is tried again.
    return SUMMARY_STEP
  }
}

serveOperations<WriterOperations>({
  load: ({ chargedSinceMs }) => ({
    catalog: loadCatalog(db),
    ledger: loadLedger(db),
    priceVersions: loadPriceVersions(db),
    charged: chargedByProvider(db, chargedSinceMs),
  }),
  append: (batch) => {
    append.immediate(batch)
    summariseLater(batch.entries.length)
  },
  change: ({ changes, batch }) => change.immediate(changes, batch),
  close: () => {
    clearTimeout(summaryTimer)
    db.close()
  },
})
