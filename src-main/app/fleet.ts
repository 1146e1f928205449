// A gateway that shares its books with others: only where a shared database is named, so that one machine loads nothing of it.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { after } from '#app/after.ts'
import type { Stores } from '#app/stores.ts'
import { VERSION, type Config } from '#config/config.ts'
import type { CycleKind } from '#core/cycle.ts'
import type { Log } from '#core/log.ts'
import { UNLIMITED, type PurseScope } from '#core/spending.ts'
import type { Fleet } from '#fleet/fleet.ts'
import { refuseAlone, type FleetErrand, type OwnUsage } from '#fleet/membership.ts'
import type { ExactLimits } from '#fleet/budget-share.ts'
import type { Clock } from '#pipeline/ports.ts'
import { namesOf, recordedView } from '#reports/usage-view.ts'
import type { LiveDeps, ShownCall } from '#server/gateway/live.ts'
import type { ReadReceipt } from '#server/gateway/receipts.ts'
import type { DatabaseThread } from '#store/database-thread.ts'
import { NO_SUMS } from '#store/usage-measures.ts'
import type { StoredReceipt } from '#store/usage-rows.ts'
import type { UntoldHours } from '#store/usage-telling.ts'
import type { WriterOperations } from '#threads/writer-operations.ts'

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
  const { databaseUrl: url, databasePasswordFile: passwordFile, databaseDurable, sharedLimits } = config
  const known = await writer.call('loadFleet', undefined)
  if (url === undefined) {
    refuseAlone(known)
    return undefined
  }
  const { Fleet } = await import('#fleet/fleet.ts')
  const { ledger, catalog, projection, recorded, newId } = stores
  const note = known ?? { gatewayId: newId(), booksId: undefined, version: 0, mark: undefined }
  if (known === undefined) await writer.call('keepFleet', note)
  return new Fleet({
    errand,
    url,
    password: () => (passwordFile === undefined ? undefined : readFileSync(passwordFile, 'utf8').trim()),
    place: `${hostname()}:${config.dataDir}`,
    program: VERSION,
    longestCallMs: config.upstreamTotalTimeoutMs,
    holdWaitMs: () => config.holdWaitMs,
    isKeptShared: databaseDurable === 'database',
    exact: sharedLimits === 'exact' ? exactLimits(stores) : undefined,
    own: {
      note,
      keepNote: (changed) => writer.call('keepFleet', changed),
      sightings: await writer.call('loadSightings', undefined),
      keepSightings: (rows) => writer.call('keepSightings', rows),
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
    usage: usageOf(writer, () => projection.settled()),
    recorded,
    shown: (record) => ({ keyId: record.keyId, view: recordedView(record, namesOf(record, catalog)) }),
    ledger,
    log,
    ...clock,
    after,
  })
}

/** Days and months of members and projects, and what was charged in the present ones before this start. */
function exactLimits({ catalog, timeZone, atStart: { charged, chargedOfProjects } }: Stores): ExactLimits {
  const sums = (scope: PurseScope, cycle: CycleKind, amounts: ReadonlyMap<string, number>) =>
    [...amounts].map(([owner, amountMicro]) => ({ scope, cycle, owner, amountMicro }))
  return {
    timeZone,
    limitsOf: (scope, owner) =>
      scope === 'member' ? catalog.limitsOfMember(owner) : (catalog.project(owner)?.limits ?? UNLIMITED),
    charged: [
      ...sums('member', 'daily', charged.byMember),
      ...sums('project', 'daily', chargedOfProjects.daily),
      ...sums('project', 'monthly', chargedOfProjects.monthly),
    ],
  }
}

/** What calls add up to, as gateways tell it each other. */
function usageOf(writer: FleetFrom['writer'], settled: () => Promise<void>): OwnUsage<UntoldHours['marks'][number]> {
  return {
    tell: (to) => writer.call('tellUsage', to),
    async untold(most) {
      await settled()
      return writer.call('untoldUsage', most)
    },
    told: (marks, seq) => writer.call('usageTold', { marks, seq }),
    positions: () => writer.call('elsewhere', undefined),
    take: (gateway, hours, upTo) =>
      writer.call('takeElsewhere', {
        gateway,
        upTo,
        hours: hours.map((hour) => ({ ...hour, sums: { ...NO_SUMS, ...hour.sums } })),
      }),
  }
}

/** The calls of the other gateways that share the books, as they end. */
export function fleetCalls(fleet: Fleet | undefined): LiveDeps['elsewhere'] {
  if (fleet === undefined) return undefined
  // What another gateway's `shown` made.
  return { listen: (listener) => fleet.calls.listen((calls) => listener(calls as readonly ShownCall[])) }
}

/** Finds receipts of all gateways that share the books, and shows the others those of this one. */
export function fleetReceipts(fleet: Fleet | undefined, own: ReadReceipt): ReadReceipt {
  if (fleet === undefined) return own
  fleet.receipts.show(own)
  // What another gateway's `own` read.
  return async (id) => (await own(id)) ?? ((await fleet.receipts.find(id)) as StoredReceipt | undefined)
}
