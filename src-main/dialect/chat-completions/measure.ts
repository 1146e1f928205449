// What a model generated in a message or a delta. Used for estimates only, where a provider reports no usage.

import type { GeneratedText } from '#dialect/generated-text.ts'
import { isRecord } from '#dialect/request-body.ts'

/** Adds what a message or a delta holds: content, reasoning, refusal, names and arguments of tool calls. */
export function addGenerated(generated: GeneratedText, message: unknown): void {
  if (!isRecord(message)) return
  add(generated, message['content'])
  // Providers that send both names send the same text in both.
  add(generated, message['reasoning_content'] ?? message['reasoning'])
  add(generated, message['refusal'])
  const toolCalls = message['tool_calls']
  if (Array.isArray(toolCalls)) {
    for (const call of toolCalls) if (isRecord(call)) addCall(generated, call['function'])
  }
  addCall(generated, message['function_call'])
}

function addCall(generated: GeneratedText, call: unknown): void {
  if (!isRecord(call)) return
  add(generated, call['name'])
  add(generated, call['arguments'])
}

function add(generated: GeneratedText, value: unknown): void {
  if (typeof value === 'string') generated.add(value)
}
