// What a model generated in a message or a delta. Used for estimates only, where a provider reports no usage.

import { readReasoningDetails, thinkingText } from '#dialect/chat-completions/reasoning-details.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import { isRecord } from '#dialect/request-body.ts'

/** Adds what a message or a delta holds: content, reasoning, refusal, what was said aloud, names and arguments of tool calls. */
export function addGenerated(generated: GeneratedText, message: unknown): void {
  if (!isRecord(message)) return
  const { content, audio, tool_calls: toolCalls } = message
  if (Array.isArray(content)) for (const part of content) addPart(generated, part)
  else add(generated, content)
  addReasoning(generated, message)
  add(generated, message['refusal'])
  if (isRecord(audio)) add(generated, audio['transcript'])
  if (Array.isArray(toolCalls)) for (const call of toolCalls) addCall(generated, call)
  if (isRecord(message['function_call'])) addNamed(generated, message['function_call'])
}

/** Mistral's reasoning models mix parts of text and of thinking. */
function addPart(generated: GeneratedText, part: unknown): void {
  if (!isRecord(part)) return
  add(generated, part['text'])
  add(generated, thinkingText(part['thinking']))
}

/** Providers that send several of these members send the same text in all of them. */
function addReasoning(generated: GeneratedText, message: Readonly<Record<string, unknown>>): void {
  const texts = [message['reasoning_content'], message['reasoning']]
  const plain = texts.find((text) => typeof text === 'string' && text !== '')
  if (plain !== undefined) return add(generated, plain)
  const details = message['reasoning_details']
  if (Array.isArray(details)) for (const { text } of readReasoningDetails(details)) generated.add(text)
}

function addCall(generated: GeneratedText, call: unknown): void {
  if (!isRecord(call)) return
  const named = call['function'] ?? call['custom']
  if (isRecord(named)) addNamed(generated, named)
}

function addNamed(generated: GeneratedText, named: Readonly<Record<string, unknown>>): void {
  add(generated, named['name'])
  // Some servers send arguments as the object that they are.
  add(generated, isRecord(named['arguments']) ? textOf(named['arguments']) : named['arguments'])
  add(generated, named['input'])
}

function add(generated: GeneratedText, value: unknown): void {
  if (typeof value === 'string') generated.add(value)
}

/** An estimate needs no more of what is nested too deeply to be written; what passes it on goes on. */
function textOf(value: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}
