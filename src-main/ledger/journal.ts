// The journal makes ledger rows durable. It collects what the ledger decides and hands it to the writer thread in batches,
// one transaction each: while a batch is on its way the next one gathers, so that many calls share one fsync.

import { rowToWrite, type Account } from '#ledger/account.ts'
import type { CatalogChange } from '#store/catalog-rows.ts'
import {
  entryRow,
  usageRow,
  type BalanceRow,
  type LedgerBatch,
  type LedgerEntry,
  type UsageRecord,
} from '#ledger/rows.ts'

/** Rows of the ledger; with `changes`, be they none, a batch that is written all at once with what somebody proposes. */
export type SentBatch = LedgerBatch & { readonly changes?: readonly CatalogChange[] }

/**
 * Appends a batch in one durable transaction. Appending the same rows again must change nothing. Resolves with how long the
 * transaction took, in milliseconds, where that was measured.
 */
export type AppendBatch = (batch: SentBatch) => Promise<number | void>

/** The rows are in memory but not on disk, because the disk refuses them. They are written as soon as it takes them. */
export class JournalHalted extends Error {
  /** What the system or SQLite calls it. */
  readonly code: string

  constructor(cause: unknown) {
    super('the ledger cannot write to its disk')
    this.name = 'JournalHalted'
    this.code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  }
}

/** What is written all at once or not at all, and shows in memory only once it is written. */
export type Proposal = {
  readonly changes: readonly CatalogChange[]
  /** Says what is to be written, when that is sent: nothing in memory changes by it yet. */
  prepare(): { readonly entries: readonly LedgerEntry[]; readonly balances: readonly BalanceRow[] }
  /** Called at once when it is on disk. */
  accept(): void
  /** Called when it is not going to be. */
  drop(): void
}

/** No caller waits for holds alone: they are written with the next settlement, or after this time. */
const HOLD_DELAY_MS = 5
/**
 * While calls come in parallel, a batch gathers for about as long as a transaction takes, which costs far more than a row in it; for
 * no longer than this where a disk is slow, because what comes meanwhile gathers anyway. A call that is alone is written at once.
 */
const MAX_GATHER_MS = 2
/** No timer is shorter. For less a batch gathers for one turn of the event loop, in which every call that has ended is heard of. */
const SHORTEST_TIMER_MS = 1
/** The part of a new measurement in the estimate of what a transaction takes. */
const NEW_PART = 1 / 8
/** More entries than this never wait for a batch that hangs: new calls are refused, as by a disk that says no. */
const MAX_GATHERED = 20_000
/** That many calls waiting for one batch make it a time of parallel calls. */
const PARALLEL_CALLS = 3
const RETRY_DELAY_MS = 1000

type Waiting = { readonly resolve: () => void; readonly reject: (error: Error) => void }
type Proposed = Waiting & { readonly proposal: Proposal }
type Batch = {
  entries: LedgerEntry[]
  usage: UsageRecord[]
  accounts: Set<Account>
  waiting: Waiting[]
  /** The projection that goes with the entries, from the moment on that the batch is sent. */
  balances: BalanceRow[]
}

/** What takes the place of a resolution that is not on disk. */
export type Amendment = { readonly entries: readonly LedgerEntry[]; readonly usage: UsageRecord }

export class Journal {
  readonly #append: AppendBatch
  readonly #onRecorded: (records: readonly UsageRecord[]) => void
  #gathering: Batch = newBatch()
  #isWriting = false
  #isStopped = false
  /** The batch that the disk refused, while it waits to be tried again. */
  #refused: Batch | undefined
  #isParallel = false
  #timer: { readonly cancel: () => void; readonly isUrgent: boolean } | undefined
  /** How long a transaction takes, in milliseconds: a moving estimate. */
  #transactionMs = 0
  /** Why the disk refuses rows, while it does. */
  #halted: JournalHalted | undefined
  /** One goes with each batch, so that each is judged by what those before it have become. */
  #proposals: Proposed[] = []

  /** `onRecorded` is told the usage records of each batch once they are on disk. */
  constructor(append: AppendBatch, onRecorded: (records: readonly UsageRecord[]) => void = () => undefined) {
    this.#append = append
    this.#onRecorded = onRecorded
  }

  /** True while the disk refuses rows, or hangs. Nothing new should be admitted then. */
  get isHalted(): boolean {
    return this.#halted !== undefined || this.#gathering.entries.length > MAX_GATHERED
  }

  /** Entries that wait for the batch before them. */
  get gathered(): number {
    return this.#gathering.entries.length
  }

  /** Adds entries whose writing no caller waits for. */
  add(account: Account, entries: readonly LedgerEntry[]): void {
    this.#gather(account, entries)
    this.#schedule()
  }

  /** Adds entries, and resolves when they and everything added before are on disk. Rejects with JournalHalted. */
  commit(account: Account, entries: readonly LedgerEntry[], usage?: UsageRecord): Promise<void> {
    this.#gather(account, entries)
    if (usage !== undefined) this.#gathering.usage.push(usage)
    return this.#halted === undefined ? this.#wait() : Promise.reject(this.#halted)
  }

  /**
   * Writes a proposal with the next batch. Rejects where it cannot be written, and then it never is. A batch goes on without
   * its proposal: the charges in it are kept, whatever the disk says.
   */
  propose(proposal: Proposal): Promise<void> {
    if (this.#halted !== undefined) return Promise.reject(this.#halted)
    return new Promise((resolve, reject) => {
      this.#proposals.push({ proposal, resolve, reject })
      this.#schedule()
    })
  }

  /**
   * Puts other entries and another usage record in the place of a resolution that the disk refused. Says whether it could:
   * what is on its way to the disk is decided.
   */
  amend(keyId: string, { entries, usage }: Amendment): boolean {
    const batch = [this.#refused, this.#gathering].find((one) => one?.usage.some(({ id }) => id === usage.id))
    if (batch === undefined) return false
    const isReplaced = (entry: LedgerEntry) => entry.exchangeId === usage.id && entry.kind !== 'hold'
    const before = batch.entries.filter(isReplaced)
    const first = batch.entries.findIndex(isReplaced)
    const others = batch.entries.filter((entry) => !isReplaced(entry))
    batch.entries = [...others.slice(0, first), ...entries, ...others.slice(first)]
    batch.usage = batch.usage.map((record) => (record.id === usage.id ? usage : record))
    batch.balances = batch.balances.map((row) => (row[0] === keyId ? amendedRow(row, before, entries) : row))
    return true
  }

  /** Resolves when everything added so far is on disk. */
  async flush(): Promise<void> {
    if (this.#hasWork || this.#isWriting) await this.#wait()
  }

  /** Gives up what the disk refuses. Nothing is written from now on, and whoever waits is told. */
  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
    this.#halt(newBatch(), new Error('the ledger is closed'))
  }

  get #hasWork(): boolean {
    const { accounts, waiting } = this.#gathering
    return accounts.size > 0 || waiting.length > 0 || this.#proposals.length > 0
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

  /** Has the gathered entries written: soon if a caller waits for them, otherwise with a later batch. */
  #schedule(): void {
    if (this.#isWriting || this.#isStopped) return
    const isUrgent = this.#gathering.waiting.length > 0 || this.#proposals.length > 0
    if (this.#timer !== undefined && (this.#timer.isUrgent || !isUrgent)) return
    this.#timer?.cancel()
    if (isUrgent && !this.#isParallel) return this.#flush()
    const gatherMs = isUrgent ? Math.min(MAX_GATHER_MS, this.#transactionMs) : HOLD_DELAY_MS
    this.#timer = { cancel: inAWhile(gatherMs, () => this.#flush()), isUrgent }
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
    batch.balances = Array.from(batch.accounts, rowToWrite)
    const proposed = this.#proposals.shift()
    const isWritten = proposed !== undefined && (await this.#tryProposal(batch, proposed))
    while (!isWritten && batch.balances.length > 0 && !(await this.#tryAppend(batch))) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
      if (this.#isStopped) return
      this.#refused = undefined
    }
    if (this.#isStopped) return
    this.#halted = undefined
    this.#isWriting = false
    for (const waiting of batch.waiting) waiting.resolve()
    this.#onRecorded(batch.usage)
    if (this.#hasWork) this.#schedule()
  }

  /** Writes a batch with a proposal; says whether both are on disk, of which there is neither otherwise. */
  async #tryProposal(batch: Batch, { proposal, resolve, reject }: Proposed): Promise<boolean> {
    try {
      const { entries, balances } = proposal.prepare()
      const rows = rowsOf(batch)
      const { changes } = proposal
      await this.#append({
        ...rows,
        entries: [...rows.entries, ...entries.map(entryRow)],
        // The row of an account that the batch is about too comes again, with what the proposal makes of it.
        balances: [...rows.balances, ...balances],
        changes,
      })
      proposal.accept()
      resolve()
      return true
    } catch (error) {
      proposal.drop()
      reject(error instanceof Error ? error : new Error(String(error)))
      return false
    }
  }

  async #tryAppend(batch: Batch): Promise<boolean> {
    try {
      const tookMs = await this.#append(rowsOf(batch))
      if (tookMs !== undefined) this.#transactionMs += (tookMs - this.#transactionMs) * NEW_PART
      return true
    } catch (error) {
      // Whatever the disk said, the transaction was rolled back and the rows are still here to be tried again.
      this.#refused = batch
      this.#halt(batch, error)
      return false
    }
  }

  /** Tells everybody who waits that the disk refuses, so that no client hangs on it; the rows of calls are kept. */
  #halt(batch: Batch, cause: unknown): void {
    const halted = (this.#halted = new JournalHalted(cause))
    for (const waiting of [...batch.waiting, ...this.#gathering.waiting, ...this.#proposals]) waiting.reject(halted)
    batch.waiting = []
    this.#gathering.waiting = []
    this.#proposals = []
  }
}

/** Returns what takes it back. */
function inAWhile(ms: number, callback: () => void): () => void {
  if (ms < SHORTEST_TIMER_MS) {
    const turn = setImmediate(callback)
    return () => clearImmediate(turn)
  }
  const timer = setTimeout(callback, Math.round(ms))
  return () => clearTimeout(timer)
}

function newBatch(): Batch {
  return { entries: [], usage: [], accounts: new Set(), waiting: [], balances: [] }
}

function rowsOf({ entries, usage, balances }: Batch): LedgerBatch {
  return { entries: entries.map(entryRow), usage: usage.map(usageRow), balances }
}

/** The projection that was taken with some entries, as it is with others. */
function amendedRow(row: BalanceRow, before: readonly LedgerEntry[], after: readonly LedgerEntry[]): BalanceRow {
  const [keyId, cycleStartedAtMs, availableMicro, grantedMicro, usedMicro, ...rest] = row
  const sum = (entries: readonly LedgerEntry[]) => entries.reduce((total, entry) => total + entry.amountMicro, 0)
  const charged = (entries: readonly LedgerEntry[]) =>
    entries.reduce((total, entry) => {
      return entry.cycleStartedAtMs === cycleStartedAtMs ? total + (entry.chargeMicro ?? 0) : total
    }, 0)
  const available = availableMicro + sum(after) - sum(before)
  return [keyId, cycleStartedAtMs, available, grantedMicro, usedMicro + charged(after) - charged(before), ...rest]
}
