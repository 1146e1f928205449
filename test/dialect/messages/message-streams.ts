// Streams in the messages format as its providers send them, shortened from recordings, with what is in them.

import type { TokenUsage } from '#core/usage.ts'

export type Members = Readonly<Record<string, unknown>>

export type RecordedStream = {
  readonly name: string
  readonly text: string
  readonly usage: Partial<TokenUsage> | undefined
  /** Bytes of what the model wrote: text, thinking, names and inputs of tools. */
  readonly textBytes: number
}

export function event(type: string, members: Members = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
}

export const PING = 'event: ping\ndata: {"type": "ping"}\n\n'

export function messageStart(usage: Members = { input_tokens: 12, output_tokens: 1 }, id = 'msg_1'): string {
  const head = { id, type: 'message', role: 'assistant', model: 'claude-x', content: [] }
  return event('message_start', { message: { ...head, stop_reason: null, stop_sequence: null, usage } })
}

export function block(index: number, start: Members, ...deltas: readonly Members[]): string {
  const pieces = deltas.map((delta) => event('content_block_delta', { index, delta })).join('')
  return event('content_block_start', { index, content_block: start }) + pieces + event('content_block_stop', { index })
}

export function textBlock(index: number, ...pieces: readonly string[]): string {
  return block(index, { type: 'text', text: '' }, ...pieces.map((text) => ({ type: 'text_delta', text })))
}

export function thinkingBlock(index: number, thinking: string, signature: string): string {
  const deltas = thinking === '' ? [] : [{ type: 'thinking_delta', thinking }]
  const start = { type: 'thinking', thinking: '', signature: '' }
  return block(index, start, ...deltas, { type: 'signature_delta', signature })
}

export function toolBlock(index: number, id: string, name: string, ...pieces: readonly string[]): string {
  const deltas = pieces.map((json) => ({ type: 'input_json_delta', partial_json: json }))
  return block(index, { type: 'tool_use', id, name, input: {} }, ...deltas)
}

export function messageDelta(
  reason: string | null,
  usage: Members = { output_tokens: 20 },
  more: Members = {},
): string {
  return event('message_delta', { delta: { stop_reason: reason, stop_sequence: null, ...more }, usage })
}

export const STOP = event('message_stop')
export const TEXT_STREAM = messageStart() + textBlock(0, 'Grüße', ' aus 東京 🚀') + messageDelta('end_turn') + STOP

export const RECORDED: readonly RecordedStream[] = [
  {
    name: 'text',
    text: TEXT_STREAM,
    usage: { inputTokens: 12, outputTokens: 20 },
    textBytes: Buffer.byteLength('Grüße aus 東京 🚀'),
  },
  {
    name: 'pings in every place',
    text:
      messageStart() + PING + textBlock(0, 'Hi').replaceAll('\n\n', `\n\n${PING}`) + messageDelta('end_turn') + STOP,
    usage: { inputTokens: 12, outputTokens: 20 },
    textBytes: 2,
  },
  {
    name: 'thinking, text and two tools, one of them without arguments',
    text:
      messageStart({
        input_tokens: 5,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 7,
        output_tokens: 1,
      }) +
      thinkingBlock(0, 'Let me look.', 'c2ln') +
      textBlock(1, 'Looking.') +
      toolBlock(2, 'toolu_1', 'wx', '', '{"city": "K', 'öln"}') +
      toolBlock(3, 'toolu_2', 'now', '') +
      messageDelta('tool_use', { output_tokens: 41, output_tokens_details: { thinking_tokens: 9 } }) +
      STOP,
    usage: { inputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 7, outputTokens: 41, reasoningTokens: 9 },
    textBytes: Buffer.byteLength('Let me look.Looking.wx{"city": "Köln"}now'),
  },
  {
    name: 'input counted again in the last delta',
    text:
      messageStart({ input_tokens: 43, output_tokens: 1 }) +
      textBlock(0, 'Hi') +
      messageDelta('end_turn', { input_tokens: 61, output_tokens: 2 }) +
      STOP,
    usage: { inputTokens: 61, outputTokens: 2 },
    textBytes: 2,
  },
  {
    name: 'counts that are explicitly zero',
    text:
      messageStart({ input_tokens: 0, output_tokens: 0 }) +
      textBlock(0, 'Hi') +
      messageDelta('end_turn', { output_tokens: 0 }) +
      STOP,
    usage: { inputTokens: 0, outputTokens: 0 },
    textBytes: 2,
  },
  {
    name: 'a refusal without any block',
    text: messageStart() + PING + messageDelta('refusal', { output_tokens: 3 }) + STOP,
    usage: { inputTokens: 12, outputTokens: 3 },
    textBytes: 0,
  },
  {
    name: 'no usage at all',
    text: messageStart({}) + textBlock(0, 'Hi') + event('message_delta', { delta: { stop_reason: 'end_turn' } }) + STOP,
    usage: undefined,
    textBytes: 2,
  },
  {
    name: 'events of kinds that nobody knows yet',
    text:
      messageStart() +
      event('novelty', { value: 1 }) +
      block(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }) +
      textBlock(1, 'Hi') +
      messageDelta('end_turn') +
      STOP,
    usage: { inputTokens: 12, outputTokens: 20 },
    textBytes: 'web_searchHi'.length,
  },
  {
    name: 'lines that end in CR LF',
    text: TEXT_STREAM.replaceAll('\n', '\r\n'),
    usage: { inputTokens: 12, outputTokens: 20 },
    textBytes: Buffer.byteLength('Grüße aus 東京 🚀'),
  },
  {
    name: 'no blank line behind the last event',
    text: TEXT_STREAM.trimEnd(),
    usage: { inputTokens: 12, outputTokens: 20 },
    textBytes: Buffer.byteLength('Grüße aus 東京 🚀'),
  },
  {
    name: 'something behind its end',
    text: TEXT_STREAM + PING + textBlock(1, 'ignored'),
    usage: { inputTokens: 12, outputTokens: 20 },
    textBytes: Buffer.byteLength('Grüße aus 東京 🚀'),
  },
]
