// What moves a whole installation into the shared books, and out of them again, looks at: what is shared, and who is in the way.

import type { SharedChange } from '#catalog/shared.ts'
import type { Connection, SharedAccount } from '#fleet/connection.ts'
import { CannotJoin } from '#fleet/membership.ts'
import type { SeenGateway } from '#fleet/roster.ts'
import type { Seat } from '#fleet/seat.ts'

export type SharedState = {
  /** Rows of the catalogue that the first gateway brought, in their order; undefined where nobody brought one. */
  readonly brought: SharedChange['rows'] | undefined
  readonly accounts: readonly SharedAccount[]
  /** Whether it is used by another gateway, or was changed, since it was brought. */
  readonly isInUse: boolean
}

/** Rejects with FleetUnreachable. */
export function foundIn(seat: Seat): Promise<SharedState> {
  return seat.inTurn((connection) =>
    connection.patiently(async () => {
      const { rows: brought, isChanged } = await broughtIn(connection)
      const accounts = await connection.accounts()
      const { gateways } = await seat.say('fleet_view', [])
      // What `fleet_view` makes of the tables.
      const others = (gateways as readonly SeenGateway[]).filter(({ id }) => id !== seat.gatewayId)
      // One that was refused stands there too.
      const isInUse = isChanged || others.some(({ state, charged }) => state !== 'stopped' || charged > 0)
      return { brought, accounts, isInUse }
    }),
  )
}

/** What the first transaction of all brought, be it one change or more, and whether anything was changed after it. */
async function broughtIn(connection: Connection) {
  const rows: SharedChange['rows'][number][] = []
  let mark: string | undefined
  for (let [version, hasMore] = [0, true]; hasMore;) {
    const page = await connection.changesAfter(version)
    mark ??= page.changes[0]?.mark
    for (const change of page.changes) {
      if (change.mark !== mark) return { rows, isChanged: true }
      // What a gateway's `publish` was given.
      for (const row of (change.body as SharedChange).rows) rows.push(row)
      version = change.version
    }
    hasMore = page.hasMore
  }
  return { rows: mark === undefined ? undefined : rows, isChanged: false }
}

const IN_THE_WAY = {
  doubt:
    'A gateway that did not come back left something in doubt. Start it, or say what becomes of it with `farebox fleet settle`, and then take the balances back.',
  leased: 'Something is still leased. Wait a moment, and try again.',
} as const

/** Rejects with CannotJoin where somebody is in the way, and with FleetUnreachable. */
export async function handBack(seat: Seat, follow: () => Promise<void>): Promise<void> {
  for (;;) {
    const { error, places } = await seat.inTurn(() => seat.say('hand_back', [seat.version]))
    switch (error) {
      case undefined:
        return
      case 'stale':
        await follow()
        break
      case 'others': {
        // What `hand_back` answers then.
        const list = (places as readonly string[]).join(', ')
        throw new CannotJoin(
          `Other gateways share these books: ${list}. Stop them first; of one that is lost say so with \`farebox fleet settle\`.`,
        )
      }
      default:
        throw new CannotJoin(IN_THE_WAY[error === 'doubt' ? 'doubt' : 'leased'])
    }
  }
}
