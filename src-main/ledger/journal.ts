// The journal makes ledger rows durable. It collects what the ledger decides and hands it to the writer thread in batches,
// one transaction each: while a batch is on its way the next one gathers, so that many calls share one fsync.

import { balanceRow, type Account } from '#ledger/account.ts'
import { entryRow, usageRow, type LedgerBatch, type LedgerEntry, type UsageRecord } from '#ledger/rows.ts'

/** Appends a batch in one durable transaction. Appending the same rows again must change nothing. */
export type AppendBatch = (batch: LedgerBatch) => Promise<void>

/** The rows are in memory but not on disk, because the disk refuses them. They are written as soon as it takes them. */
export class JournalHalted extends Error {
  constructor() {
    super('the ledger cannot write to its disk')
    this.name = 'JournalHalted'
  }
}

/** Holds alone are in no hurry: nobody waits for them. They go with the next settlement, or after this time. */
const HOLD_DELAY_MS = 5
/**
 * While calls come in parallel, a batch gathers for this long: a transaction costs far more than a row in it. A call that
 * is alone is written at once.
 */
const GATHER_MS = 2
/** That many calls waiting for one batch make it a time of parallel calls. */
const PARALLEL_CALLS = 3
const RETRY_DELAY_MS = 1000

type Waiting = { resolve(): void; reject(error: Error): void }
type Batch = { entries: LedgerEntry[]; usage: UsageRecord[]; accounts: Set<Account>; waiting: Waiting[] }

export class Journal {
  readonly #append: AppendBatch
  #gathering: Batch = newBatch()
  #isWriting = false
  #isParallel = false
  #timer: { readonly handle: NodeJS.Timeout; readonly isUrgent: boolean } | undefined
  #isHalted = false

  constructor(append: AppendBatch) {
    this.#append = append
  }

  /** True while the disk refuses rows. Nothing new should be admitted then. */
  get isHalted(): boolean {
    return this.#isHalted
  }

  /** Adds entries that nobody waits for. */
  add(account: Account, entries: readonly LedgerEntry[]): void {
    this.#gather(account, entries)
    this.#schedule()
  }

  /** Adds entries, and resolves when they and everything added before are on disk. Rejects with JournalHalted. */
  commit(account: Account, entries: readonly LedgerEntry[], usage?: UsageRecord): Promise<void> {
    this.#gather(account, entries)
    if (usage !== undefined) this.#gathering.usage.push(usage)
    if (this.#isHalted) return Promise.reject(new JournalHalted())
    return this.#wait()
  }

  /** Resolves when everything added so far is on disk. */
  async flush(): Promise<void> {
    if (this.#gathering.entries.length > 0 || this.#isWriting) await this.#wait()
  }

  #gather(account: Account, entries: readonly LedgerEntry[]): void {
    for (const entry of entries) this.#gathering.entries.push(entry)
    this.#gathering.accounts.add(account)
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#gathering.waiting.push({ resolve, reject })
      this.#schedule()
    })
  }

  /** Sees to it that what is gathered is written: soon if somebody waits for it, else when it suits. */
  #schedule(): void {
    if (this.#isWriting) return
    const isUrgent = this.#gathering.waiting.length > 0
    if (this.#timer !== undefined && (this.#timer.isUrgent || !isUrgent)) return
    clearTimeout(this.#timer?.handle)
    if (isUrgent && !this.#isParallel) return this.#flush()
    const handle = setTimeout(() => this.#flush(), isUrgent ? GATHER_MS : HOLD_DELAY_MS)
    this.#timer = { handle, isUrgent }
  }

  #flush(): void {
    this.#timer = undefined
    const batch = this.#gathering
    this.#gathering = newBatch()
    this.#isWriting = true
    this.#isParallel = batch.waiting.length >= PARALLEL_CALLS
    void this.#write(batch)
  }

  async #write(batch: Batch): Promise<void> {
    // The projection is taken when the batch is sent, together with the entries that lead to it.
    const rows = {
      entries: batch.entries.map(entryRow),
      usage: batch.usage.map(usageRow),
      balances: Array.from(batch.accounts, balanceRow),
    }
    while (!(await this.#tryAppend(rows))) {
      this.#halt(batch)
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
    }
    this.#isHalted = false
    this.#isWriting = false
    for (const waiting of batch.waiting) waiting.resolve()
    if (this.#gathering.entries.length > 0 || this.#gathering.waiting.length > 0) this.#schedule()
  }

  async #tryAppend(rows: LedgerBatch): Promise<boolean> {
    try {
      await this.#append(rows)
      return true
    } catch {
      // Whatever the disk said, the transaction was rolled back and the rows are still here to be tried again.
      return false
    }
  }

  /** Tells everybody who waits that the disk refuses, so that no client hangs on it; the rows themselves are kept. */
  #halt(batch: Batch): void {
    this.#isHalted = true
    for (const waiting of [...batch.waiting, ...this.#gathering.waiting]) waiting.reject(new JournalHalted())
    batch.waiting = []
    this.#gathering.waiting = []
  }
}

function newBatch(): Batch {
  return { entries: [], usage: [], accounts: new Set(), waiting: [] }
}
