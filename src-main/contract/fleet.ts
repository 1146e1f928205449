// Gateways that share their books.

import { Type, type Static } from 'typebox'
import { NullableCount, strict, Timestamp } from '#contract/fields.ts'

/**
 * `silent`: not heard of for 15 seconds, and calls of it may still run; `gone`: none can run any more, and what it had leased is free again;
 * `stopped`: it ended as it should; `lost`: an administrator said that it does not come back; `awaited`: the shared database was restored from a backup
 * and lends no credits before this gateway has joined.
 */
const FleetState = Type.Enum(['running', 'silent', 'gone', 'stopped', 'lost', 'awaited'])

export const FleetGateway = strict({
  id: Type.String(),
  /** The machine and the data folder. */
  place: Type.String(),
  version: Type.String(),
  state: FleetState,
  /** Whether it is the one that answers. */
  is_this: Type.Boolean(),
  last_seen_at: Timestamp,
  /** When the last call of it has ended, should it not be heard of again. */
  calls_until: Timestamp,
  /** How many changes of the catalogue it has not made yet. */
  changes_behind: Type.Integer(),
  /** What it may spend by itself at the moment, and of how many keys. */
  leased_credits: Type.Number(),
  leased_keys: Type.Integer(),
  charged_credits: Type.Number(),
  /** What was taken back from it while nobody could say how much of it was charged. */
  doubt_credits: Type.Number(),
  doubt_keys: Type.Integer(),
  /** That have ended, and their times to the first byte of the provider; null where it does not run, or has not said it. */
  calls_last_minute: NullableCount,
  first_byte_p50_ms: NullableCount,
  first_byte_p95_ms: NullableCount,
})
export const FleetView = strict({
  /** False for a gateway by itself, which has nobody to list. */
  is_shared: Type.Boolean(),
  /** Whether the shared database was heard of lately enough for calls to be admitted. */
  is_serving: Type.Boolean(),
  /** The latest heard of first. */
  gateways: Type.Array(FleetGateway),
})
/** What becomes of what is in doubt: charged to the keys, or theirs as if nothing had been charged. */
export const FleetSettle = strict({ as: Type.Enum(['charged', 'free']) })
export const FleetSettled = strict({ id: Type.String(), as: Type.Enum(['charged', 'free']), credits: Type.Number() })

export type FleetGateway = Static<typeof FleetGateway>
export type FleetView = Static<typeof FleetView>
export type FleetSettle = Static<typeof FleetSettle>
export type FleetSettled = Static<typeof FleetSettled>
