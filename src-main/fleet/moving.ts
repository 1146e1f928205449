// What moves a whole installation into the shared books, and out of them again, looks at: what is shared, and who is in the way.

import type { SharedChange } from '#catalog/shared.ts'
import type { SharedAccount } from '#fleet/connection.ts'
import { CannotJoin } from '#fleet/membership.ts'
import type { SeenGateway } from '#fleet/roster.ts'
import type { Seat } from '#fleet/seat.ts'

export type SharedState = {
  /** The change that the first gateway brought its catalogue with; undefined where nobody brought one. */
  readonly brought: SharedChange | undefined
  readonly accounts: readonly SharedAccount[]
  /** Whether it is used by another gateway, or was changed, since it was brought. */
  readonly isInUse: boolean
}

/** Rejects with FleetUnreachable. */
export function foundIn(seat: Seat): Promise<SharedState> {
  return seat.inTurn((connection) =>
    connection.patiently(async () => {
      const { changes, hasMore } = await connection.changesAfter(0)
      const [first, ...later] = changes
      const accounts = await connection.accounts()
      const { gateways } = await seat.say('fleet_view', [])
      // What a gateway's `publish` was given, and what `fleet_view` makes of the tables.
      const brought = first?.body as SharedChange | undefined
      const others = (gateways as readonly SeenGateway[]).filter(({ id }) => id !== seat.gatewayId)
      // One that was refused stands there too.
      const isInUse =
        hasMore || later.length > 0 || others.some(({ state, charged }) => state !== 'stopped' || charged > 0)
      return { brought, accounts, isInUse }
    }),
  )
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
