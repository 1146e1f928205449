// Reads the messages of a chat completion request into turns, one for each message and in their order.

import {
  cacheMarkOf,
  readParts,
  readResultContent,
  readSystemContent,
  readText,
  readUserContent,
  wrongType,
} from '#dialect/chat-completions/read-content.ts'
import { FunctionIds, readCalls } from '#dialect/chat-completions/read-calls.ts'
import { isGiven, type Notes } from '#dialect/chat-completions/notes.ts'
import { readReasoningDetails, thinkingText } from '#dialect/chat-completions/reasoning-details.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { AssistantContent, JsonObject, Turn } from '#dialect/turn.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']

export function readTurns(messages: unknown, notes: Notes): Turn[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    notes.wrong('messages', 'must be a non-empty array')
    return []
  }
  const ids = new FunctionIds()
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`
    const turn = isRecord(message) ? readTurn(message, param, ids, notes) : notes.wrong(param, 'must be an object')
    if (turn !== undefined) turns.push(turn)
    if (notes.problem !== undefined) break
  }
  return turns
}

function readTurn(message: JsonObject, param: string, ids: FunctionIds, notes: Notes): Turn | undefined {
  const path = `${param}.content`
  // A role `function` has its name for a reason; in others it only tells participants apart.
  if (message['role'] !== 'function' && isGiven(message['name'])) notes.drop('messages[].name')
  switch (message['role']) {
    case 'system':
    case 'developer':
      return { role: 'system', content: readSystemContent(markedContent(message), path, notes) }
    case 'user':
      return { role: 'user', content: readUserContent(markedContent(message), path, notes) }
    case 'assistant':
      return readAssistant(message, param, ids, notes)
    case 'tool':
      return readToolResult(message, param, notes)
    case 'function':
      return readFunctionResult(message, param, ids, notes)
    default:
      return notes.wrong(`${param}.role`, `must be one of ${ROLES.join(', ')}`)
  }
}

function readAssistant(message: JsonObject, param: string, ids: FunctionIds, notes: Notes): Turn {
  const content: AssistantContent[] = readReasoning(message)
  for (const part of readParts(markedContent(message), `${param}.content`, notes, (value, path) =>
    readAssistantPart(value, path, notes),
  )) {
    content.push(part)
  }
  const refusal = message['refusal']
  if (typeof refusal === 'string' && refusal !== '') content.push({ type: 'refusal', text: refusal })
  if (isGiven(message['audio'])) notes.drop('messages[].audio')
  const calls = readCalls(message, param, ids, notes)
  const mark = isGiven(message['content']) && message['content'] !== '' ? undefined : cacheMarkOf(message)
  for (const [index, call] of calls.entries()) {
    content.push(mark !== undefined && index === calls.length - 1 ? { ...call, cacheMark: mark } : call)
  }
  return { role: 'assistant', content }
}

function readAssistantPart(part: JsonObject, param: string, notes: Notes): AssistantContent | undefined {
  switch (part['type']) {
    case 'text':
      return readText(part, param, notes)
    case 'refusal': {
      const text = part['refusal']
      if (typeof text !== 'string') return notes.wrong(`${param}.refusal`, 'must be a string')
      return text === '' ? undefined : { type: 'refusal', text }
    }
    case 'thinking': {
      const text = thinkingText(part['thinking'])
      return text === '' ? undefined : { type: 'reasoning', text }
    }
    default:
      return wrongType(param, ['text', 'refusal'], notes)
  }
}

/** Details say more than the plain members, which repeat their text. */
function readReasoning(message: JsonObject): AssistantContent[] {
  const details = readReasoningDetails(message['reasoning_details'])
  const plain = firstText(message['reasoning_content'], message['reasoning'])
  const [only] = details
  if (only === undefined) return plain === '' ? [] : [{ type: 'reasoning', text: plain }]
  // Clients that kept the signature alone still have the text beside it.
  const isBare = details.length === 1 && only.text === '' && only.sealed?.origin !== 'messages-redacted'
  if (isBare && plain !== '') return [{ type: 'reasoning', text: plain, sealed: only.sealed }]
  return details.map(({ text, sealed }) => ({ type: 'reasoning', text, sealed }))
}

function readToolResult(message: JsonObject, param: string, notes: Notes): Turn | undefined {
  const callId = message['tool_call_id']
  if (typeof callId !== 'string' || callId === '') {
    return notes.wrong(`${param}.tool_call_id`, 'must name the tool call that this message answers')
  }
  const content = readResultContent(message['content'], `${param}.content`, notes)
  return { role: 'tool', results: [{ callId, content, isError: false, cacheMark: cacheMarkOf(message) }] }
}

function readFunctionResult(message: JsonObject, param: string, ids: FunctionIds, notes: Notes): Turn | undefined {
  const name = message['name']
  if (typeof name !== 'string' || name === '') {
    return notes.wrong(`${param}.name`, 'must name the function whose result this is')
  }
  const content = readResultContent(message['content'], `${param}.content`, notes)
  return { role: 'tool', results: [{ callId: ids.answered(name), content, isError: false }] }
}

/** The content with the message's own cache mark on its last part, which is what a mark on a message means. */
function markedContent(message: JsonObject): unknown {
  const { content, cache_control: mark } = message
  if (!isRecord(mark)) return content
  if (typeof content === 'string') return [{ type: 'text', text: content, cache_control: mark }]
  if (!Array.isArray(content)) return content
  const last: unknown = content.at(-1)
  return isRecord(last) ? [...content.slice(0, -1), { cache_control: mark, ...last }] : content
}

function firstText(...values: readonly unknown[]): string {
  return values.find((value) => typeof value === 'string' && value !== '')?.toString() ?? ''
}
