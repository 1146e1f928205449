// The `usage` of Converse: as in messages, cached tokens are not part of `inputTokens`.

import { recordOf } from '#dialect/foreign-bodies.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The counts in the words of messages. */
export function messagesUsage(usage: unknown): JsonObject {
  const { inputTokens, cacheReadInputTokens, cacheWriteInputTokens, outputTokens, cacheDetails } = recordOf(usage)
  const writes = Array.isArray(cacheDetails) ? cacheDetails.map(recordOf) : []
  const hour = writes.find(({ ttl }) => ttl === '1h')
  return {
    input_tokens: inputTokens,
    cache_read_input_tokens: cacheReadInputTokens,
    cache_creation_input_tokens: cacheWriteInputTokens,
    output_tokens: outputTokens,
    ...(hour === undefined ? {} : { cache_creation: { ephemeral_1h_input_tokens: hour['inputTokens'] } }),
  }
}

/** A reason to stop in the words of messages, which are the same for most. */
export function messagesStopReason(reason: unknown): unknown {
  return reason === 'guardrail_intervened' || reason === 'content_filtered' ? 'refusal' : reason
}
