// A provider's limits between their names in the admin API and in the program.

import type { ProviderCreate, ProviderView } from '#contract/providers.ts'
import type { ProviderLimits, ProviderTimeLimits } from '#core/entities.ts'
import { creditsToMicro, microToCredits } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

export function readLimits(input: ProviderCreate['limits']): ProviderLimits | Refusal {
  const { concurrent_requests, requests_per_minute, tokens_per_minute, credits_per_day } = input ?? {}
  const dailyMicro = credits_per_day === undefined ? undefined : creditsToMicro(credits_per_day)
  if (credits_per_day !== undefined && dailyMicro === undefined) {
    const message = "'credits_per_day' has more than six decimals."
    return refuse('invalid_request', message, { param: 'limits.credits_per_day' })
  }
  return {
    ...(concurrent_requests === undefined ? {} : { concurrentRequests: concurrent_requests }),
    ...(requests_per_minute === undefined ? {} : { requestsPerMinute: requests_per_minute }),
    ...(tokens_per_minute === undefined ? {} : { tokensPerMinute: tokens_per_minute }),
    ...(dailyMicro === undefined ? {} : { dailyMicro }),
  }
}

export function limitsView({
  concurrentRequests,
  requestsPerMinute,
  tokensPerMinute,
  dailyMicro,
}: ProviderLimits): ProviderView['limits'] {
  return {
    ...(concurrentRequests === undefined ? {} : { concurrent_requests: concurrentRequests }),
    ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokens_per_minute: tokensPerMinute }),
    ...(dailyMicro === undefined ? {} : { credits_per_day: microToCredits(dailyMicro) }),
  }
}

export function readTimeLimits(input: ProviderCreate['time_limits']): ProviderTimeLimits {
  const { connect_ms, first_byte_ms, silence_ms } = input ?? {}
  return {
    ...(connect_ms === undefined ? {} : { connectMs: connect_ms }),
    ...(first_byte_ms === undefined ? {} : { firstByteMs: first_byte_ms }),
    ...(silence_ms === undefined ? {} : { silenceMs: silence_ms }),
  }
}

export function timeLimitsView({ connectMs, firstByteMs, silenceMs }: ProviderTimeLimits): ProviderView['time_limits'] {
  return {
    ...(connectMs === undefined ? {} : { connect_ms: connectMs }),
    ...(firstByteMs === undefined ? {} : { first_byte_ms: firstByteMs }),
    ...(silenceMs === undefined ? {} : { silence_ms: silenceMs }),
  }
}
