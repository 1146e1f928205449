// Answers of providers that speak messages, with the order of events that Anthropic's API has.

import type { JsonObject } from '#dialect/turn.ts'
import { REASONING, TEXT, typedEvents, UNICODE, type AnswerFixture } from './fixture.ts'

const MESSAGE = {
  id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-6',
}
const USAGE = { input_tokens: 40, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 12 }
const HOLDS_USAGE = { input: 40, cached: 0, output: 12 }
const SIGNATURE = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds'

const PING = { type: 'ping' }
const STOP = { type: 'message_stop' }
const start = (usage: JsonObject = USAGE) => ({
  type: 'message_start',
  message: {
    ...MESSAGE,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1, service_tier: 'standard' },
  },
})
const finish = (reason: string, usage: JsonObject = { output_tokens: 12 }, rest: JsonObject = {}) => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null, ...rest },
  usage,
})

/** The events of one block: its start, its deltas and its stop. */
function block(index: number, content: JsonObject, ...deltas: readonly JsonObject[]): JsonObject[] {
  return [
    { type: 'content_block_start', index, content_block: content },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

const text = (index: number, ...texts: readonly string[]) =>
  block(index, { type: 'text', text: '' }, ...texts.map((piece) => ({ type: 'text_delta', text: piece })))
const thinking = (index: number, signature: string, ...texts: readonly string[]) =>
  block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    ...texts.map((piece) => ({ type: 'thinking_delta', thinking: piece })),
    { type: 'signature_delta', signature },
  )
const tool = (index: number, id: string, name: string, ...texts: readonly string[]) =>
  block(
    index,
    { type: 'tool_use', id, name, input: {} },
    ...texts.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  )

function stream(blocks: readonly JsonObject[], reason: string): string {
  const [first, ...rest] = blocks
  return typedEvents(start(), ...(first === undefined ? [PING] : [first, PING]), ...rest, finish(reason), STOP)
}
const whole = (content: readonly JsonObject[], reason: string, usage: JsonObject = USAGE, rest: JsonObject = {}) => ({
  ...MESSAGE,
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage,
  ...rest,
})
const use = (id: string, name: string, input: JsonObject) => ({ type: 'tool_use', id, name, input })
const BERN = { name: 'get_weather', arguments: { city: 'Bern' } }
const OSLO = { name: 'get_weather', arguments: { city: 'Oslo' } }
const CITATION = {
  type: 'web_search_result_location',
  url: 'https://weather.example/bern',
  title: 'Bern',
  cited_text: 'sunny',
  encrypted_index: 'Eo8BCioIAhgB',
}

export const MESSAGES_ANSWERS: readonly AnswerFixture[] = [
  {
    name: 'text',
    whole: whole([{ type: 'text', text: TEXT }], 'end_turn'),
    stream: stream(text(0, 'The sun ', 'is shining ', 'in Bern.'), 'end_turn'),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'unicode',
    whole: whole([{ type: 'text', text: UNICODE }], 'end_turn'),
    stream: stream(text(0, UNICODE.slice(0, 11), UNICODE.slice(11)), 'end_turn'),
    holds: { blocks: ['text'], text: UNICODE, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'signed thinking, then text',
    whole: whole(
      [
        { type: 'thinking', thinking: REASONING, signature: SIGNATURE },
        { type: 'text', text: TEXT },
      ],
      'end_turn',
    ),
    stream: stream(
      [...thinking(0, SIGNATURE, REASONING.slice(0, 20), REASONING.slice(20)), ...text(1, TEXT)],
      'end_turn',
    ),
    holds: { blocks: ['reasoning', 'text'], reasoning: REASONING, text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'redacted thinking, then text',
    whole: whole(
      [
        { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' },
        { type: 'text', text: TEXT },
      ],
      'end_turn',
    ),
    stream: stream(
      [...block(0, { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' }), ...text(1, TEXT)],
      'end_turn',
    ),
    holds: { blocks: ['seal', 'text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'one tool call',
    whole: whole([use('toolu_01A09q90qw90lq917835lq9', 'get_weather', { city: 'Bern' })], 'tool_use'),
    stream: stream(tool(0, 'toolu_01A09q90qw90lq917835lq9', 'get_weather', '', '{"city"', ': "Bern"}'), 'tool_use'),
    holds: { blocks: ['tool'], tools: [BERN], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'parallel tool calls',
    whole: whole(
      [use('toolu_01w1', 'get_weather', { city: 'Bern' }), use('toolu_01w2', 'get_weather', { city: 'Oslo' })],
      'tool_use',
    ),
    stream: stream(
      [
        ...tool(0, 'toolu_01w1', 'get_weather', '', '{"city": "Bern"}'),
        ...tool(1, 'toolu_01w2', 'get_weather', '', '{"city": "Oslo"}'),
      ],
      'tool_use',
    ),
    holds: { blocks: ['tool', 'tool'], tools: [BERN, OSLO], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'a tool call without arguments',
    whole: whole([use('toolu_01l1', 'list_files', {})], 'tool_use'),
    stream: stream(tool(0, 'toolu_01l1', 'list_files', ''), 'tool_use'),
    holds: { blocks: ['tool'], tools: [{ name: 'list_files', arguments: {} }], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'thinking, text and a tool call',
    whole: whole(
      [
        { type: 'thinking', thinking: REASONING, signature: SIGNATURE },
        { type: 'text', text: 'I look.' },
        use('toolu_01w1', 'get_weather', { city: 'Bern' }),
      ],
      'tool_use',
    ),
    stream: stream(
      [
        ...thinking(0, SIGNATURE, REASONING),
        ...text(1, 'I look.'),
        ...tool(2, 'toolu_01w1', 'get_weather', '', '{"city": "Bern"}'),
      ],
      'tool_use',
    ),
    holds: {
      blocks: ['reasoning', 'text', 'tool'],
      reasoning: REASONING,
      text: 'I look.',
      tools: [BERN],
      finish: 'tools',
      usage: HOLDS_USAGE,
    },
  },
  {
    name: 'thinking between tool calls',
    stream: stream(
      [
        ...thinking(0, SIGNATURE, 'One.'),
        ...tool(1, 'toolu_01w1', 'get_weather', '{"city": "Bern"}'),
        ...thinking(2, 'U2lnbmF0dXJlVHdv', 'Two.'),
        ...tool(3, 'toolu_01w2', 'get_weather', '{"city": "Oslo"}'),
      ],
      'tool_use',
    ),
    holds: {
      blocks: ['reasoning', 'tool', 'reasoning', 'tool'],
      reasoning: 'One.Two.',
      tools: [BERN, OSLO],
      finish: 'tools',
      usage: HOLDS_USAGE,
    },
  },
  {
    name: 'refusal without a block',
    whole: whole([], 'refusal', USAGE, {
      stop_details: { type: 'refusal', category: null, explanation: null },
    }),
    stream: typedEvents(
      start(),
      PING,
      finish(
        'refusal',
        { output_tokens: 12 },
        { stop_details: { type: 'refusal', category: null, explanation: null } },
      ),
      STOP,
    ),
    holds: { blocks: [], finish: 'filter', usage: HOLDS_USAGE },
  },
  {
    name: 'refusal after text',
    whole: whole([{ type: 'text', text: 'It is' }], 'refusal'),
    stream: stream(text(0, 'It is'), 'refusal'),
    holds: { blocks: ['text'], text: 'It is', finish: 'filter', usage: HOLDS_USAGE },
  },
  {
    name: 'length',
    whole: whole([{ type: 'text', text: 'The sun is' }], 'max_tokens'),
    stream: stream(text(0, 'The sun is'), 'max_tokens'),
    holds: { blocks: ['text'], text: 'The sun is', finish: 'length', usage: HOLDS_USAGE },
  },
  {
    name: 'length in the middle of a tool call',
    whole: whole([{ type: 'text', text: 'I look.' }, use('toolu_01w1', 'get_weather', {})], 'max_tokens'),
    stream: stream([...text(0, 'I look.'), ...tool(1, 'toolu_01w1', 'get_weather', '', '{"city": "Be')], 'max_tokens'),
  },
  {
    name: 'the context is full',
    whole: whole([{ type: 'text', text: 'The sun is' }], 'model_context_window_exceeded'),
    stream: stream(text(0, 'The sun is'), 'model_context_window_exceeded'),
    holds: { blocks: ['text'], text: 'The sun is', finish: 'length', usage: HOLDS_USAGE },
  },
  {
    name: 'stop sequence',
    whole: whole([{ type: 'text', text: 'The sun' }], 'stop_sequence', USAGE, { stop_sequence: 'END' }),
    stream: typedEvents(
      start(),
      ...text(0, 'The sun'),
      finish('stop_sequence', { output_tokens: 12 }, { stop_sequence: 'END' }),
      STOP,
    ),
    holds: { blocks: ['text'], text: 'The sun', finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'cached usage, corrected at the end',
    whole: whole([{ type: 'text', text: TEXT }], 'end_turn', {
      input_tokens: 150,
      cache_creation_input_tokens: 50,
      cache_read_input_tokens: 800,
      output_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 0 },
    }),
    stream: typedEvents(
      start({ input_tokens: 140, cache_creation_input_tokens: 0, cache_read_input_tokens: 800 }),
      ...text(0, TEXT),
      finish('end_turn', {
        input_tokens: 150,
        cache_creation_input_tokens: 50,
        cache_read_input_tokens: 800,
        output_tokens: 30,
      }),
      STOP,
    ),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: { input: 1000, cached: 800, output: 30 } },
  },
  {
    name: 'no usage',
    whole: { ...MESSAGE, content: [{ type: 'text', text: TEXT }], stop_reason: 'end_turn', stop_sequence: null },
    stream: typedEvents(
      { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null, stop_sequence: null } },
      ...text(0, TEXT),
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null } },
      STOP,
    ),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop' },
  },
  {
    name: 'citations',
    whole: whole([{ type: 'text', text: TEXT, citations: [CITATION] }], 'end_turn'),
    stream: stream(
      block(
        0,
        { type: 'text', text: '', citations: [] },
        { type: 'text_delta', text: TEXT },
        { type: 'citations_delta', citation: CITATION },
      ),
      'end_turn',
    ),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'empty answer',
    whole: whole([], 'end_turn'),
    stream: stream([], 'end_turn'),
    holds: { blocks: [], finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'the beginning twice',
    stream: typedEvents(start(), start(), ...text(0, TEXT), finish('end_turn'), STOP),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'error first',
    whole: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_011' },
    stream: typedEvents({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  },
  {
    name: 'error in the middle',
    stream: typedEvents(
      start(),
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'The sun' } },
      { type: 'error', error: { type: 'api_error', message: 'Internal server error' } },
    ),
  },
  {
    name: 'cut',
    stream: typedEvents(
      start(),
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'The sun is' } },
    ),
  },
  { name: 'not of the dialect', whole: { hello: 'world' }, stream: 'data: <html>\n\n' },
]
