// The `usage` object of messages. Anthropic's convention: cached tokens are not part of `input_tokens`, reasoning is part of
// `output_tokens`.

import { FAST_TIER, servedTier } from '#core/service-tier.ts'
import { tokenCount, UNKNOWN_USAGE, type TokenUsage, type UsageDetails } from '#core/usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { detailsOf, laterDetails, someTokens, withBilled } from '#dialect/usage-details.ts'

/** Members of a usage object and of each of its iterations. */
const INPUT = 'input_tokens'
const CACHE_READ = 'cache_read_input_tokens'
const CACHE_WRITE = 'cache_creation_input_tokens'
const OUTPUT = 'output_tokens'

/** Disjoint token classes of a reported usage; undefined if the value is not a usage object with any count. */
export function readMessagesUsage(reported: unknown): TokenUsage | undefined {
  if (!isRecord(reported)) return undefined
  const iterations = billedIterations(reported['iterations'])
  const details = reported['output_tokens_details']
  const usage = {
    inputTokens: total(INPUT, reported, iterations),
    cacheReadTokens: total(CACHE_READ, reported, iterations),
    cacheWriteTokens: total(CACHE_WRITE, reported, iterations),
    outputTokens: total(OUTPUT, reported, iterations),
    reasoningTokens: isRecord(details) ? tokenCount(details['thinking_tokens']) : undefined,
    details: messagesDetails(reported, iterations),
  }
  return isCounted(usage) ? usage : undefined
}

function isCounted({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens }: TokenUsage) {
  return (inputTokens ?? cacheReadTokens ?? cacheWriteTokens ?? outputTokens ?? reasoningTokens) !== undefined
}

/** What most answers have none of: writes that are kept for an hour, searches, another tier. */
function messagesDetails(reported: JsonObject, iterations: readonly JsonObject[]): UsageDetails | undefined {
  const passes = iterations.length === 0 ? [reported] : iterations
  const hourly = passes.reduce((sum, { cache_creation: written }) => {
    return isRecord(written) ? sum + someTokens(written['ephemeral_1h_input_tokens']) : sum
  }, 0)
  const tools = reported['server_tool_use']
  const searches = isRecord(tools) ? someTokens(tools['web_search_requests']) : 0
  const tier = reported['speed'] === FAST_TIER ? FAST_TIER : servedTier(reported['service_tier'])
  const parts = hourly === 0 ? undefined : { cache_write_1h: hourly }
  return withBilled(detailsOf(tier, parts, searches), reported)
}

/** What `message_start` says: its output count is only that of the first token, so it is no count of the answer. */
export function readStartUsage(reported: unknown): TokenUsage | undefined {
  const usage = readMessagesUsage(reported)
  return usage === undefined ? undefined : { ...usage, outputTokens: undefined, reasoningTokens: undefined }
}

/** Counts of a stream are cumulative: each one that a later event gives replaces the earlier one, also where it is 0. */
export function laterUsage(earlier: TokenUsage | undefined, later: TokenUsage | undefined): TokenUsage | undefined {
  if (later === undefined) return earlier
  const before = earlier ?? UNKNOWN_USAGE
  return {
    inputTokens: later.inputTokens ?? before.inputTokens,
    cacheReadTokens: later.cacheReadTokens ?? before.cacheReadTokens,
    cacheWriteTokens: later.cacheWriteTokens ?? before.cacheWriteTokens,
    outputTokens: later.outputTokens ?? before.outputTokens,
    reasoningTokens: later.reasoningTokens ?? before.reasoningTokens,
    details: laterDetails(before.details, later.details),
  }
}

/** What one event says, with the input as it is known by then. Its output is its own: an older count says nothing about what came since. */
export function eventUsage(earlier: TokenUsage | undefined, event: TokenUsage | undefined): TokenUsage | undefined {
  const known = event === undefined ? undefined : laterUsage(earlier, event)
  return known && { ...known, outputTokens: event?.outputTokens, reasoningTokens: event?.reasoningTokens }
}

/** The usage object for a client. The format has no word for "unknown": such counts are 0. */
export function writeMessagesUsage(usage: TokenUsage): JsonObject {
  return {
    [INPUT]: usage.inputTokens ?? 0,
    [CACHE_WRITE]: usage.cacheWriteTokens ?? 0,
    [CACHE_READ]: usage.cacheReadTokens ?? 0,
    [OUTPUT]: usage.outputTokens ?? 0,
    ...(usage.reasoningTokens === undefined
      ? {}
      : { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }),
  }
}

/**
 * The passes that a request was answered in where the counts at the top leave some out: those of a compaction do. A fallback
 * to another model is counted at the top alone.
 */
function billedIterations(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return []
  const iterations = value.filter(isRecord)
  if (iterations.some((iteration) => iteration['type'] === 'fallback_message')) return []
  return iterations.filter((iteration) => iteration['type'] === 'message' || iteration['type'] === 'compaction')
}

function total(name: string, reported: JsonObject, iterations: readonly JsonObject[]): number | undefined {
  // Nearly every usage: nothing but a compaction was answered in passes.
  if (iterations.length === 0) return tokenCount(reported[name])
  const counts = iterations.map((iteration) => tokenCount(iteration[name])).filter((count) => count !== undefined)
  if (counts.length === 0) return tokenCount(reported[name])
  return tokenCount(counts.reduce((sum, count) => sum + count, 0))
}
