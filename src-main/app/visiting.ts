// What remembers visits of the dashboard: loaded with the first, beside what other gateways tell of theirs.

import { Once } from '#app/once.ts'
import type { Parts } from '#app/parts.ts'
import type { ReadingThreads } from '#app/reading-threads.ts'
import type { Log } from '#core/log.ts'
import type { Fleet } from '#fleet/fleet.ts'
import type { SharedSessions } from '#server/sign-in/sessions.ts'
import type { Visits } from '#server/sign-in/visits.ts'
import type { DatabaseThread } from '#store/database-thread.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'

type VisitsFrom = { readonly log: Log; readonly parts: Parts; readonly writer: DatabaseThread<WriterOperations> }

export function visitsOf({ log, parts, writer }: VisitsFrom, reading: ReadingThreads): Once<Visits> {
  const { clock, context, calling } = parts
  return new Once(async () => {
    const { openVisits } = await import('#server/sign-in/visits.ts')
    const sharedSessions = await sessionsOf(calling.leases, clock.nowMs)
    return openVisits({
      ...context,
      ...clock,
      log,
      sharedSessions,
      load: () => writer.call('loadVisits', undefined),
      write: (changes) => writer.call('changeVisits', changes),
      readAudit: (filter) => reading.reports.call('audit', filter),
    })
  })
}

/** Loaded only where several gateways share their books. */
async function sessionsOf(fleet: Fleet | undefined, nowMs: () => number): Promise<SharedSessions | undefined> {
  if (fleet === undefined) return undefined
  const { FleetSessions } = await import('#app/shared-sessions.ts')
  return new FleetSessions(fleet, nowMs)
}
