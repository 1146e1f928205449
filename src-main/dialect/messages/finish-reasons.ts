// Why an answer ended, in the words of messages and in those of the hub.

import type { FinishReason } from '#dialect/part.ts'

/** What the reason depends on beside the provider's own. */
export type Ending = {
  readonly finish: FinishReason | undefined
  /** Whether a tool call came to its end: only then a client may run tools. */
  readonly hasToolCall: boolean
  readonly hasCutCall: boolean
  readonly hasRefusal: boolean
}

/** A client looks for tool calls only where the reason says so, and waits for ever where it says so without any. */
export function writeFinish({ finish, hasToolCall, hasCutCall, hasRefusal }: Ending): string {
  switch (finish) {
    case 'length':
    case 'context-window':
      return 'max_tokens'
    case 'content-filter':
      return 'refusal'
    case 'pause':
      return 'pause_turn'
    case 'stop-sequence':
    case 'stop':
    case 'tool-calls':
    case undefined: {
      if (hasToolCall) return 'tool_use'
      if (hasCutCall) return 'max_tokens'
      if (hasRefusal) return 'refusal'
      return finish === 'stop-sequence' ? 'stop_sequence' : 'end_turn'
    }
  }
}

/** Members that go with the reason; a refusal has details that some clients read without a check. */
export function stopMembers(reason: string, stopSequence: string | undefined) {
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (stopSequence ?? null) : null,
    stop_details: reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
  }
}

/** Some servers of this dialect say `end_turn` after tool calls (weave-os/router#250 for one). */
export function readFinish(reason: string | undefined, hasToolCall: boolean): FinishReason {
  switch (reason) {
    case 'max_tokens':
      return 'length'
    case 'model_context_window_exceeded':
      return 'context-window'
    case 'refusal':
      return 'content-filter'
    case 'pause_turn':
      return 'pause'
    case 'stop_sequence':
      return 'stop-sequence'
    case 'tool_use':
      return 'tool-calls'
    default:
      return hasToolCall ? 'tool-calls' : 'stop'
  }
}
