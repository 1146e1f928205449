// What a request in the responses format can hold.

import type { JsonObject } from '#dialect/turn.ts'
import { ANSWER_SCHEMA, PDF, PNG, WAV, WEATHER_SCHEMA } from '../requests/media.ts'
import { MARKER, SEAL, type Feature } from './feature.ts'

const MODEL = { model: 'farebox-model' }
const HELLO = { role: 'user', content: 'Hello' }
const BASE = { ...MODEL, input: [HELLO] }
const WEATHER = { type: 'function', name: 'get_weather', strict: false, parameters: WEATHER_SCHEMA }
const LIST = { type: 'function', name: 'list_files', strict: false, parameters: { type: 'object', properties: {} } }
const TOOLS = { tools: [WEATHER, LIST] }
const CALL = { type: 'function_call', call_id: 'call_w1', name: 'get_weather', arguments: '{"city":"Bern"}' }
const OUTPUT = { type: 'function_call_output', call_id: 'call_w1', output: 'Sunny' }
const ENCRYPTED = { include: ['reasoning.encrypted_content'], store: false }

const input = (name: string, list: readonly JsonObject[], marker: string = MARKER, rest: JsonObject = {}): Feature => ({
  name,
  body: { ...MODEL, input: list, ...rest },
  without: BASE,
  marker,
})
const part = (name: string, value: JsonObject, marker: string = MARKER) =>
  input(name, [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }, value] }], marker)
const item = (name: string, value: JsonObject, rest: JsonObject = {}): Feature => ({
  name,
  body: { ...MODEL, input: [HELLO, value, HELLO], ...rest },
  without: { ...MODEL, input: [HELLO, HELLO], ...rest },
})
const member = (name: string, value: JsonObject, beside: JsonObject = {}, marker?: string): Feature => ({
  name,
  body: { ...BASE, ...beside, ...value },
  without: { ...BASE, ...beside },
  isMember: true,
  ...(marker === undefined ? {} : { marker }),
})
const own = (name: string, value: JsonObject): Feature => ({ ...member(name, value), isOwn: true })
const hosted = (type: string, rest: JsonObject = {}) => member(`\`tools\`: \`${type}\``, { tools: [{ type, ...rest }] })
const image = (rest: JsonObject) => ({ type: 'input_image', image_url: `data:image/png;base64,${PNG}`, ...rest })

export const RESPONSES_FEATURES: readonly Feature[] = [
  { ...member('`input` as a text', { input: MARKER }), marker: MARKER },
  member('`instructions`', { instructions: MARKER }, {}, MARKER),
  input('`system` and `developer` messages', [{ role: 'developer', content: MARKER }, HELLO]),
  input('`developer` message in the middle', [HELLO, { role: 'developer', content: MARKER }, HELLO]),
  input('text of the user', [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: MARKER }] }]),
  part('image, as a data URL', image({}), PNG),
  part('image, by its address', { type: 'input_image', image_url: `https://images.example/${MARKER}.png` }),
  part('image, by its `file_id`', { type: 'input_image', file_id: 'file-1' }, 'file-1'),
  member(
    '`detail` of an image',
    { input: [{ role: 'user', content: [image({ detail: 'low' })] }] },
    { input: [{ role: 'user', content: [image({})] }] },
  ),
  part(
    'PDF, as `file_data`',
    { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
    PDF,
  ),
  part('PDF, by its address', { type: 'input_file', file_url: `https://files.example/${MARKER}.pdf` }),
  part('file, by its `file_id`', { type: 'input_file', file_id: 'file-1' }, 'file-1'),
  part('sound, `input_audio`', { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } }, WAV),
  input('text of the assistant', [
    HELLO,
    { role: 'assistant', content: [{ type: 'output_text', text: MARKER }] },
    HELLO,
  ]),
  input('last item is of the assistant', [HELLO, { role: 'assistant', content: MARKER }]),
  input('refusal of the assistant', [
    HELLO,
    { role: 'assistant', content: [{ type: 'refusal', refusal: MARKER }] },
    HELLO,
  ]),
  input('`function_call`', [HELLO, { ...CALL, arguments: `{"city":"${MARKER}"}` }, OUTPUT], MARKER, TOOLS),
  input('`function_call` of a namespace', [HELLO, { ...CALL, name: 'list', namespace: MARKER }, OUTPUT], MARKER, {
    tools: [{ type: 'namespace', name: MARKER, description: 'a', tools: [{ ...LIST, name: 'list' }] }],
  }),
  input('`function_call_output`', [HELLO, CALL, { ...OUTPUT, output: MARKER }], MARKER, TOOLS),
  input('image in a `function_call_output`', [HELLO, CALL, { ...OUTPUT, output: [image({})] }], PNG, TOOLS),
  input(
    '`custom_tool_call` and its output',
    [
      HELLO,
      { type: 'custom_tool_call', call_id: 'call_p1', name: 'patch', input: MARKER },
      { type: 'custom_tool_call_output', call_id: 'call_p1', output: 'Done' },
    ],
    MARKER,
    { tools: [{ type: 'custom', name: 'patch' }] },
  ),
  input(
    '`local_shell_call` and its output',
    [
      HELLO,
      {
        type: 'local_shell_call',
        call_id: 'call_l1',
        status: 'completed',
        action: { type: 'exec', command: [MARKER], env: {} },
      },
      { type: 'local_shell_call_output', call_id: 'call_l1', output: 'Done' },
    ],
    MARKER,
    { tools: [{ type: 'local_shell' }] },
  ),
  input(
    '`tool_search_call` and the tools it found',
    [
      HELLO,
      { type: 'tool_search_call', call_id: 'call_s1', execution: 'client', arguments: { query: 'a' } },
      {
        type: 'tool_search_output',
        call_id: 'call_s1',
        status: 'completed',
        execution: 'client',
        tools: [{ ...LIST, name: MARKER }],
      },
    ],
    MARKER,
    {
      tools: [
        { type: 'tool_search', execution: 'client', description: 'a', parameters: { type: 'object', properties: {} } },
      ],
    },
  ),
  input(
    '`reasoning` of earlier turns: its summary',
    [HELLO, { type: 'reasoning', summary: [{ type: 'summary_text', text: MARKER }] }, CALL, OUTPUT],
    MARKER,
    { ...TOOLS, ...ENCRYPTED },
  ),
  input(
    '`reasoning` of earlier turns: its `encrypted_content`',
    [HELLO, { type: 'reasoning', summary: [], encrypted_content: SEAL }, CALL, OUTPUT],
    SEAL,
    { ...TOOLS, ...ENCRYPTED },
  ),
  item('`item_reference`', { type: 'item_reference', id: 'msg_1' }),
  item('`web_search_call` of earlier turns', {
    type: 'web_search_call',
    status: 'completed',
    action: { type: 'search', query: 'a' },
  }),
  item('`image_generation_call` of earlier turns', { type: 'image_generation_call', status: 'completed', result: PNG }),
  item('`mcp_call` of earlier turns', { type: 'mcp_call', name: 'a', server_label: 's', arguments: '{}' }),
  item('`compaction`', { type: 'compaction', encrypted_content: SEAL }),
  member('`tools`: `function`', { tools: [{ ...LIST, name: MARKER }] }, {}, MARKER),
  member('`strict` of a function', { tools: [{ ...WEATHER, strict: true }] }, { tools: [WEATHER] }),
  member('`tools`: `custom`', { tools: [{ type: 'custom', name: MARKER }] }, {}, MARKER),
  member(
    'grammar of a custom tool',
    {
      tools: [
        { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: `start: ${MARKER}` } },
      ],
    },
    {},
    MARKER,
  ),
  member(
    '`tools`: `namespace`',
    { tools: [{ type: 'namespace', name: MARKER, description: 'a', tools: [LIST] }] },
    {},
    MARKER,
  ),
  member(
    '`tools`: `tool_search`',
    {
      tools: [
        {
          type: 'tool_search',
          execution: 'client',
          description: MARKER,
          parameters: { type: 'object', properties: {} },
        },
      ],
    },
    {},
    MARKER,
  ),
  hosted('local_shell'),
  hosted('web_search', { external_web_access: false }),
  hosted('image_generation', { output_format: 'png' }),
  hosted('file_search', { vector_store_ids: ['v'] }),
  hosted('code_interpreter', { container: { type: 'auto' } }),
  hosted('mcp', { server_label: 'a', server_url: 'https://mcp.example' }),
  member('`tool_choice`: none', { tool_choice: 'none' }, TOOLS),
  member('`tool_choice`: required', { tool_choice: 'required' }, TOOLS),
  member('`tool_choice`: one tool', { tool_choice: { type: 'function', name: 'list_files' } }, TOOLS),
  member(
    '`tool_choice`: some tools',
    { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'list_files' }] } },
    TOOLS,
  ),
  member('`tool_choice`: `web_search`', { tool_choice: { type: 'web_search' } }, { tools: [{ type: 'web_search' }] }),
  member('`parallel_tool_calls`: false', { parallel_tool_calls: false }, TOOLS),
  member('`max_tool_calls`', { max_tool_calls: 3 }),
  member('`text.format`: JSON', { text: { format: { type: 'json_object' } } }),
  member(
    '`text.format`: a schema',
    {
      text: {
        format: { type: 'json_schema', name: 'a', strict: true, schema: { ...ANSWER_SCHEMA, description: MARKER } },
      },
    },
    {},
    MARKER,
  ),
  member('`text.verbosity`', { text: { verbosity: 'low' } }),
  member('`reasoning.effort`', { reasoning: { effort: 'low' } }),
  own('`reasoning.effort`: none', { reasoning: { effort: 'none' } }),
  own('`reasoning.summary`', { reasoning: { summary: 'auto' } }),
  member('`max_output_tokens`', { max_output_tokens: 3571 }, {}, '3571'),
  member('`temperature`', { temperature: 0.37 }, {}, '0.37'),
  member('`temperature` above 1', { temperature: 1.37 }, {}, '1.37'),
  member('`top_p`', { top_p: 0.83 }, {}, '0.83'),
  member('`top_logprobs`', { top_logprobs: 3 }),
  member('`include`: logprobs', { include: ['message.output_text.logprobs'] }),
  own('`include`: `reasoning.encrypted_content`', ENCRYPTED),
  member('`user`', { user: MARKER }, {}, MARKER),
  member('`metadata`', { metadata: { a: MARKER } }, {}, MARKER),
  member('`service_tier`', { service_tier: 'flex' }, {}, 'flex'),
  member('`prompt_cache_key`', { prompt_cache_key: MARKER }, {}, MARKER),
  member('`prompt_cache_retention`', { prompt_cache_retention: '24h' }, {}, '24h'),
  member('`safety_identifier`', { safety_identifier: MARKER }, {}, MARKER),
  member('`client_metadata`', { client_metadata: { a: MARKER } }, {}, MARKER),
  member('`previous_response_id`', { previous_response_id: 'resp_1' }),
  member('`conversation`', { conversation: 'conv_1' }),
  member('`prompt`, a template', { prompt: { id: 'pmpt_1' } }),
  member('`background`', { background: true }),
  member('`truncation`: auto', { truncation: 'auto' }),
  own('`store`', { store: true }),
  member('members that nobody knows', { zzz_unknown: MARKER }, {}, MARKER),
  own('`stream`', { stream: true }),
  own('`stream_options.include_obfuscation`', { stream: true, stream_options: { include_obfuscation: false } }),
]
