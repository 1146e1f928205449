// What has to come back: names and kinds of tools to the client that gave them, and what a provider sealed to the kind of
// provider that sealed it, and to no other.

import { describe, expect, it } from 'vitest'
import type { ClientFormat } from '#dialect/dialects.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { readStrictly as readMessages } from '../dialect/messages/strict-client.ts'
import { readStrictly as readResponses } from '../dialect/responses/strict-reader.ts'
import { ANSWERS, ASKING } from './answers/all.ts'
import { converseEvent } from './answers/bedrock-converse.ts'
import { LATE_SEAL } from './answers/chat-completions.ts'
import {
  answer,
  CLIENTS,
  PROVIDERS,
  sendOk,
  sharesSeals,
  TRANSLATED_PAIRS,
  type Pair,
  type ProviderName,
} from './pair.ts'
import { checkProviderRules } from './provider-rules.ts'
import { LONG_NAME, WEATHER_SCHEMA } from './requests/media.ts'

/** Whole answers that hold something sealed, and what it is. */
const SEALED: Readonly<Record<ProviderName, readonly (readonly [string, string])[]>> = {
  'chat-completions': [['reasoning_details with a signature', 'c2lnbmVkLWJ5LW9yLTE=']],
  messages: [
    ['signed thinking, then text', 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds'],
    ['redacted thinking, then text', 'EmwKAhgBEgy3va3pzix'],
    ['thinking, text and a tool call', 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds'],
  ],
  responses: [
    ['reasoning with encrypted content, then text', 'gAAAAABo8MGiVw2Q7k1mP0sJ4yY9cR8d'],
    ['reasoning that is only encrypted', 'gAAAAABo8MGiVw2Q7k1mP0sJ4yY9cR8d'],
    ['reasoning, text and a tool call', 'gAAAAABo8MGiVw2Q7k1mP0sJ4yY9cR8d'],
  ],
  gemini: [
    ['thoughts, then signed text', 'CiQBjz1rX0Zq2w9vT4sD7m'],
    ['one tool call, signed', 'CiQBjz1rX0Zq2w9vT4sD7m'],
    ['parallel tool calls, the first signed', 'CiQBjz1rX0Zq2w9vT4sD7m'],
    ['thoughts, text and a tool call', 'CiQBjz1rX0Zq2w9vT4sD7m'],
  ],
  'bedrock-converse': [
    ['signed thinking, then text', 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds'],
    ['redacted thinking, then text', 'EmwKAhgBEgy3va3pzix'],
    ['thinking, text and a tool call', 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds'],
  ],
}
/** OpenRouter wants its reasoning back in the member that it gave it in. */
const QUIRKS = { reasoningField: 'reasoning' } as const

/**
 * Claude Code takes the last block of an answer for its text, and Copilot makes a message of what stands behind one, so that nothing is put
 * behind a text there. Gemini asks for the seals of calls alone; that of a text it only likes to have.
 */
const isLeftOut = (pair: Pair, name: string) =>
  (pair.client === 'messages' || pair.client === 'responses') && name === 'thoughts, then signed text'

describe.each(TRANSLATED_PAIRS.map((pair) => [pair.name, pair] as const))('%s', (_, pair) => {
  const kept = SEALED[pair.provider].filter(([name]) => !isLeftOut(pair, name))
  const left = SEALED[pair.provider].filter(([name]) => isLeftOut(pair, name))

  it.each(left)('leaves out what was sealed behind all else: %s', (name, seal) => {
    const next = nextRequest(pair, wholeAnswer(pair, fixture(pair.provider, name)))
    expect(sendOk(pair, next, { quirks: QUIRKS }).body).not.toContain(seal)
  })

  it.each(kept)('brings back what was sealed: %s', (name, seal) => {
    const next = nextRequest(pair, wholeAnswer(pair, fixture(pair.provider, name)))
    const sent = sendOk(pair, next, { quirks: QUIRKS })
    expect(sent.body).toContain(JSON.stringify(seal))
    checkProviderRules(pair.provider, sent.body)
  })

  it.each(SEALED[pair.provider])('gives nobody else what was sealed: %s', (name, seal) => {
    const next = nextRequest(pair, wholeAnswer(pair, fixture(pair.provider, name)))
    for (const provider of PROVIDERS) {
      if (sharesSeals(provider, pair.provider)) continue
      const other = { ...pair, provider }
      const { body, prepared } = sendOk(other, next, { quirks: QUIRKS })
      // What is passed on is as the client sent it, but for what Claude's own models would refuse.
      if (prepared.isPassed && provider !== 'messages') continue
      expect(body).not.toContain(seal)
      checkProviderRules(provider, body)
    }
  })

  it('gives tools their own names back', () => {
    const names = [LONG_NAME, 'files.list', '9lives', 'plain']
    const { tools } = { tools: names.map((name) => toolOf(pair.client, name)) }
    const sent = sendOk(pair, { ...ASKING[pair.client], tools })
    const wire = wireNames(pair.provider, sent.body)
    expect(new Set(wire).size).toBe(names.length)
    const whole = JSON.stringify(
      callsOf(
        pair.provider,
        wire.map((name) => ({ name, input: { city: 'Bern' } })),
      ),
    )
    const { text } = answer(sent.prepared, [Buffer.from(whole)])
    for (const name of names) expect(text).toContain(JSON.stringify(name))
  })
})

describe.each(
  TRANSLATED_PAIRS.filter(({ client }) => client === 'responses').map((pair) => [pair.name, pair] as const),
)('%s', (_, pair) => {
  const tools = [
    { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
    { type: 'namespace', name: 'mcp__calendar', description: 'a', tools: [toolOf('responses', 'list_events')] },
    { type: 'tool_search', execution: 'client', description: 'a', parameters: { type: 'object', properties: {} } },
    { type: 'local_shell' },
  ]
  const inputs = [{ input: '*** Begin Patch\n"a"' }, { day: 1 }, { query: 'calendar' }, { command: ['ls', '-l'] }]

  it.each([false, true])("gives Codex's tools their own kinds back (stream: %s)", (stream) => {
    const sent = sendOk(pair, { ...ASKING.responses, tools, stream })
    const wire = wireNames(pair.provider, sent.body)
    const calls = wire.map((name, index) => ({ name, input: inputs[index] ?? {} }))
    const items = itemsOf(answer(sent.prepared, [Buffer.from(callsText(pair.provider, calls, stream))]).text, stream)
    expect(items).toMatchObject([
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch\n"a"', status: 'completed' },
      { type: 'function_call', name: 'list_events', namespace: 'mcp__calendar', arguments: '{"day":1}' },
      { type: 'tool_search_call', execution: 'client', arguments: { query: 'calendar' } },
      { type: 'local_shell_call', action: { type: 'exec', command: ['ls', '-l'] } },
    ])
  })
})

describe('a custom tool of chat completions', () => {
  it.each(PROVIDERS.filter((provider) => provider !== 'chat-completions'))(
    'is given its text back by %s',
    (provider) => {
      const pair: Pair = { client: 'chat', provider, name: '' }
      const tools = [{ type: 'custom', custom: { name: 'apply_patch' } }]
      const sent = sendOk(pair, { ...ASKING.chat, tools })
      const [name = ''] = wireNames(provider, sent.body)
      const whole = JSON.stringify(callsOf(provider, [{ name, input: { input: 'text' } }]))
      const choices = record(parseJson(answer(sent.prepared, [Buffer.from(whole)]).text))['choices']
      expect(choices).toMatchObject([
        { message: { tool_calls: [{ type: 'custom', custom: { name: 'apply_patch', input: 'text' } }] } },
      ])
    },
  )
})

it('gives Codex refusals as text, because it loses messages that hold one', () => {
  const pair: Pair = { client: 'responses', provider: 'chat-completions', name: '' }
  const sent = sendOk(pair, { ...ASKING.responses, client_metadata: { 'x-codex-installation-id': 'a' } })
  const whole = JSON.stringify(fixture('chat-completions', 'refusal'))
  const items = itemsOf(answer(sent.prepared, [Buffer.from(whole)]).text, false)
  expect(items).toMatchObject([{ content: [{ type: 'output_text', text: 'I cannot help with that.' }] }])
})

describe('what OpenRouter sealed behind a call', () => {
  const STREAM = ANSWERS['chat-completions'].find(({ stream }) => stream?.includes(LATE_SEAL))?.stream ?? ''

  it.each([
    ['messages', (text: string) => ({ content: readMessages(text).content })],
    ['responses', (text: string) => readResponses(text).response],
  ] as const)('comes back from a client of %s that was sent a stream', (client, read) => {
    const pair: Pair = { client, provider: 'chat-completions', name: '' }
    const asked = sendOk(pair, { ...ASKING[client], stream: true })
    const given = read(answer(asked.prepared, [Buffer.from(STREAM)]).text)
    const { body } = sendOk(pair, nextRequest(pair, { ...given }), { quirks: QUIRKS })
    const detail = { type: 'reasoning.encrypted', data: LATE_SEAL, id: 'call_w1', format: 'google-gemini-v1', index: 0 }
    const sent = list(record(parseJson(body))['messages']).find(({ role }) => role === 'assistant')
    expect(sent).toMatchObject({ tool_calls: [{ id: 'call_w1' }], reasoning_details: [detail] })
  })
})

it('every client has a fixture to ask with', () => {
  expect(Object.keys(ASKING)).toEqual([...CLIENTS])
})

function fixture(provider: ProviderName, name: string): JsonObject {
  const whole = ANSWERS[provider].find((one) => one.name === name)?.whole
  if (whole === undefined) throw new Error(`there is no whole answer '${name}'`)
  return whole
}

function wholeAnswer(pair: Pair, whole: JsonObject): JsonObject {
  const { prepared } = sendOk(pair, ASKING[pair.client])
  return record(parseJson(answer(prepared, [Buffer.from(JSON.stringify(whole))]).text))
}

/** The request that a client makes of an answer: its history, and a result for each call. */
function nextRequest(pair: Pair, given: JsonObject): JsonObject {
  const body = ASKING[pair.client]
  const hello = { role: 'user', content: 'How is the weather in Bern?' }
  const more = { role: 'user', content: 'Thanks. And in Oslo?' }
  switch (pair.client) {
    case 'chat': {
      const message = record(list(given['choices'])[0]?.['message'])
      const results = list(message['tool_calls']).map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: 'Sunny',
      }))
      return { ...body, messages: [hello, message, ...(results.length === 0 ? [more] : results)] }
    }
    case 'messages': {
      const content = list(given['content'])
      const uses = content.filter(({ type }) => type === 'tool_use')
      const results = uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Sunny' }))
      const last = results.length === 0 ? more : { role: 'user', content: results }
      return { ...body, messages: [hello, { role: 'assistant', content }, last] }
    }
    case 'responses': {
      const output = list(given['output'])
      const calls = output.filter(({ type }) => type === 'function_call')
      const results = calls.map((call) => ({ type: 'function_call_output', call_id: call['call_id'], output: 'Sunny' }))
      return { ...body, input: [hello, ...output, ...(results.length === 0 ? [more] : results)] }
    }
    case 'gemini': {
      const content = record(list(given['candidates'])[0]?.['content'])
      const calls = list(content['parts']).flatMap(({ functionCall: call }) => (isRecord(call) ? [call] : []))
      const results = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: 'Sunny' } } }))
      const last = results.length === 0 ? [{ text: 'Thanks. And in Oslo?' }] : results
      const first = { role: 'user', parts: [{ text: 'How is the weather in Bern?' }] }
      return { ...body, contents: [first, content, { role: 'user', parts: last }] }
    }
  }
}

function toolOf(client: ClientFormat, name: string): JsonObject {
  switch (client) {
    case 'chat':
      return { type: 'function', function: { name, parameters: WEATHER_SCHEMA } }
    case 'messages':
      return { name, input_schema: WEATHER_SCHEMA }
    case 'responses':
      return { type: 'function', name, parameters: WEATHER_SCHEMA }
    case 'gemini':
      return { functionDeclarations: [{ name, parametersJsonSchema: WEATHER_SCHEMA }] }
  }
}

/** The names that the provider was given, in their order. */
function wireNames(provider: ProviderName, text: string): string[] {
  const body = record(parseJson(text))
  const tools = list(body['tools'])
  const named = provider === 'gemini' ? list(tools[0]?.['functionDeclarations']) : tools
  const specs = list(record(body['toolConfig'])['tools']).map((tool) => record(tool['toolSpec']))
  return [...named, ...specs].map((tool) => String(tool['name'] ?? record(tool['function'])['name']))
}

type Call = { readonly name: string; readonly input: JsonObject }

/** A whole answer in which the provider calls all of these. */
function callsOf(provider: ProviderName, calls: readonly Call[]): JsonObject {
  const ids = calls.map((call, index) => ({ ...call, id: `call_${index}`, text: JSON.stringify(call.input) }))
  switch (provider) {
    case 'chat-completions': {
      const toolCalls = ids.map(({ id, name, text }) => ({ id, type: 'function', function: { name, arguments: text } }))
      const message = { role: 'assistant', content: null, tool_calls: toolCalls }
      return { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
    }
    case 'messages': {
      const content = ids.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
      return {
        id: 'm',
        type: 'message',
        role: 'assistant',
        content,
        stop_reason: 'tool_use',
        usage: { output_tokens: 1 },
      }
    }
    case 'responses': {
      const output = ids.map(({ id, name, text }) => ({
        type: 'function_call',
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: text,
        status: 'completed',
      }))
      return { id: 'r', object: 'response', status: 'completed', output }
    }
    case 'gemini': {
      const parts = ids.map(({ name, input }) => ({ functionCall: { name, args: input } }))
      return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] }
    }
    case 'bedrock-converse': {
      const content = ids.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } }))
      return { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use' }
    }
  }
}

/** The same as a whole answer or, for the dialects that a client of responses is translated to, as a stream. */
function callsText(provider: ProviderName, calls: readonly Call[], isStream: boolean): string {
  const whole = callsOf(provider, calls)
  if (!isStream) return JSON.stringify(whole)
  const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
  if (provider === 'gemini') return data(whole)
  if (provider === 'bedrock-converse') return converseStream(calls)
  if (provider === 'chat-completions') {
    const message = record(list(whole['choices'])[0]?.['message'])
    const deltas = list(message['tool_calls']).map((call, index) => ({ tool_calls: [{ ...call, index }] }))
    const chunk = (delta: JsonObject, finish: string | null) =>
      data({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })
    return `${deltas.map((delta) => chunk(delta, null)).join('')}${chunk({}, 'tool_calls')}data: [DONE]\n\n`
  }
  const event = (value: JsonObject) => `event: ${String(value['type'])}\n${data(value)}`
  const blocks = list(whole['content']).map((block, index) => {
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }
    return [
      event({ type: 'content_block_start', index, content_block: { ...block, input: {} } }),
      event({ type: 'content_block_delta', index, delta }),
      event({ type: 'content_block_stop', index }),
    ].join('')
  })
  const start = event({ type: 'message_start', message: { ...whole, content: [], stop_reason: null } })
  const end = event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } })
  return `${start}${blocks.join('')}${end}${event({ type: 'message_stop' })}`
}

function converseStream(calls: readonly Call[]): string {
  const blocks = calls.flatMap(({ name, input }, contentBlockIndex) => [
    converseEvent('contentBlockStart', {
      contentBlockIndex,
      start: { toolUse: { toolUseId: `call_${contentBlockIndex}`, name } },
    }),
    converseEvent('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input: JSON.stringify(input) } } }),
    converseEvent('contentBlockStop', { contentBlockIndex }),
  ])
  const end = converseEvent('messageStop', { stopReason: 'tool_use' })
  return [converseEvent('messageStart', {}), ...blocks, end, converseEvent('metadata', { usage: {} })].join('')
}

function itemsOf(text: string, isStream: boolean): readonly unknown[] {
  if (!isStream) return list(record(parseJson(text))['output'])
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map((match) => record(parseJson(match[1] ?? '')))
  return events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
}

function record(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
