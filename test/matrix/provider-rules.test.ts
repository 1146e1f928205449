// Every request that a translation sends is one that its provider takes.

import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { FEATURES } from './features/all.ts'
import { send, TRANSLATED_PAIRS, type ProviderName } from './pair.ts'
import { checkProviderRules } from './provider-rules.ts'
import { REQUESTS } from './requests/all.ts'

const CHAT_CALL = { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{}' } }
const USER = { role: 'user', content: [{ type: 'text', text: 'a' }] }
const USE = { type: 'tool_use', id: 'toolu_1', name: 'a', input: {} }
const GEMINI_USER = { role: 'user', parts: [{ text: 'a' }] }
const GEMINI_CALL = { role: 'model', parts: [{ functionCall: { name: 'a', args: {} } }] }
const CONVERSE_TURNS = [
  { role: 'user', content: [{ text: 'a' }] },
  { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'a', input: {} } }] },
  { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'b' }] } }] },
]

describe.each(TRANSLATED_PAIRS.map((pair) => [pair.name, pair] as const))('%s', (_, pair) => {
  const requests = [
    ...Object.entries(REQUESTS[pair.client]),
    ...FEATURES[pair.client].map(({ name, body }): [string, JsonObject] => [name, body]),
  ]

  it.each(requests)('sends what the provider takes: %s', (__, body) => {
    const sent = send(pair, body)
    if (!isRefusal(sent)) expect(() => checkProviderRules(pair.provider, sent.body)).not.toThrow()
  })
})

/** Each of these is refused by the provider, so that a rule that never fails would be seen. */
const REFUSED: readonly (readonly [ProviderName, string, JsonObject])[] = [
  [
    'chat-completions',
    'a call without its result',
    { messages: [{ role: 'assistant', content: null, tool_calls: [CHAT_CALL] }] },
  ],
  [
    'chat-completions',
    'a result without its call',
    { messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'a' }] },
  ],
  ['chat-completions', 'an empty list of calls', { messages: [{ role: 'assistant', content: 'a', tool_calls: [] }] }],
  ['chat-completions', 'a choice without tools', { messages: [{ role: 'user', content: 'a' }], tool_choice: 'auto' }],
  ['messages', 'an assistant first', { max_tokens: 1, messages: [{ role: 'assistant', content: 'a' }] }],
  ['messages', 'an empty text', { max_tokens: 1, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }],
  [
    'messages',
    'a call without its result',
    { max_tokens: 1, messages: [USER, { role: 'assistant', content: [USE] }, USER] },
  ],
  ['messages', 'no cap', { messages: [USER] }],
  ['responses', 'no input', { input: [] }],
  ['responses', 'an output without its call', { input: [{ type: 'function_call_output', call_id: 'a', output: 'b' }] }],
  ['responses', 'two tools of a name', { input: [USER], tools: [{ name: 'a' }, { name: 'a' }] }],
  ['gemini', 'a call without its response', { contents: [GEMINI_USER, GEMINI_CALL, GEMINI_USER] }],
  ['gemini', 'two contents of a role', { contents: [GEMINI_USER, GEMINI_USER] }],
  [
    'gemini',
    'a schema with words that it does not know',
    { contents: [GEMINI_USER], tools: [{ functionDeclarations: [{ name: 'a', parameters: { $ref: '#' } }] }] },
  ],
  ['bedrock-converse', 'calls without their tools', { inferenceConfig: { maxTokens: 1 }, messages: CONVERSE_TURNS }],
  ['bedrock-converse', 'no cap', { messages: CONVERSE_TURNS.slice(0, 1) }],
  [
    'bedrock-converse',
    'two members in a block',
    { inferenceConfig: { maxTokens: 1 }, messages: [{ role: 'user', content: [{ text: 'a', cachePoint: {} }] }] },
  ],
  ['gemini', 'a seal in our wrapping', { contents: [{ role: 'user', parts: [{ text: 'farebox1.messages.a' }] }] }],
]

it.each(REFUSED)('%s refuses %s', (provider, _, body) => {
  expect(() => checkProviderRules(provider, JSON.stringify(body))).toThrow('a provider would refuse this')
})
