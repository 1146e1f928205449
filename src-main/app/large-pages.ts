// Reads the pages of providers' lists and reports: large ones in a thread that is started for each and ends with it, so that no call waits
// for what a provider says. The thread may take so much time and memory and no more.

import { Worker } from 'node:worker_threads'
import { readReportPage, type ReportPageOf } from '#bills/interfaces.ts'
import { scriptFile } from '#config/program-files.ts'
import { readListText, type ReadListText } from '#provider/listed-models.ts'

/** Copied to the thread. */
export type PageJob =
  | { readonly type: 'models'; readonly text: string; readonly place: Parameters<ReadListText>[1] }
  | { readonly type: 'report'; readonly text: string; readonly page: ReportPageOf }

/** What is shorter is read in a few hundredths of a second. */
const LARGE_LENGTH = 256 * 1024
const LIMIT_MS = 15_000
const MAX_HEAP_MB = 512

export const readModelPage: ReadListText = (text, { dialect, tellsPrices }) => {
  const place = { dialect, tellsPrices }
  if (text.length <= LARGE_LENGTH) return readListText(text, place)
  return inThread<ReturnType<typeof readListText>>({ type: 'models', text, place })
}

/** undefined for what is no page, or takes too much time or memory. */
export async function readBillPage(text: string, page: ReportPageOf): Promise<ReturnType<typeof readReportPage>> {
  if (text.length <= LARGE_LENGTH) return readReportPage(text, page)
  const read = await inThread<ReturnType<typeof readReportPage>>({ type: 'report', text, page })
  return read === 'too-large' ? undefined : read
}

function inThread<Result>(job: PageJob): Promise<Result | 'too-large'> {
  const { promise, resolve } = Promise.withResolvers<Result | 'too-large'>()
  const worker = new Worker(scriptFile('page-thread'), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  // The caller may be gone when the program ends.
  worker.unref()
  const limit = setTimeout(() => resolve('too-large'), LIMIT_MS).unref()
  worker.once('message', (result: Result) => resolve(result))
  worker.once('error', () => resolve('too-large'))
  worker.once('exit', () => resolve('too-large'))
  return promise.finally(() => {
    clearTimeout(limit)
    void worker.terminate()
  })
}
