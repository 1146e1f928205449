// What becomes of a key's credits, in words.

import { printable, time } from '#cli/output.ts'
import type { KeyView } from '#contract/schemas.ts'

/** `12 left over`, `runs out 2026-12-03T10:00:00.000Z`; null where nobody knows or nothing bounds the key. */
export function outlookText({ balance, outlook }: KeyView): string | null {
  if (balance.remaining_credits !== null && balance.remaining_credits <= 0) return 'all used'
  if (outlook === null) return null
  if (outlook.runs_out_at !== null) return `runs out ${time(outlook.runs_out_at)}`
  return outlook.left_over_credits === null ? null : `${outlook.left_over_credits} left over`
}

/** A line for each key: `41.2 of 50, resets 2026-12-01T00:00:00.000Z, at this pace 12 left over`. */
export function creditLines(keys: readonly KeyView[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [printable(`credits of ${key.name}`), leftText(key)]))
}

function leftText(key: KeyView): string {
  const { remaining_credits: remaining, total_credits: total, next_reset_at: reset } = key.balance
  if (remaining === null || total === null) return 'unlimited'
  const outlook = outlookText(key)
  return [
    `${remaining} of ${total}`,
    ...(reset === null ? [] : [`resets ${time(reset)}`]),
    ...(outlook === null ? [] : [`at this pace ${outlook}`]),
  ].join(', ')
}
