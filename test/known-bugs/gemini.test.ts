// Requests to Gemini that other gateways sent in a form that it refuses.

import { expect, it } from 'vitest'
import type { ClientFormat } from '#dialect/dialects.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { dataEvents } from '../matrix/answers/fixture.ts'
import { CLIENTS } from '../matrix/pair.ts'
import { at, candidate, events, records, sent, streamed, whole } from './support.ts'

const SIGNATURE = 'CiQBjz1rX0Zq2w9vT4sD7m=='
const SENTINEL = 'skip_thought_signature_validator'
const CALL = { functionCall: { name: 'get_weather', args: { city: 'Bern' } } }

/** The conversation that a client sends next, made of the answer that it got: its calls with their results. */
const NEXT: Readonly<Record<ClientFormat, (answer: JsonObject) => JsonObject>> = {
  chat: (answer) => {
    const message = at(answer, 'choices', 0, 'message')
    const results = records(at(message, 'tool_calls')).map(({ id }) => ({
      role: 'tool',
      tool_call_id: id,
      content: 'Sunny',
    }))
    return { messages: [{ role: 'user', content: 'Hi' }, message, ...results] }
  },
  messages: ({ content }) => {
    const calls = records(content).filter(({ type }) => type === 'tool_use')
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Sunny' }))
    return {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content },
        { role: 'user', content: results },
      ],
    }
  },
  responses: ({ output }) => {
    const calls = records(output).filter(({ type }) => type === 'function_call')
    const results = calls.map(({ call_id: id }) => ({ type: 'function_call_output', call_id: id, output: 'Sunny' }))
    return { input: [{ role: 'user', content: 'Hi' }, ...records(output), ...results] }
  },
  gemini: (answer) => {
    const content = at(answer, 'candidates', 0, 'content')
    const calls = records(at(content, 'parts')).filter((part) => 'functionCall' in part)
    const results = calls.map(() => ({ functionResponse: { name: 'get_weather', response: { output: 'Sunny' } } }))
    return {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }, content, { role: 'user', parts: results }],
    }
  },
}

it.each(CLIENTS)(
  'musistudio/claude-code-router#1431: the signature of a call comes back to Gemini from %s',
  (client) => {
    const answer = whole([client, 'gemini'], candidate([{ ...CALL, thoughtSignature: SIGNATURE }, CALL], 'STOP'))
    const { body } = sent(client, 'gemini', NEXT[client](answer))
    const calls = records(body['contents'])
      .flatMap(({ parts }) => records(parts))
      .filter((part) => 'functionCall' in part)
    expect(calls.map(({ thoughtSignature }) => thoughtSignature)).toEqual([SIGNATURE, undefined])
  },
)

it('sipeed/picoclaw#3230: a client of chat completions is given the signature with its call, where Google has it', () => {
  const text = streamed(['chat', 'gemini'], dataEvents(candidate([{ ...CALL, thoughtSignature: SIGNATURE }], 'STOP')))
  const calls = events(text).flatMap((event) => records(at(event, 'choices', 0, 'delta', 'tool_calls')))
  expect(calls).toContainEqual(
    expect.objectContaining({ extra_content: { google: { thought_signature: `farebox1.gemini.${SIGNATURE}` } } }),
  )
})

it('sipeed/picoclaw#3230: calls without a signature have the value for none, on the first call of a step only', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'get_weather', arguments: '{}' } })
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'Sunny' })
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
    result('a'),
    result('b'),
    { role: 'assistant', content: null, tool_calls: [call('c')] },
    result('c'),
  ]
  const { body } = sent('chat', 'gemini', { messages })
  const calls = records(body['contents']).flatMap(({ parts }) =>
    records(parts).filter((part) => 'functionCall' in part),
  )
  expect(calls.map(({ thoughtSignature }) => thoughtSignature)).toEqual([SENTINEL, undefined, SENTINEL])
})

/** The schema that Gemini gets for a tool's. */
function cleaned(parameters: JsonObject): unknown {
  const tools = [{ type: 'function', function: { name: 'shell', parameters } }]
  const declaration = at(sent('chat', 'gemini', { tools }).body, 'tools', 0, 'functionDeclarations', 0)
  return at(declaration, 'parameters') ?? at(declaration, 'parametersJsonSchema')
}

it('openswarm-ai/openswarm#24: $schema, additionalProperties and propertyNames are not sent', () => {
  const inner = { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false }
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      list: { type: 'array', items: inner },
      env: { type: 'object', propertyNames: { pattern: '^[A-Z]+$' }, additionalProperties: { type: 'string' } },
      either: { anyOf: [inner, { type: 'string' }] },
    },
    additionalProperties: false,
  }
  const text = JSON.stringify(cleaned(schema))
  expect(text).not.toMatch(/\$schema|additionalProperties|propertyNames/)
  expect(Object.keys(Object(at(cleaned(schema), 'properties')))).toEqual(['list', 'env', 'either'])
})

it('openswarm-ai/openswarm#24: properties that have the names of keywords are kept', () => {
  const properties = {
    additionalProperties: { type: 'string' },
    const: { type: 'string' },
    $schema: { type: 'string' },
  }
  const written = at(cleaned({ type: 'object', properties }), 'properties')
  expect(Object.keys(Object(written))).toEqual(Object.keys(properties))
})

it('zed-industries/zed#44875: const in anyOf becomes an enum', () => {
  const mode = { anyOf: [{ const: 'read' }, { const: 'write' }] }
  const schema = cleaned({ type: 'object', properties: { mode } })
  expect(JSON.stringify(schema)).not.toContain('"const"')
  expect(JSON.stringify(schema)).toMatch(/"enum":\["read"/)
  expect(JSON.stringify(schema)).toContain('"write"')
})

it('ruvnet/agentic-flow#55: exclusiveMinimum is not sent', () => {
  const count = { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 }
  const schema = cleaned({ type: 'object', properties: { count } })
  expect(JSON.stringify(schema)).not.toContain('exclusive')
  expect(at(schema, 'properties', 'count')).toMatchObject({ type: expect.stringMatching(/^integer$/i) })
})

it('router-for-me/CLIProxyAPI#43: a list of types is one type, nullable where null is among them', () => {
  const schema = cleaned({ type: 'object', properties: { path: { type: ['string', 'null'] } } })
  expect(at(schema, 'properties', 'path')).toMatchObject({ type: expect.stringMatching(/^string$/i), nullable: true })
})

it('QuantumNous/new-api#1037: the schema that zod writes for an answer is taken', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { city: { type: 'string' }, degrees: { type: 'number' } },
    required: ['city', 'degrees'],
    additionalProperties: false,
  }
  const format = { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema } }
  const config = at(sent('chat', 'gemini', { response_format: format }).body, 'generationConfig')
  expect(config).toMatchObject({ responseMimeType: 'application/json' })
  const written = at(config, 'responseSchema') ?? at(config, 'responseJsonSchema')
  expect(Object.keys(Object(at(written, 'properties')))).toEqual(['city', 'degrees'])
  expect(JSON.stringify(written)).not.toContain('$schema')
})

it('microsoft/vscode#299295: there are as many results as calls, also where the client has none', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'get_weather', arguments: '{}' } })
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
    { role: 'tool', tool_call_id: 'b', content: 'Sunny' },
    { role: 'user', content: 'Go on.' },
  ]
  const [, calls, results] = records(sent('chat', 'gemini', { messages }).body['contents'])
  const ids = (content: JsonObject | undefined, member: string) =>
    records(content?.['parts']).flatMap((part) => (member in part ? [at(part, member, 'id')] : []))
  expect(ids(results, 'functionResponse')).toEqual(ids(calls, 'functionCall'))
  expect(ids(calls, 'functionCall')).toHaveLength(2)
})

it('lbjlaq/Antigravity-Manager#3396: a history that begins with a call has a turn of the user before it', () => {
  const call = { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } }
  const messages = [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'Sunny' },
    { role: 'user', content: 'Go on.' },
  ]
  const contents = records(sent('chat', 'gemini', { messages }).body['contents'])
  expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user'])
  expect(records(contents[0]?.['parts'])).not.toEqual([])
})
