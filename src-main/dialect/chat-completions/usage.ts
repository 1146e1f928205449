// The `usage` object of chat completions and of embeddings. OpenAI's convention: cached and cache-written tokens are part of
// `prompt_tokens`, reasoning is part of `completion_tokens`.

import { tokenCount, type TokenUsage, type UsageDetails } from '#core/usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { answerTier, detailsOf, someTokens, withBilled } from '#dialect/usage-details.ts'

/**
 * Disjoint token classes of a reported usage; undefined if the value is not a usage object with any count. `answer` is what it stands
 * in, which names the service tier.
 */
export function readUsage(reported: unknown, answer?: JsonObject): TokenUsage | undefined {
  if (!isRecord(reported)) return undefined
  const prompt = tokenCount(reported['prompt_tokens'])
  const completion = tokenCount(reported['completion_tokens'])
  const total = tokenCount(reported['total_tokens'])
  if (prompt === undefined && completion === undefined && total === undefined) return undefined
  const promptDetails = record(reported['prompt_tokens_details'])
  const completionDetails = record(reported['completion_tokens_details'])
  const cacheRead = tokenCount(promptDetails['cached_tokens']) ?? tokenCount(reported['prompt_cache_hit_tokens'])
  const cacheWrite = tokenCount(promptDetails['cache_write_tokens'])
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  // Providers that count cached tokens apart report more of them than prompt tokens; then nothing is subtracted.
  const isApart = prompt !== undefined && cached > prompt
  return {
    inputTokens: prompt === undefined || isApart ? prompt : prompt - cached,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    outputTokens: outputTokens(isApart ? prompt + cached : prompt, completion, total),
    reasoningTokens: tokenCount(completionDetails['reasoning_tokens']),
    details: chatDetails(reported, promptDetails, completionDetails, answer),
  }
}

/** What most answers have none of: sound, pictures, searches, another tier. Routers count searches in the words of messages. */
function chatDetails(
  reported: JsonObject,
  prompt: JsonObject,
  completion: JsonObject,
  answer: JsonObject | undefined,
): UsageDetails | undefined {
  const input_audio = someTokens(prompt['audio_tokens'])
  const input_image = someTokens(prompt['image_tokens'])
  const output_audio = someTokens(completion['audio_tokens'])
  const output_image = someTokens(completion['image_tokens'])
  const isPlain = input_audio + input_image + output_audio + output_image === 0
  const tools = reported['server_tool_use']
  const searches = isRecord(tools) ? someTokens(tools['web_search_requests']) : 0
  const parts = isPlain ? undefined : { input_audio, input_image, output_audio, output_image }
  return withBilled(detailsOf(answerTier(answer), parts, searches), reported)
}

/** xAI leaves reasoning out of `completion_tokens` but not out of the total, so the larger of the two is what is paid. */
function outputTokens(input: number | undefined, completion: number | undefined, total: number | undefined) {
  if (input === undefined || total === undefined) return completion
  return Math.max(completion ?? 0, total - input)
}

/** The usage object for a client; what nobody knows is left out of the details and adds nothing to the sums. */
export function writeUsage(usage: TokenUsage): JsonObject {
  const { cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  const prompt = (usage.inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  const completion = usage.outputTokens ?? 0
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cacheReadTokens === undefined && cacheWriteTokens === undefined
      ? {}
      : { prompt_tokens_details: { cached_tokens: cacheReadTokens ?? 0, cache_write_tokens: cacheWriteTokens } }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
