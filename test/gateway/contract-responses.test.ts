// The contract of POST /v1/responses and its alias: their parameters, whole answers and streams.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask, eventNames, expectFormatError, formatOf, MODELS, startFormats } from './formats.ts'
import { eventData, type Pair } from './support.ts'

const RESPONSES = formatOf('responses')
const NO_STRINGS = [0, true, [], {}]
const TOOL = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: false }

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats()
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())
beforeEach(() => pair.upstream.forget())

const send = (members: object, path = '/v1/responses') =>
  ask(pair, RESPONSES, { key, path, members: { model: 'responses', ...members } })

async function expectAccepted(members: Record<string, unknown>, name: string): Promise<void> {
  const response = await send(members)
  expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
  expect(pair.upstream.requests).toMatchObject([{ path: '/v1/responses', body: { [name]: members[name] } }])
}

async function expectRefused(members: object, name: string): Promise<void> {
  const param = expect.stringMatching(new RegExp(`^${name}([[.]|$)`))
  const message = await expectFormatError(await send(members), 'responses', 400, { param })
  expect(message).toContain(`'${name}`)
  expect(pair.upstream.requests).toEqual([])
}

const RULES: [name: string, accepted: unknown[], refused: unknown[]][] = [
  ['model', [], ['', ...NO_STRINGS]],
  [
    'input',
    ['Hello', [{ role: 'user', content: 'Hello' }], [{ type: 'message', role: 'user', content: [] }]],
    ['', [], {}, 1, true, [null], ['Hello'], [[]]],
  ],
  ['instructions', ['Be brief.', ''], [1, true, {}, []]],
  ['max_output_tokens', [1, 1000], [0, -1, 1.5, '5', true, []]],
  ['stream', [true, false], ['true', 1, [], {}]],
  ['temperature', [0, 1.5, 2], [-0.001, 2.001, '1', true, []]],
  ['top_p', [0, 1], [-0.001, 1.001, '1']],
  ['tools', [[], [TOOL]], [{}, 'f', 1, ['f'], [null]]],
  ['tool_choice', ['auto', 'none', 'required', { type: 'function', name: 'weather' }], ['any', '', 1, []]],
  ['reasoning', [{}, { effort: 'low' }, { effort: 'medium' }, { effort: 'high' }], ['low', 1, true, []]],
  ['background', [false], [true, 'false', 1]],
]

describe.each(RULES)('%s', (name, accepted, refused) => {
  it.each(accepted.map((value) => [value]))('may be %j', (value) => expectAccepted({ [name]: value }, name))
  it.each(refused.map((value) => [value]))('must not be %j', (value) => expectRefused({ [name]: value }, name))
})

describe('a parameter of responses', () => {
  it.each(['model', 'input'])('%s is required, and null is none', async (name) => {
    await expectRefused({ [name]: undefined }, name)
    await expectRefused({ [name]: null }, name)
  })

  it.each(RULES.slice(2))('%s counts as left out when it is null', async (name) => {
    expect((await send({ [name]: null })).status).toBe(200)
  })

  it('is left to the provider when Farebox does not know it', async () => {
    await expectAccepted({ x_unknown: [null, { deep: [1] }] }, 'x_unknown')
  })

  it.each(MODELS)('is judged alike before %s', async (model) => {
    await expectFormatError(await send({ model, temperature: 3 }), 'responses', 400, { param: 'temperature' })
  })

  it("is refused as a model's name with a date behind it, which only messages know", async () => {
    await expectFormatError(await send({ model: 'responses-20250929' }), 'responses', 404, { param: 'model' })
  })

  it.each(['chat-completions', 'messages', 'gemini'])(
    'that asks for what was stored is refused by name before %s, where nothing is stored',
    async (model) => {
      const details = { code: 'previous_response_not_found' }
      const response = await send({ model, previous_response_id: 'resp_1' })
      await expectFormatError(response, 'responses', 400, { param: 'previous_response_id', details })
      const unsupported = { param: 'conversation', details: { code: 'unsupported_parameter' } }
      await expectFormatError(await send({ model, conversation: 'conv_1' }), 'responses', 400, unsupported)
      expect(pair.upstream.requests).toEqual([])
    },
  )
})

const integer = expect.toSatisfy(Number.isInteger, 'an integer')
const text = expect.stringMatching(/./)
const MESSAGE = {
  type: 'message',
  id: text,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
}

describe.each(MODELS)('an answer of %s', (model) => {
  it.each(['/v1/responses', '/responses', '/v1/v1/responses'])(
    'at %s has every member of the contract',
    async (path) => {
      const response = await send({ model }, path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json')
      const answer = (await response.json()) as { usage: Record<string, number> }
      expect(answer).toMatchObject({
        id: expect.stringMatching(/^resp_/),
        object: 'response',
        created_at: integer,
        model: text,
        output: [MESSAGE],
        status: 'completed',
        usage: { input_tokens: integer, output_tokens: integer, total_tokens: integer },
      })
      const { input_tokens: input = 0, output_tokens: output = 0, total_tokens: total } = answer.usage
      expect(total).toBe(input + output)
    },
  )

  it('is a stream of events in the order of the contract, closed by [DONE]', async () => {
    const response = await send({ model, stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const stream = await response.text()
    const names = eventNames(stream)
    expect(names.filter((name) => name === 'response.created')).toHaveLength(1)
    expect(names[0]).toBe('response.created')
    expect(names.slice(-2)).toEqual(['response.completed', '[DONE]'])
    expect(names.filter((name) => name === 'response.output_text.delta').length).toBeGreaterThan(1)
    const events = eventData(stream)
      .slice(0, -1)
      .map((data) => JSON.parse(data) as Record<string, never>)
    expect(events.map((event) => event['sequence_number'])).toEqual([...events.keys()])
    const [created, completed] = [events[0], events.at(-1)]
    expect(created).toMatchObject({ response: { id: expect.stringMatching(/^resp_/), status: 'in_progress' } })
    expect(completed).toMatchObject({
      response: {
        id: created?.['response']?.['id'],
        status: 'completed',
        output: [MESSAGE],
        usage: { input_tokens: integer, output_tokens: integer, total_tokens: integer },
      },
    })
    for (const event of events.filter(({ type }) => type === 'response.output_text.delta')) {
      expect(event).toMatchObject({ delta: text })
    }
  })

  it('opens and closes each item once, and says the same streamed and whole', async () => {
    const whole = (await (await send({ model })).json()) as { output: [{ content: [{ text: string }] }] }
    const stream = await (await send({ model, stream: true })).text()
    const pieces = eventData(stream)
      .filter((data) => data.includes('response.output_text.delta'))
      .map((data) => (JSON.parse(data) as { delta: string }).delta)
    expect(pieces.join('')).toBe(whole.output[0].content[0].text)
    const names = eventNames(stream)
    for (const what of ['output_item', 'content_part']) {
      expect(names.filter((name) => name === `response.${what}.added`)).toHaveLength(1)
      expect(names.filter((name) => name === `response.${what}.done`)).toHaveLength(1)
    }
  })

  it('calls a tool with its arguments as text', async () => {
    const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' }
    pair.upstream.script({ type: 'answer', toolCalls: [call] })
    const answer = (await (await send({ model, tools: [TOOL], tool_choice: 'required' })).json()) as {
      output: object[]
    }
    const item = {
      type: 'function_call',
      call_id: text,
      name: 'weather',
      arguments: expect.any(String),
      status: 'completed',
    }
    expect(answer.output.at(-1)).toMatchObject(item)
  })
})
