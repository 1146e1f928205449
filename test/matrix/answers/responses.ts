// Answers of providers that speak responses, with the order of events that OpenAI's API has.

import type { JsonObject } from '#dialect/turn.ts'
import { REASONING, TEXT, typedEvents, UNICODE, type AnswerFixture } from './fixture.ts'

const RESPONSE = {
  id: 'resp_68f0c1a2b3c48190a1b2c3d4e5f60718',
  object: 'response',
  created_at: 1_795_239_990,
  model: 'gpt-5.5-2026-08-01',
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  instructions: null,
  metadata: {},
  store: false,
}
const USAGE = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 52,
}
const HOLDS_USAGE = { input: 40, cached: 0, output: 12 }
const SEALED = 'gAAAAABo8MGiVw2Q7k1mP0sJ4yY9cR8d'

type Item = { readonly done: JsonObject; readonly added: JsonObject; readonly between: readonly JsonObject[] }
type End = { readonly status?: string; readonly usage?: JsonObject | null; readonly rest?: JsonObject }

const ids = (item: JsonObject) => ({ item_id: item['id'] })

function message(id: string, pieces: readonly string[], annotations: readonly JsonObject[] = []): Item {
  const text = pieces.join('')
  const part = { type: 'output_text', text, annotations, logprobs: [] }
  const done = { id, type: 'message', status: 'completed', role: 'assistant', content: [part] }
  const at = { ...ids(done), content_index: 0 }
  return {
    done,
    added: { ...done, status: 'in_progress', content: [] },
    between: [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '', annotations: [] } },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      ...annotations.map((annotation, index) => ({
        type: 'response.output_text.annotation.added',
        ...at,
        annotation_index: index,
        annotation,
      })),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ],
  }
}

function refusal(id: string, pieces: readonly string[]): Item {
  const part = { type: 'refusal', refusal: pieces.join('') }
  const done = { id, type: 'message', status: 'completed', role: 'assistant', content: [part] }
  const at = { ...ids(done), content_index: 0 }
  return {
    done,
    added: { ...done, status: 'in_progress', content: [] },
    between: [
      { type: 'response.content_part.added', ...at, part: { type: 'refusal', refusal: '' } },
      ...pieces.map((delta) => ({ type: 'response.refusal.delta', ...at, delta })),
      { type: 'response.refusal.done', ...at, refusal: part.refusal },
      { type: 'response.content_part.done', ...at, part },
    ],
  }
}

function reasoning(id: string, pieces: readonly string[], sealed: string | undefined): Item {
  const text = pieces.join('')
  const seal = sealed === undefined ? {} : { encrypted_content: sealed }
  const done = { id, type: 'reasoning', summary: text === '' ? [] : [{ type: 'summary_text', text }], ...seal }
  const at = { ...ids(done), summary_index: 0 }
  const summary = [
    { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
    ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
    { type: 'response.reasoning_summary_text.done', ...at, text },
    { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } },
  ]
  return { done, added: { ...done, summary: [] }, between: text === '' ? [] : summary }
}

function call(id: string, callId: string, name: string, pieces: readonly string[], status = 'completed'): Item {
  const text = pieces.join('')
  const done = { id, type: 'function_call', status, call_id: callId, name, arguments: text }
  return {
    done,
    added: { ...done, status: 'in_progress', arguments: '' },
    between: [
      ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...ids(done), delta })),
      { type: 'response.function_call_arguments.done', ...ids(done), name, arguments: text },
    ],
  }
}

function whole(items: readonly Item[], end: End = {}): JsonObject {
  const { status = 'completed', usage = USAGE, rest = {} } = end
  const output = items.map(({ done }) => done)
  return { ...RESPONSE, status, output, error: null, incomplete_details: null, usage, ...rest }
}

function numbered(events: readonly JsonObject[]): string {
  return typedEvents(...events.map((event, index) => ({ ...event, sequence_number: index })))
}

const OPENING = ['response.created', 'response.in_progress'].map((type) => ({
  type,
  response: {
    ...RESPONSE,
    status: 'in_progress',
    output: [],
    error: null,
    incomplete_details: null,
    usage: null,
  },
}))

function itemEvents(items: readonly Item[]): JsonObject[] {
  return items.flatMap(({ done, added, between }, index) => [
    { type: 'response.output_item.added', output_index: index, item: added },
    ...between.map((event) => ({ ...event, output_index: index })),
    { type: 'response.output_item.done', output_index: index, item: done },
  ])
}

function stream(items: readonly Item[], end: End = {}): string {
  const { status = 'completed' } = end
  return numbered([...OPENING, ...itemEvents(items), { type: `response.${status}`, response: whole(items, end) }])
}

const both = (items: readonly Item[], end: End = {}) => ({ whole: whole(items, end), stream: stream(items, end) })
const incomplete = (reason: string): End => ({
  status: 'incomplete',
  rest: { incomplete_details: { reason } },
})
const BERN = { name: 'get_weather', arguments: { city: 'Bern' } }
const OSLO = { name: 'get_weather', arguments: { city: 'Oslo' } }
const CITATION = {
  type: 'url_citation',
  url: 'https://weather.example/bern',
  title: 'Bern',
  start_index: 0,
  end_index: 27,
}
const CACHED = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 800 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 1030,
}
const BEGUN_TEXT = itemEvents([message('msg_68f0a', ['The sun', ' is'])]).slice(0, 4)

export const RESPONSES_ANSWERS: readonly AnswerFixture[] = [
  {
    name: 'text',
    ...both([message('msg_68f0a', ['The sun ', 'is shining ', 'in Bern.'])]),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'unicode',
    ...both([message('msg_68f0a', [UNICODE.slice(0, 11), UNICODE.slice(11)])]),
    holds: { blocks: ['text'], text: UNICODE, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'reasoning with encrypted content, then text',
    ...both([
      reasoning('rs_68f0r', [REASONING.slice(0, 20), REASONING.slice(20)], SEALED),
      message('msg_68f0a', [TEXT]),
    ]),
    holds: { blocks: ['reasoning', 'text'], reasoning: REASONING, text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'reasoning that is only encrypted',
    ...both([reasoning('rs_68f0r', [], SEALED), message('msg_68f0a', [TEXT])]),
    holds: { blocks: ['seal', 'text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'one tool call',
    ...both([call('fc_68f0w', 'call_w1', 'get_weather', ['{"city"', ':"Bern"}'])]),
    holds: { blocks: ['tool'], tools: [BERN], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'parallel tool calls',
    ...both([
      call('fc_68f0w', 'call_w1', 'get_weather', ['{"city":"Bern"}']),
      call('fc_68f0x', 'call_w2', 'get_weather', ['{"city":"Oslo"}']),
    ]),
    holds: { blocks: ['tool', 'tool'], tools: [BERN, OSLO], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'a tool call without arguments',
    ...both([call('fc_68f0l', 'call_l1', 'list_files', ['{}'])]),
    holds: { blocks: ['tool'], tools: [{ name: 'list_files', arguments: {} }], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'reasoning, text and a tool call',
    ...both([
      reasoning('rs_68f0r', [REASONING], SEALED),
      message('msg_68f0a', ['I look.']),
      call('fc_68f0w', 'call_w1', 'get_weather', ['{"city":"Bern"}']),
    ]),
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
    name: 'the items of the terminal event left out',
    stream: numbered([
      ...OPENING,
      ...itemEvents([message('msg_68f0a', [TEXT])]),
      { type: 'response.completed', response: whole([]) },
    ]),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'refusal',
    ...both([refusal('msg_68f0a', ['I cannot ', 'help with that.'])]),
    holds: { blocks: ['refusal'], refusal: 'I cannot help with that.', finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'content filter',
    ...both([message('msg_68f0a', ['It is'])], incomplete('content_filter')),
    holds: { blocks: ['text'], text: 'It is', finish: 'filter', usage: HOLDS_USAGE },
  },
  {
    name: 'length',
    ...both([message('msg_68f0a', ['The sun is'])], incomplete('max_output_tokens')),
    holds: { blocks: ['text'], text: 'The sun is', finish: 'length', usage: HOLDS_USAGE },
  },
  {
    name: 'length in the middle of a tool call',
    ...both(
      [message('msg_68f0a', ['I look.']), call('fc_68f0w', 'call_w1', 'get_weather', ['{"city":"Be'], 'incomplete')],
      incomplete('max_output_tokens'),
    ),
  },
  {
    name: 'cached usage',
    ...both([message('msg_68f0a', [TEXT])], { usage: CACHED }),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: { input: 1000, cached: 800, output: 30 } },
  },
  {
    name: 'no usage',
    ...both([message('msg_68f0a', [TEXT])], { usage: null }),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop' },
  },
  {
    name: 'citations',
    ...both([message('msg_68f0a', [TEXT], [CITATION])]),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'empty answer',
    ...both([]),
    holds: { blocks: [], finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'a search that the provider ran itself, then text',
    ...both([
      {
        done: {
          id: 'ws_68f0s',
          type: 'web_search_call',
          status: 'completed',
          action: { type: 'search', query: 'sun' },
        },
        added: { id: 'ws_68f0s', type: 'web_search_call', status: 'in_progress' },
        between: [{ type: 'response.web_search_call.searching', item_id: 'ws_68f0s' }],
      },
      message('msg_68f0a', [TEXT]),
    ]),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'error first',
    whole: {
      ...RESPONSE,
      status: 'failed',
      output: [],
      usage: null,
      error: { code: 'server_error', message: 'The server had an error.' },
    },
    stream: numbered([
      ...OPENING,
      {
        type: 'error',
        error: { type: 'server_error', code: 'server_error', message: 'The server had an error.', param: null },
      },
      {
        type: 'response.failed',
        response: {
          ...RESPONSE,
          status: 'failed',
          output: [],
          usage: null,
          error: { code: 'server_error', message: 'The server had an error.' },
        },
      },
    ]),
  },
  {
    name: 'error in the middle',
    stream: numbered([
      ...OPENING,
      ...BEGUN_TEXT,
      {
        type: 'response.failed',
        response: {
          ...RESPONSE,
          status: 'failed',
          output: [],
          usage: null,
          error: { code: 'server_error', message: 'The server had an error.' },
        },
      },
    ]),
  },
  { name: 'cut', stream: numbered([...OPENING, ...BEGUN_TEXT]) },
  { name: 'not of the dialect', whole: { hello: 'world' }, stream: 'data: <html>\n\n' },
]
