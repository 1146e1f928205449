// What OpenRouter ties to a call and sends behind it: the SDKs keep it in its place, and bring it back with the results.

import { generateText, stepCountIs, streamText } from 'ai'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { weatherTool } from './ai-weather.ts'
import { newClients, startPairs, type Clients, type Pairs } from './pairs.ts'

let pairs: Pairs
let clients: Clients

beforeAll(async () => {
  pairs = await startPairs()
  clients = await newClients(pairs)
  const { admin } = pairs.farebox
  await admin.call('editProvider', { id: 'chat-completions', body: { quirks: { reasoning_field: 'reasoning' } } })
})

beforeEach(() => pairs.upstream.forget())

afterAll(() => pairs.close())

const DETAIL = { type: 'reasoning.encrypted', data: 'bGF0ZQ==', id: 'call_1', format: 'google-gemini-v1', index: 0 }
const CALL = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }

function piece(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
}

const STREAM: Behaviour = {
  type: 'raw',
  parts: [
    piece({ role: 'assistant', content: '' }),
    piece({ tool_calls: [{ index: 0, ...CALL }] }),
    piece({ reasoning_details: [DETAIL] }),
    piece({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ],
}
const MESSAGE = { role: 'assistant', content: null, tool_calls: [CALL], reasoning_details: [DETAIL] }
const WHOLE: Behaviour = {
  type: 'status',
  status: 200,
  body: {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: MESSAGE, finish_reason: 'tool_calls' }],
  },
}

/** The assistant's turn of the second request to the provider. */
function broughtBack(): unknown {
  const { messages } = pairs.upstream.requests[1]?.body ?? {}
  return Array.isArray(messages)
    ? messages.find(({ role }: { readonly role: unknown }) => role === 'assistant')
    : undefined
}

const OPTIONS = {
  openai: { store: false, forceReasoning: true, reasoningEffort: 'low' },
  anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } },
} as const

it.each([
  ['messages', false],
  ['messages', true],
  ['responses', false],
  ['responses', true],
] as const)('the AI SDK brings it back by %s, streaming %s', async (format, isStream) => {
  pairs.upstream.once(isStream ? STREAM : WHOLE)
  pairs.upstream.once({ type: 'answer', text: 'It is sunny.' })
  const { tools, cities } = weatherTool()
  const name = 'chat-completions'
  const model = format === 'messages' ? clients.ai.anthropic(name) : clients.ai.openai(name)
  const asked = { model, prompt: 'Hi', tools, stopWhen: stepCountIs(3), maxRetries: 0, providerOptions: OPTIONS }
  const text = isStream ? await streamText(asked).text : (await generateText(asked)).text
  expect([text, cities]).toEqual(['It is sunny.', ['Bern']])
  expect(broughtBack()).toMatchObject({ tool_calls: [{ id: 'call_1' }], reasoning_details: [DETAIL] })
})

it("Anthropic's SDK puts it behind the call, and a program sends it on", async () => {
  pairs.upstream.once(STREAM)
  const asked = {
    model: 'chat-completions',
    max_tokens: 4096,
    thinking: { type: 'enabled' as const, budget_tokens: 2048 },
    tools: [{ name: 'get_weather', input_schema: { type: 'object' as const } }],
  }
  const question = { role: 'user' as const, content: 'Hi' }
  const { content } = await clients.anthropic.messages.stream({ ...asked, messages: [question] }).finalMessage()
  expect(content.map(({ type }) => type)).toEqual(['tool_use', 'redacted_thinking'])
  const result = { type: 'tool_result' as const, tool_use_id: 'call_1', content: 'sunny' }
  const messages = [question, { role: 'assistant' as const, content }, { role: 'user' as const, content: [result] }]
  await clients.anthropic.messages.create({ ...asked, messages })
  expect(broughtBack()).toMatchObject({ reasoning_details: [DETAIL] })
})
