// Requests that other gateways sent on so that a provider refused them, or without what their clients had said.

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#dialect/turn.ts'
import { CLIENTS, PROVIDERS, sendOk } from '../matrix/pair.ts'
import { at, chunk, pairOf, records, sent, whole } from './support.ts'

const RULE = 'Answer in rhymes.'

it.each(
  PROVIDERS.flatMap((provider) => [[provider, RULE] as const, [provider, [{ type: 'text', text: RULE }]] as const]),
)('router-for-me/CLIProxyAPI#3608: instructions in the middle of messages reach %s (%j)', (provider, content) => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'system', content },
    { role: 'user', content: 'Go on.' },
  ]
  expect(sent('messages', provider, { messages }).text).toContain(RULE)
})

it('EasyMetaAu/helm-api#166: instructions in the middle may be told by the user, where a provider takes none there', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: RULE },
  ]
  const { body } = sent('messages', 'chat-completions', { messages }, { quirks: { laterSystem: 'user' } })
  expect(records(body['messages']).map(({ role }) => role)).toEqual(['user'])
  expect(at(body, 'messages', 0, 'content')).toContain(RULE)
})

const LONG_USER = `user_${'a'.repeat(64)}_account_${'b'.repeat(36)}_session_${'c'.repeat(182)}`

it.each(['chat-completions', 'responses', 'gemini'] as const)(
  'looplj/axonhub#1669: a user id of 300 characters is not longer than 64 at %s',
  (provider) => {
    expect(LONG_USER.length).toBeGreaterThan(290)
    const { body, text } = sent('messages', provider, { metadata: { user_id: LONG_USER } })
    expect(text).not.toContain('b'.repeat(36))
    if (typeof body['user'] === 'string') expect(body['user'].length).toBeLessThanOrEqual(64)
  },
)

it('ujisati/claude-code-provider-proxy#11: the user is the same one in the next session', () => {
  const user = (session: string) =>
    sent('messages', 'chat-completions', { metadata: { user_id: `user_${'a'.repeat(64)}_session_${session}` } }).body[
      'user'
    ]
  expect(user('one')).toMatch(/^.{6,64}$/)
  expect(user('one')).toBe(user('two'))
})

const thinking = (signature?: string | null) => ({
  type: 'thinking',
  thinking: 'Hm.',
  ...(signature === undefined ? {} : { signature }),
})

it.each([thinking(), thinking(null), thinking(''), thinking('farebox1.chat-completions.AAAA')])(
  'openclaw/openclaw#92019: thinking that Claude did not sign is not sent to it after a change of the model (%j)',
  (block) => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [block, { type: 'text', text: 'Hello.' }] },
      { role: 'user', content: 'Go on.' },
    ]
    const { body } = sent('messages', 'messages', { messages })
    expect(at(body, 'messages', 1, 'content')).toEqual([{ type: 'text', text: 'Hello.' }])
  },
)

it('anthropics/claude-code#21595: clearing of thinking is not asked for where thinking is turned off', () => {
  const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }]
  const { prepared } = sendOk(pairOf('messages', 'messages'), {
    model: 'farebox-model',
    max_tokens: 8000,
    thinking: { type: 'enabled', budget_tokens: 4000 },
    context_management: { edits },
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const body: unknown = JSON.parse(prepared.body(500))
  expect(at(body, 'thinking', 'type')).toBe('disabled')
  expect(at(body, 'context_management', 'edits')).toEqual([{ type: 'clear_tool_uses_20250919' }])
})

it('maximhq/bifrost#1479: a budget for thinking below 1024 tokens is raised to that', () => {
  const members = { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 500 } }
  const { body } = sent('chat', 'messages', members, { model: 'claude-sonnet-4-5' })
  expect(body['thinking']).toEqual({ type: 'enabled', budget_tokens: 1024 })
  const small = { ...members, max_tokens: 800 }
  expect(sent('chat', 'messages', small, { model: 'claude-sonnet-4-5' }).body).not.toHaveProperty('thinking')
})

describe('experientiallabs/experiential#804: Anthropic gets no text without content', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'shell', arguments: '{}' } }
  const result = (content: unknown) => ({ role: 'tool', tool_call_id: 'call_1', content })
  const text = (value: string) => ({ type: 'text', text: value })
  const user = (content: unknown) => ({ role: 'user', content })
  const assistant = (content: unknown, calls?: unknown) => ({
    role: 'assistant',
    content,
    ...(calls === undefined ? {} : { tool_calls: calls }),
  })

  it.each<[string, readonly JsonObject[]]>([
    ['an empty text beside a call', [user('Hi'), assistant([text('')], [call]), result('ok')]],
    ['an empty string beside a call', [user('Hi'), assistant('', [call]), result('ok')]],
    ['a line break beside a call', [user('Hi'), assistant('\n\n', [call]), result('ok')]],
    ['a turn of a blank', [user('Hi'), assistant(' '), user('Go on.')]],
    ['a turn of nothing', [user('Hi'), assistant([]), user('Go on.')]],
    ['an empty turn of the user', [user('Hi'), assistant('Hello.'), user(''), user('Go on.')]],
    ['empty parts of the user', [user([text('Hi'), text(''), text(' ')])]],
    ['an empty result', [user('Hi'), assistant(null, [call]), result('')]],
    ['a result of an empty text', [user('Hi'), assistant(null, [call]), result([text('')])]],
    ['empty instructions', [{ role: 'system', content: '' }, user('Hi')]],
    ['blank instructions', [{ role: 'system', content: '  ' }, user('Hi')]],
    ['instructions of an empty text', [{ role: 'system', content: [text('')] }, user('Hi')]],
  ])('%s', (_case, messages) => {
    const { body } = sent('chat', 'messages', { messages })
    const blocks = records(body['messages']).flatMap(({ content }) => records(content))
    const nested = blocks.flatMap(({ content }) => records(content))
    for (const block of [...blocks, ...nested, ...records(body['system'])]) {
      if (block['type'] === 'text') expect(String(block['text']).trim()).not.toBe('')
    }
    for (const { content } of records(body['messages'])) expect(content).not.toEqual(expect.toBeOneOf([[], '', ' ']))
    if (typeof body['system'] === 'string') expect(body['system'].trim()).not.toBe('')
  })
})

it('Wei-Shaw/sub2api#2013: of six cache marks four are sent', () => {
  const part = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })
  const messages = [
    { role: 'system', content: [part('a'), part('b')] },
    { role: 'user', content: [part('c'), part('d'), part('e'), part('f')] },
  ]
  expect(sent('chat', 'messages', { messages }).text.match(/"cache_control"/g)).toHaveLength(4)
})

it('run-llama/llama_index#19641: a model is not asked to think and forced to use a tool at once', () => {
  const tools = [{ type: 'function', function: { name: 'shell', parameters: { type: 'object', properties: {} } } }]
  for (const model of ['claude-sonnet-4-5', 'claude-opus-4-6']) {
    const members = { max_tokens: 8000, reasoning_effort: 'high', tools, tool_choice: 'required' }
    const { body } = sent('chat', 'messages', members, { model })
    expect(body['tool_choice']).toMatchObject({ type: 'any' })
    expect(at(body, 'thinking', 'type') ?? 'disabled').toBe('disabled')
  }
})

it('anomalyco/opencode#24722: reasoning goes back with the tool calls that it led to, where the provider asks for it', () => {
  const message = {
    role: 'assistant',
    content: '',
    reasoning_content: 'I need the weather.',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }],
  }
  const completion = { ...chunk({}), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
  const { content } = whole(['messages', 'chat-completions'], completion)
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Sunny' }] },
  ]
  const quirks = { reasoningField: 'reasoning_content' } as const
  const { body } = sent('messages', 'chat-completions', { messages }, { quirks })
  expect(at(body, 'messages', 1)).toMatchObject({
    reasoning_content: 'I need the weather.',
    tool_calls: [{ id: 'call_1' }],
  })
})

it('Gitlawb/openclaude#739: a provider that takes neither store nor max_completion_tokens gets max_tokens alone', () => {
  const { body, dropped } = sent('responses', 'chat-completions', { store: true, max_output_tokens: 300 })
  expect(body).toMatchObject({ max_tokens: 300 })
  expect(body).not.toHaveProperty('store')
  expect(body).not.toHaveProperty('max_completion_tokens')
  expect(dropped).toContain('store')
})

it.each(PROVIDERS)('gabrii/Cursor-Azure-GPT-5#69: a body of responses at chat completions reaches %s', (provider) => {
  const tools = [{ type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } }]
  const { text } = sent('chat', provider, { messages: undefined, input: [{ role: 'user', content: RULE }], tools })
  expect(text).toContain(RULE)
  expect(text).toContain('shell')
})

it('gabrii/Cursor-Azure-GPT-5#69: a body of responses at chat completions is answered with a chat completion', () => {
  const message = { role: 'assistant', content: 'Hello.' }
  const completion = { ...chunk({}), choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const members = { messages: undefined, input: 'Hi' }
  expect(whole(['chat', 'chat-completions'], completion, members)).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  })
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const DATA_URL = `data:image/png;base64,${PNG}`
const WITH_IMAGE: Readonly<Record<(typeof CLIENTS)[number], JsonObject>> = {
  chat: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: DATA_URL } }] }] },
  messages: {
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }] },
    ],
  },
  responses: { input: [{ role: 'user', content: [{ type: 'input_image', image_url: DATA_URL }] }] },
  gemini: { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] }] },
}

it.each(CLIENTS.flatMap((client) => PROVIDERS.map((provider) => [client, provider] as const)))(
  'Th0rgal/sandboxed.sh#389: an image stays an image on its way from %s to %s',
  (client, provider) => {
    const { text } = sent(client, provider, WITH_IMAGE[client])
    expect(text.split(PNG)).toHaveLength(2)
    expect(text).not.toContain('[image')
  },
)

const CAP_AT: Readonly<Record<(typeof PROVIDERS)[number], readonly string[]>> = {
  'chat-completions': ['max_completion_tokens'],
  messages: ['max_tokens'],
  responses: ['max_output_tokens'],
  gemini: ['generationConfig', 'maxOutputTokens'],
  'bedrock-converse': ['inferenceConfig', 'maxTokens'],
}

it.each(PROVIDERS)('maximhq/bifrost#6457: max_completion_tokens reaches %s as its cap', (provider) => {
  expect(at(sent('chat', provider, { max_completion_tokens: 321 }).body, ...CAP_AT[provider])).toBe(321)
})
