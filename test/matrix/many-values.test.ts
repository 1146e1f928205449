// Requests of hundreds of thousands of tiny things, in every format and for every dialect: each is made ready or refused in words.
// None is a mistake of ours, which a list that is spread into arguments would be.

import { afterAll, describe, expect, it } from 'vitest'
import type { ClientFormat } from '#dialect/dialects.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { readRequest } from '#pipeline/endpoints.ts'
import { CLIENTS, PAIRS, readBody, sendRead, type Pair } from './pair.ts'
import { cases, isLong } from '../support/cases.ts'

/**
 * More than a call of a function takes as arguments. Each takes eight bytes of the stack, of which the processes of these tests have
 * an eighth of the usual megabyte (`vitest.config.ts`): there twenty thousand show what a hundred and fifty thousand do elsewhere.
 */
const MANY = isLong ? 400_001 : 20_001
const many = (item: unknown): unknown[] => Array.from({ length: MANY }, () => item)

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const MESSAGES = { ...CHAT, max_tokens: 9 }
const RESPONSES = { model: 'm', input: 'x' }
const GEMINI = { model: 'm', contents: [{ role: 'user', parts: [{ text: 'x' }] }] }
const tool = { type: 'function', function: { name: 'f', parameters: {} } }
const part = { type: 'text', text: 'x' }

const BODIES: Readonly<Record<ClientFormat, Readonly<Record<string, JsonObject>>>> = {
  chat: {
    messages: { ...CHAT, messages: many({ role: 'user', content: 'x' }) },
    instructions: { ...CHAT, messages: [...many({ role: 'system', content: 'x' }), ...CHAT.messages] },
    parts: { ...CHAT, messages: [{ role: 'user', content: many(part) }] },
    tools: { ...CHAT, tools: many(tool) },
    calls: {
      ...CHAT,
      messages: [
        {
          role: 'assistant',
          tool_calls: many({ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }),
        },
        ...many({ role: 'tool', tool_call_id: 'a', content: 'x' }),
      ],
    },
    'stop sequences': { ...CHAT, stop: many('x') },
  },
  messages: {
    messages: { ...MESSAGES, messages: many({ role: 'user', content: 'x' }) },
    instructions: { ...MESSAGES, system: many(part) },
    parts: { ...MESSAGES, messages: [{ role: 'user', content: many(part) }] },
    tools: { ...MESSAGES, tools: many({ name: 'f', input_schema: { type: 'object' } }) },
    results: {
      ...MESSAGES,
      messages: [
        { role: 'assistant', content: many({ type: 'tool_use', id: 'a', name: 'f', input: {} }) },
        { role: 'user', content: many({ type: 'tool_result', tool_use_id: 'a', content: [part] }) },
      ],
    },
    'parts of a result': {
      ...MESSAGES,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: many(part) }] },
      ],
    },
    'stop sequences': { ...MESSAGES, stop_sequences: many('x') },
  },
  responses: {
    items: { ...RESPONSES, input: many({ role: 'user', content: 'x' }) },
    instructions: { ...RESPONSES, input: [...many({ role: 'system', content: 'x' }), { role: 'user', content: 'x' }] },
    parts: { ...RESPONSES, input: [{ role: 'user', content: many({ type: 'input_text', text: 'x' }) }] },
    tools: { ...RESPONSES, tools: many({ type: 'function', name: 'f', parameters: {} }) },
    calls: { ...RESPONSES, input: many({ type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }) },
  },
  gemini: {
    contents: { ...GEMINI, contents: many({ role: 'user', parts: [{ text: 'x' }] }) },
    instructions: { ...GEMINI, systemInstruction: { parts: many({ text: 'x' }) } },
    parts: { ...GEMINI, contents: [{ role: 'user', parts: many({ text: 'x' }) }] },
    tools: { ...GEMINI, tools: many({ functionDeclarations: [{ name: 'f' }] }) },
    functions: { ...GEMINI, tools: [{ functionDeclarations: many({ name: 'f' }) }] },
    calls: {
      ...GEMINI,
      contents: [
        { role: 'model', parts: many({ functionCall: { name: 'f', args: {} } }) },
        { role: 'user', parts: many({ functionResponse: { name: 'f', response: { output: 'x' } } }) },
      ],
    },
    'stop sequences': { ...GEMINI, generationConfig: { stopSequences: many('x') } },
  },
}

/** Every third provider, others for each of a client's bodies, where little is tried. */
function pairsFor(client: ClientFormat, body: number): readonly Pair[] {
  const pairs = PAIRS.filter((pair) => pair.client === client)
  const some = pairs.filter((_, index) => (index + body) % 3 === 0)
  return cases(some, pairs, pairs)
}

it(`${MANY} are more than a call takes as arguments`, () => {
  const list = many(1)
  expect(() => Math.max(...(list as number[]))).toThrow(RangeError)
})

describe.each(CLIENTS)('%s', (client) => {
  const bodies = Object.entries(BODIES[client]).map(([what, body], index) => [what, body, index] as const)
  describe.each(bodies)(`${MANY} %s`, (_what, body, index) => {
    let read: ReturnType<typeof readBody> | undefined
    afterAll(() => (read = undefined))

    it.each(pairsFor(client, index))('are made ready by $name, or refused', (pair) => {
      read ??= readBody(client, body)
      const sent = sendRead(pair, read)
      expect(sent).toEqual('type' in sent ? expect.objectContaining({ code: 'invalid_request' }) : expect.anything())
    })
  })
})

it(`reads ${MANY} inputs of embeddings, or refuses them`, () => {
  const text = JSON.stringify({ model: 'm', input: many('x') })
  expect(() => readRequest('embeddings', text, text.length)).not.toThrow()
})
