// Small readers of what clients get: the stream or the whole answer of each format as one value, so that both can be held
// against what the provider sent. They are stricter than most clients and share no code with the writers.

import type { ClientFormat } from '#dialect/dialects.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import type { BlockKind, Finish } from './answers/fixture.ts'

export type Seen = {
  /** Not for chat completions, where an answer has no order. */
  readonly blocks: readonly BlockKind[] | undefined
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly tools: readonly { readonly name: string; readonly arguments: unknown }[]
  readonly finish: Finish | undefined
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number }
}

type Growing = {
  blocks: BlockKind[]
  text: string
  reasoning: string
  refusal: string
  tools: { name: string; text: string }[]
}

export type Event = { readonly name: string | undefined; readonly data: string }

export function eventsOf(text: string): Event[] {
  if (text === '') return []
  if (!text.endsWith('\n\n')) throw new Error('the stream does not end with an event')
  return text
    .slice(0, -2)
    .split('\n\n')
    .flatMap((event) => {
      const lines = event.split('\n')
      const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6))
      const name = lines.find((line) => line.startsWith('event: '))?.slice(7)
      if (lines.some((line) => !/^(data|event): /.test(line))) throw new Error(`not an event: ${event}`)
      return data.length === 0 ? [] : [{ name, data: data.join('\n') }]
    })
}

export function foldStream(client: ClientFormat, text: string): Seen {
  const events = eventsOf(text)
  switch (client) {
    case 'chat':
      return foldChatStream(events)
    case 'messages':
      return foldMessagesStream(events)
    case 'responses':
      return foldResponsesStream(events)
    case 'gemini':
      return foldGemini(events.map(({ data }) => record(JSON.parse(data))))
  }
}

export function foldWhole(client: ClientFormat, text: string): Seen {
  const answer = record(parseJson(text))
  switch (client) {
    case 'chat':
      return foldChatWhole(answer)
    case 'messages':
      return foldMessagesWhole(answer)
    case 'responses':
      return foldResponse(answer)
    case 'gemini':
      return foldGemini([answer])
  }
}

/** A whole answer is a stream of one chunk. Where one text ends and the next begins no client can see. */
function foldGemini(chunks: readonly JsonObject[]): Seen {
  const seen = nothing()
  let finish: unknown
  let usage: JsonObject = {}
  for (const chunk of chunks) {
    if (chunk['error'] !== undefined) throw new Error('an error in a complete stream')
    usage = record(chunk['usageMetadata'])
    for (const candidate of list(chunk['candidates'])) {
      if (finish !== undefined) throw new Error('a chunk came after the finish reason')
      const parts = list(record(candidate['content'])['parts'])
      if (parts.length === 0) throw new Error('a content without parts')
      for (const part of parts) addGeminiPart(seen, part)
      finish = candidate['finishReason']
    }
  }
  const stopped: Finish = seen.tools.length > 0 ? 'tools' : 'stop'
  const ends: Readonly<Record<string, Finish>> = { STOP: stopped, MAX_TOKENS: 'length', SAFETY: 'filter' }
  const output = count(usage['candidatesTokenCount']) + count(usage['thoughtsTokenCount'])
  const input = count(usage['promptTokenCount'])
  if (usage['totalTokenCount'] !== input + output) throw new Error('the total is not the sum')
  const cached = count(usage['cachedContentTokenCount'])
  return done(seen, { blocks: seen.blocks, finish: ends[String(finish)], usage: { input, cached, output } })
}

function addGeminiPart(seen: Growing, part: JsonObject): void {
  const call = part['functionCall']
  if (isRecord(call)) {
    seen.blocks.push('tool')
    if (textOf(call['id']) === '') throw new Error('a call without its id')
    seen.tools.push({ name: textOf(call['name']), text: JSON.stringify(call['args']) })
    return
  }
  const text = textOf(part['text'])
  const kind = part['thought'] === true ? 'reasoning' : 'text'
  const last = seen.blocks.at(-1)
  if (text === '' && last !== kind && part['thoughtSignature'] !== undefined) seen.blocks.push('seal')
  if (text === '') return
  if (last !== kind) seen.blocks.push(kind)
  if (kind === 'text') seen.text += text
  else seen.reasoning += text
}

function foldChatStream(events: readonly Event[]): Seen {
  const seen = nothing()
  let finish: unknown
  let usage: JsonObject = {}
  if (events.at(-1)?.data !== '[DONE]') throw new Error('a chat stream must end with [DONE]')
  for (const { data } of events.slice(0, -1)) {
    const chunk = record(JSON.parse(data))
    if (isRecord(chunk['usage'])) usage = chunk['usage']
    for (const choice of list(chunk['choices'])) {
      const delta = record(choice['delta'])
      seen.text += textOf(delta['content'])
      seen.reasoning += textOf(delta['reasoning_content'])
      seen.refusal += textOf(delta['refusal'])
      for (const call of list(delta['tool_calls'])) addChatCall(seen, call, Number(call['index']))
      if (finish !== undefined && finish !== null) throw new Error('a delta came after the finish reason')
      finish = choice['finish_reason']
    }
  }
  return done(seen, { blocks: undefined, finish: CHAT_FINISH[String(finish)], usage: chatUsage(usage) })
}

function addChatCall(seen: Growing, call: JsonObject, index: number): void {
  const inner = record(call['function'])
  if (index === seen.tools.length) {
    if (textOf(call['id']) === '' || call['type'] !== 'function') throw new Error('a tool call begins without its id')
    seen.tools.push({ name: textOf(inner['name']), text: '' })
  } else if (index !== seen.tools.length - 1) throw new Error(`tool call ${index} is not the last one`)
  const last = seen.tools.at(-1)
  if (last !== undefined) last.text += textOf(inner['arguments'])
}

function foldChatWhole(answer: JsonObject): Seen {
  const seen = nothing()
  const [choice = {}] = list(answer['choices'])
  const message = record(choice['message'])
  seen.text = textOf(message['content'])
  seen.reasoning = textOf(message['reasoning_content'])
  seen.refusal = textOf(message['refusal'])
  for (const [index, call] of list(message['tool_calls']).entries()) addChatCall(seen, call, index)
  const finish = CHAT_FINISH[String(choice['finish_reason'])]
  return done(seen, { blocks: undefined, finish, usage: chatUsage(record(answer['usage'])) })
}

const CHAT_FINISH: Readonly<Record<string, Finish>> = {
  stop: 'stop',
  tool_calls: 'tools',
  length: 'length',
  content_filter: 'filter',
}

function chatUsage(usage: JsonObject): Seen['usage'] {
  const cached = record(usage['prompt_tokens_details'])['cached_tokens']
  return { input: count(usage['prompt_tokens']), cached: count(cached), output: count(usage['completion_tokens']) }
}

function foldMessagesStream(events: readonly Event[]): Seen {
  const seen = nothing()
  let usage: JsonObject = {}
  let reason: unknown
  let blocks = 0
  let open: string | undefined
  let before = ''
  for (const [position, { name, data }] of events.entries()) {
    const event = record(JSON.parse(data))
    const { type } = event
    if (name !== type) throw new Error(`the event ${String(type)} has the name ${String(name)}`)
    if ((position === 0) !== (type === 'message_start')) throw new Error('message_start must come first and once')
    if (type === 'message_start') usage = record(record(event['message'])['usage'])
    if (type === 'content_block_start') {
      if (open !== undefined || event['index'] !== blocks) throw new Error('blocks overlap, or have gaps')
      open = openMessagesBlock(seen, record(event['content_block']))
      blocks += 1
    }
    if (type === 'content_block_delta') {
      if (event['index'] !== blocks - 1) throw new Error('a delta is not of the open block')
      addMessagesDelta(seen, open, record(event['delta']))
    }
    if (type === 'content_block_stop') {
      if (open === undefined || event['index'] !== blocks - 1) throw new Error('a stop is not of the open block')
      if (open !== 'tool_use' && open !== 'text' && seen.reasoning === before) sealLast(seen)
      before = seen.reasoning
      open = undefined
    }
    if (type === 'message_delta') {
      if (open !== undefined) throw new Error('a block is still open at the end')
      reason = record(event['delta'])['stop_reason']
      usage = { ...usage, ...record(event['usage']) }
    }
    if (type === 'error') throw new Error('an error event in a complete stream')
  }
  if (events.at(-1)?.name !== 'message_stop') throw new Error('a message must end with message_stop')
  return done(seen, { blocks: seen.blocks, finish: MESSAGES_FINISH[String(reason)], usage: messagesUsage(usage) })
}

function openMessagesBlock(seen: Growing, block: JsonObject): string {
  const type = String(block['type'])
  const kind = MESSAGES_KINDS[type]
  if (kind === undefined) throw new Error(`an unknown block: ${type}`)
  seen.blocks.push(kind)
  if (type === 'text' && block['text'] !== '') throw new Error('a text block must begin empty')
  if (type === 'thinking' && block['thinking'] !== '') throw new Error('a thinking block must begin empty')
  if (type === 'tool_use') seen.tools.push({ name: textOf(block['name']), text: '' })
  return type
}

function addMessagesDelta(seen: Growing, open: string | undefined, delta: JsonObject): void {
  const fits = { text_delta: 'text', citations_delta: 'text', thinking_delta: 'thinking', signature_delta: 'thinking' }
  const wanted = { ...fits, input_json_delta: 'tool_use' }[String(delta['type'])]
  if (wanted !== open) throw new Error(`a ${String(delta['type'])} in a block of type ${String(open)}`)
  seen.text += textOf(delta['text'])
  seen.reasoning += textOf(delta['thinking'])
  const last = seen.tools.at(-1)
  if (last !== undefined && open === 'tool_use') last.text += textOf(delta['partial_json'])
}

function foldMessagesWhole(answer: JsonObject): Seen {
  const seen = nothing()
  for (const block of list(answer['content'])) {
    const kind = MESSAGES_KINDS[String(block['type'])]
    if (kind === undefined) throw new Error(`an unknown block: ${String(block['type'])}`)
    seen.blocks.push(kind)
    seen.text += textOf(block['text'])
    seen.reasoning += textOf(block['thinking'])
    if (kind === 'reasoning' && textOf(block['thinking']) === '') sealLast(seen)
    if (kind === 'tool') seen.tools.push({ name: textOf(block['name']), text: JSON.stringify(block['input']) })
  }
  const finish = MESSAGES_FINISH[String(answer['stop_reason'])]
  return done(seen, { blocks: seen.blocks, finish, usage: messagesUsage(record(answer['usage'])) })
}

const MESSAGES_KINDS: Readonly<Record<string, BlockKind>> = {
  text: 'text',
  thinking: 'reasoning',
  redacted_thinking: 'reasoning',
  tool_use: 'tool',
}

const MESSAGES_FINISH: Readonly<Record<string, Finish>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tools',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'filter',
}

function messagesUsage(usage: JsonObject): Seen['usage'] {
  const cached = count(usage['cache_read_input_tokens'])
  const input = count(usage['input_tokens']) + cached + count(usage['cache_creation_input_tokens'])
  return { input, cached, output: count(usage['output_tokens']) }
}

/** The stream is read by its item events, as Codex does, and held against the terminal event. */
function foldResponsesStream(events: readonly Event[]): Seen {
  const items: JsonObject[] = []
  let open: JsonObject | undefined
  let text = ''
  let end: JsonObject | undefined
  let sequence = -1
  for (const { name, data } of events) {
    if (data === '[DONE]') continue
    if (end !== undefined) throw new Error('an event came after the terminal one')
    const event = record(JSON.parse(data))
    const type = String(event['type'])
    if (name !== type) throw new Error(`the event ${type} has the name ${String(name)}`)
    if (count(event['sequence_number']) <= sequence) throw new Error('sequence numbers must grow')
    sequence = count(event['sequence_number'])
    if (type === 'response.output_item.added') {
      if (open !== undefined || event['output_index'] !== items.length) throw new Error('items overlap, or have gaps')
      open = record(event['item'])
      text = ''
    } else if (type === 'response.output_item.done') {
      const item = record(event['item'])
      if (open?.['id'] !== item['id'] || open?.['type'] !== item['type']) throw new Error('another item is done')
      if (text !== '' && !JSON.stringify(item).includes(JSON.stringify(text)))
        throw new Error('deltas are not the item')
      items.push(item)
      open = undefined
    } else if (type.endsWith('.delta')) {
      if (open === undefined || event['item_id'] !== open['id']) throw new Error(`${type} is not of the open item`)
      text += textOf(event['delta'])
    } else if (/^response\.(completed|incomplete|failed)$/.test(type)) end = record(event['response'])
  }
  // Codex runs a call as soon as its item is done, so one that was cut off never is.
  const isCut = open?.['type'] === 'function_call' && end?.['status'] === 'incomplete'
  if (open !== undefined && !isCut) throw new Error('an item is still open at the end')
  if (end === undefined) throw new Error('a response must have a terminal event')
  if (JSON.stringify(end['output']) !== JSON.stringify(items)) throw new Error('the items are not the output')
  if (events.at(-1)?.data !== '[DONE]') throw new Error('the contract wants [DONE] at the end')
  return foldResponse(end)
}

function foldResponse(response: JsonObject): Seen {
  const seen = nothing()
  for (const item of list(response['output'])) addItem(seen, item)
  const { status } = response
  const reason = String(record(response['incomplete_details'])['reason'])
  const completed: Finish = seen.tools.length > 0 ? 'tools' : 'stop'
  const cut: Finish = reason === 'content_filter' ? 'filter' : 'length'
  const finish = status === 'completed' ? completed : status === 'incomplete' ? cut : undefined
  const usage = record(response['usage'])
  const cached = count(record(usage['input_tokens_details'])['cached_tokens'])
  return done(seen, {
    blocks: seen.blocks,
    finish,
    usage: { input: count(usage['input_tokens']), cached, output: count(usage['output_tokens']) },
  })
}

function addItem(seen: Growing, item: JsonObject): void {
  switch (item['type']) {
    case 'message':
      for (const part of list(item['content'])) {
        seen.blocks.push(part['type'] === 'refusal' ? 'refusal' : 'text')
        seen.text += textOf(part['text'])
        seen.refusal += textOf(part['refusal'])
      }
      return
    case 'reasoning':
      seen.blocks.push('reasoning')
      if ([...list(item['summary']), ...list(item['content'])].length === 0) sealLast(seen)
      for (const part of [...list(item['summary']), ...list(item['content'])]) seen.reasoning += textOf(part['text'])
      return
    case 'function_call':
      seen.blocks.push('tool')
      seen.tools.push({ name: textOf(item['name']), text: textOf(item['arguments']) })
      return
    default:
      throw new Error(`an unknown item: ${String(item['type'])}`)
  }
}

function sealLast(seen: Growing): void {
  seen.blocks[seen.blocks.length - 1] = 'seal'
}

function nothing(): Growing {
  return { blocks: [], text: '', reasoning: '', refusal: '', tools: [] }
}

function done(seen: Growing, rest: Pick<Seen, 'blocks' | 'finish' | 'usage'>): Seen {
  const { text, reasoning, refusal } = seen
  const tools = seen.tools.map(({ name, text: json }) => ({ name, arguments: json === '' ? {} : parseJson(json) }))
  return { ...rest, text, reasoning, refusal, tools }
}

function record(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
