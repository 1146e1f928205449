// What a request in the chat completions format can hold.

import type { JsonObject } from '#dialect/turn.ts'
import { ANSWER_SCHEMA, PDF, PNG, WAV, WEATHER_SCHEMA } from '../requests/media.ts'
import { MARKER, SEAL, type Feature } from './feature.ts'

const MODEL = { model: 'farebox-model' }
const HELLO = { role: 'user', content: 'Hello' }
const BASE = { ...MODEL, messages: [HELLO] }
const WEATHER = { type: 'function', function: { name: 'get_weather', parameters: WEATHER_SCHEMA } }
const LIST = { type: 'function', function: { name: 'list_files', parameters: { type: 'object', properties: {} } } }
const CALL = { id: 'call_w1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }
const RESULT = { role: 'tool', tool_call_id: 'call_w1', content: 'Sunny' }
const TOOLS = { tools: [WEATHER, LIST] }

/** Messages with a content that must not get lost. */
const messages = (
  name: string,
  list: readonly JsonObject[],
  marker: string = MARKER,
  rest: JsonObject = {},
): Feature => ({
  name,
  body: { ...MODEL, messages: list, ...rest },
  without: BASE,
  marker,
})
const part = (name: string, value: JsonObject, marker: string = MARKER) =>
  messages(name, [{ role: 'user', content: [{ type: 'text', text: 'Hello' }, value] }], marker)
/** A member of the body; `beside` is in the request anyway. */
const member = (name: string, value: JsonObject, beside: JsonObject = {}, marker?: string): Feature => ({
  name,
  body: { ...BASE, ...beside, ...value },
  without: { ...BASE, ...beside },
  isMember: true,
  ...(marker === undefined ? {} : { marker }),
})
const own = (name: string, value: JsonObject): Feature => ({ ...member(name, value), isOwn: true })
const history = (assistant: JsonObject, result: JsonObject = RESULT) => [
  HELLO,
  { role: 'assistant', ...assistant },
  result,
]

export const CHAT_FEATURES: readonly Feature[] = [
  messages('system message', [{ role: 'system', content: MARKER }, HELLO]),
  messages('`developer` message', [{ role: 'developer', content: MARKER }, HELLO]),
  messages('system message in the middle', [HELLO, { role: 'system', content: MARKER }, HELLO]),
  messages('text of the user', [{ role: 'user', content: MARKER }]),
  messages('text in parts', [{ role: 'user', content: [{ type: 'text', text: MARKER }] }]),
  messages('`name` of a participant', [{ ...HELLO, name: MARKER }]),
  part('image, as a data URL', { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }, PNG),
  part('image, by its address', { type: 'image_url', image_url: { url: `https://images.example/${MARKER}.png` } }),
  member(
    '`detail` of an image',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } }],
        },
      ],
    },
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] },
      ],
    },
  ),
  part(
    'PDF, as `file_data`',
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    PDF,
  ),
  part('file, by its `file_id`', { type: 'file', file: { file_id: 'file-1' } }, 'file-1'),
  part('sound, `input_audio`', { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } }, WAV),
  messages('text of the assistant', [HELLO, { role: 'assistant', content: MARKER }, HELLO]),
  messages('last message is of the assistant', [HELLO, { role: 'assistant', content: MARKER }]),
  messages('refusal of the assistant', [HELLO, { role: 'assistant', content: null, refusal: MARKER }, HELLO]),
  messages('`audio` of the assistant', [HELLO, { role: 'assistant', content: 'a', audio: { id: MARKER } }, HELLO]),
  messages(
    'tool call',
    history({ tool_calls: [{ ...CALL, function: { name: 'get_weather', arguments: `{"city":"${MARKER}"}` } }] }),
    MARKER,
    TOOLS,
  ),
  messages(
    'call of a custom tool',
    history({ tool_calls: [{ id: 'call_w1', type: 'custom', custom: { name: 'patch', input: MARKER } }] }),
    MARKER,
    { tools: [{ type: 'custom', custom: { name: 'patch' } }] },
  ),
  messages(
    '`function_call` (deprecated)',
    [
      HELLO,
      { role: 'assistant', content: null, function_call: { name: 'get_weather', arguments: `{"city":"${MARKER}"}` } },
      { role: 'function', name: 'get_weather', content: 'Sunny' },
    ],
    MARKER,
    { functions: [WEATHER.function] },
  ),
  messages('result of a tool', history({ tool_calls: [CALL] }, { ...RESULT, content: MARKER }), MARKER, TOOLS),
  messages(
    'image in the result of a tool',
    history(
      { tool_calls: [CALL] },
      { ...RESULT, content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] },
    ),
    PNG,
    TOOLS,
  ),
  messages(
    '`reasoning_content` of earlier turns',
    history({ reasoning_content: MARKER, tool_calls: [CALL] }),
    MARKER,
    TOOLS,
  ),
  messages(
    'signature of a provider like OpenRouter, in `reasoning_details`',
    history({
      reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: SEAL }],
      tool_calls: [CALL],
    }),
    SEAL,
    TOOLS,
  ),
  messages(
    'signature of Gemini, in `extra_content`',
    history({ tool_calls: [{ ...CALL, extra_content: { google: { thought_signature: SEAL } } }] }),
    SEAL,
    TOOLS,
  ),
  member('`cache_control`', {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }] }],
  }),
  member('`max_tokens`', { max_tokens: 3571 }, {}, '3571'),
  member('`max_completion_tokens`', { max_completion_tokens: 3571 }, {}, '3571'),
  member('`n` above 1', { n: 2 }),
  member('`stop`', { stop: [MARKER] }, {}, MARKER),
  member('more than 4 texts in `stop`', { stop: ['a', 'b', 'c', 'd', MARKER] }, {}, MARKER),
  member('`temperature`', { temperature: 0.37 }, {}, '0.37'),
  member('`temperature` above 1', { temperature: 1.37 }, {}, '1.37'),
  member('`top_p`', { top_p: 0.83 }, {}, '0.83'),
  member('`temperature` and `top_p`', { top_p: 0.83 }, { temperature: 0.37 }, '0.83'),
  member('`top_k`', { top_k: 37 }, {}, '37'),
  member('`seed`', { seed: 424_243 }, {}, '424243'),
  member('`presence_penalty`', { presence_penalty: 0.37 }, {}, '0.37'),
  member('`frequency_penalty`', { frequency_penalty: 0.37 }, {}, '0.37'),
  member('`logit_bias`', { logit_bias: { '1': 1 } }),
  member('`logprobs`', { logprobs: true }),
  member('`top_logprobs`', { top_logprobs: 3 }, { logprobs: true }),
  member('`response_format`: JSON', { response_format: { type: 'json_object' } }),
  member(
    '`response_format`: a schema',
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', strict: true, schema: { ...ANSWER_SCHEMA, description: MARKER } },
      },
    },
    {},
    MARKER,
  ),
  member(
    '`tools`: functions',
    { tools: [{ type: 'function', function: { name: MARKER, parameters: WEATHER_SCHEMA } }] },
    {},
    MARKER,
  ),
  member(
    '`strict` of a function',
    { tools: [{ type: 'function', function: { ...WEATHER.function, strict: true } }] },
    { tools: [WEATHER] },
  ),
  member('`tools`: custom', { tools: [{ type: 'custom', custom: { name: MARKER } }] }, {}, MARKER),
  member(
    'grammar of a custom tool',
    {
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'patch',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: `start: ${MARKER}` } },
          },
        },
      ],
    },
    {},
    MARKER,
  ),
  member('`functions` (deprecated)', { functions: [{ name: MARKER, parameters: WEATHER_SCHEMA }] }, {}, MARKER),
  member('`tool_choice`: none', { tool_choice: 'none' }, TOOLS),
  member('`tool_choice`: required', { tool_choice: 'required' }, TOOLS),
  member('`tool_choice`: one tool', { tool_choice: { type: 'function', function: { name: 'list_files' } } }, TOOLS),
  member(
    '`tool_choice`: some tools',
    {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'list_files' } }] },
      },
    },
    TOOLS,
  ),
  member('`parallel_tool_calls`: false', { parallel_tool_calls: false }, TOOLS),
  member('`web_search_options`', { web_search_options: {} }),
  member('`reasoning_effort`', { reasoning_effort: 'low' }),
  own('`reasoning_effort`: none', { reasoning_effort: 'none' }),
  member('`reasoning.max_tokens`', { reasoning: { max_tokens: 2000 } }),
  member('`thinking` with a budget', { thinking: { type: 'enabled', budget_tokens: 2000 } }),
  member('`verbosity`', { verbosity: 'low' }),
  member('`user`', { user: MARKER }, {}, MARKER),
  member('`user` of more than 64 characters', { user: 'u'.repeat(300) }),
  member('`metadata`', { metadata: { a: MARKER } }, {}, MARKER),
  member('`service_tier`', { service_tier: 'flex' }, {}, 'flex'),
  member('`prompt_cache_key`', { prompt_cache_key: MARKER }, {}, MARKER),
  member('`prompt_cache_retention`', { prompt_cache_retention: '24h' }, {}, '24h'),
  member('`safety_identifier`', { safety_identifier: MARKER }, {}, MARKER),
  member('`store`: true', { store: true }),
  member('`prediction`', { prediction: { type: 'content', content: MARKER } }, {}, MARKER),
  member('`modalities` with sound, and `audio`', {
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'wav' },
  }),
  member('members that nobody knows', { zzz_unknown: MARKER }, {}, MARKER),
  own('`stream`', { stream: true }),
  own('`stream_options.include_usage`', { stream: true, stream_options: { include_usage: true } }),
]
