// What went wrong in a request and is no refusal: mistakes of ours, said in the log and counted, and a disk that takes nothing, which is none.

import { diskProblem } from '#core/disk-failure.ts'
import type { Log } from '#core/log.ts'

export type Faults = {
  readonly faults: { readonly count: number }
  /** Without a request where none is served. */
  readonly reportFault: (error: unknown, requestId: string | undefined) => void
}

export function faultReporter(log: Log): Faults {
  const faults = { count: 0 }
  const reportFault: Faults['reportFault'] = (error, requestId) => {
    const problem = diskProblem(error)
    if (problem !== undefined) {
      const line = `${problem}: what ${requestId === undefined ? 'Farebox' : `request ${requestId}`} wrote is not on disk yet. Make room on the disk of the data folder.`
      return log(line, { event: 'disk_refused', level: 'error', fields: { request_id: requestId ?? null } })
    }
    faults.count += 1
    const fault = describeFault(error)
    const fields = { request_id: requestId ?? null, fault }
    const where = requestId === undefined ? 'outside of requests' : `in request ${requestId}`
    log(`fault ${where}: ${fault}`, { event: 'fault', level: 'error', fields })
  }
  return { faults, reportFault }
}

/** The kind and place of a mistake. Its message is left out: it could quote what a client sent. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'not an error'
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return `${error.name} ${place?.trim() ?? ''}`
}
