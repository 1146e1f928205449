// Requests in the chat completions format, in the shapes that clients send.

import type { JsonObject } from '#dialect/turn.ts'
import { ANSWER_SCHEMA, IMAGE_URL, LONG_NAME, PDF, PNG, WAV, WEATHER_SCHEMA } from './media.ts'

const MODEL = { model: 'farebox-model' }
const user = (content: unknown) => ({ role: 'user', content })
const HELLO = user('How is the weather in Bern?')
const system = (content: unknown) => ({ role: 'system', content })
const tool = (name: string, parameters?: JsonObject) => ({
  type: 'function',
  function: { name, description: `Does ${name}.`, ...(parameters === undefined ? {} : { parameters }) },
})
const WEATHER = tool('get_weather', WEATHER_SCHEMA)
const call = (id: string, name: string, json: string, rest: JsonObject = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: json },
  ...rest,
})
const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content })

export const CHAT_REQUESTS: Readonly<Record<string, JsonObject>> = {
  'text with a system message': {
    ...MODEL,
    messages: [system('Be brief.'), HELLO],
    temperature: 0.7,
    top_p: 0.95,
    max_tokens: 500,
  },
  'several turns': {
    ...MODEL,
    messages: [
      { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
      user('Hello'),
      { role: 'assistant', content: 'Hello! How can I help?' },
      user([
        { type: 'text', text: 'The weather,' },
        { type: 'text', text: ' please.' },
      ]),
    ],
    max_completion_tokens: 800,
  },
  'two user messages in a row, and a system message in the middle': {
    ...MODEL,
    messages: [
      user('One.'),
      user('Two.'),
      { role: 'assistant', content: 'Three.' },
      system('Now in German.'),
      user('Four?'),
    ],
  },
  'an assistant message first, and another last': {
    ...MODEL,
    messages: [
      { role: 'assistant', content: 'Welcome.' },
      user('Count to three.'),
      { role: 'assistant', content: 'One, two, ' },
    ],
  },
  tools: {
    ...MODEL,
    messages: [HELLO],
    tools: [WEATHER, tool('list_files')],
    tool_choice: 'auto',
    parallel_tool_calls: false,
  },
  'a tool that must be called': {
    ...MODEL,
    messages: [HELLO],
    tools: [WEATHER, tool('list_files')],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
  },
  'a round trip of a tool': {
    ...MODEL,
    messages: [
      HELLO,
      { role: 'assistant', content: null, tool_calls: [call('call_w1', 'get_weather', '{"city":"Bern"}')] },
      result('call_w1', 'Sunny, 23 degrees'),
    ],
    tools: [WEATHER],
  },
  'parallel tool calls, their results the other way round': {
    ...MODEL,
    messages: [
      HELLO,
      {
        role: 'assistant',
        content: 'I look at both.',
        tool_calls: [
          call('call_w1', 'get_weather', '{"city":"Bern"}'),
          call('call_w2', 'get_weather', '{"city":"Oslo"}'),
          call('call_l1', 'list_files', ''),
        ],
      },
      result('call_w2', [{ type: 'text', text: 'Snow' }]),
      result('call_w1', 'Sun'),
      result('call_l1', ''),
      user('And now?'),
    ],
    tools: [WEATHER, tool('list_files')],
  },
  'a call without a result, and a result without a call': {
    ...MODEL,
    messages: [
      HELLO,
      { role: 'assistant', content: null, tool_calls: [call('call_w1', 'get_weather', '{"city":"Bern"}')] },
      result('call_lost', 'Rain'),
      user('Go on.'),
    ],
    tools: [WEATHER],
  },
  'the deprecated functions': {
    ...MODEL,
    messages: [
      HELLO,
      { role: 'assistant', content: null, function_call: { name: 'get_weather', arguments: '{"city":"Bern"}' } },
      { role: 'function', name: 'get_weather', content: 'Sunny' },
    ],
    functions: [{ name: 'get_weather', description: 'Does get_weather.', parameters: WEATHER_SCHEMA }],
    function_call: 'auto',
  },
  'images in the text of the user': {
    ...MODEL,
    messages: [
      user([
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
        { type: 'image_url', image_url: { url: IMAGE_URL } },
      ]),
    ],
  },
  'a document': {
    ...MODEL,
    messages: [
      user([
        { type: 'file', file: { filename: 'bern.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
        { type: 'text', text: 'Sum it up.' },
      ]),
    ],
  },
  sound: {
    ...MODEL,
    messages: [
      user([
        { type: 'text', text: 'Who speaks?' },
        { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
      ]),
    ],
  },
  'reasoning of another kind of provider in the history': {
    ...MODEL,
    messages: [
      HELLO,
      {
        role: 'assistant',
        reasoning_content: 'I should look.',
        content: null,
        tool_calls: [call('call_w1', 'get_weather', '{"city":"Bern"}')],
      },
      result('call_w1', 'Sunny'),
    ],
    tools: [WEATHER],
  },
  'a signed call of Gemini in the history': {
    ...MODEL,
    messages: [
      HELLO,
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          call('call_w1', 'get_weather', '{"city":"Bern"}', {
            extra_content: { google: { thought_signature: 'Z2VtaW5p' } },
          }),
        ],
      },
      result('call_w1', 'Sunny'),
    ],
    tools: [WEATHER],
  },
  'a wish to reason': { ...MODEL, messages: [HELLO], reasoning_effort: 'high', max_completion_tokens: 9000 },
  'no wish to reason': { ...MODEL, messages: [HELLO], reasoning_effort: 'none' },
  'reasoning and a tool that must be called': {
    ...MODEL,
    messages: [HELLO],
    reasoning_effort: 'medium',
    tools: [WEATHER],
    tool_choice: 'required',
  },
  'structured output': {
    ...MODEL,
    messages: [HELLO],
    response_format: { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema: ANSWER_SCHEMA } },
  },
  'output in JSON': { ...MODEL, messages: [HELLO], response_format: { type: 'json_object' } },
  'cache marks': {
    ...MODEL,
    messages: [
      system([{ type: 'text', text: 'A long text.', cache_control: { type: 'ephemeral' } }]),
      user([{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral', ttl: '1h' } }]),
    ],
  },
  'stop sequences': { ...MODEL, messages: [HELLO], stop: ['END', 'STOP', ' ', 'A', 'B', 'C'] },
  'everything that steers the choice of words': {
    ...MODEL,
    messages: [HELLO],
    temperature: 1.7,
    top_p: 0.9,
    top_k: 40,
    seed: 7,
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
    logit_bias: { '50256': -100 },
    logprobs: true,
    top_logprobs: 3,
    user: 'user-1',
    metadata: { team: 'a' },
    service_tier: 'flex',
    prompt_cache_key: 'k1',
    safety_identifier: 's1',
    verbosity: 'low',
    store: true,
    prediction: { type: 'content', content: 'x' },
  },
  'two answers': { ...MODEL, messages: [HELLO], n: 2 },
  'a custom tool with a grammar': {
    ...MODEL,
    messages: [
      user('Change the file.'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_p1', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin Patch' } }],
      },
      result('call_p1', 'Done'),
    ],
    tools: [
      {
        type: 'custom',
        custom: {
          name: 'apply_patch',
          description: 'Changes files.',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "*** Begin Patch"' } },
        },
      },
    ],
  },
  'long names of tools': {
    ...MODEL,
    messages: [
      HELLO,
      { role: 'assistant', content: null, tool_calls: [call('call_m1', LONG_NAME, '{}')] },
      result('call_m1', 'Nothing found'),
    ],
    tools: [tool(LONG_NAME, WEATHER_SCHEMA), tool('files.list')],
  },
  'a search that the provider would run': { ...MODEL, messages: [HELLO], web_search_options: {}, tools: [WEATHER] },
  'the tools of Cursor': {
    ...MODEL,
    messages: [HELLO],
    tools: [
      { type: 'function', name: 'get_weather', description: 'Flat.', parameters: WEATHER_SCHEMA },
      { name: 'list_files', input_schema: { type: 'object', properties: {} } },
    ],
    stream: true,
  },
  'as opencode asks': {
    ...MODEL,
    max_tokens: 32_000,
    messages: [
      system('You are opencode, an interactive CLI tool.'),
      user('List the files.'),
      {
        role: 'assistant',
        content: '',
        tool_calls: [call('call_00_9hX2', 'bash', '{"command":"ls","description":"Lists files"}')],
      },
      result('call_00_9hX2', 'README.md\nsrc\n'),
      user('Thanks. Now read the first.'),
    ],
    tools: [
      tool('bash', {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          command: { description: 'The command to execute', type: 'string' },
          timeout: { type: 'integer', exclusiveMinimum: 0, maximum: 9007199254740991 },
        },
        required: ['command'],
        additionalProperties: false,
      }),
    ],
    tool_choice: 'auto',
    stream: true,
    stream_options: { include_usage: true },
  },
}
