// What the ledger decides is durable once it is in the journal; the tables are projected from it later, in transactions that many calls
// share: within a second, or before somebody reads them.

import { batchText } from '#ledger/batch-text.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { JournalWriter } from '#store/journal-writer.ts'

/** How long something stands in the journal alone at the longest; where frames come one by one, no transaction is worth the wait. */
const PROJECT_AFTER_MS = 1000
const PROJECT_FEW_AFTER_MS = 100
/** Fewer frames than this, since the last time, come one by one. */
const FEW_FRAMES = 32
/** A journal that is this long is projected at once, in bytes. */
const LONG_BYTES = 8 * 1024 * 1024
/** Where projecting does not keep up, appending waits for it from here on, in bytes. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024

export type ProjectionOptions = {
  /** undefined where nothing may be appended. */
  readonly journal:
    | Pick<JournalWriter, 'append' | 'close' | 'fits' | 'lastFrame' | 'projectedFrame' | 'projected' | 'pendingBytes'>
    | undefined
  /** Resolves when the tables have everything up to a frame. */
  readonly project: (frame: number) => Promise<void>
  /** Writes a batch into the tables themselves. */
  readonly write: (batch: LedgerBatch) => Promise<void>
  readonly monotonicMs: () => number
}

export class Projection {
  readonly #journal: ProjectionOptions['journal']
  readonly #project: ProjectionOptions['project']
  readonly #write: ProjectionOptions['write']
  readonly #monotonicMs: () => number
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #patienceMs = PROJECT_FEW_AFTER_MS
  #hasFailed = false
  #isClosed = false

  constructor({ journal, project, write, monotonicMs }: ProjectionOptions) {
    this.#journal = journal
    this.#project = project
    this.#write = write
    this.#monotonicMs = monotonicMs
  }

  /** False where nothing is appended, because something of the ledger is missing. */
  get canAppend(): boolean {
    return this.#journal !== undefined
  }

  /** Whether the tables have everything that anybody was told of. */
  get isUpToDate(): boolean {
    return this.#journal === undefined || this.#journal.projectedFrame >= this.#journal.lastFrame
  }

  /**
   * Makes a batch durable. Resolves with how long that took, in milliseconds. Rejects where the disk refuses it, and also while the disk
   * refuses what was appended before: the journal's room is no more than a bridge. A batch that is too long for a frame goes straight into
   * the tables, behind all others.
   */
  async append(batch: LedgerBatch): Promise<number> {
    const journal = this.#journal
    if (this.#isClosed) throw new Error('the ledger is closed')
    if (journal === undefined) throw new Error('something of the ledger is missing, so nothing is added to it')
    if (this.#hasFailed || journal.pendingBytes > MAX_PENDING_BYTES) await this.upToDate()
    const startedMs = this.#monotonicMs()
    const text = batchText(batch)
    const isFrame = journal.fits(text)
    if (isFrame) await journal.append(text)
    else await this.#writeStraight(batch)
    const tookMs = this.#monotonicMs() - startedMs
    if (isFrame) this.#projectSoon(journal.pendingBytes > LONG_BYTES ? 0 : this.#patienceMs)
    return tookMs
  }

  /** Resolves when the tables have everything that anybody was told of until now. Rejects where the disk refuses it. */
  async upToDate(): Promise<void> {
    const wanted = this.#journal?.lastFrame ?? 0
    while (this.#journal !== undefined && this.#journal.projectedFrame < wanted) {
      this.#running ??= this.#run(this.#journal)
      await this.#running
    }
  }

  /** As far as the disk takes it: a reader sees what there is rather than nothing. */
  async settled(): Promise<void> {
    await this.upToDate().catch(() => undefined)
  }

  /** Nothing is appended any more. What is not projected yet, the writer thread projects when it ends. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#running?.catch(() => undefined)
    await this.#journal?.close()
  }

  async #writeStraight(batch: LedgerBatch): Promise<void> {
    await this.upToDate()
    await this.#write(batch)
  }

  async #run(journal: NonNullable<ProjectionOptions['journal']>): Promise<void> {
    const frame = journal.lastFrame
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      await this.#project(frame)
      this.#patienceMs = frame - journal.projectedFrame < FEW_FRAMES ? PROJECT_FEW_AFTER_MS : PROJECT_AFTER_MS
      journal.projected(frame)
      this.#hasFailed = false
    } catch (error) {
      this.#patienceMs = PROJECT_AFTER_MS
      this.#hasFailed = true
      throw error
    } finally {
      this.#running = undefined
      if (journal.projectedFrame < journal.lastFrame) this.#projectSoon(this.#patienceMs)
    }
  }

  #projectSoon(ms: number): void {
    if (this.#isClosed || this.#running !== undefined || (this.#timer !== undefined && ms > 0)) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.settled(), ms)
  }
}
