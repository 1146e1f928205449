// The threads that read the database for whoever asks. Each starts with its first question: most gateways are never asked some of them.

import { scriptFile } from '#config/program-files.ts'
import { DatabaseThread, READER_LIMITS } from '#store/database-thread.ts'
import type { ReportOperations, ReportThreadData } from '#threads/report-thread.ts'

export type ReadingThread = DatabaseThread<ReportOperations>

export class ReadingThreads {
  readonly #dataDir: string
  #reports: ReadingThread | undefined
  #receipts: ReadingThread | undefined

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  get reports(): ReadingThread {
    this.#reports ??= this.#start({ isPatient: true })
    return this.#reports
  }

  /** Receipts are asked for by clients, who must not wait for somebody's report. */
  get receipts(): ReadingThread {
    this.#receipts ??= this.#start({ isPatient: false })
    return this.#receipts
  }

  async close(): Promise<void> {
    await this.#reports?.close()
    await this.#receipts?.close()
  }

  #start({ isPatient }: Pick<ReportThreadData, 'isPatient'>): ReadingThread {
    const workerData: ReportThreadData = { dataDir: this.#dataDir, isPatient, readsOnce: false }
    return new DatabaseThread(scriptFile('report-thread'), workerData, READER_LIMITS)
  }
}
