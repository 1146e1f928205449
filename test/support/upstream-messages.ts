// Answers of the scripted provider in the messages format, as bytes. Pure and deterministic. The order of events is that of
// Anthropic's recorded streams: a ping after the first block has begun, an empty piece before a tool call's input, and the
// counts twice, where those of `message_delta` are the final ones.
import { MESSAGES_USAGE, type Content, type ProviderError, type ToolCall } from './upstream-behaviour.ts'
import {
  halvesOf,
  indented,
  modelOf,
  namedEvent,
  textOf,
  textPieces,
  withComments,
  wordsOf,
  type Asked,
  type Json,
  type StreamScript,
  type WireFormat,
} from './upstream-format.ts'

/** A content block: as a whole, as a stream opens it, and the deltas that fill it. */
type Block = { readonly whole: Json; readonly start: Json; readonly deltas: readonly Json[] }

const DEFAULT_SEAL = 'c2NyaXB0ZWQtc2lnbmF0dXJl'
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export const MESSAGES: WireFormat = {
  streams: ({ body }) => body.stream === true,
  whole: messageAnswer,
  events: (script, asked) => {
    const events = messageEvents(script, asked).map((event) => namedEvent(event, script))
    return withComments(events, script)
  },
  deltaMark: '"content_block_delta"',
  errorOf,
  errorBody,
  errorEvents: (error, _asked, script) => [namedEvent(errorBody(error), script)],
}

/** `POST /v1/messages/count_tokens`: the input tokens that an answer would report. */
export const TOKEN_COUNT: WireFormat = {
  ...MESSAGES,
  streams: () => false,
  whole: (script) => indented({ input_tokens: (script.usage ?? MESSAGES_USAGE).input_tokens }),
}

function messageAnswer(script: Content, asked: Asked): Buffer {
  const content = blocksOf(script).map((block) => block.whole)
  const usage = script.usage === null ? {} : { usage: script.usage ?? MESSAGES_USAGE }
  return indented({ ...envelope(script, asked), content, ...ending(script), ...usage })
}

function messageEvents(script: StreamScript, asked: Asked): Json[] {
  const blocks = blocksOf(script).flatMap(blockEvents)
  const [first, ...rest] = blocks
  const begun = first === undefined ? [{ type: 'ping' }] : [first, { type: 'ping' }, ...rest]
  const events: Json[] = [messageStart(script, asked), ...begun]
  if (!script.omit?.includes('finish')) events.push(messageDelta(script))
  if (!script.omit?.includes('done')) events.push({ type: 'message_stop' })
  return events
}

/** The first count of output tokens is a placeholder that must never be charged. */
function messageStart(script: StreamScript, asked: Asked): Json {
  const usage = script.startUsage ?? { ...(script.usage ?? MESSAGES_USAGE), output_tokens: 1 }
  const none = { stop_reason: null, stop_sequence: null, stop_details: null }
  const counted = script.usage === null || script.startUsage === null ? {} : { usage }
  return { type: 'message_start', message: { ...envelope(script, asked), content: [], ...none, ...counted } }
}

function messageDelta(script: StreamScript): Json {
  const usage = script.usage === null ? {} : { usage: script.usage ?? MESSAGES_USAGE }
  return { type: 'message_delta', delta: ending(script), ...usage }
}

function blockEvents({ start, deltas }: Block, index: number): Json[] {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

function blocksOf(script: Content): Block[] {
  const text = textOf(script)
  return [
    ...(script.reasoning === undefined ? [] : [thinkingBlock(script.reasoning, script.seal)]),
    ...(script.redactedReasoning === undefined ? [] : [redactedBlock(script.redactedReasoning)]),
    ...(text === undefined ? [] : [textBlock(text, textPieces(script))]),
    ...(script.toolCalls ?? []).map(toolBlock),
  ]
}

function thinkingBlock(thinking: string, seal: string | null = DEFAULT_SEAL): Block {
  const signed = seal === null ? [] : [{ type: 'signature_delta', signature: seal }]
  return {
    whole: { type: 'thinking', thinking, signature: seal ?? '' },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [...wordsOf(thinking).map((word) => ({ type: 'thinking_delta', thinking: word })), ...signed],
  }
}

function redactedBlock(data: string): Block {
  const whole = { type: 'redacted_thinking', data }
  return { whole, start: whole, deltas: [] }
}

function textBlock(text: string, pieces: readonly string[]): Block {
  return {
    whole: { type: 'text', text },
    start: { type: 'text', text: '' },
    deltas: pieces.map((piece) => ({ type: 'text_delta', text: piece })),
  }
}

function toolBlock(call: ToolCall): Block {
  const start = { type: 'tool_use', id: call.id, name: call.name, input: {} }
  const input: unknown = call.arguments === '' ? {} : JSON.parse(call.arguments)
  const pieces = ['', ...halvesOf(call.arguments)]
  const deltas = pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
  return { whole: { ...start, input }, start, deltas }
}

function envelope(script: Content, asked: Asked): Json {
  return { id: 'msg_scripted', type: 'message', role: 'assistant', model: modelOf(script, asked) }
}

function ending(script: Content): Json {
  const reason = script.finishReason ?? (script.toolCalls === undefined ? 'end_turn' : 'tool_use')
  const isRefusal = reason === 'refusal'
  return {
    stop_reason: script.stopSequence === undefined ? reason : 'stop_sequence',
    stop_sequence: script.stopSequence ?? null,
    stop_details: isRefusal ? { type: 'refusal', category: null, explanation: null } : null,
  }
}

function errorOf(status: number, message: string): ProviderError {
  return { type: ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message }
}

function errorBody(error: ProviderError): Json {
  return { type: 'error', error, request_id: 'req_scripted' }
}
