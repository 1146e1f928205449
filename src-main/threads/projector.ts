// Projects the journal into the database: what its frames say becomes entries, usage records, balances and roll-ups, many frames in one
// transaction, which also notes how far it came. So nothing is projected twice, and nothing is forgotten that has not been projected.

import { ledgerAppender } from '#ledger/entries.ts'
import { joinBatches } from '#ledger/batch-text.ts'
import type { LedgerBatch } from '#ledger/rows.ts'
import type { Db } from '#store/database.ts'
import { frameCounter, openJournal } from '#store/journal-open.ts'
import { errorCode } from '#store/files.ts'
import type { Frames, JournalReader } from '#store/journal-reader.ts'
import type { UsageRollups } from '#store/usage-rollups.ts'

/** Text of frames that one transaction projects, in characters: the pages that thousands of calls share are written once. */
const MAX_TRANSACTION_TEXT = 4 * 1024 * 1024

export type ProjectorInput = {
  readonly dataDir: string
  readonly db: Db
  readonly rollups: UsageRollups
  /** Runs a transaction, and says what became of so many entries. */
  readonly write: (transaction: () => void) => void
  readonly onProjected: (entries: number) => void
}

export class Projector {
  readonly #journal: JournalReader
  readonly #project: (frames: Frames) => number
  readonly #write: ProjectorInput['write']
  readonly #onProjected: ProjectorInput['onProjected']

  constructor({ dataDir, db, rollups, write, onProjected }: ProjectorInput) {
    this.#journal = openJournal(dataDir, db)
    this.#write = write
    this.#onProjected = onProjected
    const appendRows = appenderOf(db, rollups)
    const noteFrame = frameCounter(db)
    const project = db.transaction((frames: Frames) => {
      const batch = joinBatches(frames.texts)
      appendRows(batch)
      noteFrame(frames.last)
      return batch.entries.length
    })
    this.#project = (frames) => project.immediate(frames)
  }

  /** The number of the last frame that is in the tables. */
  get projected(): number {
    return this.#journal.projected
  }

  /**
   * Projects frames up to a number, or all that there are. Throws what the disk says, or why a frame does not fit, which is the one behind
   * those that are projected then; what was projected before that stays.
   */
  upTo(frame: number): void {
    let mostBytes = MAX_TRANSACTION_TEXT
    for (;;) {
      const frames = this.#journal.read({ upTo: frame, mostBytes })
      if (frames.texts.length === 0) return
      try {
        this.#take(frames)
      } catch (error) {
        if (!isMisfit(error) || frames.texts.length === 1) throw error
        // Which of them it is shows when they are taken one by one.
        mostBytes = 1
      }
    }
  }

  #take(frames: Frames): void {
    let entries = 0
    this.#write(() => {
      entries = this.#project(frames)
    })
    this.#journal.accept(frames)
    this.#onProjected(entries)
  }

  /** The highest number of a frame that the files hold, also behind a place where one is missing. */
  highestFrame(): number {
    return this.#journal.highest()
  }

  close(): void {
    this.#journal.close()
  }
}

/** Whether an error is about what a frame says. What the disk says has a code of its own. */
export function isMisfit(error: unknown): boolean {
  return /^(SQLITE_CONSTRAINT.*)?$/.test(errorCode(error))
}

/** Writes a batch inside the caller's transaction, and what is summed up of it. */
export function appenderOf(db: Db, rollups: UsageRollups): (batch: LedgerBatch) => void {
  const appendRows = ledgerAppender(db)
  return (batch) => rollups.add(appendRows(batch))
}
