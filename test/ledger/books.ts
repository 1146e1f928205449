// A real ledger on a real database: the writer thread of the program on a folder of its own, opened and restored as at a
// start. Only the clock and the ids are made up.

import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WriterOperations } from '#threads/writer-operations.ts'
import { after } from '#app/after.ts'
import { completeBooks } from '#app/whole-books.ts'
import { scriptFile } from '#config/program-files.ts'
import type { Key, Model, Package } from '#core/entities.ts'
import { microCredits, ZERO } from '#core/money.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import type { AccountTerms, OpenHold } from '#ledger/account.ts'
import { Journal, type AppendBatch } from '#ledger/journal.ts'
import type { Cancellation } from '#core/wait-queue.ts'
import type { HoldAnswer, HoldRequest } from '#ledger/hold-request.ts'
import { Ledger } from '#ledger/ledger.ts'
import type { Settlement } from '#ledger/settlement.ts'
import { ledgerOf } from '#ledger/stored.ts'
import { Projection } from '#ledger/projection.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { LedgerReport } from '#core/ledger-report-view.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { backUp } from '#store/backup.ts'
import { openForReading, openForWriting, type Db } from '#store/database.ts'
import { DatabaseThread } from '#store/database-thread.ts'
import { journalPlace } from '#store/journal-open.ts'
import { JournalWriter } from '#store/journal-writer.ts'
import { rollupProblems } from '#store/rollup-check.ts'
import { restoreBackup } from '#store/restore.ts'

const WRITER = scriptFile('writer-thread')
const EMPTY: LedgerBatch = { entries: [], usage: [], balances: [] }

export const NEVER: Cancellation = { isCancelled: false, onCancel: () => undefined }

/** A clock that stands still until it is set. */
export type SetClock = { nowMs: number }

export type BooksOptions = {
  readonly clock: SetClock
  readonly dataDir?: string
  readonly holdWaitMs?: number
  /** Stands between the journal and the writer. */
  readonly around?: (append: AppendBatch) => AppendBatch
}

/** Ids are never used twice, also not by another ledger on the same folder. */
let ids = 0

export class Books {
  readonly dataDir: string
  readonly clock: SetClock
  readonly writer: DatabaseThread<WriterOperations>
  readonly journal: Journal
  readonly ledger: Ledger
  /** What the start found wrong. */
  mismatches: readonly string[] = []
  /** How many holds the start released. */
  released = 0
  #reader: Db | undefined
  #projection: Projection | undefined
  #isFull = false

  private constructor(dataDir: string, options: BooksOptions) {
    this.dataDir = dataDir
    this.clock = options.clock
    this.writer = new DatabaseThread<WriterOperations>(WRITER, { dataDir })
    const append: AppendBatch = async ({ changes, ...batch }) => {
      if (this.#isFull) throw Object.assign(new Error('no room'), { code: 'ENOSPC' })
      await (changes === undefined ? this.append(batch) : this.writer.call('change', { changes, batch }))
    }
    this.journal = new Journal(options.around?.(append) ?? append)
    const nowMs = () => this.clock.nowMs
    this.ledger = new Ledger({ journal: this.journal, nowMs, after, holdWaitMs: options.holdWaitMs ?? 1 })
  }

  /** Opens a new folder, or an existing one as a start does: everything is loaded and what was left open is released. */
  static async open(options: BooksOptions): Promise<Books> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'farebox-ledger-')))
    const books = new Books(dataDir, options)
    const { ledger: stored, journal } = await books.writer.call('load', {
      day: { fromMs: 0, toMs: 1 },
      month: { fromMs: 0, toMs: 1 },
    })
    const state = ledgerOf(stored)
    books.#projection = new Projection({
      journal: journal && new JournalWriter(dataDir, journal),
      project: (frame) => books.writer.call('project', frame),
      write: (one) => books.writer.call('change', { changes: [], batch: one }),
      monotonicMs: () => performance.now(),
    })
    books.ledger.restore({ accounts: state.accounts, holds: state.openHolds, adjustments: state.adjustments })
    books.mismatches = state.mismatches
    if (state.mismatches.length > 0) books.ledger.stopSpending(state.mismatches.join('; '))
    else {
      const reason = 'made good at the start'
      for (const { keyId, terms } of state.changedTerms) await books.ledger.changeTerms(keyId, { terms, reason })
      books.released = await books.ledger.releaseOrphans(() => settlement(0, { outcome: 'interrupted', status: 500 }))
    }
    return books
  }

  /** Makes a batch durable, and has it in the tables at once, so that what is decided can be read right after it. */
  async append(batch: LedgerBatch): Promise<void> {
    await this.#projection?.append(batch)
    await this.#projection?.settled()
  }

  /** Has everything refused, as a full disk does. Returns what ends that. */
  refuseEntries(): () => void {
    this.#isFull = true
    return () => {
      this.#isFull = false
    }
  }

  /** A connection that reads what is on disk. */
  get reader(): Db {
    this.#reader ??= openForReading(this.dataDir)
    return this.#reader
  }

  /** Stores a key in a package of its own and opens its account. Returns the key's id, which is also its package's. */
  async addKey(terms: AccountTerms): Promise<string> {
    const id = this.newId()
    const key = keyOf(id, hash('sha256', id, 'base64url'), this.clock.nowMs)
    const batch = this.ledger.open(id, terms)
    const changes = [
      { type: 'put-model', model: MODEL, changedAtMs: 1 },
      { type: 'put-package', package: packageOf(id, terms) },
      { type: 'put-key', key },
    ] as const
    await this.writer.call('change', { changes, batch })
    return id
  }

  /** Edits the package of a key. */
  async changeTerms(keyId: string, terms: AccountTerms, isUsageReset = false): Promise<void> {
    await this.changePackageOnly(keyId, terms)
    await this.ledger.changeTerms(keyId, { terms, reason: 'test', isUsageReset })
  }

  /** Edits the package of a key as a process does that dies before the account could follow. */
  async changePackageOnly(keyId: string, terms: AccountTerms): Promise<void> {
    const changes = [{ type: 'put-package', package: packageOf(keyId, terms) }] as const
    await this.writer.call('change', { changes, batch: EMPTY })
  }

  /** Sets the price of the model by its next version. */
  async putPrice(version: number): Promise<void> {
    const changes = [{ type: 'put-model', model: modelAt(version), changedAtMs: 1 }] as const
    await this.writer.call('change', { changes, batch: EMPTY })
  }

  /** Suspends the key, or resumes it. */
  async setStatus(keyId: string, storedStatus: Key['storedStatus']): Promise<void> {
    const key = { ...keyOf(keyId, hash('sha256', keyId, 'base64url'), this.clock.nowMs), storedStatus }
    await this.writer.call('change', { changes: [{ type: 'put-key', key }], batch: EMPTY })
  }

  hold(request: Partial<HoldRequest> & { keyId: string }, cancellation = NEVER): Promise<HoldAnswer> {
    return this.ledger.hold({ ...requestOf(this.newId()), ...request }, cancellation)
  }

  /** A hold that must be granted. */
  async held(keyId: string, worstMicro: number): Promise<OpenHold> {
    const answer = await this.hold({ keyId, worstMicro: microCredits(worstMicro) })
    if (answer.type !== 'held') throw new Error(`the hold was not granted: ${answer.type}`)
    return answer.hold
  }

  resolve(hold: OpenHold, chargeMicro: number): Promise<void> {
    return this.ledger.resolve(hold, settlementOf(hold, chargeMicro))
  }

  topUp(keyId: string, amountMicro: number, id: string): Promise<void> {
    return this.ledger.adjust(keyId, { amountMicro: microCredits(amountMicro), reason: 'test', id })
  }

  newId(): string {
    ids += 1
    return `id-${ids}`
  }

  verify(): LedgerReport {
    return verifyLedger(this.reader)
  }

  /** What reports say that the usage records do not. */
  rollupProblems(): string[] {
    return rollupProblems(this.reader)
  }

  rows<Row>(sql: string, ...parameters: (string | number)[]): Row[] {
    return this.reader.prepare(sql).all(...parameters) as Row[]
  }

  /** Copies what was decided so far into a file beside the folder. */
  async backUp(): Promise<void> {
    await this.ledger.flush()
    const made = backUp(this.reader, { dataDir: this.dataDir, file: this.#copy, isForced: true }, verifyLedger)
    if (made.type === 'refused') throw new Error(made.message)
  }

  /** Ends the thread, puts the copy in the place of the database, and starts on it. */
  async restore(): Promise<Books> {
    await this.stop()
    const request = { dataDir: this.dataDir, file: this.#copy, nowMs: this.clock.nowMs, isDryRun: false }
    const answer = restoreBackup(request, { check: verifyLedger, complete: completeBooks })
    if (answer.type === 'refused') throw new Error(answer.message)
    if (answer.keptAs !== undefined) await rm(answer.keptAs)
    return Books.open({ dataDir: this.dataDir, clock: this.clock })
  }

  get #copy(): string {
    return `${this.dataDir}-copy.db`
  }

  /** Ends the thread and leaves texts in the journal, as a process that was killed does. Returns the number of the frame before them. */
  async stopWith(texts: readonly string[]): Promise<number> {
    await this.stop()
    // A connection that only reads would leave files beside the database.
    const db = openForWriting(this.dataDir)
    const place = journalPlace(db)
    db.close()
    if (place === undefined) throw new Error('there is no journal')
    const journal = new JournalWriter(this.dataDir, place)
    for (const text of texts) await journal.append(text)
    await journal.close()
    return place.frame
  }

  /** Ends the thread and keeps the folder. */
  async stop(): Promise<void> {
    this.#reader?.close()
    this.#reader = undefined
    await this.#projection?.close()
    this.#projection = undefined
    await this.writer.close()
  }

  async remove(): Promise<void> {
    await this.stop()
    await rm(this.dataDir, { recursive: true, force: true })
    await rm(this.#copy, { force: true })
  }
}

export function settlement(chargeMicro: number, more: Partial<Settlement> = {}): Settlement {
  return {
    packageId: 'p',
    endpoint: 'chat',
    providerId: undefined,
    upstreamModel: undefined,
    isStream: false,
    outcome: 'answered',
    status: 200,
    ...UNKNOWN_USAGE,
    // At the price of `MODEL`.
    inputTokens: chargeMicro,
    outputTokens: 0,
    usageSource: 'reported',
    chargeMicro: microCredits(chargeMicro),
    createdAtMs: 1,
    firstByteMs: undefined,
    durationMs: 0,
    ...more,
  }
}

export function terms(packageType: AccountTerms['packageType'], creditsMicro = 1000, timeZone = 'UTC'): AccountTerms {
  return { packageType, creditsMicro: microCredits(creditsMicro), timeZone }
}

export function requestOf(exchangeId: string): Omit<HoldRequest, 'keyId'> {
  return {
    exchangeId,
    worstMicro: ZERO,
    leastMicro: ZERO,
    purses: [],
    isFree: false,
    modelId: 'm',
    priceVersion: 1,
  }
}

/** What every call of these tests is a call of: a token costs a micro-credit. */
export const MODEL: Model = {
  id: 'm',
  displayName: 'm',
  kind: 'chat',
  contextWindow: 1000,
  maxOutputTokens: 1000,
  isEnabled: true,
  price: {
    version: 1,
    inputMicro: microCredits(1_000_000),
    outputMicro: microCredits(1_000_000),
    cacheReadMicro: microCredits(1_000_000),
    cacheWriteMicro: microCredits(1_000_000),
  },
  targets: [],
  createdAtMs: 1,
}

/** The same model when its price has changed: tokens get cheaper, and dearer again. */
export function modelAt(version: number): Model {
  const micro = microCredits(1_000_000 / tokensPerMicro(version))
  const price = { version, inputMicro: micro, outputMicro: micro, cacheReadMicro: micro, cacheWriteMicro: micro }
  return { ...MODEL, price }
}

/** A settlement of so many tokens that they cost the charge at the price at which the call was admitted. */
export function settlementOf({ priceVersion = 1 }: OpenHold, chargeMicro: number): Settlement {
  return settlement(chargeMicro, { inputTokens: chargeMicro * tokensPerMicro(priceVersion) })
}

function tokensPerMicro(version: number): number {
  return 2 ** ((version - 1) % 4)
}

/** A key in a package of its own, of the same id. */
export function keyOf(id: string, keyHash: string, createdAtMs: number): Key {
  return {
    id,
    name: id,
    owner: undefined,
    memberId: undefined,
    hash: keyHash,
    hint: 'hint',
    packageId: id,
    storedStatus: 'active',
    suspendedBy: undefined,
    expiresAtMs: undefined,
    createdAtMs,
    valueSinceMs: createdAtMs,
    previous: undefined,
  }
}

export function packageOf(id: string, { packageType, creditsMicro, timeZone }: AccountTerms): Package {
  return {
    id,
    name: id,
    type: packageType,
    creditsMicro,
    timeZone,
    limits: { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrentRequests: undefined },
    models: 'all',
    validUntilMs: undefined,
    createdAtMs: 1,
  }
}
