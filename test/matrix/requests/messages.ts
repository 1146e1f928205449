// Requests in the messages format, in the shapes that clients send.

import type { JsonObject } from '#dialect/turn.ts'
import { ANSWER_SCHEMA, IMAGE_URL, LONG_NAME, PDF, PNG, WEATHER_SCHEMA } from './media.ts'

const MODEL = { model: 'farebox-model', max_tokens: 4000 }
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const HELLO = user('How is the weather in Bern?')
const text = (value: string, rest: JsonObject = {}) => ({ type: 'text', text: value, ...rest })
const use = (id: string, name: string, input: JsonObject) => ({ type: 'tool_use', id, name, input })
const result = (id: string, content: unknown, rest: JsonObject = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  ...(content === undefined ? {} : { content }),
  ...rest,
})
const tool = (name: string, schema: JsonObject, rest: JsonObject = {}) => ({
  name,
  description: `Does ${name}.`,
  input_schema: schema,
  ...rest,
})
const WEATHER = tool('get_weather', WEATHER_SCHEMA)
const EPHEMERAL = { cache_control: { type: 'ephemeral' } }
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
const imageUrl = { type: 'image', source: { type: 'url', url: IMAGE_URL } }

export const MESSAGES_REQUESTS: Readonly<Record<string, JsonObject>> = {
  'text with a system prompt': {
    ...MODEL,
    system: 'Be brief.',
    messages: [HELLO],
    temperature: 0.7,
    top_p: 0.95,
    top_k: 40,
  },
  'several turns, the system prompt in blocks': {
    ...MODEL,
    system: [text('Be brief.'), text('Be kind.')],
    messages: [
      user('Hello'),
      assistant([text('Hello! How can I help?')]),
      user([text('The weather,'), text(' please.')]),
    ],
  },
  'system messages in the middle': {
    ...MODEL,
    messages: [
      user('One.'),
      { role: 'system', content: [text('Now in German.', EPHEMERAL)] },
      assistant('Zwei.'),
      { role: 'system', content: 'Now in French.' },
      user('Three?'),
    ],
  },
  'an assistant message last': { ...MODEL, messages: [user('Count to three.'), assistant('One, two, ')] },
  'empty texts': {
    ...MODEL,
    system: '',
    messages: [user([text(''), text('Hello')]), assistant([text('')]), user([text(' '), text('Go on.')])],
  },
  tools: {
    ...MODEL,
    messages: [HELLO],
    tools: [
      WEATHER,
      tool('list_files', { type: 'object' }, { type: 'custom', defer_loading: true, eager_input_streaming: true }),
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  },
  'any tool must be called': { ...MODEL, messages: [HELLO], tools: [WEATHER], tool_choice: { type: 'any' } },
  'a tool that must be called': {
    ...MODEL,
    messages: [HELLO],
    tools: [WEATHER],
    tool_choice: { type: 'tool', name: 'get_weather' },
  },
  'a round trip of a tool that failed': {
    ...MODEL,
    messages: [
      HELLO,
      assistant([text('I look.'), use('toolu_01w1', 'get_weather', { city: 'Bern' })]),
      user([result('toolu_01w1', [text('timeout')], { is_error: true }), text('Try again.')]),
    ],
    tools: [WEATHER],
  },
  'parallel tool calls, text before their results': {
    ...MODEL,
    messages: [
      HELLO,
      assistant([
        use('toolu_01w1', 'get_weather', { city: 'Bern' }),
        use('toolu_01w2', 'get_weather', { city: 'Oslo' }),
      ]),
      user([text('Here they are.'), result('toolu_01w2', 'Snow'), result('toolu_01w1', undefined)]),
    ],
    tools: [WEATHER],
  },
  'a call without a result, and a result without a call': {
    ...MODEL,
    messages: [
      HELLO,
      assistant([use('toolu_01w1', 'get_weather', { city: 'Bern' })]),
      user([result('toolu_lost', 'Rain'), text('Go on.')]),
    ],
    tools: [WEATHER],
  },
  'images in the text of the user': { ...MODEL, messages: [user([text('What is this?'), image, imageUrl])] },
  'images in the result of a tool': {
    ...MODEL,
    messages: [
      user('Take a picture.'),
      assistant([use('toolu_01s1', 'screenshot', {})]),
      user([result('toolu_01s1', [text('Taken.'), image, imageUrl])]),
    ],
    tools: [tool('screenshot', { type: 'object', properties: {} })],
  },
  documents: {
    ...MODEL,
    messages: [
      user([
        { type: 'document', title: 'Bern', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
        {
          type: 'document',
          title: 'Notes',
          context: 'Of a walk.',
          source: { type: 'text', media_type: 'text/plain', data: 'It was sunny.' },
        },
        { type: 'document', source: { type: 'content', content: [text('As blocks.')] } },
        { type: 'search_result', source: 'https://weather.example', title: 'Weather', content: [text('Sunny.')] },
        text('Sum it up.'),
      ]),
    ],
  },
  'signed, unsigned and redacted thinking in the history': {
    ...MODEL,
    thinking: { type: 'enabled', budget_tokens: 2000 },
    messages: [
      HELLO,
      assistant([
        { type: 'thinking', thinking: 'I should look.', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA' },
        { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' },
        use('toolu_01w1', 'get_weather', { city: 'Bern' }),
      ]),
      user([result('toolu_01w1', 'Sunny')]),
      assistant([{ type: 'thinking', thinking: 'Of another provider.', signature: '' }, text('It is sunny.')]),
      user('Thanks. And in Oslo?'),
    ],
    tools: [WEATHER],
  },
  'thinking with a budget': { ...MODEL, messages: [HELLO], thinking: { type: 'enabled', budget_tokens: 2000 } },
  'thinking with a budget that is too small': {
    ...MODEL,
    messages: [HELLO],
    thinking: { type: 'enabled', budget_tokens: 500 },
  },
  'adaptive thinking': {
    ...MODEL,
    messages: [HELLO],
    thinking: { type: 'adaptive' },
    output_config: { effort: 'xhigh' },
  },
  'no thinking': { ...MODEL, messages: [HELLO], thinking: { type: 'disabled' } },
  'structured output': {
    ...MODEL,
    messages: [HELLO],
    output_config: { format: { type: 'json_schema', schema: ANSWER_SCHEMA } },
  },
  'cache marks': {
    ...MODEL,
    system: [text('A long text.', EPHEMERAL), text('Another.', { cache_control: { type: 'ephemeral', ttl: '1h' } })],
    messages: [user([text('Hello', EPHEMERAL)])],
    tools: [tool('get_weather', WEATHER_SCHEMA, EPHEMERAL)],
  },
  'stop sequences': { ...MODEL, messages: [HELLO], stop_sequences: ['END', 'STOP', ' ', 'A', 'B', 'C'] },
  'tools that the provider would run': {
    ...MODEL,
    messages: [HELLO],
    tools: [
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
      { type: 'bash_20250124', name: 'bash' },
      WEATHER,
    ],
  },
  'a search that is forced': {
    ...MODEL,
    messages: [user('Perform a web search for the query: weather')],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
    tool_choice: { type: 'tool', name: 'web_search' },
  },
  'a search in the history': {
    ...MODEL,
    messages: [
      HELLO,
      assistant([
        { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'weather bern' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_01',
          content: [
            {
              type: 'web_search_result',
              url: 'https://weather.example/bern',
              title: 'Bern',
              encrypted_content: 'Eqgf',
            },
          ],
        },
        text('It is sunny.'),
      ]),
      user('Thanks.'),
    ],
  },
  'long names of tools': {
    ...MODEL,
    messages: [HELLO, assistant([use('toolu_01m1', LONG_NAME, {})]), user([result('toolu_01m1', 'Nothing found')])],
    tools: [tool(LONG_NAME, WEATHER_SCHEMA)],
  },
  'everything else that providers of messages know': {
    ...MODEL,
    messages: [HELLO],
    metadata: { user_id: 'user-1' },
    service_tier: 'auto',
    container: 'container_1',
    mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm' }],
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    speed: 'fast',
    inference_geo: 'eu',
    cache_control: { type: 'ephemeral' },
  },
  'a thread that the provider would keep': { ...MODEL, messages: [HELLO], thread: { type: 'create' } },
  'as Claude Code asks': {
    model: 'farebox-model',
    max_tokens: 32_000,
    stream: true,
    system: [
      text('x-anthropic-billing-header: cc_version=2.1.329; cc_entrypoint=sdk-cli;'),
      text("You are Claude Code, Anthropic's official CLI for Claude.", EPHEMERAL),
      text('You are an interactive agent that helps users with software engineering tasks.', EPHEMERAL),
    ],
    messages: [
      user([text('<system-reminder>The date is 2026-11-21.</system-reminder>'), text('List the files.')]),
      { role: 'system', content: [text('Deferred tools are listed by name.', EPHEMERAL)] },
      assistant([
        { type: 'thinking', thinking: '', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA' },
        use('toolu_01Bsh', 'Bash', { command: 'ls', description: 'List files' }),
      ]),
      user([result('toolu_01Bsh', 'README.md\nsrc', EPHEMERAL)]),
    ],
    tools: [
      tool(
        'Bash',
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: { command: { type: 'string' }, timeout: { type: 'number', exclusiveMinimum: 0 } },
          required: ['command'],
          additionalProperties: false,
        },
        { eager_input_streaming: true },
      ),
      {
        name: 'DeferredToolPlaceholder',
        description: 'Not loaded.',
        input_schema: { type: 'object' },
        defer_loading: true,
      },
    ],
    metadata: { user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: '0f6a-11' }) },
    thinking: { type: 'adaptive', display: 'omitted' },
    output_config: { effort: 'high' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  },
}
