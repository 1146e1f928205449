// Streams that other gateways gave clients of the responses format, Codex above all, and answers of its providers.

import { expect, it } from 'vitest'
import { typedEvents } from '../matrix/answers/fixture.ts'
import { foldStream, foldWhole } from '../matrix/fold.ts'
import {
  at,
  block,
  chatStream,
  chunk,
  events,
  eventTypes,
  messageBlocks,
  messagesStream,
  records,
  responsesStream,
  sent,
  streamed,
  toolDelta,
  whole,
} from './support.ts'

const FROM_CHAT = ['responses', 'chat-completions'] as const
const BERN = '{"city":"Bern"}'
const TOOL_ONLY = chatStream(
  chunk({ role: 'assistant', content: null }),
  chunk(toolDelta(0, '', ['call_1', 'get_weather'])),
  chunk(toolDelta(0, BERN)),
  chunk({}, 'tool_calls'),
)
const TEXT = chatStream(chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hi' }), chunk({}, 'stop'))
const MIXED = chatStream(
  chunk({ reasoning_content: 'Hm.' }),
  chunk({ content: 'Look.' }),
  chunk(toolDelta(0, BERN, ['call_1', 'get_weather'])),
  chunk({}, 'tool_calls'),
)

const CREATED = ['response.created', 'response.in_progress']

it('BerriAI/litellm#19368: a tool call has all of its events, in order', () => {
  expect(eventTypes(streamed(FROM_CHAT, TOOL_ONLY))).toEqual([
    ...CREATED,
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ])
})

it('BerriAI/litellm#22102: an item is added before anything of it comes', () => {
  const seen = new Set<unknown>()
  for (const event of events(streamed(FROM_CHAT, MIXED))) {
    if (event['type'] === 'response.output_item.added') seen.add(at(event, 'item', 'id'))
    if (event['item_id'] !== undefined) expect(seen).toContain(event['item_id'])
  }
  expect(seen.size).toBe(3)
})

it('Oaklight/llm-rosetta#56: the completed response has its id and its output, and all events have their indexes', () => {
  const all = events(streamed(FROM_CHAT, MIXED))
  const end = all.at(-1)
  expect(at(end, 'response', 'id')).toMatch(/^resp_\w+$/)
  expect(at(end, 'response', 'id')).toBe(at(all[0], 'response', 'id'))
  expect(records(at(end, 'response', 'output')).map(({ type }) => type)).toEqual([
    'reasoning',
    'message',
    'function_call',
  ])
  const inItems = all.filter(({ type }) => !/^response\.(created|in_progress|completed)$/.test(String(type)))
  expect(inItems.map((event) => event['output_index'])).not.toContain(undefined)
  const inText = all.filter(({ type }) => /^response\.(output_text|content_part)/.test(String(type)))
  expect(inText.map((event) => event['content_index'])).toEqual(inText.map(() => 0))
})

it('BerriAI/litellm#37852: in an answer of tool calls alone nothing is done that was not added', () => {
  const all = events(streamed(FROM_CHAT, TOOL_ONLY))
  const ids = (type: string) => all.filter((event) => event['type'] === type).map((event) => at(event, 'item', 'id'))
  expect(ids('response.output_item.done')).toEqual(ids('response.output_item.added'))
  expect(ids('response.output_item.done')).toHaveLength(1)
})

it('BerriAI/litellm#39036: no item is open any more when the response is completed', () => {
  const open = new Set<unknown>()
  for (const event of events(streamed(FROM_CHAT, MIXED))) {
    if (event['type'] === 'response.output_item.added') open.add(event['output_index'])
    if (event['type'] === 'response.output_item.done') open.delete(event['output_index'])
    if (event['type'] === 'response.completed') expect(open).toEqual(new Set())
  }
})

it('ogx-ai/ogx#5309: a text is ended by output_text.done with all of it', () => {
  const text = streamed(FROM_CHAT, TEXT)
  expect(eventTypes(text)).toEqual([
    ...CREATED,
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(events(text).find(({ type }) => type === 'response.output_text.done')).toMatchObject({ text: 'Hi' })
})

const CALL = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'get_weather' }
const CALL_EVENTS = [
  { type: 'response.output_item.added', output_index: 0, item: { ...CALL, arguments: '' } },
  { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 0, delta: BERN },
  { type: 'response.output_item.done', output_index: 0, item: { ...CALL, arguments: BERN } },
]

it.each(['chat', 'messages'] as const)(
  'BerriAI/litellm#32724: items that were streamed are in the answer for %s where the completed response has none',
  (client) => {
    const text = streamed([client, 'responses'], responsesStream([CALL_EVENTS], { output: [] }))
    expect(foldStream(client, text)).toMatchObject({
      tools: [{ name: 'get_weather', arguments: { city: 'Bern' } }],
      finish: 'tools',
    })
  },
)

const PATCH = '*** Begin Patch\n*** Add File: "a.txt"\n+Grüße\n*** End Patch'
const APPLY_PATCH = { type: 'custom', name: 'apply_patch', description: 'Edits files.', format: { type: 'text' } }

it.each([
  ['chat-completions', JSON.stringify({ input: PATCH })],
  ['chat-completions', PATCH],
] as const)(
  "caozhiyuan/copilot-api#242: a custom tool's call comes back as one, with its raw text (%s, %j)",
  (provider, text) => {
    const calls = chatStream(chunk(toolDelta(0, text, ['call_1', 'apply_patch'])), chunk({}, 'tool_calls'))
    const all = events(streamed(['responses', provider], calls, { tools: [APPLY_PATCH] }))
    const done = all.find(({ type }) => type === 'response.output_item.done')
    expect(done).toMatchObject({ item: { type: 'custom_tool_call', name: 'apply_patch', input: PATCH } })
    expect(JSON.stringify(all)).not.toContain('"function_call"')
  },
)

it('openai/codex#39133: no id in an answer is longer than 64 characters, and none that is sent back is', () => {
  const text = streamed(FROM_CHAT, MIXED)
  const ids = [...text.matchAll(/"(?:id|item_id|call_id)":"([^"]*)"/g)].map(([, id]) => id ?? '')
  expect(ids.length).toBeGreaterThan(10)
  expect(ids.filter((id) => id.length > 64)).toEqual([])
  const id = 'toolu_'.padEnd(200, 'x')
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'get_weather', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'Sunny' }] },
  ]
  const input = records(sent('messages', 'responses', { messages }).body['input'])
  const callIds = input.flatMap(({ call_id: callId }) => (typeof callId === 'string' ? [callId] : []))
  expect(callIds).toHaveLength(2)
  expect(new Set(callIds).size).toBe(1)
  expect(callIds[0]?.length).toBeLessThanOrEqual(64)
})

const SEAL = 'gAAAAABo8MGiVw2Q7k1mP0sJ4yY9cR8d+/=='

it('lidge-jun/opencodex#2229: sealed reasoning is passed on to a provider of responses as the same bytes', () => {
  const item = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], content: [] }
  const input = [
    { role: 'user', content: 'Hi' },
    { encrypted_content: SEAL, ...item, unknown: null },
    { ...CALL, arguments: BERN },
    { type: 'function_call_output', call_id: 'call_1', output: 'Sunny' },
  ]
  expect(sent('responses', 'responses', { input }).text).toContain(`"input":${JSON.stringify(input)}`)
})

it('Wei-Shaw/sub2api#3588: sealed reasoning goes back without the id of its item, with its seal and a summary', () => {
  const added = { type: 'reasoning', id: 'rs_1', summary: [] }
  const reasoning = [
    { type: 'response.output_item.added', output_index: 0, item: added },
    { type: 'response.output_item.done', output_index: 0, item: { ...added, encrypted_content: SEAL } },
  ]
  const call = CALL_EVENTS.map((event) => ({ ...event, output_index: 1 }))
  const answer = streamed(['messages', 'responses'], responsesStream([reasoning, call]))
  const thinking = events(answer)
    .map((event) => at(event, 'content_block'))
    .find((block) => at(block, 'type') === 'redacted_thinking')
  const messages = [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: [thinking, { type: 'tool_use', id: 'call_1', name: 'get_weather', input: {} }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Sunny' }] },
  ]
  const { body } = sent('messages', 'responses', { messages })
  expect(body['store']).toBe(false)
  expect(records(body['input']).find(({ type }) => type === 'reasoning')).toEqual({
    type: 'reasoning',
    summary: [],
    encrypted_content: SEAL,
  })
})

it('BerriAI/litellm#32724: whole responses are read from their output', () => {
  const output = [{ ...CALL, arguments: BERN, status: 'completed' }]
  const response = { id: 'resp_1', object: 'response', status: 'completed', output, model: 'gpt-5.5' }
  const answer = whole(['chat', 'responses'], { ...response, usage: { input_tokens: 40, output_tokens: 12 } })
  expect(foldWhole('chat', JSON.stringify(answer))).toMatchObject({ tools: [{ name: 'get_weather' }], finish: 'tools' })
})

it('BerriAI/litellm#39036: an item that a provider leaves open is ended before the end of the message', () => {
  const text = streamed(['messages', 'responses'], responsesStream([CALL_EVENTS.slice(0, 2)]))
  expect(messageBlocks(text)).toEqual([`tool_use: ${BERN}`])
})

it('BerriAI/litellm#37852: an item that a provider of messages ends twice is done once', () => {
  const start = { type: 'tool_use', id: 'call_1', name: 'get_weather', input: {} }
  const events2 = block(0, start, { type: 'input_json_delta', partial_json: BERN })
  const stream = messagesStream('tool_use', [...events2, { type: 'content_block_stop', index: 0 }])
  const done = events(streamed(['responses', 'messages'], stream + typedEvents({ type: 'message_stop' })))
  expect(done.filter(({ type }) => type === 'response.output_item.done')).toHaveLength(1)
})
