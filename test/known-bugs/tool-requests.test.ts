// Requests with tools, their calls and their results, that other gateways sent on so that a provider refused them.

import { expect, it } from 'vitest'
import type { JsonObject } from '#dialect/turn.ts'
import { foldWhole } from '../matrix/fold.ts'
import { PROVIDERS } from '../matrix/pair.ts'
import { at, chunk, records, refused, sent, toolDelta, whole } from './support.ts'

const SCHEMA = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] }
const GRAMMAR = 'start: "*** Begin Patch" LF'

/** What Codex sends for a model that it knows well. */
const CODEX_TOOLS = [
  { type: 'function', name: 'shell', description: 'Runs it.', strict: false, parameters: SCHEMA },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Edits files.',
    format: { type: 'grammar', syntax: 'lark', definition: GRAMMAR },
  },
  {
    type: 'namespace',
    name: 'mcp__files',
    description: 'Files.',
    tools: [{ type: 'function', name: 'read', strict: false, parameters: SCHEMA }],
  },
  { type: 'web_search', external_web_access: true, search_content_types: ['text', 'image'] },
]
const CODEX_NAMES = ['shell', 'apply_patch', 'mcp__files__read']

it('Wei-Shaw/sub2api#3390: custom tools reach a provider of messages as tools with a schema of an object', () => {
  const tools = records(sent('responses', 'messages', { tools: CODEX_TOOLS }).body['tools'])
  expect(tools.map(({ name }) => name)).toEqual(CODEX_NAMES)
  for (const tool of tools) {
    expect(at(tool, 'input_schema', 'type')).toBe('object')
    expect(tool['type'] ?? 'custom').toBe('custom')
    expect(tool).not.toHaveProperty('custom')
    expect(tool).not.toHaveProperty('format')
  }
})

const TOOL_NAMES: Readonly<Record<string, (body: JsonObject) => unknown[]>> = {
  'chat-completions': ({ tools }) => records(tools).map((tool) => at(tool, 'function', 'name')),
  messages: ({ tools }) => records(tools).map(({ name }) => name),
  responses: ({ tools }) => records(tools).map(({ name }) => name),
  gemini: ({ tools }) =>
    records(tools).flatMap((tool) => records(tool['functionDeclarations']).map(({ name }) => name)),
}

it.each(['chat-completions', 'messages', 'gemini'] as const)(
  'router-for-me/CLIProxyAPI#5753: every tool but those that a provider runs reaches %s, custom ones included',
  (provider) => {
    const { body, text } = sent('responses', provider, { tools: CODEX_TOOLS })
    expect(TOOL_NAMES[provider]?.(body)).toEqual(CODEX_NAMES)
    expect(text).toContain('*** Begin Patch')
  },
)

it.each(['chat-completions', 'messages', 'gemini'] as const)(
  'lidge-jun/opencodex#3204: a web search of the provider is not sent to %s, and that is said',
  (provider) => {
    const { text, dropped } = sent('responses', provider, { tools: CODEX_TOOLS })
    expect(text).not.toContain('search_content_types')
    expect(text).not.toContain('web_search')
    expect(dropped).toContain('web_search')
  },
)

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const VIEW_IMAGE = [
  { role: 'user', content: 'Look.' },
  { type: 'function_call', call_id: 'call_1', name: 'view_image', arguments: '{"path":"a.png"}' },
  {
    type: 'function_call_output',
    call_id: 'call_1',
    output: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }],
  },
]

it('ggml-org/llama.cpp#23542: an image in the result of a tool is told as text, and shown by the user', () => {
  const messages = records(sent('responses', 'chat-completions', { input: VIEW_IMAGE }).body['messages'])
  const [result, image] = messages.slice(-2)
  expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call_1', content: expect.stringContaining('image') })
  expect(JSON.stringify(result)).not.toContain(PNG)
  expect(image?.['role']).toBe('user')
  expect(records(image?.['content'])).toContainEqual(
    expect.objectContaining({ image_url: expect.objectContaining({ url: `data:image/png;base64,${PNG}` }) }),
  )
})

it.each(['messages', 'gemini'] as const)(
  'ggml-org/llama.cpp#23542: an image in the result of a tool reaches %s',
  (provider) => {
    expect(sent('responses', provider, { input: VIEW_IMAGE }).text).toContain(PNG)
  },
)

/** The items of a turn with two calls, each with its result, with what clients put between them. */
const CALLS = ['a', 'b'].map((id) => ({ type: 'function_call', call_id: id, name: 'shell', arguments: '{}' }))
const OUTPUTS = ['a', 'b'].map((id) => ({ type: 'function_call_output', call_id: id, output: `result ${id}` }))
const SAYS = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Running.' }] }

it.each([
  ['openai/codex#6962: a text between calls and their results', [...CALLS, SAYS, ...OUTPUTS]],
  ['openai/codex#6962: a text between the results of two calls', [...CALLS, OUTPUTS[0], SAYS, OUTPUTS[1]]],
  ['Effect-TS/effect#6702: each call before its own result', [CALLS[0], OUTPUTS[0], CALLS[1], OUTPUTS[1]]],
  ['ogx-ai/ogx#3224: results before their calls', [...OUTPUTS, ...CALLS]],
])('%s: every result stands right behind the message with its call', (_bug, items) => {
  const input = [{ role: 'user', content: 'Hi' }, ...items]
  const messages = records(sent('responses', 'chat-completions', { input }).body['messages'])
  let waiting: unknown[] = []
  for (const message of messages) {
    if (message['role'] === 'tool') expect(waiting.shift()).toBe(message['tool_call_id'])
    else {
      expect(waiting).toEqual([])
      waiting = records(message['tool_calls']).map(({ id }) => id)
    }
  }
  expect(waiting).toEqual([])
  expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(['result a', 'result b'])
})

it('Effect-TS/effect#6702: parallel calls in items of their own become one message with both', () => {
  const input = [{ role: 'user', content: 'Hi' }, CALLS[0], CALLS[1], ...OUTPUTS]
  const messages = records(sent('responses', 'chat-completions', { input }).body['messages'])
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
  expect(records(messages[1]?.['tool_calls'])).toHaveLength(2)
})

const SERVER_TOOLS = [
  { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
  { type: 'web_fetch_20250910', name: 'web_fetch' },
  { type: 'code_execution_20250825', name: 'code_execution' },
  { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
  { type: 'memory_20250818', name: 'memory' },
  { type: 'bash_20250124', name: 'bash' },
  { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
  { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
]

it.each(['chat-completions', 'responses', 'gemini'] as const)(
  "ericc-ch/copilot-api#241: Anthropic's own tools, which have no schema, are left out for %s, and that is said",
  (provider) => {
    const tools = [...SERVER_TOOLS, { name: 'get_weather', input_schema: SCHEMA }]
    const { body, dropped } = sent('messages', provider, { tools })
    expect(TOOL_NAMES[provider]?.(body)).toEqual(['get_weather'])
    expect(dropped).toEqual(expect.arrayContaining(SERVER_TOOLS.map(({ type }) => type)))
  },
)

it.each(['chat-completions', 'responses', 'gemini'] as const)(
  'router-for-me/CLIProxyAPI#121: a web search that is forced is refused for %s, not answered without a search',
  (provider) => {
    const tools = SERVER_TOOLS.slice(0, 1)
    const refusal = refused('messages', provider, { tools, tool_choice: { type: 'tool', name: 'web_search' } })
    expect(refusal).toMatchObject({ code: 'invalid_request', param: 'tool_choice' })
  },
)

it('mozilla-ai/any-llm#1325: a text beside tool calls is kept, and an empty list of calls is no content', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'shell', arguments: '{}' } }
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello.', tool_calls: [] },
    { role: 'user', content: 'Run it.' },
    { role: 'assistant', content: 'Running.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ]
  const { body } = sent('chat', 'messages', { messages })
  expect(at(body, 'messages', 1, 'content')).toEqual([{ type: 'text', text: 'Hello.' }])
  expect(records(at(body, 'messages', 3, 'content')).map(({ type }) => type)).toEqual(['text', 'tool_use'])
  expect(at(body, 'messages', 3, 'content', 0, 'text')).toBe('Running.')
})

it('maximhq/bifrost#3512: a tool without parameters has the schema of an object', () => {
  const tools = [
    { type: 'function', function: { name: 'a' } },
    { type: 'function', function: { name: 'b', parameters: {} } },
    { type: 'function', function: { name: 'c', parameters: null } },
  ]
  const written = records(sent('chat', 'messages', { tools }).body['tools'])
  expect(written.map((tool) => at(tool, 'input_schema', 'type'))).toEqual(['object', 'object', 'object'])
})

it('anthropics/claude-code#2485: a name of 90 characters is sent as at most 64, and comes back whole', () => {
  const name = `mcp__${'server_'.repeat(8)}__${'tool_'.repeat(6)}x`.padEnd(90, 'y')
  const tools = [{ name, input_schema: SCHEMA }]
  const wire = at(sent('messages', 'chat-completions', { tools }).body, 'tools', 0, 'function', 'name')
  expect(wire).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  const message = { role: 'assistant', content: null, ...toolDelta(0, '{}', ['call_1', String(wire)]) }
  const completion = { ...chunk({}), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
  const answer = whole(['messages', 'chat-completions'], completion, { tools })
  expect(foldWhole('messages', JSON.stringify(answer)).tools).toEqual([{ name, arguments: {} }])
})

const FLAT_CUSTOM = {
  type: 'custom',
  name: 'apply_patch',
  format: { type: 'grammar', syntax: 'lark', definition: GRAMMAR },
}
const NESTED_CUSTOM = {
  type: 'custom',
  custom: { name: 'apply_patch', format: { type: 'grammar', grammar: { syntax: 'lark', definition: GRAMMAR } } },
}
const FLAT = { type: 'function', name: 'shell', parameters: SCHEMA }
const NESTED = { type: 'function', function: { name: 'shell', parameters: SCHEMA } }

it.each(
  [FLAT, NESTED].flatMap((tool) =>
    [FLAT_CUSTOM, NESTED_CUSTOM].flatMap((custom) =>
      [
        { type: 'function', name: 'shell' },
        { type: 'function', function: { name: 'shell' } },
      ].map((choice) => [JSON.stringify([tool, custom, choice]), [tool, custom], choice] as const),
    ),
  ),
)(
  'BerriAI/litellm#34029: tools and a choice in either shape are understood at chat completions (%#)',
  (_, tools, choice) => {
    const { body, text } = sent('chat', 'messages', { tools, tool_choice: choice })
    expect(TOOL_NAMES['messages']?.(body)).toEqual(['shell', 'apply_patch'])
    expect(body['tool_choice']).toMatchObject({ type: 'tool', name: 'shell' })
    expect(text).toContain('*** Begin Patch')
  },
)

it.each([FLAT_CUSTOM, NESTED_CUSTOM])(
  'BerriAI/litellm#34029: a body of responses at chat completions may have either shape, too (%#)',
  (custom) => {
    const members = {
      messages: undefined,
      input: 'Hi',
      tools: [FLAT, custom],
      tool_choice: { type: 'function', name: 'shell' },
    }
    const { body } = sent('chat', 'chat-completions', members)
    expect(TOOL_NAMES['chat-completions']?.(body)).toEqual(['shell', 'apply_patch'])
  },
)

it.each(PROVIDERS.filter((provider) => provider !== 'messages'))(
  'jwadow/kiro-gateway#49: a tool result whose call is not there reaches %s as a text',
  (provider) => {
    const orphan = { type: 'tool_result', tool_use_id: 'toolu_gone', content: 'It was sunny.' }
    const { text } = sent('messages', provider, { messages: [{ role: 'user', content: [orphan] }] })
    expect(text).toContain('It was sunny.')
    expect(text).not.toMatch(/"tool_call_id"|function_call_output|functionResponse/)
  },
)
