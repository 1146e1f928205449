// A real ledger on a real database: the writer thread of the program on a folder of its own, opened and restored as at a
// start. Only the clock and the ids are made up.

import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WriterOperations } from '#main/writer-thread.ts'
import type { Key, Package } from '#core/entities.ts'
import { microCredits, ZERO } from '#core/money.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import type { AccountTerms, OpenHold } from '#ledger/account.ts'
import { Journal, type AppendBatch } from '#ledger/journal.ts'
import { Ledger, type Cancellation, type HoldAnswer, type HoldRequest, type Settlement } from '#ledger/ledger.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import { verifyLedger, type LedgerReport } from '#ledger/verify.ts'
import { openForReading, type Db } from '#store/database.ts'
import { DatabaseThread } from '#store/database-thread.ts'

const WRITER = new URL('../../src-main/writer-thread.ts', import.meta.url)
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

  private constructor(dataDir: string, options: BooksOptions) {
    this.dataDir = dataDir
    this.clock = options.clock
    this.writer = new DatabaseThread<WriterOperations>(WRITER, { dataDir })
    const append: AppendBatch = (batch) => this.writer.call('append', batch)
    this.journal = new Journal(options.around?.(append) ?? append)
    const nowMs = () => this.clock.nowMs
    this.ledger = new Ledger({ journal: this.journal, nowMs, holdWaitMs: options.holdWaitMs ?? 1 })
  }

  /** Opens a new folder, or an existing one as a start does: everything is loaded and what was left open is released. */
  static async open(options: BooksOptions): Promise<Books> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'farebox-ledger-')))
    const books = new Books(dataDir, options)
    const { ledger: state } = await books.writer.call('load', undefined)
    books.ledger.restore({ accounts: state.accounts, holds: state.openHolds, topUps: state.topUps })
    books.mismatches = state.mismatches
    if (state.mismatches.length > 0) books.ledger.stopSpending(state.mismatches.join('; '))
    else
      books.released = await books.ledger.releaseOrphans(() => settlement(0, { outcome: 'interrupted', status: 500 }))
    return books
  }

  /** A connection that reads what is on disk. */
  get reader(): Db {
    this.#reader ??= openForReading(this.dataDir)
    return this.#reader
  }

  /** Stores a key in a package of its own and opens its account. Returns the key's id, which is also its package's. */
  async addKey(terms: AccountTerms): Promise<string> {
    const id = this.newId()
    const key: Key = {
      id,
      name: id,
      owner: undefined,
      hash: hash('sha256', id, 'base64url'),
      hint: 'hint',
      packageId: id,
      storedStatus: 'active',
      expiresAtMs: undefined,
      createdAtMs: this.clock.nowMs,
    }
    const batch = this.ledger.open(id, terms)
    const changes = [
      { type: 'put-package', package: packageOf(id, terms) },
      { type: 'put-key', key },
    ] as const
    await this.writer.call('change', { changes, batch })
    return id
  }

  /** Edits the package of a key. */
  async changeTerms(keyId: string, terms: AccountTerms): Promise<void> {
    const changes = [{ type: 'put-package', package: packageOf(keyId, terms) }] as const
    await this.writer.call('change', { changes, batch: EMPTY })
    this.ledger.changeTerms(keyId, terms)
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
    return this.ledger.resolve(hold, settlement(chargeMicro))
  }

  topUp(keyId: string, amountMicro: number, id: string): Promise<void> {
    return this.ledger.topUp(keyId, { amountMicro: microCredits(amountMicro), reason: 'test', id })
  }

  newId(): string {
    ids += 1
    return `id-${ids}`
  }

  verify(): LedgerReport {
    return verifyLedger(this.reader)
  }

  rows<Row>(sql: string, ...parameters: (string | number)[]): Row[] {
    return this.reader.prepare(sql).all(...parameters) as Row[]
  }

  /** Ends the thread and keeps the folder. */
  async stop(): Promise<void> {
    this.#reader?.close()
    this.#reader = undefined
    await this.writer.close()
  }

  async remove(): Promise<void> {
    await this.stop()
    await rm(this.dataDir, { recursive: true, force: true })
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

function requestOf(exchangeId: string): Omit<HoldRequest, 'keyId'> {
  return { exchangeId, worstMicro: ZERO, isFree: false, modelId: 'm', priceVersion: 1 }
}

function packageOf(id: string, { packageType, creditsMicro, timeZone }: AccountTerms): Package {
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
