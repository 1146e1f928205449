// Sums of calls as the admin API shows them.

import type { Totals } from '#contract/reports.ts'
import { sumToCredits } from '#core/money.ts'
import type { Sums } from '#store/usage-measures.ts'

export function totalsView(sums: Sums): Totals {
  return {
    requests: sums.requests,
    failed: sums.failed,
    input_tokens: sums.input_tokens,
    cache_read_tokens: sums.cache_read_tokens,
    cache_write_tokens: sums.cache_write_tokens,
    output_tokens: sums.output_tokens,
    reasoning_tokens: sums.reasoning_tokens,
    charge_credits: sumToCredits(sums.charge_micro),
    estimated_usage: sums.estimated_usage,
    unknown_usage: sums.unknown_usage,
  }
}
