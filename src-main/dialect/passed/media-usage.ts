// What providers report of images and sound: tokens in the words of OpenAI's newer endpoints, or of chat completions as at Mistral and vLLM,
// with the parts that are sold apart.

import { tokenCount, UNKNOWN_USAGE, type TokenUsage, type Units } from '#core/usage.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { detailsOf, heardTokens, withBilled } from '#dialect/usage-details.ts'

/** The usage of an answer; one without tokens where none are reported. `units` is what else it came to. */
export function mediaUsage(reported: unknown, units: Units | undefined): TokenUsage {
  const usage = recordOf(reported)
  const input = tokenCount(usage['input_tokens']) ?? promptTokens(usage)
  const output = tokenCount(usage['output_tokens']) ?? tokenCount(usage['completion_tokens'])
  const ofInput = recordOf(
    usage['input_tokens_details'] ?? usage['input_token_details'] ?? usage['prompt_tokens_details'],
  )
  const ofOutput = recordOf(usage['output_tokens_details'] ?? usage['output_token_details'])
  const cached = Math.min(tokenCount(ofInput['cached_tokens']) ?? 0, input ?? 0)
  const parts = {
    input_image: tokenCount(ofInput['image_tokens']),
    input_audio: tokenCount(ofInput['audio_tokens']) ?? heardTokens(usage),
    output_image: tokenCount(ofOutput['image_tokens']),
    output_audio: tokenCount(ofOutput['audio_tokens']),
  }
  return {
    ...UNKNOWN_USAGE,
    inputTokens: input === undefined ? undefined : input - cached,
    ...(cached === 0 ? {} : { cacheReadTokens: cached }),
    // Proxies write 0 everywhere where nobody counted.
    outputTokens: output === 0 && !input ? undefined : output,
    details: withBilled({ ...detailsOf(undefined, parts, undefined), units }, usage),
  }
}

function promptTokens(usage: JsonObject): number | undefined {
  const prompt = tokenCount(usage['prompt_tokens'])
  return prompt === undefined ? undefined : prompt + (heardTokens(usage) ?? 0)
}
