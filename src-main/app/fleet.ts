// A gateway that shares its books with others: only where a shared database is named, so that one machine loads nothing of it.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { after } from '#app/after.ts'
import type { Stores } from '#app/stores.ts'
import { VERSION, type Config } from '#config/config.ts'
import type { Log } from '#core/log.ts'
import type { Fleet } from '#fleet/fleet.ts'
import { refuseAlone, type FleetErrand } from '#fleet/membership.ts'
import type { Clock } from '#pipeline/ports.ts'
import type { ReadReceipt } from '#server/gateway/receipts.ts'
import type { DatabaseThread } from '#store/database-thread.ts'
import type { StoredReceipt } from '#store/usage-rows.ts'
import type { WriterOperations } from '#threads/writer-thread.ts'

type FleetFrom = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly writer: DatabaseThread<WriterOperations>
  readonly stores: Stores
  readonly errand: FleetErrand | undefined
}

/** undefined where no shared database is named, which has to be named once there is one. It joins when it is told to begin. Throws CannotJoin. */
export async function openFleet({ config, log, clock, writer, stores, errand }: FleetFrom): Promise<Fleet | undefined> {
  const { databaseUrl: url, databasePasswordFile: passwordFile } = config
  const known = await writer.call('loadFleet', undefined)
  if (url === undefined) {
    refuseAlone(known)
    return undefined
  }
  const { Fleet } = await import('#fleet/fleet.ts')
  const { ledger, projection, recorded, newId } = stores
  const note = known ?? { gatewayId: newId(), booksId: undefined, version: 0 }
  if (known === undefined) await writer.call('keepFleet', note)
  return new Fleet({
    errand,
    url,
    password: () => (passwordFile === undefined ? undefined : readFileSync(passwordFile, 'utf8').trim()),
    place: `${hostname()}:${config.dataDir}`,
    program: VERSION,
    longestCallMs: config.upstreamTotalTimeoutMs,
    holdWaitMs: () => config.holdWaitMs,
    own: {
      note,
      keepNote: (changed) => writer.call('keepFleet', changed),
      async lastEntry() {
        await projection.upToDate()
        return writer.call('lastEntry', undefined)
      },
      async chargedAfter(range) {
        await projection.upToDate()
        return writer.call('chargedAfter', range)
      },
      async chargedLately(range) {
        const { isUpToDate: isCurrent } = projection
        return { ...(await writer.call('chargedAfter', range)), isCurrent }
      },
    },
    recorded,
    ledger,
    log,
    ...clock,
    after,
  })
}

/** Finds receipts of all gateways that share the books, and shows the others those of this one. */
export function fleetReceipts(fleet: Fleet | undefined, own: ReadReceipt): ReadReceipt {
  if (fleet === undefined) return own
  fleet.receipts.show(own)
  // What another gateway's `own` read.
  return async (id) => (await own(id)) ?? ((await fleet.receipts.find(id)) as StoredReceipt | undefined)
}
