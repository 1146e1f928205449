// Which keys somebody should look at first. Pure, for the server, the dashboard and the tray alike.

import type { KeyView } from '#contract/schemas.ts'

/** The keys that have credits, what runs out soonest first, then what has the least part left. */
export function byUrgency(keys: readonly KeyView[]): KeyView[] {
  return keys
    .filter(({ balance }) => balance.total_credits !== null)
    .toSorted((one, other) => compareUrgency(urgencyOf(one), urgencyOf(other)))
}

export type Urgency = {
  /** When it runs out; null where that is not to be seen. */
  readonly endMs: number | null
  /** What there was, and what is left of it, in one unit. */
  readonly total: number | null
  readonly remaining: number | null
}

/** Below 0 where `one` comes before `other`. */
export function compareUrgency(one: Urgency, other: Urgency): number {
  return (
    (one.endMs ?? Number.MAX_SAFE_INTEGER) - (other.endMs ?? Number.MAX_SAFE_INTEGER) || partLeft(one) - partLeft(other)
  )
}

function urgencyOf({ outlook, balance }: KeyView): Urgency {
  const at = outlook?.runs_out_at ?? null
  const { total_credits: total, remaining_credits: remaining } = balance
  return { endMs: at === null ? null : Date.parse(at), total, remaining }
}

function partLeft({ total, remaining }: Urgency): number {
  return total === null || remaining === null || total === 0 ? 0 : remaining / total
}
