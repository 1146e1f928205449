// The books of a data folder as a start finds them, without starting more than the thread that opens them.

import { scriptFile } from '#config/program-files.ts'
import { DatabaseThread } from '#store/database-thread.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'

const WRITER = scriptFile('writer-thread')

/** What a start finds wrong, in words; also where it refuses to start. */
export async function foundAtStart(dataDir: string): Promise<string> {
  const writer = new DatabaseThread<WriterOperations>(WRITER, { dataDir })
  try {
    const { ledger } = await writer.call('load', { day: { fromMs: 0, toMs: 1 }, month: { fromMs: 0, toMs: 1 } })
    return ledger.mismatches.join('; ')
  } catch (error) {
    return String(error)
  } finally {
    await writer.close().catch(() => undefined)
  }
}
