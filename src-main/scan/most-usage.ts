// One usage of two that a log has of the same call. Each line has what was known when it was written, and the lines come in any order:
// a conversation that was continued has its first ones again in a later file.

import type { TokenUsage, UsageDetails } from '#core/usage.ts'

/** The larger count of each class. */
export function mostOf(before: TokenUsage, later: TokenUsage): TokenUsage {
  return {
    inputTokens: larger(before.inputTokens, later.inputTokens),
    cacheReadTokens: larger(before.cacheReadTokens, later.cacheReadTokens),
    cacheWriteTokens: larger(before.cacheWriteTokens, later.cacheWriteTokens),
    outputTokens: larger(before.outputTokens, later.outputTokens),
    reasoningTokens: larger(before.reasoningTokens, later.reasoningTokens),
    details: detailsOf(before.details, later.details),
  }
}

function detailsOf(before: UsageDetails | undefined, later: UsageDetails | undefined): UsageDetails | undefined {
  if (before === undefined || later === undefined) return later ?? before
  return {
    parts: largest(before.parts, later.parts),
    units: largest(before.units, later.units),
    tier: later.tier ?? before.tier,
  }
}

function largest<Counts extends Readonly<Record<string, number>>>(
  before: Counts | undefined,
  later: Counts | undefined,
): Counts | undefined {
  if (before === undefined || later === undefined) return later ?? before
  const most = Object.entries(before).map(([name, count]) => [name, larger(count, later[name])])
  return { ...later, ...(Object.fromEntries(most) as Counts) }
}

function larger(before: number | undefined, later: number | undefined): number | undefined {
  return before === undefined || later === undefined ? (later ?? before) : Math.max(before, later)
}
