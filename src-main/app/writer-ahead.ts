// The thread of the database, started by whoever knows that there will be an app before it is known on which folder.

import { scriptFile } from '#config/program-files.ts'
import { DatabaseThread, type ThreadAhead } from '#store/database-thread.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'

export type WriterAhead = ThreadAhead<WriterOperations>

export function writerAhead(): WriterAhead {
  return DatabaseThread.ahead(scriptFile('writer-thread'))
}
