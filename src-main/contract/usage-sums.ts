// The sums of usage, in the order in which files have them as columns. Plain data, so that the dashboard can carry it without the
// schemas.

import type { Totals } from '#contract/reports.ts'

/** The totals of an idle member, key or model. */
export const NO_TOTALS: Totals = {
  requests: 0,
  failed: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  charge_credits: 0,
  estimated_usage: 0,
  unknown_usage: 0,
}

// Object.keys forgets that the names are those of the sums.
export const SUM_COLUMNS = Object.keys(NO_TOTALS) as readonly (keyof Totals)[]
