// A real ledger on a real database that is in memory and in this thread, so that it can be tried by the hundred thousand: the
// program's own statements write and read it, nothing is written to a disk. What one leaves behind is rolled back.

import { hash } from 'node:crypto'
import Database from 'better-sqlite3'
import { after } from '#app/after.ts'
import type { Key } from '#core/entities.ts'
import { microCredits } from '#core/money.ts'
import { readLedger, ledgerAppender } from '#ledger/entries.ts'
import { ledgerOf } from '#ledger/stored.ts'
import type { AccountTerms, OpenHold } from '#ledger/account.ts'
import { Journal } from '#ledger/journal.ts'
import type { Cancellation } from '#core/wait-queue.ts'
import type { HoldAnswer, HoldRequest } from '#ledger/hold-request.ts'
import { Ledger } from '#ledger/ledger.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { LedgerReport } from '#core/ledger-report-view.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { applyCatalogChange } from '#store/catalog-rows.ts'
import { applyMigrations } from '#store/database.ts'
import { keyOf, MODEL, modelAt, packageOf, requestOf, settlement, settlementOf, type SetClock } from './books.ts'

/** A call that must wait is refused at once: nobody has the time. */
const AT_ONCE: Cancellation = { isCancelled: true, onCancel: () => undefined }

function newDatabase() {
  const db = new Database(':memory:')
  applyMigrations(db)
  applyCatalogChange(db, { type: 'put-model', model: MODEL, changedAtMs: 1 })
  return { db, append: ledgerAppender(db) }
}

let shared: ReturnType<typeof newDatabase> | undefined
let ids = 0

export class MemoryBooks {
  readonly clock: SetClock
  readonly ledger: Ledger
  /** Every batch that was written, also by those that this one was restarted from. */
  readonly written: LedgerBatch[]
  mismatches: readonly string[] = []
  released = 0
  readonly #store: ReturnType<typeof newDatabase>
  /** How many of the batches are in the copy. */
  readonly #copiedBatches: { count: number }

  private constructor(clock: SetClock, written: LedgerBatch[], copiedBatches = { count: 0 }) {
    this.clock = clock
    this.#copiedBatches = copiedBatches
    this.written = written
    shared ??= newDatabase()
    this.#store = shared
    const journal = new Journal((batch) => Promise.resolve(this.#append(batch)))
    this.ledger = new Ledger({ journal, nowMs: () => this.clock.nowMs, after, holdWaitMs: 1 })
  }

  static open(clock: SetClock): MemoryBooks {
    const books = new MemoryBooks(clock, [])
    books.#store.db.exec('BEGIN')
    return books
  }

  /** A savepoint stands for the copy: what comes after it can be taken back, as by a restore. */
  async backUp(): Promise<void> {
    await this.ledger.flush()
    this.#store.db.exec('SAVEPOINT copy')
    this.#copiedBatches.count = this.written.length
  }

  /** What a process finds that starts on the copy. */
  async restore(): Promise<MemoryBooks> {
    await this.ledger.flush()
    this.#store.db.exec('ROLLBACK TO copy')
    this.written.length = this.#copiedBatches.count
    return this.restart()
  }

  /** What the next process finds and does. */
  async restart(): Promise<MemoryBooks> {
    await this.ledger.flush()
    const next = new MemoryBooks(this.clock, this.written, this.#copiedBatches)
    const state = ledgerOf(readLedger(this.#store.db))
    next.ledger.restore({ accounts: state.accounts, holds: state.openHolds, adjustments: state.adjustments })
    next.mismatches = state.mismatches
    for (const { keyId, terms } of state.changedTerms) await next.ledger.changeTerms(keyId, { terms, reason: 'start' })
    next.released = await next.ledger.releaseOrphans(() => settlement(0))
    return next
  }

  close(): void {
    this.#store.db.exec('ROLLBACK')
  }

  verify(): LedgerReport {
    return verifyLedger(this.#store.db)
  }

  newId(): string {
    ids += 1
    return `id-${ids}`
  }

  addKey(terms: AccountTerms): Promise<string> {
    const id = this.newId()
    const batch = this.ledger.open(id, terms)
    this.#putPackage(id, terms)
    this.#putKey(id, 'active')
    this.#append(batch)
    return Promise.resolve(id)
  }

  changeTerms(keyId: string, terms: AccountTerms, isUsageReset: boolean): Promise<void> {
    this.#putPackage(keyId, terms)
    return this.ledger.changeTerms(keyId, { terms, reason: 'test', isUsageReset })
  }

  changePackageOnly(keyId: string, terms: AccountTerms): Promise<void> {
    this.#putPackage(keyId, terms)
    return Promise.resolve()
  }

  putPrice(version: number): Promise<void> {
    applyCatalogChange(this.#store.db, { type: 'put-model', model: modelAt(version), changedAtMs: 1 })
    return Promise.resolve()
  }

  setStatus(keyId: string, storedStatus: Key['storedStatus']): Promise<void> {
    this.#putKey(keyId, storedStatus)
    return Promise.resolve()
  }

  hold(request: Partial<HoldRequest> & { keyId: string }): Promise<HoldAnswer> {
    return this.ledger.hold({ ...requestOf(this.newId()), ...request }, AT_ONCE)
  }

  resolve(hold: OpenHold, chargeMicro: number): Promise<void> {
    return this.ledger.resolve(hold, settlementOf(hold, chargeMicro))
  }

  topUp(keyId: string, amountMicro: number, id: string): Promise<void> {
    return this.ledger.adjust(keyId, { amountMicro: microCredits(amountMicro), reason: 'test', id })
  }

  #append(batch: LedgerBatch): void {
    this.#store.append(batch)
    this.written.push(batch)
  }

  #putKey(id: string, storedStatus: Key['storedStatus']): void {
    const key = { ...keyOf(id, hash('sha256', id, 'base64url'), this.clock.nowMs), storedStatus }
    applyCatalogChange(this.#store.db, { type: 'put-key', key })
  }

  #putPackage(id: string, terms: AccountTerms): void {
    applyCatalogChange(this.#store.db, { type: 'put-package', package: packageOf(id, terms) })
  }
}
