// Threads that read for long and are then done: a backup, a check of all books. Each has a connection of its own, so that
// neither calls nor reports wait for them, and ends with its work.

import { scriptFile } from '#config/program-files.ts'
import type { ReportOperations, ReportThreadData } from '#threads/report-thread.ts'
import { DatabaseThread, READER_LIMITS } from '#store/database-thread.ts'

type ReportThread = DatabaseThread<ReportOperations>

export class SideThreads {
  readonly #dataDir: string
  readonly #settle: () => Promise<void>
  readonly #running = new Set<ReportThread>()

  /** `settle` brings the tables up to date before anybody reads them. */
  constructor(dataDir: string, settle: () => Promise<void>) {
    this.#dataDir = dataDir
    this.#settle = settle
  }

  /** Starts a thread for some work and ends it afterwards. Rejects when the thread fails or is abandoned. */
  async run<Result>(work: (thread: ReportThread) => Promise<Result>): Promise<Result> {
    await this.#settle()
    const workerData: ReportThreadData = { dataDir: this.#dataDir, isPatient: true, readsOnce: true }
    const thread: ReportThread = new DatabaseThread(scriptFile('report-thread'), workerData, READER_LIMITS)
    this.#running.add(thread)
    try {
      const result = await work(thread)
      await thread.close()
      return result
    } finally {
      this.#running.delete(thread)
      await thread.abandon()
    }
  }

  /** Ends all of them in the middle of their work. */
  async abandon(): Promise<void> {
    await Promise.all([...this.#running].map((thread) => thread.abandon()))
  }
}
