// How much a model generated, in bytes of text. Used for estimates only, where a provider reports no usage.

import { isRecord } from '#dialect/request-body.ts'

/** Length of what a message or a delta holds: content, reasoning, refusal, names and arguments of tool calls. */
export function measureText(message: unknown): number {
  if (!isRecord(message)) return 0
  let length = lengthOf(message['content'])
  // Providers that send both names send the same text in both.
  length += lengthOf(message['reasoning_content'] ?? message['reasoning'])
  length += lengthOf(message['refusal'])
  const toolCalls = message['tool_calls']
  if (Array.isArray(toolCalls)) {
    for (const call of toolCalls) if (isRecord(call)) length += measureCall(call['function'])
  }
  return length + measureCall(message['function_call'])
}

function measureCall(call: unknown): number {
  return isRecord(call) ? lengthOf(call['name']) + lengthOf(call['arguments']) : 0
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}
