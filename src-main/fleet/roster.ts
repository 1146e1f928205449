// Who shares the books, as PostgreSQL knows it, and what is settled for those that do not come back.

import { FleetRefused } from '#core/fleet.ts'
import { aside, type Aside } from '#fleet/aside.ts'
import { FleetUnreachable } from '#fleet/connection.ts'
import type { RecentFigures } from '#fleet/recent-calls.ts'
import type { Seat } from '#fleet/seat.ts'

/** Amounts are in micro-credits, times in UTC epoch milliseconds. */
export type SeenGateway = {
  readonly id: string
  readonly place: string
  readonly program: string
  /** The last change of the catalogue that it made. */
  readonly applied: number
  readonly state: 'running' | 'silent' | 'gone' | 'stopped' | 'lost' | 'awaited'
  readonly seen_at: number
  /** When no call of it can run any more. */
  readonly free_at: number
  readonly leased: number
  readonly leases: number
  readonly charged: number
  readonly doubt: number
  readonly doubted_keys: number
  /** As it told them last; null of a gateway of an older program. */
  readonly figures: RecentFigures | null
}

export type Roster = {
  readonly gateways: readonly SeenGateway[]
  /** Of the catalogue. */
  readonly version: number
}

/** What was settled, or why nothing was: there is no such gateway, it was settled before, or calls of it may still run. */
export type Settlement =
  | { readonly type: 'settled'; readonly amountMicro: number }
  | { readonly type: 'unknown' | 'before' }
  | { readonly type: 'running'; readonly untilMs: number }

/** Throws FleetRefused where PostgreSQL cannot be asked. */
export async function rosterOf(seat: Seat, to: Aside): Promise<Roster> {
  const { gateways, version } = await asked(seat, to, ['fleet_view'])
  // What `fleet_view` makes of the tables.
  return { gateways: gateways as readonly SeenGateway[], version: Number(version) }
}

type Wanted = { readonly gatewayId: string; readonly how: 'charged' | 'free' }

/** Throws FleetRefused where PostgreSQL cannot be asked. */
export async function settle(seat: Seat, to: Aside, { gatewayId, how }: Wanted): Promise<Settlement> {
  const { error, amount, free_at: freeAt } = await asked(seat, to, ['settle', gatewayId, how])
  switch (error) {
    case undefined:
      return { type: 'settled', amountMicro: Number(amount) }
    case 'running':
      return { type: 'running', untilMs: Number(freeAt) }
    default:
      return { type: error === 'settled' ? 'before' : 'unknown' }
  }
}

/** Both go through all that was ever charged or left in doubt. */
async function asked(seat: Seat, to: Aside, [name, ...values]: readonly [string, ...string[]]) {
  if (!seat.isTaken) throw new FleetRefused('unreachable')
  try {
    return await aside(to, (connection) => connection.call(name, [seat.gatewayId, 0, ...values]))
  } catch (error) {
    throw error instanceof FleetUnreachable ? new FleetRefused('unreachable') : error
  }
}
