// The `usage` object of the responses format. OpenAI's convention: cached and cache-written tokens are part of
// `input_tokens`, reasoning is part of `output_tokens`.

import { tokenCount, type TokenUsage, type UsageDetails } from '#core/usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { splitUsage } from '#dialect/split-usage.ts'
import { answerTier, detailsOf, someTokens, withBilled } from '#dialect/usage-details.ts'

/**
 * Disjoint token classes of a reported usage; undefined if the value is not a usage object with any count. `response` is what it
 * stands in, which has the service tier and the searches.
 */
export function readResponsesUsage(reported: unknown, response?: JsonObject): TokenUsage | undefined {
  if (!isRecord(reported)) return undefined
  const input = tokenCount(reported['input_tokens'])
  const output = tokenCount(reported['output_tokens'])
  const total = tokenCount(reported['total_tokens'])
  if (input === undefined && output === undefined && total === undefined) return undefined
  const inputDetails = record(reported['input_tokens_details'])
  const outputDetails = record(reported['output_tokens_details'])
  const cacheRead = tokenCount(inputDetails['cached_tokens'])
  const cacheWrite = tokenCount(inputDetails['cache_write_tokens'])
  const reasoning = tokenCount(outputDetails['reasoning_tokens'])
  return {
    ...splitUsage({ input, cacheRead, cacheWrite, output, reasoning, total }),
    details: withBilled(responseDetails(response, inputDetails, outputDetails), reported),
  }
}

/** What most responses have none of: sound, pictures, searches, another tier. */
function responseDetails(
  response: JsonObject | undefined,
  input: JsonObject,
  output: JsonObject,
): UsageDetails | undefined {
  const input_audio = someTokens(input['audio_tokens'])
  const input_image = someTokens(input['image_tokens'])
  const output_audio = someTokens(output['audio_tokens'])
  const output_image = someTokens(output['image_tokens'])
  const isPlain = input_audio + input_image + output_audio + output_image === 0
  const parts = isPlain ? undefined : { input_audio, input_image, output_audio, output_image }
  return detailsOf(answerTier(response), parts, searchesIn(response?.['output']))
}

/** Each item is one call of the tool, which may also open a page that it found; only searches are sold. */
function searchesIn(output: unknown): number {
  if (!Array.isArray(output)) return 0
  let searches = 0
  for (const item of output) {
    if (!isRecord(item) || item['type'] !== 'web_search_call') continue
    const { action } = item
    if (!isRecord(action) || action['type'] === undefined || action['type'] === 'search') searches += 1
  }
  return searches
}

/**
 * The usage object of an answer. Counts that nobody knows are written as 0: strict readers lose the whole terminal event over
 * a missing number, or ask again for an answer that they already have.
 */
export function writeResponsesUsage(usage: TokenUsage) {
  const cacheRead = usage.cacheReadTokens ?? 0
  const input = (usage.inputTokens ?? 0) + cacheRead + (usage.cacheWriteTokens ?? 0)
  const output = usage.outputTokens ?? 0
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cacheRead,
      cache_write_tokens: usage.cacheWriteTokens ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: input + output,
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
