// What providers report of images and sound: tokens in the words of OpenAI's newer endpoints, with the parts that are sold apart.

import { tokenCount, UNKNOWN_USAGE, type TokenUsage, type Units } from '#core/usage.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'
import { detailsOf, withBilled } from '#dialect/usage-details.ts'

/** The usage of an answer; one without tokens where none are reported. `units` is what else it came to. */
export function mediaUsage(reported: unknown, units: Units | undefined): TokenUsage {
  const usage = recordOf(reported)
  const input = tokenCount(usage['input_tokens'])
  const output = tokenCount(usage['output_tokens'])
  const ofInput = recordOf(usage['input_tokens_details'] ?? usage['input_token_details'])
  const ofOutput = recordOf(usage['output_tokens_details'] ?? usage['output_token_details'])
  const cached = Math.min(tokenCount(ofInput['cached_tokens']) ?? 0, input ?? 0)
  const parts = {
    input_image: tokenCount(ofInput['image_tokens']),
    input_audio: tokenCount(ofInput['audio_tokens']),
    output_image: tokenCount(ofOutput['image_tokens']),
    output_audio: tokenCount(ofOutput['audio_tokens']),
  }
  return {
    ...UNKNOWN_USAGE,
    inputTokens: input === undefined ? undefined : input - cached,
    ...(cached === 0 ? {} : { cacheReadTokens: cached }),
    outputTokens: output,
    details: withBilled({ ...detailsOf(undefined, parts, undefined), units }, usage),
  }
}
