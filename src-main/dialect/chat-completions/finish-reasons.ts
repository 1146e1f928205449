// Finish reasons of chat completions, both ways.

import { UpstreamFailure } from '#core/failure.ts'
import type { FinishReason } from '#dialect/part.ts'

/** Reasons that mean that the answer broke off: OpenRouter's, vLLM's, DeepSeek's and Zhipu's. */
const BROKEN = new Set(['error', 'abort', 'insufficient_system_resource', 'network_error'])

/** Servers of open models say `stop` after tool calls too, so what was called decides. */
export function readFinish(reason: string, hasToolCalls: boolean): FinishReason {
  if (BROKEN.has(reason)) throw new UpstreamFailure('closed', 'The provider broke off its answer.')
  switch (reason.toLowerCase()) {
    case 'length':
    case 'max_tokens':
      return 'length'
    case 'model_length':
      return 'context-window'
    case 'content_filter':
    case 'sensitive':
      return 'content-filter'
    default:
      return hasToolCalls ? 'tool-calls' : 'stop'
  }
}

export type ChatFinish = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export function writeFinish(reason: FinishReason): ChatFinish {
  switch (reason) {
    case 'stop':
    case 'stop-sequence':
    case 'pause':
      return 'stop'
    case 'length':
    case 'context-window':
      return 'length'
    case 'tool-calls':
      return 'tool_calls'
    case 'content-filter':
      return 'content_filter'
  }
}
