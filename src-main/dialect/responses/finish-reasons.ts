// Why a response is incomplete, both ways. One that is complete does not say why it ended.

import type { FinishReason } from '#dialect/part.ts'

/** `reason` is undefined for a response that is complete. */
export function readFinish(reason: string | undefined, hasToolCalls: boolean): FinishReason {
  if (reason === undefined) return hasToolCalls ? 'tool-calls' : 'stop'
  return reason === 'content_filter' ? 'content-filter' : 'length'
}

/** undefined for an answer that is complete. */
export function writeFinish(finish: FinishReason, hasCutCall: boolean): string | undefined {
  switch (finish) {
    case 'length':
    case 'context-window':
      return 'max_output_tokens'
    case 'content-filter':
      return 'content_filter'
    default:
      return hasCutCall ? 'max_output_tokens' : undefined
  }
}
