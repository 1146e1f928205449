// What a request in the messages format can hold.

import type { JsonObject } from '#dialect/turn.ts'
import { ANSWER_SCHEMA, PDF, PNG, WEATHER_SCHEMA } from '../requests/media.ts'
import { MARKER, SEAL, type Feature } from './feature.ts'

const MODEL = { model: 'farebox-model', max_tokens: 4000 }
const HELLO = { role: 'user', content: 'Hello' }
const BASE = { ...MODEL, messages: [HELLO] }
const WEATHER = { name: 'get_weather', input_schema: WEATHER_SCHEMA }
const TOOLS = { tools: [WEATHER, { name: 'list_files', input_schema: { type: 'object', properties: {} } }] }
const USE = { type: 'tool_use', id: 'toolu_01w1', name: 'get_weather', input: { city: 'Bern' } }
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_01w1', content: 'Sunny' }
const THINKING = { thinking: { type: 'enabled', budget_tokens: 2000 } }

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
const block = (name: string, value: JsonObject, marker: string = MARKER) =>
  messages(name, [{ role: 'user', content: [{ type: 'text', text: 'Hello' }, value] }], marker)
const member = (name: string, value: JsonObject, beside: JsonObject = {}, marker?: string): Feature => ({
  name,
  body: { ...BASE, ...beside, ...value },
  without: { ...BASE, ...beside },
  isMember: true,
  ...(marker === undefined ? {} : { marker }),
})
const own = (name: string, value: JsonObject, beside: JsonObject = {}): Feature => ({
  ...member(name, value, beside),
  isOwn: true,
})
const said = (...content: readonly JsonObject[]) => ({ role: 'assistant', content })
const results = (...content: readonly JsonObject[]) => ({ role: 'user', content })
const document = (source: JsonObject, rest: JsonObject = {}) => ({ type: 'document', source, ...rest })
const tool = (name: string, rest: JsonObject) =>
  member(name, { tools: [{ ...WEATHER, ...rest }] }, { tools: [WEATHER] })

export const MESSAGES_FEATURES: readonly Feature[] = [
  member('`system`', { system: MARKER }, {}, MARKER),
  member('`system` in blocks', { system: [{ type: 'text', text: MARKER }] }, {}, MARKER),
  messages('`system` message in the middle', [HELLO, { role: 'system', content: MARKER }, HELLO]),
  messages('text of the user', [{ role: 'user', content: MARKER }]),
  block('image, in base64', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }, PNG),
  block('image, by its address', {
    type: 'image',
    source: { type: 'url', url: `https://images.example/${MARKER}.png` },
  }),
  block('image, by its `file_id`', { type: 'image', source: { type: 'file', file_id: MARKER } }),
  block('PDF, in base64', document({ type: 'base64', media_type: 'application/pdf', data: PDF }), PDF),
  block('PDF, by its address', document({ type: 'url', url: `https://files.example/${MARKER}.pdf` })),
  block('document of text', document({ type: 'text', media_type: 'text/plain', data: MARKER })),
  block('document of blocks', document({ type: 'content', content: [{ type: 'text', text: MARKER }] })),
  block('`title` of a document', document({ type: 'text', media_type: 'text/plain', data: 'a' }, { title: MARKER })),
  block(
    '`context` of a document',
    document({ type: 'text', media_type: 'text/plain', data: 'a' }, { context: MARKER }),
  ),
  member(
    '`citations` of a document',
    {
      messages: [
        results(document({ type: 'text', media_type: 'text/plain', data: 'a' }, { citations: { enabled: true } })),
      ],
    },
    { messages: [results(document({ type: 'text', media_type: 'text/plain', data: 'a' }))] },
  ),
  block('`search_result`', {
    type: 'search_result',
    source: 'https://a.example',
    title: 'A',
    content: [{ type: 'text', text: MARKER }],
  }),
  messages('text of the assistant', [HELLO, said({ type: 'text', text: MARKER }), HELLO]),
  messages('last message is of the assistant', [HELLO, said({ type: 'text', text: MARKER })]),
  messages('`tool_use`', [HELLO, said({ ...USE, input: { city: MARKER } }), results(RESULT)], MARKER, TOOLS),
  messages('`tool_result`', [HELLO, said(USE), results({ ...RESULT, content: MARKER })], MARKER, TOOLS),
  member(
    '`is_error` of a result',
    { messages: [HELLO, said(USE), results({ ...RESULT, is_error: true })] },
    { messages: [HELLO, said(USE), results(RESULT)], ...TOOLS },
  ),
  messages(
    'image in a `tool_result`',
    [
      HELLO,
      said(USE),
      results({
        ...RESULT,
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
      }),
    ],
    PNG,
    TOOLS,
  ),
  messages(
    'document in a `tool_result`',
    [
      HELLO,
      said(USE),
      results({ ...RESULT, content: [document({ type: 'base64', media_type: 'application/pdf', data: PDF })] }),
    ],
    PDF,
    TOOLS,
  ),
  messages(
    '`tool_reference` in a `tool_result`',
    [HELLO, said(USE), results({ ...RESULT, content: [{ type: 'tool_reference', tool_name: MARKER }] })],
    MARKER,
    TOOLS,
  ),
  messages(
    '`thinking` of earlier turns',
    [HELLO, said({ type: 'thinking', thinking: MARKER, signature: SEAL }, USE), results(RESULT)],
    MARKER,
    { ...TOOLS, ...THINKING },
  ),
  messages(
    'signature of `thinking`',
    [HELLO, said({ type: 'thinking', thinking: 'Hm.', signature: SEAL }, USE), results(RESULT)],
    SEAL,
    { ...TOOLS, ...THINKING },
  ),
  messages(
    '`redacted_thinking`',
    [HELLO, said({ type: 'redacted_thinking', data: SEAL }, USE), results(RESULT)],
    SEAL,
    { ...TOOLS, ...THINKING },
  ),
  messages('`server_tool_use` of earlier turns', [
    HELLO,
    said(
      { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: MARKER } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_01', content: [] },
    ),
    HELLO,
  ]),
  messages('`web_search_tool_result` of earlier turns', [
    HELLO,
    said(
      { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'a' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_01',
        content: [{ type: 'web_search_result', url: 'https://a.example', title: MARKER, encrypted_content: 'Eqgf' }],
      },
    ),
    HELLO,
  ]),
  member('`cache_control` of a block', {
    messages: [results({ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } })],
  }),
  member(
    '`cache_control` of a tool',
    { tools: [{ ...WEATHER, cache_control: { type: 'ephemeral' } }] },
    { tools: [WEATHER] },
  ),
  member('`cache_control` of the request', { cache_control: { type: 'ephemeral' } }),
  { ...member('`max_tokens`', { max_tokens: 3571 }), marker: '3571' },
  member('`stop_sequences`', { stop_sequences: [MARKER] }, {}, MARKER),
  member('more than 4 `stop_sequences`', { stop_sequences: ['a', 'b', 'c', 'd', MARKER] }, {}, MARKER),
  member('`temperature`', { temperature: 0.37 }, {}, '0.37'),
  member('`top_p`', { top_p: 0.83 }, {}, '0.83'),
  member('`top_k`', { top_k: 37 }, {}, '37'),
  member('`tools`', { tools: [{ ...WEATHER, name: MARKER }] }, {}, MARKER),
  tool('`strict` of a tool', { strict: true }),
  tool('`defer_loading` of a tool', { defer_loading: true }),
  tool('`eager_input_streaming` of a tool', { eager_input_streaming: true }),
  tool('`input_examples` of a tool', { input_examples: [{ city: 'Bern' }] }),
  tool('`allowed_callers` of a tool', { allowed_callers: ['direct'] }),
  member('`tools`: web search', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
  member('`tools`: code execution', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }),
  member('`tools`: bash, text editor, memory', {
    tools: [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'memory_20250818', name: 'memory' },
    ],
  }),
  member(
    '`tool_choice`: web search',
    { tool_choice: { type: 'tool', name: 'web_search' } },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  ),
  member('`tool_choice`: none', { tool_choice: { type: 'none' } }, TOOLS),
  member('`tool_choice`: any', { tool_choice: { type: 'any' } }, TOOLS),
  member('`tool_choice`: one tool', { tool_choice: { type: 'tool', name: 'list_files' } }, TOOLS),
  member(
    '`disable_parallel_tool_use`',
    { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    {
      ...TOOLS,
      tool_choice: { type: 'auto' },
    },
  ),
  member('`thinking` with a budget', THINKING),
  member('`thinking`: adaptive, and `output_config.effort`', {
    thinking: { type: 'adaptive' },
    output_config: { effort: 'low' },
  }),
  own('`thinking`: disabled', { thinking: { type: 'disabled' } }),
  own(
    '`thinking.display`: omitted',
    { thinking: { type: 'adaptive', display: 'omitted' } },
    { thinking: { type: 'adaptive' } },
  ),
  member(
    '`output_config.format`: a schema',
    {
      output_config: { format: { type: 'json_schema', schema: { ...ANSWER_SCHEMA, description: MARKER } } },
    },
    {},
    MARKER,
  ),
  member('`metadata.user_id`', { metadata: { user_id: MARKER } }, {}, MARKER),
  member('`metadata.user_id` of more than 64 characters', { metadata: { user_id: 'u'.repeat(300) } }),
  member('`service_tier`', { service_tier: 'standard_only' }, {}, 'standard_only'),
  member('`context_management`', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }),
  member('`container`', { container: MARKER }, {}, MARKER),
  member('`mcp_servers`', { mcp_servers: [{ type: 'url', url: `https://${MARKER}.example`, name: 'm' }] }, {}, MARKER),
  member('`speed`, `inference_geo`', { speed: 'fast', inference_geo: 'eu' }),
  member('`fallbacks`, `diagnostics`, `user_profile_id`', { fallbacks: [], diagnostics: {}, user_profile_id: 'u' }),
  member('`thread`', { thread: { type: 'create' } }),
  member('members that nobody knows', { zzz_unknown: MARKER }, {}, MARKER),
  own('`stream`', { stream: true }),
]
