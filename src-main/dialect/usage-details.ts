// What a provider tells of a usage beside its classes: parts that it sells apart, what is not tokens, and the service tier. Most
// answers have none of it, and get nothing made for it.

import { FAST_TIER, servedTier, STANDARD_TIER } from '#core/service-tier.ts'
import { tokenCount, type CountedPart, type UsageDetails } from '#core/usage.ts'

/** Nothing but that the call was served as most are. */
const STANDARD: UsageDetails = { tier: STANDARD_TIER }

type Parts = Partial<Record<CountedPart, number | undefined>>

/** The details of a usage, of which parts of 0 and counts of 0 are left out; undefined where nothing is left. */
export function detailsOf(
  tier: string | undefined,
  parts: Parts | undefined,
  searches: number | undefined,
): UsageDetails | undefined {
  const counted = parts && Object.entries(parts).filter(([, tokens]) => (tokens ?? 0) > 0)
  const isPlain = counted === undefined || counted.length === 0
  if (isPlain && (searches ?? 0) === 0) return tierDetails(tier)
  return {
    ...(isPlain ? {} : { parts: Object.fromEntries(counted) }),
    ...((searches ?? 0) === 0 ? {} : { units: { web_search: searches ?? 0 } }),
    ...(tier === undefined ? {} : { tier }),
  }
}

function tierDetails(tier: string | undefined): UsageDetails | undefined {
  if (tier === undefined) return undefined
  return tier === STANDARD_TIER ? STANDARD : { tier }
}

/** What later counts say, and of the rest what was said before. */
export function laterDetails(
  before: UsageDetails | undefined,
  later: UsageDetails | undefined,
): UsageDetails | undefined {
  if (before === undefined || later === undefined || before === later) return later ?? before
  return {
    parts: later.parts ?? before.parts,
    units: later.units ?? before.units,
    tier: later.tier ?? before.tier,
  }
}

/** The service tier that an answer in one of OpenAI's formats names. */
export function answerTier(answer: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const tier = servedTier(answer?.['service_tier'])
  // One tier of OpenAI's with two names. What Anthropic calls fast is another one.
  return tier === FAST_TIER ? 'priority' : tier
}

/** A count that most usages do not have. */
export function someTokens(value: unknown): number {
  return value === undefined || value === 0 ? 0 : (tokenCount(value) ?? 0)
}
