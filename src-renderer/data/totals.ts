// What sums over calls say beside their amounts: shares and changes.

import type { Totals } from '#contract/reports.ts'
import { microOf } from '#renderer/data/money.ts'

/** In micro-credits. */
export function chargeOf(totals: Totals): bigint {
  return microOf(totals.charge_credits) ?? 0n
}

/** The part of the input that came out of a cache, 0 to 1; undefined where there was no input. */
export function cacheHitPart(totals: Totals): number | undefined {
  const input = totals.input_tokens + totals.cache_read_tokens + totals.cache_write_tokens
  return input === 0 ? undefined : totals.cache_read_tokens / input
}

export type Change = { readonly direction: 'up' | 'down'; readonly by: bigint }

/** By how much something changed; undefined where it did not. */
export function changeOf(now: bigint, before: bigint): Change | undefined {
  if (now === before) return undefined
  return now > before ? { direction: 'up', by: now - before } : { direction: 'down', by: before - now }
}
