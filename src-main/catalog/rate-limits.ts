// Rate limits between how they are given, kept and shown.

import type { PackageView } from '#contract/schemas.ts'
import type { PackageLimits } from '#core/entities.ts'

type Given = { readonly [Name in keyof PackageView['limits']]?: number }

/** Limits are given as a whole: one that is left out is lifted. */
export function readRateLimits(input: Given): PackageLimits {
  return {
    requestsPerMinute: input.requests_per_minute,
    tokensPerMinute: input.tokens_per_minute,
    concurrentRequests: input.concurrent_requests,
  }
}

export function rateLimitsView(limits: PackageLimits): PackageView['limits'] {
  return {
    requests_per_minute: limits.requestsPerMinute ?? null,
    tokens_per_minute: limits.tokensPerMinute ?? null,
    concurrent_requests: limits.concurrentRequests ?? null,
  }
}
