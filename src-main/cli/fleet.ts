// farebox fleet …

import { text } from '#cli/flags.ts'
import { printable, tableOf, time, view } from '#cli/output.ts'
import { plainVerb } from '#cli/plain-verbs.ts'
import { verb } from '#cli/verb.ts'
import type { FleetGateway, FleetView } from '#contract/fleet.ts'

const show = verb({
  name: 'fleet',
  usage: '',
  summary: 'lists the gateways that share their books, and how they are',
  flags: {},
  async run(client) {
    const fleet = await client.call('showFleet', {})
    return view(fleet, fleetText(fleet))
  },
})

const settle = plainVerb({
  name: 'fleet settle',
  usage: '--as charged|free',
  summary: 'says that a gateway is lost for good, and what becomes of what it left in doubt',
  operand: 'ID',
  flags: { as: text },
  action: 'settleGateway',
  says: ({ id, as, credits }) => {
    const became = as === 'charged' ? 'are charged' : 'stay with their keys'
    return `The gateway ${printable(id)} cannot come back. ${credits} credits that were in doubt ${became}.`
  },
})

export const FLEET_VERBS = [show, settle]

const STATES = {
  running: 'running',
  silent: 'silent',
  gone: 'gone',
  stopped: 'stopped',
  lost: 'lost for good',
  awaited: 'awaited after a restore',
} as const

function fleetText({ is_shared: isShared, is_serving: isServing, gateways }: FleetView): string {
  const columns = {
    PLACE: ({ place }: FleetGateway) => place,
    STATE: ({ state, is_this: isThis }: FleetGateway) => (isThis ? `${STATES[state]}, this one` : STATES[state]),
    VERSION: ({ version }: FleetGateway) => version,
    'LAST SEEN': ({ last_seen_at: at }: FleetGateway) => time(at),
    'CALLS/MIN': ({ calls_last_minute: calls }: FleetGateway) => calls,
    'FIRST BYTE': ({ first_byte_p50_ms: p50, first_byte_p95_ms: p95 }: FleetGateway) =>
      p50 === null ? null : `${p50}/${p95} ms`,
    BEHIND: ({ changes_behind: behind }: FleetGateway) => behind,
    KEYS: ({ leased_keys: keys }: FleetGateway) => keys,
    LEASED: ({ leased_credits: leased }: FleetGateway) => leased,
    CHARGED: ({ charged_credits: charged }: FleetGateway) => charged,
    'IN DOUBT': ({ doubt_credits: doubt }: FleetGateway) => doubt,
    ID: ({ id }: FleetGateway) => id,
  }
  if (!isShared) return 'This gateway shares its books with no other.'
  const list = tableOf(columns, gateways, 'No gateway has joined yet.')
  return isServing ? list : `${list}\n\nThe shared database was not heard of for a minute: no calls are admitted here.`
}
