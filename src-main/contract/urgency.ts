// Which keys somebody should look at first. Pure, for the server, the dashboard and the tray alike.

import type { KeyView } from '#contract/schemas.ts'

/** The keys that have credits, what runs out soonest first, then what has the least part left. */
export function byUrgency(keys: readonly KeyView[]): KeyView[] {
  return keys.filter(({ balance }) => balance.total_credits !== null).toSorted(compare)
}

function compare(one: KeyView, other: KeyView): number {
  return endOf(one) - endOf(other) || partLeft(one) - partLeft(other)
}

function endOf({ outlook }: KeyView): number {
  const at = outlook?.runs_out_at ?? null
  return at === null ? Number.MAX_SAFE_INTEGER : Date.parse(at)
}

function partLeft({ balance: { total_credits: total, remaining_credits: remaining } }: KeyView): number {
  return total === null || remaining === null || total === 0 ? 0 : remaining / total
}
