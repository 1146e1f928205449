// The `usage` object of chat completions and of embeddings. OpenAI's convention: cached and cache-written tokens are part of
// `prompt_tokens`, reasoning is part of `completion_tokens`. Others count the same under names of their own: DeepSeek, Moonshot AI
// and Together cached tokens beside the details, Alibaba and LiteLLM in them what was written.

import { tokenCount, type TokenUsage, type UsageDetails } from '#core/usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { splitUsage } from '#dialect/split-usage.ts'
import { answerTier, detailsOf, heardTokens, someTokens, withBilled } from '#dialect/usage-details.ts'

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
  const cacheRead = countIn(
    [promptDetails, 'cached_tokens'],
    [reported, 'prompt_cache_hit_tokens'],
    [reported, 'cached_tokens'],
  )
  const cacheWrite = countIn(
    [promptDetails, 'cache_write_tokens'],
    [promptDetails, 'cache_creation_tokens'],
    [promptDetails, 'cache_creation_input_tokens'],
  )
  const reasoning = tokenCount(completionDetails['reasoning_tokens'])
  const input = prompt === undefined ? undefined : prompt + (heardTokens(reported) ?? 0)
  return {
    ...splitUsage({ input, cacheRead, cacheWrite, output: completion, reasoning, total }),
    details: chatDetails(reported, promptDetails, completionDetails, answer),
  }
}

/**
 * The counts of an answer, or of a chunk of a stream: its own, or, at Moonshot AI, those of its choice. Groq had them in a member of its
 * own before it had them where all others do.
 */
export function readAnswerUsage(answer: JsonObject): TokenUsage | undefined {
  const { usage, choices, x_groq: groq } = answer
  const own = readUsage(usage, answer)
  if (own !== undefined) return own
  for (const choice of Array.isArray(choices) ? choices : []) {
    const ofChoice = isRecord(choice) ? readUsage(choice['usage'], answer) : undefined
    if (ofChoice !== undefined) return ofChoice
  }
  return isRecord(groq) ? readUsage(groq['usage'], answer) : undefined
}

type CountPlace = readonly [members: JsonObject, name: string]

/** One number that stands in several places, or under another name: proxies write 0 into the place that they do not know. */
function countIn(...places: readonly CountPlace[]): number | undefined {
  const counts = places.map(([members, name]) => tokenCount(members[name])).filter((count) => count !== undefined)
  return counts.find((count) => count > 0) ?? counts[0]
}

/** What most answers have none of: sound, pictures, searches, another tier. Routers count searches in the words of messages. */
function chatDetails(
  reported: JsonObject,
  prompt: JsonObject,
  completion: JsonObject,
  answer: JsonObject | undefined,
): UsageDetails | undefined {
  const input_audio = someTokens(prompt['audio_tokens']) || (heardTokens(reported) ?? 0)
  const input_image = someTokens(prompt['image_tokens'])
  const output_audio = someTokens(completion['audio_tokens'])
  const output_image = someTokens(completion['image_tokens'])
  const written = prompt['cache_creation_token_details'] ?? prompt['cache_creation']
  const cache_write_1h = isRecord(written) ? someTokens(written['ephemeral_1h_input_tokens']) : 0
  const isPlain = input_audio + input_image + output_audio + output_image + cache_write_1h === 0
  const tools = reported['server_tool_use']
  const searches = isRecord(tools) ? someTokens(tools['web_search_requests']) : 0
  const parts = isPlain ? undefined : { input_audio, input_image, output_audio, output_image, cache_write_1h }
  return withBilled(detailsOf(answerTier(answer), parts, searches), reported)
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
