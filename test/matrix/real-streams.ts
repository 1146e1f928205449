// Streams as real servers send them, composed by hand after what was seen of llama.cpp's server, LiteLLM, Bifrost, LitServe, and of
// the vendors; none of them is a recording. Recordings have tests of their own (legal-streams.test.ts).

import type { JsonObject } from '#dialect/turn.ts'
import { dataEvents, REASONING, TEXT, typedEvents, UNICODE } from './answers/fixture.ts'

export const DIALECTS = ['chat-completions', 'messages', 'responses'] as const
export type StreamDialect = (typeof DIALECTS)[number]

export type RealStream = {
  readonly name: string
  readonly dialect: StreamDialect
  readonly text: string
  /** What is in one that was composed, once. */
  readonly holds?: { readonly text: string; readonly reasoning: string; readonly calls: number }
}

const ARGUMENTS = ['{"city":', '"Bern","units":', '"C"}']
const WHOLE_ARGUMENTS = ARGUMENTS.join('')

/** A text in pieces that cut through words, and through no character. */
function cut(text: string): string[] {
  return text.match(/.{1,7}/gsu) ?? []
}

// Responses, as llama.cpp's server streams them: no indexes, ends all together at the end, calls after everything else.

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1_790_000_000, model: 'm' }
const RESPONSE_USAGE = { input_tokens: 19, output_tokens: 10, total_tokens: 29 }

type Item = { readonly item: JsonObject; readonly begin: JsonObject; readonly inside: readonly JsonObject[] }

function llamaReasoning(id: string, text: string): Item {
  const item = { id, type: 'reasoning', summary: [], content: [], encrypted_content: '' }
  return {
    begin: item,
    inside: cut(text).map((delta) => ({ type: 'response.reasoning_text.delta', item_id: id, delta })),
    item: { ...item, content: [{ type: 'reasoning_text', text }] },
  }
}

function llamaMessage(id: string, text: string): Item {
  const part = { type: 'output_text', text, annotations: [], logprobs: [] }
  const begin = { id, type: 'message', role: 'assistant', content: [], status: 'in_progress' }
  return {
    begin,
    inside: [
      { type: 'response.content_part.added', item_id: id, part: { ...part, text: '' } },
      ...cut(text).map((delta) => ({ type: 'response.output_text.delta', item_id: id, delta })),
      { type: 'response.output_text.done', item_id: id, text },
      { type: 'response.content_part.done', item_id: id, part },
    ],
    item: { ...begin, status: 'completed', content: [part] },
  }
}

/** `own`: whether the item has an id of its own, or is known by the one of its call alone. */
function llamaCall(id: string, own: boolean): Item {
  const names = own ? { id: `fc_${id}`, call_id: `call_${id}` } : { call_id: `fc_${id}` }
  const begin = { ...names, type: 'function_call', name: 'weather', arguments: '', status: 'in_progress' }
  return {
    begin,
    inside: ARGUMENTS.map((delta) => ({ type: 'response.function_call_arguments.delta', item_id: `fc_${id}`, delta })),
    item: { ...begin, status: 'completed', arguments: WHOLE_ARGUMENTS },
  }
}

const added = (item: JsonObject, more: JsonObject = {}) => ({ type: 'response.output_item.added', ...more, item })
const done = (item: JsonObject, more: JsonObject = {}) => ({ type: 'response.output_item.done', ...more, item })

function responsesText(middle: readonly JsonObject[], output: readonly JsonObject[], usage: JsonObject): string {
  return typedEvents(
    { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
    { type: 'response.in_progress', response: { ...RESPONSE, status: 'in_progress', output: [] } },
    ...middle,
    { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output, usage } },
  )
}

function llamaStream(...items: readonly Item[]): string {
  const isEnd = ({ type }: JsonObject) => String(type).endsWith('.done')
  return responsesText(
    [
      ...items.flatMap(({ begin, inside }) => [added(begin), ...inside.filter((event) => !isEnd(event))]),
      ...items.flatMap(({ inside, item }) => [...inside.filter(isEnd), done(item)]),
    ],
    items.map(({ item }) => item),
    RESPONSE_USAGE,
  )
}

// The same as OpenAI sends it: everything has its index, and each item ends before the next begins.

function openAiStream(...items: readonly Item[]): string {
  const middle = items.flatMap(({ begin, inside, item }, index) => {
    const place = { output_index: index }
    const events = inside.map((event) => ({ ...event, ...place, content_index: 0 }))
    return [added(begin, place), ...events, done(item, place)]
  })
  return responsesText(
    middle,
    items.map(({ item }) => item),
    RESPONSE_USAGE,
  )
}

function summary(id: string, texts: readonly string[]): Item {
  const part = (text: string) => ({ type: 'summary_text', text })
  const item = { id, type: 'reasoning', encrypted_content: 'c2VhbGVk', summary: texts.map(part) }
  return {
    begin: { ...item, summary: [] },
    inside: texts.flatMap((text, index) => {
      const place = { item_id: id, summary_index: index }
      return [
        { type: 'response.reasoning_summary_part.added', ...place, part: part('') },
        ...cut(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
        { type: 'response.reasoning_summary_text.done', ...place, text },
        { type: 'response.reasoning_summary_part.done', ...place, part: part(text) },
      ]
    }),
    item,
  }
}

// Messages, as llama.cpp's server streams them: the thinking stays open while the text runs, and all ends come at the end.

const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
const MESSAGE_USAGE = { input_tokens: 19, output_tokens: 10 }

type Block = { readonly start: JsonObject; readonly deltas: readonly JsonObject[]; readonly late?: JsonObject }

const thinking = (text: string, signature: string): Block => ({
  start: { type: 'thinking', thinking: '' },
  deltas: cut(text).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
  late: { type: 'signature_delta', signature },
})
const said = (text: string): Block => ({
  start: { type: 'text', text: '' },
  deltas: cut(text).map((piece) => ({ type: 'text_delta', text: piece })),
})
const called = (id: string): Block => ({
  start: { type: 'tool_use', id, name: 'weather', input: {} },
  deltas: ARGUMENTS.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
})

function messagesText(reason: string, middle: readonly JsonObject[]): string {
  return typedEvents(
    { type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 19, output_tokens: 1 } } },
    { type: 'ping' },
    ...middle,
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: MESSAGE_USAGE },
    { type: 'message_stop' },
  )
}

function openBlocks(reason: string, ...blocks: readonly Block[]): string {
  const piece = (index: number, delta: JsonObject) => ({ type: 'content_block_delta', index, delta })
  return messagesText(reason, [
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => piece(index, delta)),
    ]),
    ...blocks.flatMap(({ late }, index) => (late === undefined ? [] : [piece(index, late)])),
    ...blocks.map((_, index) => ({ type: 'content_block_stop', index })),
  ])
}

// Chat completions: a chunk for each piece, the counts behind the finish reason.

function chatText(deltas: readonly JsonObject[], reason: string): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'm' }
  const chunk = (delta: JsonObject, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const usage = { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 }
  const chunks = [
    chunk({ role: 'assistant', content: null }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, reason),
  ]
  return `${dataEvents(...chunks, { ...head, choices: [], usage })}data: [DONE]\n\n`
}

function chatCall(index: number, id: string): JsonObject[] {
  const piece = (call: JsonObject) => ({ tool_calls: [{ index, ...call }] })
  return [
    piece({ id, type: 'function', function: { name: 'weather', arguments: '' } }),
    ...ARGUMENTS.map((text) => piece({ function: { arguments: text } })),
  ]
}

const chatThinks = (text: string) => cut(text).map((piece) => ({ reasoning_content: piece }))
const chatSays = (text: string) => cut(text).map((piece) => ({ content: piece }))

const thought = llamaReasoning('rs_1', REASONING)
const message = llamaMessage('msg_1', UNICODE)

type Composed = RealStream & { readonly holds: NonNullable<RealStream['holds']> }

const holds = (text: string, reasoning = '', calls = 0) => ({ holds: { text, reasoning, calls } })

export const COMPOSED: readonly Composed[] = [
  { name: 'llama.cpp, text', dialect: 'responses', text: llamaStream(message), ...holds(UNICODE) },
  {
    name: 'llama.cpp, reasoning and text',
    dialect: 'responses',
    text: llamaStream(thought, message),
    ...holds(UNICODE, REASONING),
  },
  { name: 'llama.cpp, a call', dialect: 'responses', text: llamaStream(llamaCall('1', true)), ...holds('', '', 1) },
  {
    name: 'llama.cpp, reasoning, text and calls without ids of their own',
    dialect: 'responses',
    text: llamaStream(thought, message, llamaCall('1', false), llamaCall('2', false)),
    ...holds(UNICODE, REASONING, 2),
  },
  {
    name: 'OpenAI, everything',
    dialect: 'responses',
    text: openAiStream(summary('rs_1', [REASONING, 'And then.']), message, llamaCall('1', true), llamaCall('2', true)),
    ...holds(UNICODE, `${REASONING}And then.`, 2),
  },
  {
    name: 'OpenAI, two messages',
    dialect: 'responses',
    text: openAiStream(message, llamaMessage('msg_2', TEXT)),
    ...holds(UNICODE + TEXT),
  },
  {
    name: 'llama.cpp, thinking and text',
    dialect: 'messages',
    text: openBlocks('end_turn', thinking(REASONING, ''), said(UNICODE)),
    ...holds(UNICODE, REASONING),
  },
  {
    name: 'llama.cpp, everything',
    dialect: 'messages',
    text: openBlocks('tool_use', thinking(REASONING, 'c2VhbGVk'), said(UNICODE), called('toolu_1'), called('toolu_2')),
    ...holds(UNICODE, REASONING, 2),
  },
  {
    name: 'two texts',
    dialect: 'messages',
    text: openBlocks('end_turn', said(UNICODE), said(TEXT)),
    ...holds(UNICODE + TEXT),
  },
  {
    name: 'LitServe, text',
    dialect: 'chat-completions',
    text: chatText(chatSays(UNICODE), 'stop'),
    ...holds(UNICODE),
  },
  {
    name: 'llama.cpp, reasoning and text',
    dialect: 'chat-completions',
    text: chatText([...chatThinks(REASONING), ...chatSays(UNICODE)], 'stop'),
    ...holds(UNICODE, REASONING),
  },
  {
    name: 'llama.cpp, everything',
    dialect: 'chat-completions',
    text: chatText(
      [...chatThinks(REASONING), ...chatSays(TEXT), ...chatCall(0, 'call_1'), ...chatCall(1, 'call_2')],
      'tool_calls',
    ),
    ...holds(TEXT, REASONING, 2),
  },
]
