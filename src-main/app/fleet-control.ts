// What administrators see of the gateways that share the books, and settle.

import { iso } from '#catalog/dates.ts'
import type { FleetGateway } from '#contract/fleet.ts'
import { sumToCredits } from '#core/money.ts'
import { refuse } from '#core/refusal.ts'
import type { Fleet } from '#fleet/fleet.ts'
import type { SeenGateway } from '#fleet/roster.ts'
import type { FleetControl } from '#server/admin/admin-deps.ts'

const ALONE = 'This gateway shares its books with no other.'

/** Of a gateway by itself where there is no fleet. */
export function fleetControl(fleet: Fleet | undefined): FleetControl {
  return {
    async view() {
      if (fleet === undefined) return { is_shared: false, is_serving: true, gateways: [] }
      const { isServing, gatewayId } = fleet
      const { gateways, version } = await fleet.roster()
      const views = gateways.map((seen) => gatewayView(seen, { gatewayId, version }))
      return { is_shared: true, is_serving: isServing, gateways: views }
    },
    async settle(id, how) {
      if (fleet === undefined) return refuse('conflict', ALONE)
      const settled = await fleet.settle(id, how)
      switch (settled.type) {
        case 'settled':
          return { id, as: how, credits: sumToCredits(settled.amountMicro) }
        case 'unknown':
          return refuse('not_found', 'There is no gateway with this id. `farebox fleet` lists them.')
        case 'before':
          return refuse('conflict', 'This was settled before.')
        case 'running': {
          const until = iso(settled.untilMs)
          return refuse('conflict', `Calls of this gateway may run until ${until}. Nothing is in doubt before then.`)
        }
      }
    },
  }
}

type Here = { readonly gatewayId: string; readonly version: number }

function gatewayView(seen: SeenGateway, { gatewayId, version }: Here): FleetGateway {
  const lately = seen.state === 'running' ? seen.figures : null
  return {
    id: seen.id,
    place: seen.place,
    version: seen.program,
    state: seen.state,
    is_this: seen.id === gatewayId,
    last_seen_at: iso(seen.seen_at),
    calls_until: iso(seen.free_at),
    changes_behind: Math.max(0, version - seen.applied),
    leased_credits: sumToCredits(seen.leased),
    leased_keys: seen.leases,
    charged_credits: sumToCredits(seen.charged),
    doubt_credits: sumToCredits(seen.doubt),
    doubt_keys: seen.doubted_keys,
    calls_last_minute: figureIn(lately?.calls),
    first_byte_p50_ms: figureIn(lately?.p50),
    first_byte_p95_ms: figureIn(lately?.p95),
  }
}

/** Somebody else may have written it. */
function figureIn(figure: unknown): number | null {
  return typeof figure === 'number' && figure >= 0 ? figure : null
}
