// The `usage` object of the responses format. OpenAI's convention: cached and cache-written tokens are part of
// `input_tokens`, reasoning is part of `output_tokens`.

import { tokenCount, type TokenUsage } from '#core/usage.ts'
import { isRecord } from '#dialect/request-body.ts'

/** Disjoint token classes of a reported usage; undefined if the value is not a usage object with any count. */
export function readResponsesUsage(reported: unknown): TokenUsage | undefined {
  if (!isRecord(reported)) return undefined
  const input = tokenCount(reported['input_tokens'])
  const output = tokenCount(reported['output_tokens'])
  const total = tokenCount(reported['total_tokens'])
  if (input === undefined && output === undefined && total === undefined) return undefined
  const inputDetails = record(reported['input_tokens_details'])
  const outputDetails = record(reported['output_tokens_details'])
  const cacheRead = tokenCount(inputDetails['cached_tokens'])
  const cacheWrite = tokenCount(inputDetails['cache_write_tokens'])
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  // Providers that count cached tokens apart report more of them than input tokens; then nothing is subtracted.
  const isApart = input !== undefined && cached > input
  return {
    inputTokens: input === undefined || isApart ? input : input - cached,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    outputTokens: outputTokens(isApart ? input + cached : input, output, total),
    reasoningTokens: tokenCount(outputDetails['reasoning_tokens']),
  }
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

/** Some leave reasoning out of `output_tokens` but not out of the total, so the larger of the two is what is paid. */
function outputTokens(input: number | undefined, output: number | undefined, total: number | undefined) {
  if (input === undefined || total === undefined) return output
  return Math.max(output ?? 0, total - input)
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
