// Answers of providers that speak chat completions, OpenAI's and those of compatible servers.

import type { JsonObject } from '#dialect/turn.ts'
import { dataEvents, REASONING, TEXT, UNICODE, type AnswerFixture } from './fixture.ts'

const ID = { id: 'chatcmpl-CfQ7vX2LwzJ9mTq4', created: 1_795_239_990, model: 'acme-large-2026-08' }
const HEAD = { ...ID, object: 'chat.completion.chunk', system_fingerprint: 'fp_44709d6fcb' }
const USAGE = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 }
const HOLDS_USAGE = { input: 40, cached: 0, output: 12 }

const piece = (delta: JsonObject, finish: string | null = null) => ({
  ...HEAD,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
})
const usageChunk = (usage: JsonObject) => ({ ...HEAD, choices: [], usage })
const DONE = 'data: [DONE]\n\n'
const FIRST = piece({ role: 'assistant', content: '', refusal: null })

function stream(deltas: readonly JsonObject[], finish: string, usage: JsonObject = USAGE): string {
  const chunks = [FIRST, ...deltas.map((delta) => piece(delta)), piece({}, finish)]
  return dataEvents(...chunks, usageChunk(usage)) + DONE
}

function whole(message: JsonObject, finish: string, usage: JsonObject = USAGE): JsonObject {
  const choice = { index: 0, message: { role: 'assistant', ...message }, logprobs: null, finish_reason: finish }
  return { ...ID, object: 'chat.completion', choices: [choice], usage }
}

const begin = (index: number, id: string, name: string, text = '') => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }],
})
const more = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] })
const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})
export const LATE_SEAL = 'bGF0ZS1ieS1vcGVucm91dGVy'
const BERN = { name: 'get_weather', arguments: { city: 'Bern' } }
const OSLO = { name: 'get_weather', arguments: { city: 'Oslo' } }

export const CHAT_ANSWERS: readonly AnswerFixture[] = [
  {
    name: 'text',
    whole: whole({ content: TEXT, refusal: null }, 'stop'),
    stream: stream([{ content: 'The sun ' }, { content: 'is shining ' }, { content: 'in Bern.' }], 'stop'),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'unicode',
    whole: whole({ content: UNICODE }, 'stop'),
    stream: stream([{ content: UNICODE.slice(0, 11) }, { content: UNICODE.slice(11) }], 'stop'),
    holds: { blocks: ['text'], text: UNICODE, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'reasoning_content, then text',
    whole: whole({ reasoning_content: REASONING, content: TEXT }, 'stop'),
    stream: stream(
      [
        { reasoning_content: REASONING.slice(0, 20), content: null },
        { reasoning_content: REASONING.slice(20), content: null },
        { content: TEXT.slice(0, 9) },
        { content: TEXT.slice(9) },
      ],
      'stop',
    ),
    holds: { blocks: ['reasoning', 'text'], reasoning: REASONING, text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'reasoning_details with a signature',
    whole: whole(
      {
        reasoning: REASONING,
        reasoning_details: [{ type: 'reasoning.text', text: REASONING, signature: 'c2lnbmVkLWJ5LW9yLTE=', index: 0 }],
        content: TEXT,
      },
      'stop',
    ),
    stream: stream(
      [
        { reasoning: REASONING, reasoning_details: [{ type: 'reasoning.text', text: REASONING, index: 0 }] },
        { reasoning_details: [{ type: 'reasoning.text', signature: 'c2lnbmVkLWJ5LW9yLTE=', index: 0 }] },
        { content: TEXT },
      ],
      'stop',
    ),
    holds: { blocks: ['reasoning', 'text'], reasoning: REASONING, text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'a call, and behind it what OpenRouter wants back with it',
    stream: stream(
      [
        begin(0, 'call_w1', 'get_weather', '{"city":"Bern"}'),
        {
          reasoning_details: [
            { type: 'reasoning.encrypted', data: LATE_SEAL, id: 'call_w1', format: 'google-gemini-v1', index: 0 },
          ],
        },
      ],
      'tool_calls',
    ),
    holds: { blocks: ['tool'], tools: [BERN], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'reasoning, text, and reasoning again',
    stream: stream([{ reasoning_content: 'One.' }, { content: TEXT }, { reasoning_content: 'Two.' }], 'stop'),
    holds: {
      blocks: ['reasoning', 'text', 'reasoning'],
      reasoning: 'One.Two.',
      text: TEXT,
      finish: 'stop',
      usage: HOLDS_USAGE,
    },
  },
  {
    name: 'one tool call',
    whole: whole({ content: null, tool_calls: [call('call_w1', 'get_weather', '{"city":"Bern"}')] }, 'tool_calls'),
    stream: stream([begin(0, 'call_w1', 'get_weather'), more(0, '{"city"'), more(0, ':"Bern"}')], 'tool_calls'),
    holds: { blocks: ['tool'], tools: [BERN], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'a tool call in one chunk, finished with stop',
    stream: stream([begin(0, 'call_w1', 'get_weather', '{"city":"Bern"}')], 'stop'),
    holds: { blocks: ['tool'], tools: [BERN], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'parallel tool calls, interleaved',
    whole: whole(
      {
        content: null,
        tool_calls: [
          call('call_w1', 'get_weather', '{"city":"Bern"}'),
          call('call_w2', 'get_weather', '{"city":"Oslo"}'),
        ],
      },
      'tool_calls',
    ),
    stream: stream(
      [
        begin(0, 'call_w1', 'get_weather'),
        begin(1, 'call_w2', 'get_weather'),
        more(0, '{"city"'),
        more(1, '{"city":'),
        more(0, ':"Bern"}'),
        more(1, '"Oslo"}'),
      ],
      'tool_calls',
    ),
    holds: { blocks: ['tool', 'tool'], tools: [BERN, OSLO], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'parallel tool calls that all have index 0',
    stream: stream(
      [begin(0, 'call_w1', 'get_weather', '{"city":"Bern"}'), begin(0, 'call_w2', 'get_weather', '{"city":"Oslo"}')],
      'tool_calls',
    ),
    holds: { blocks: ['tool', 'tool'], tools: [BERN, OSLO], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'a tool call without arguments',
    whole: whole({ content: null, tool_calls: [call('call_l1', 'list_files', '')] }, 'tool_calls'),
    stream: stream([begin(0, 'call_l1', 'list_files')], 'tool_calls'),
    holds: { blocks: ['tool'], tools: [{ name: 'list_files', arguments: {} }], finish: 'tools', usage: HOLDS_USAGE },
  },
  {
    name: 'reasoning, text and a tool call',
    whole: whole(
      {
        reasoning_content: REASONING,
        content: 'I look.',
        tool_calls: [call('call_w1', 'get_weather', '{"city":"Bern"}')],
      },
      'tool_calls',
    ),
    stream: stream(
      [
        { reasoning_content: REASONING },
        { content: 'I look.' },
        begin(0, 'call_w1', 'get_weather'),
        more(0, '{"city":"Bern"}'),
      ],
      'tool_calls',
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
    name: 'refusal',
    whole: whole({ content: null, refusal: 'I cannot help with that.' }, 'stop'),
    stream: stream([{ refusal: 'I cannot ' }, { refusal: 'help with that.' }], 'stop'),
    holds: { blocks: ['refusal'], refusal: 'I cannot help with that.', finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'content filter',
    whole: whole({ content: 'It is' }, 'content_filter'),
    stream: stream([{ content: 'It is' }], 'content_filter'),
    holds: { blocks: ['text'], text: 'It is', finish: 'filter', usage: HOLDS_USAGE },
  },
  {
    name: 'length',
    whole: whole({ content: 'The sun is' }, 'length'),
    stream: stream([{ content: 'The sun is' }], 'length'),
    holds: { blocks: ['text'], text: 'The sun is', finish: 'length', usage: HOLDS_USAGE },
  },
  {
    name: 'length in the middle of a tool call',
    whole: whole({ content: 'I look.', tool_calls: [call('call_w1', 'get_weather', '{"city":"Be')] }, 'length'),
    stream: stream([{ content: 'I look.' }, begin(0, 'call_w1', 'get_weather'), more(0, '{"city":"Be')], 'length'),
  },
  {
    name: 'cached usage',
    whole: whole({ content: TEXT }, 'stop', {
      prompt_tokens: 1000,
      completion_tokens: 30,
      total_tokens: 1030,
      prompt_tokens_details: { cached_tokens: 800, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 10 },
    }),
    stream: stream([{ content: TEXT }], 'stop', {
      prompt_tokens: 1000,
      completion_tokens: 30,
      total_tokens: 1030,
      prompt_tokens_details: { cached_tokens: 800, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 10 },
    }),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: { input: 1000, cached: 800, output: 30 } },
  },
  {
    name: 'usage on the chunk that finishes',
    stream:
      dataEvents(FIRST, piece({ content: TEXT }), {
        ...piece({ content: '' }, 'stop'),
        usage: { ...USAGE, prompt_cache_hit_tokens: 8 },
      }) + DONE,
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: { input: 40, cached: 8, output: 12 } },
  },
  {
    name: 'no usage',
    whole: { ...whole({ content: TEXT }, 'stop'), usage: null },
    stream: dataEvents(FIRST, piece({ content: TEXT }), piece({}, 'stop')) + DONE,
    holds: { blocks: ['text'], text: TEXT, finish: 'stop' },
  },
  {
    name: 'citations',
    whole: whole(
      {
        content: TEXT,
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://weather.example/bern', title: 'Bern', start_index: 0, end_index: 27 },
          },
        ],
      },
      'stop',
    ),
    stream: stream(
      [
        { content: TEXT },
        {
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://weather.example/bern', title: 'Bern', start_index: 0, end_index: 27 },
            },
          ],
        },
      ],
      'stop',
    ),
    holds: { blocks: ['text'], text: TEXT, finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'empty answer',
    whole: whole({ content: '' }, 'stop'),
    stream: stream([], 'stop'),
    holds: { blocks: [], finish: 'stop', usage: HOLDS_USAGE },
  },
  {
    name: 'a first chunk without choices, and no finish reason',
    stream: dataEvents({ ...HEAD, id: '', model: '', choices: [] }, FIRST, piece({ content: TEXT })) + DONE,
    holds: { blocks: ['text'], text: TEXT, finish: 'stop' },
  },
  {
    name: 'error first',
    whole: { error: { message: 'The engine is overloaded.', type: 'server_error', param: null, code: 'overloaded' } },
    stream: dataEvents({ error: { message: 'The engine is overloaded.', type: 'server_error', code: 503 } }),
  },
  {
    name: 'error in the middle',
    stream: dataEvents(FIRST, piece({ content: 'The sun' }), {
      ...piece({ content: '' }, 'error'),
      error: { code: 502, message: 'Provider disconnected' },
    }),
  },
  { name: 'cut', stream: dataEvents(FIRST, piece({ content: 'The sun' }), piece({ content: ' is' })) },
  { name: 'not of the dialect', whole: { hello: 'world' }, stream: 'data: <html>\n\n' },
]
