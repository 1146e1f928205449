// The threads that read the database for whoever asks. Each starts with its first question: most gateways are never asked some of them.
// What is asked is answered from everything that anybody was told of before.

import { scriptFile } from '#config/program-files.ts'
import type { RefusedCalls } from '#pipeline/refused-calls.ts'
import { DatabaseThread, READER_LIMITS } from '#store/database-thread.ts'
import type { FoundRefused } from '#store/refused-rows.ts'
import type { ReportOperations, ReportThreadData } from '#threads/report-thread.ts'

type ReadingThread = DatabaseThread<ReportOperations>
/** Brings the tables up to date, as far as the disk takes it. */
export type Settle = () => Promise<void>

export class ReadingThreads {
  readonly #dataDir: string
  readonly #settle: Settle
  #reports: ReadingThread | undefined
  #receipts: ReadingThread | undefined

  constructor(dataDir: string, settle: Settle) {
    this.#dataDir = dataDir
    this.#settle = settle
  }

  readonly reports = this.#asked(() => (this.#reports = inUse(this.#reports) ?? this.#start({ isPatient: true })))

  /** Receipts are asked for by clients, who must not wait for somebody's report. */
  readonly receipts = this.#asked(() => (this.#receipts = inUse(this.#receipts) ?? this.#start({ isPatient: false })))

  /** What was refused last is written first. */
  async findRefused(id: string, refused: Pick<RefusedCalls, 'write'>): Promise<FoundRefused | undefined> {
    await refused.write()
    return this.receipts.call('findRefused', id)
  }

  async close(): Promise<void> {
    await this.#reports?.close()
    await this.#receipts?.close()
  }

  #asked(thread: () => ReadingThread): Pick<ReadingThread, 'call'> {
    return {
      call: async (name, input) => {
        await this.#settle()
        return thread().call(name, input)
      },
    }
  }

  #start({ isPatient }: Pick<ReportThreadData, 'isPatient'>): ReadingThread {
    const workerData: ReportThreadData = { dataDir: this.#dataDir, isPatient, readsOnce: false }
    return new DatabaseThread(scriptFile('report-thread'), workerData, READER_LIMITS)
  }
}

/** A thread that could not begin, such as where no file descriptor was left, is not asked again. */
function inUse(thread: ReadingThread | undefined): ReadingThread | undefined {
  return thread?.hasEnded === true ? undefined : thread
}
