// The contract of POST /v1/messages: its parameters, whole answers and streams.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { ask, eventNames, expectFormatError, formatOf, MODELS, startFormats } from './formats.ts'
import { eventData, HELLO, type Pair } from './support.ts'

const MESSAGES = formatOf('messages')
const NO_STRINGS = [0, true, [], {}]
const TOOL = { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats()
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())
beforeEach(() => pair.upstream.forget())

const send = (members: object) => ask(pair, MESSAGES, { key, members: { model: 'messages', ...members } })

async function expectAccepted(members: Record<string, unknown>, name: string): Promise<void> {
  const response = await send(members)
  expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
  expect(pair.upstream.requests).toMatchObject([{ path: '/v1/messages', body: { [name]: members[name] } }])
}

async function expectRefused(members: object, name: string): Promise<void> {
  const param = expect.stringMatching(new RegExp(`^${name}([[.]|$)`))
  const message = await expectFormatError(await send(members), 'messages', 400, { param })
  expect(message).toContain(`'${name}`)
  expect(pair.upstream.requests).toEqual([])
}

const RULES: [name: string, accepted: unknown[], refused: unknown[]][] = [
  ['model', [], ['', ...NO_STRINGS]],
  [
    'messages',
    [
      [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      [...HELLO, { role: 'assistant', content: 'Hi' }, ...HELLO],
      [...HELLO, { role: 'system', content: 'Be brief.' }],
    ],
    [
      [],
      {},
      'Hello',
      1,
      [null],
      ['Hello'],
      [{}],
      [{ role: 'user' }],
      [{ role: 'user', content: null }],
      [{ role: 'user', content: 1 }],
      [{ role: 'user', content: ['Hello'] }],
      [{ role: 'developer', content: 'Hello' }],
      [{ role: 'tool', content: 'Hello' }],
      [...HELLO, { role: 'wizard', content: 'Hello' }],
    ],
  ],
  ['max_tokens', [1, 1000], [0, -1, 1.5, '5', true, [], {}]],
  ['system', ['Be brief.', [{ type: 'text', text: 'Be brief.' }], []], [1, true, {}, ['Be brief.']]],
  ['stream', [true, false], ['true', 1, [], {}]],
  ['temperature', [0, 0.5, 1], [-0.001, 1.001, 2, '1', true, [], {}]],
  ['top_p', [0, 1], [-0.001, 1.001, '1', []]],
  ['tools', [[], [TOOL]], [{}, 'f', 1, ['f'], [null], [TOOL, 'f']]],
  [
    'tool_choice',
    [{ type: 'auto' }, { type: 'any' }, { type: 'none' }, { type: 'tool', name: 'weather' }],
    ['auto', 1, [], {}, { type: 'required' }, { type: 'tool' }, { type: 'tool', name: '' }, { type: 'tool', name: 1 }],
  ],
]

describe.each(RULES)('%s', (name, accepted, refused) => {
  it.each(accepted.map((value) => [value]))('may be %j', (value) => expectAccepted({ [name]: value }, name))
  it.each(refused.map((value) => [value]))('must not be %j', (value) => expectRefused({ [name]: value }, name))
})

describe('a parameter of messages', () => {
  it.each(['model', 'messages', 'max_tokens'])('%s is required, and null is none', async (name) => {
    await expectRefused({ [name]: undefined }, name)
    await expectRefused({ [name]: null }, name)
  })

  it.each(['system', 'stream', 'temperature', 'top_p', 'tools', 'tool_choice'])(
    '%s counts as left out when it is null',
    async (name) => {
      expect((await send({ [name]: null })).status).toBe(200)
    },
  )

  it('is left to the provider when Farebox does not know it', async () => {
    await expectAccepted({ x_unknown: [null, { deep: [1] }] }, 'x_unknown')
  })

  it.each(MODELS)('is judged alike before %s', async (model) => {
    const wrong = { model, temperature: 1.5 }
    await expectFormatError(await send(wrong), 'messages', 400, { param: 'temperature' })
  })
})

describe("a model's name", () => {
  it.each(['messages-20250929', 'messages[1m]', 'messages-20250929[1m]'])('may be %s', async (model) => {
    const response = await send({ model })
    expect(response.status).toBe(200)
    expect(pair.upstream.requests).toMatchObject([{ body: { model: 'claude-sonnet-4-5' } }])
  })

  it.each(['messages-2025092', 'messages-202509291', 'messages-20250929-x', '-20250929', 'MESSAGES', '[1m]'])(
    'must not be %s',
    async (model) => {
      await expectFormatError(await send({ model }), 'messages', 404, { param: 'model' })
    },
  )

  it('that exists with its date is not shortened', async () => {
    const targets = [{ provider: 'messages', model: 'the-dated-one' }]
    await pair.farebox.admin.call('addModel', { body: chatModel('messages-20240101', { targets }) })
    expect((await send({ model: 'messages-20240101' })).status).toBe(200)
    expect(pair.upstream.requests).toMatchObject([{ body: { model: 'the-dated-one' } }])
  })

  it('is repeated in the answer of a provider of another dialect, as the client wrote it', async () => {
    const answer = await (await send({ model: 'gemini-20250101' })).json()
    expect(answer).toMatchObject({ model: 'gemini-20250101' })
  })
})

const integer = expect.toSatisfy(Number.isInteger, 'an integer')
const text = expect.stringMatching(/./)

describe.each(MODELS)('an answer of %s', (model) => {
  it('has every member of the contract', async () => {
    const response = await send({ model })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
    expect(await response.json()).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model: text,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: integer, output_tokens: integer },
    })
  })

  it('is a stream of events in the order of the contract, each with its name', async () => {
    const response = await send({ model, stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    const stream = await response.text()
    for (const event of stream.trim().split('\n\n')) {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(event) ?? []
      expect((JSON.parse(data) as { type: string }).type).toBe(name)
    }
    const names = eventNames(stream).filter((name) => name !== 'ping')
    const deltas = names.filter((name) => name === 'content_block_delta')
    expect(deltas.length).toBeGreaterThan(1)
    const closed = ['content_block_stop', 'message_delta', 'message_stop']
    expect(names).toEqual(['message_start', 'content_block_start', ...deltas, ...closed])
    const events = eventData(stream).map((data) => JSON.parse(data) as Record<string, never>)
    expect(events[0]).toMatchObject({
      message: {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'assistant',
        model: text,
        content: [],
        stop_reason: null,
        usage: { input_tokens: integer, output_tokens: integer },
      },
    })
    expect(events[1]).toMatchObject({ index: 0, content_block: { type: 'text', text: '' } })
    expect(events.find(({ type }) => type === 'content_block_delta')).toMatchObject({
      index: 0,
      delta: { type: 'text_delta', text },
    })
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: integer } })
  })

  it('says the same streamed and whole', async () => {
    const whole = (await (await send({ model })).json()) as { content: [{ text: string }] }
    const events = eventData(await (await send({ model, stream: true })).text())
    const pieces = events.map((data) => (JSON.parse(data) as { delta?: { text?: string } }).delta?.text ?? '')
    expect(pieces.join('')).toBe(whole.content[0].text)
  })

  it('calls a tool and says so', async () => {
    pair.upstream.script({
      type: 'answer',
      toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' }],
    })
    const answer = await (await send({ model, tools: [TOOL], tool_choice: { type: 'any' } })).json()
    expect(answer).toMatchObject({ stop_reason: 'tool_use' })
    expect((answer as { content: object[] }).content.at(-1)).toMatchObject({
      type: 'tool_use',
      id: text,
      name: 'weather',
    })
  })
})
