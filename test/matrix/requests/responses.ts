// Requests in the responses format, in the shapes that clients send.

import type { JsonObject } from '#dialect/turn.ts'
import { ANSWER_SCHEMA, IMAGE_URL, LONG_NAME, PDF, PNG, WAV, WEATHER_SCHEMA } from './media.ts'

const MODEL = { model: 'farebox-model', store: false }
const message = (role: string, ...texts: readonly string[]) => ({
  type: 'message',
  role,
  content: texts.map((text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text })),
})
const HELLO = message('user', 'How is the weather in Bern?')
const call = (id: string, name: string, json: string, rest: JsonObject = {}) => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: json,
  ...rest,
})
const output = (id: string, value: unknown) => ({ type: 'function_call_output', call_id: id, output: value })
const tool = (name: string, parameters: JsonObject) => ({
  type: 'function',
  name,
  description: `Does ${name}.`,
  strict: false,
  parameters,
})
const WEATHER = tool('get_weather', WEATHER_SCHEMA)
const PATCH = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Changes files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' },
}
const NAMESPACE = {
  type: 'namespace',
  name: 'mcp__calendar',
  description: 'The calendar of the user.',
  tools: [tool('list_events', { type: 'object', properties: {} }), tool('add_event', WEATHER_SCHEMA)],
}
const SEARCH = {
  type: 'tool_search',
  execution: 'client',
  description: 'Searches the tools.',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
}

export const RESPONSES_REQUESTS: Readonly<Record<string, JsonObject>> = {
  'a text with instructions': {
    ...MODEL,
    instructions: 'Be brief.',
    input: 'How is the weather in Bern?',
    temperature: 0.7,
    top_p: 0.95,
    max_output_tokens: 500,
  },
  'several turns in the easy form': {
    ...MODEL,
    input: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello! How can I help?' },
      { role: 'user', content: [{ type: 'input_text', text: 'The weather, please.' }] },
    ],
  },
  'developer messages, also in the middle': {
    ...MODEL,
    input: [
      message('developer', 'Be brief.', 'Be kind.'),
      HELLO,
      message('assistant', 'Sunny.'),
      message('developer', 'Now in German.'),
      message('user', 'And now?'),
    ],
  },
  tools: { ...MODEL, input: [HELLO], tools: [WEATHER], tool_choice: 'auto', parallel_tool_calls: false },
  'a tool that must be called': {
    ...MODEL,
    input: [HELLO],
    tools: [WEATHER, PATCH],
    tool_choice: { type: 'custom', name: 'apply_patch' },
  },
  'only some of the tools': {
    ...MODEL,
    input: [HELLO],
    tools: [WEATHER, tool('list_files', { type: 'object', properties: {} })],
    tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'list_files' }] },
  },
  'a round trip of a tool': {
    ...MODEL,
    input: [HELLO, call('call_w1', 'get_weather', '{"city":"Bern"}'), output('call_w1', 'Sunny, 23 degrees')],
    tools: [WEATHER],
  },
  'parallel tool calls, with text between calls and results': {
    ...MODEL,
    input: [
      HELLO,
      call('call_w1', 'get_weather', '{"city":"Bern"}'),
      call('call_w2', 'get_weather', '{"city":"Oslo"}'),
      message('assistant', 'I look at both.'),
      output('call_w2', [{ type: 'input_text', text: 'Snow' }]),
      output('call_w1', 'Sun'),
      message('user', 'And now?'),
    ],
    tools: [WEATHER],
  },
  'a result before its call, and a call without a result': {
    ...MODEL,
    input: [
      HELLO,
      output('call_w1', 'Sunny'),
      call('call_w1', 'get_weather', '{"city":"Bern"}'),
      call('call_w2', 'get_weather', '{"city":"Oslo"}'),
      message('user', 'Go on.'),
    ],
    tools: [WEATHER],
  },
  images: {
    ...MODEL,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'original' },
          { type: 'input_image', image_url: IMAGE_URL },
        ],
      },
    ],
  },
  'an image in the result of a tool': {
    ...MODEL,
    input: [
      message('user', 'Look at the picture.'),
      call('call_v1', 'view_image', '{"path":"bern.png"}'),
      output('call_v1', [
        { type: 'input_text', text: 'Here it is.' },
        { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
      ]),
    ],
    tools: [tool('view_image', { type: 'object', properties: { path: { type: 'string' } } })],
  },
  'a document': {
    ...MODEL,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_file', filename: 'bern.pdf', file_data: `data:application/pdf;base64,${PDF}` },
          { type: 'input_text', text: 'Sum it up.' },
        ],
      },
    ],
  },
  sound: {
    ...MODEL,
    input: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: WAV, format: 'wav' } }] }],
  },
  'reasoning with encrypted content in the history': {
    ...MODEL,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'medium', summary: 'auto' },
    input: [
      HELLO,
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'I should look.' }],
        encrypted_content: 'gAAAAABo8MGiVw2Q',
      },
      call('call_w1', 'get_weather', '{"city":"Bern"}'),
      output('call_w1', 'Sunny'),
      { type: 'reasoning', summary: [], encrypted_content: null },
      message('assistant', 'It is sunny.'),
      message('user', 'And in Oslo?'),
    ],
    tools: [WEATHER],
  },
  'a wish to reason': { ...MODEL, input: [HELLO], reasoning: { effort: 'high', summary: 'detailed' } },
  'no wish to reason': { ...MODEL, input: [HELLO], reasoning: { effort: 'none' } },
  'structured output': {
    ...MODEL,
    input: [HELLO],
    text: {
      verbosity: 'low',
      format: { type: 'json_schema', name: 'codex_output_schema', strict: true, schema: ANSWER_SCHEMA },
    },
  },
  'output in JSON': { ...MODEL, input: [HELLO], text: { format: { type: 'json_object' } } },
  'custom tools and their history': {
    ...MODEL,
    input: [
      message('user', 'Change the file.'),
      { type: 'custom_tool_call', call_id: 'call_p1', name: 'apply_patch', input: '*** Begin Patch\n*** End Patch' },
      { type: 'custom_tool_call_output', call_id: 'call_p1', output: 'Done' },
    ],
    tools: [PATCH],
  },
  'namespaces and their history': {
    ...MODEL,
    input: [
      message('user', 'What is on today?'),
      call('call_n1', 'list_events', '{}', { namespace: 'mcp__calendar' }),
      output('call_n1', 'Nothing'),
    ],
    tools: [NAMESPACE, { type: 'web_search', external_web_access: false }],
  },
  'a search among the tools': {
    ...MODEL,
    input: [
      message('user', 'Add an event.'),
      { type: 'tool_search_call', call_id: 'call_s1', execution: 'client', arguments: { query: 'calendar' } },
      {
        type: 'tool_search_output',
        call_id: 'call_s1',
        status: 'completed',
        execution: 'client',
        tools: [tool('add_event', WEATHER_SCHEMA)],
      },
    ],
    tools: [SEARCH],
  },
  'the local shell': {
    ...MODEL,
    input: [
      message('user', 'List the files.'),
      {
        type: 'local_shell_call',
        call_id: 'call_l1',
        status: 'completed',
        action: { type: 'exec', command: ['ls'], env: {} },
      },
      { type: 'local_shell_call_output', call_id: 'call_l1', output: 'README.md' },
    ],
    tools: [{ type: 'local_shell' }],
  },
  'long names of tools': {
    ...MODEL,
    input: [HELLO, call('call_m1', LONG_NAME, '{}'), output('call_m1', 'Nothing found')],
    tools: [tool(LONG_NAME, WEATHER_SCHEMA)],
  },
  'everything else that providers of responses know': {
    ...MODEL,
    input: [HELLO],
    metadata: { team: 'a' },
    user: 'user-1',
    service_tier: 'flex',
    prompt_cache_key: 'k1',
    prompt_cache_retention: '24h',
    safety_identifier: 's1',
    top_logprobs: 3,
    truncation: 'auto',
    include: ['message.output_text.logprobs'],
    max_tool_calls: 3,
    stream_options: { include_obfuscation: false },
    client_metadata: { a: 'b' },
  },
  'items of the history that only their provider can read': {
    ...MODEL,
    input: [
      HELLO,
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'sun' } },
      { type: 'compaction', encrypted_content: 'gAAAAABo8' },
      message('assistant', 'It is sunny.'),
      message('user', 'Thanks.'),
    ],
  },
  'a reference to an earlier answer': { ...MODEL, input: [HELLO], previous_response_id: 'resp_1' },
  'a reference to an item': { ...MODEL, input: [{ type: 'item_reference', id: 'msg_1' }, HELLO] },
  'as Codex asks': {
    model: 'farebox-model',
    input: [
      message(
        'developer',
        'You are Codex, a coding agent.',
        '<permissions instructions>Full access.</permissions instructions>',
      ),
      message('user', '<environment_context>\n  <cwd>/tmp/w</cwd>\n</environment_context>'),
      message('user', 'List the files.'),
      { type: 'reasoning', summary: [], encrypted_content: 'gAAAAABo8MGiVw2Q' },
      call('call_e1', 'exec_command', '{"cmd":"ls"}'),
      output('call_e1', 'Chunk ID: a1\nOutput:\nREADME.md\n'),
    ],
    tools: [
      tool('exec_command', {
        type: 'object',
        properties: { cmd: { type: 'string' }, yield_time_ms: { type: 'number' } },
        required: ['cmd'],
        additionalProperties: false,
      }),
      PATCH,
      NAMESPACE,
      SEARCH,
      { type: 'web_search', external_web_access: false, search_content_types: ['text', 'image'] },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '01a1fc79-d4e6-7000-857c-000000000000',
    text: { verbosity: 'low' },
    client_metadata: { 'x-codex-installation-id': '01a1' },
  },
}
