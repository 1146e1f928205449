// What becomes of a key's credits: when they are renewed, and whether they last until then at the pace so far.

import type { KeyView } from '#contract/schemas.ts'
import { msOf } from '#renderer/data/times.ts'

export type Outlook = {
  /** When the credits are renewed; undefined: never. */
  readonly resetsAtMs: number | undefined
  readonly becomes:
    | { readonly type: 'unknown' }
    | { readonly type: 'used-up' }
    | { readonly type: 'left-over'; readonly credits: number }
    | { readonly type: 'runs-out'; readonly atMs: number }
    /** Until then last credits that nobody renews. */
    | { readonly type: 'lasts'; readonly untilMs: number }
}

type Balanced = Pick<KeyView, 'balance' | 'outlook'>

export function outlookOf({ balance, outlook }: Balanced): Outlook {
  const resetsAtMs = msOf(balance.next_reset_at)
  const said = (becomes: Outlook['becomes']) => ({ resetsAtMs, becomes })
  if (balance.remaining_credits !== null && balance.remaining_credits <= 0) return said({ type: 'used-up' })
  const runsOutMs = msOf(outlook?.runs_out_at)
  if (runsOutMs !== undefined) {
    return said(
      resetsAtMs === undefined ? { type: 'lasts', untilMs: runsOutMs } : { type: 'runs-out', atMs: runsOutMs },
    )
  }
  const left = outlook?.left_over_credits
  return said(left === undefined || left === null ? { type: 'unknown' } : { type: 'left-over', credits: left })
}
