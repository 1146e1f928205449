// What a provider tells of a usage beside its classes: parts that it sells apart, what is not tokens, and the service tier. Most
// answers have none of it, and get nothing made for it.

import { FAST_TIER, servedTier, STANDARD_TIER } from '#core/service-tier.ts'
import { tokenCount, type CountedPart, type UsageDetails } from '#core/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Nothing but that the call was served as most are. */
const STANDARD: UsageDetails = { tier: STANDARD_TIER }

type Parts = Partial<Record<CountedPart, number | undefined>>

/** A bill of more than a thousand dollars for one answer is a mistake; sums of a day's calls stay whole numbers of 64 bits. */
const MAX_BILLED_NANO = 1_000_000_000_000
const NANO_PER_DOLLAR = 1_000_000_000
const TICKS_PER_NANO = 10

/**
 * What a usage object says that its answer costs, in billionths of a US dollar; undefined where it says nothing, or no amount.
 *
 * Sources: OpenRouter's `cost` in credits of one dollar (openrouter.ai/docs, usage accounting) and xAI's
 * `cost_in_usd_ticks`, ten thousand millionths of a dollar each (docs.x.ai/developers/cost-tracking), both read on 2026-11-24.
 */
function billedNanoOf(reported: JsonObject): number | undefined {
  const { cost, cost_in_usd_ticks: ticks } = reported
  if (typeof ticks === 'number') return amountIn(ticks / TICKS_PER_NANO)
  return typeof cost === 'number' ? amountIn(cost * NANO_PER_DOLLAR) : undefined
}

function amountIn(nano: number): number | undefined {
  const whole = Math.round(nano)
  return whole >= 0 && whole <= MAX_BILLED_NANO ? whole : undefined
}

/** The same details with what the usage object says of its cost, which most do not. */
export function withBilled(details: UsageDetails | undefined, reported: JsonObject): UsageDetails | undefined {
  const billedNano = billedNanoOf(reported)
  return billedNano === undefined ? details : { ...details, billedNano }
}

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
    billedNano: later.billedNano ?? before.billedNano,
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

/**
 * The tokens of a recording that stand beside the prompt and in the total alone, as at Mistral, which says how many seconds it heard;
 * undefined where all of the input is in the prompt.
 */
export function heardTokens(reported: JsonObject): number | undefined {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = reported
  if ((tokenCount(reported['prompt_audio_seconds']) ?? 0) === 0) return undefined
  const heard = (tokenCount(total) ?? 0) - (tokenCount(prompt) ?? 0) - (tokenCount(completion) ?? 0)
  return heard > 0 ? heard : undefined
}
