import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { CHAT_PATH, chunksOf, eventData, get, HELLO, post, startPair, type Pair } from './support.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startPair()
  const targets = [{ provider: 'demo', model: 'demo' }]
  await pair.farebox.admin.call('apply', {
    body: {
      document: {
        providers: [{ name: 'demo', dialect: 'demo' }],
        models: [
          chatModel('demo-chat', { targets }),
          chatModel('demo-embed', { targets, kind: 'embedding', max_output_tokens: 1 }),
        ],
      },
    },
  })
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())
beforeEach(() => pair.upstream.forget())

async function json(response: Response): Promise<unknown> {
  const text = await response.text()
  expect(`${response.status} ${response.headers.get('content-type')}`, text).toMatch(/^200 application\/json/)
  return JSON.parse(text)
}

const integer = expect.toSatisfy(Number.isInteger, 'an integer')

describe.each([
  ['a provider', 'chat', 'embed'],
  ['the demo provider', 'demo-chat', 'demo-embed'],
])('answers of %s', (_name, model, embedding) => {
  const send = (members: object, path = CHAT_PATH) => post(pair.farebox, { model, ...members }, { key, path })

  it('are whole chat completions with every member of the contract', async () => {
    const answer = (await json(await send({ messages: HELLO }))) as { usage: Record<string, number> }
    expect(answer).toMatchObject({
      id: expect.stringMatching(/./),
      object: 'chat.completion',
      created: integer,
      model: expect.stringMatching(/./),
      choices: [
        { index: 0, message: { role: 'assistant', content: expect.stringMatching(/./) }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: integer, completion_tokens: integer, total_tokens: integer },
    })
    const { prompt_tokens: prompt = 0, completion_tokens: completion = 0, total_tokens: total } = answer.usage
    expect(total).toBe(prompt + completion)
  })

  it('are streams of chunks in the order of the contract, closed by [DONE]', async () => {
    const response = await send({ messages: HELLO, stream: true })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
    const text = await response.text()
    expect(text).toMatch(/^(data: [^\n]+\n\n)+$/)
    expect(eventData(text).at(-1)).toBe('[DONE]')
    expect(text.match(/\[DONE\]/g)).toHaveLength(1)
    const chunks = chunksOf(text)
    const choices = chunks.flatMap((chunk) => chunk['choices'] as { delta: Record<string, unknown> }[])
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ id: chunks[0]?.['id'], object: 'chat.completion.chunk' })
      expect(chunk['choices']).toHaveLength(1)
    }
    const last = choices.length - 1
    expect(choices[0]).toMatchObject({ index: 0, delta: { role: 'assistant' }, finish_reason: null })
    for (const choice of choices.slice(1, last)) {
      expect(choice).toMatchObject({ index: 0, delta: { content: expect.stringMatching(/./) }, finish_reason: null })
    }
    expect(choices[last]).toMatchObject({ index: 0, delta: {}, finish_reason: 'stop' })
    expect(choices[last]?.delta).toEqual({})
    expect(last).toBeGreaterThan(2)
  })

  it('say the same streamed and whole', async () => {
    const whole = (await json(await send({ messages: HELLO }))) as { choices: [{ message: { content: string } }] }
    const chunks = chunksOf(await (await send({ messages: HELLO, stream: true })).text())
    const pieces = chunks.map((chunk) => (chunk['choices'] as [{ delta: { content?: string } }])[0].delta.content ?? '')
    expect(pieces.join('')).toBe(whole.choices[0].message.content)
  })

  it('hold as many choices as were asked for', async () => {
    const answer = (await json(await send({ messages: HELLO, n: 3 }))) as { choices: { index: number }[] }
    expect(answer.choices.map((choice) => choice.index)).toEqual([0, 1, 2])
  })

  it('end with tool_calls when a tool is to be called', async () => {
    const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' }
    pair.upstream.script({ type: 'answer', toolCalls: [call] })
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const tools = [{ type: 'function', function: { name: 'weather', parameters } }]
    const members = { messages: HELLO, tools, tool_choice: 'required' }
    expect(await json(await send(members))).toMatchObject({
      choices: [
        {
          message: { role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'weather' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    })
    const chunks = chunksOf(await (await send({ ...members, stream: true })).text())
    const choices = chunks.map((chunk) => (chunk['choices'] as [{ finish_reason: string | null }])[0])
    expect(choices.map((choice) => choice.finish_reason)).toEqual([...choices.slice(1).map(() => null), 'tool_calls'])
  })

  it('are embeddings in the order of their inputs, for text and for tokens', async () => {
    for (const [input, count] of [
      ['one', 1],
      [['one', 'two', 'three'], 3],
      [[1, 2, 3], 1],
      [[[1, 2], [3]], 2],
    ] as const) {
      const answer = await json(await post(pair.farebox, { model: embedding, input }, { key, path: '/v1/embeddings' }))
      const { data, usage } = answer as { data: { embedding: unknown }[]; usage: Record<string, unknown> }
      expect(answer).toMatchObject({ object: 'list', model: expect.any(String) })
      expect(usage).toEqual({ prompt_tokens: integer, total_tokens: usage['prompt_tokens'] })
      expect(data).toHaveLength(count)
      for (const [index, item] of data.entries()) {
        const numbers = expect.toSatisfy((value: unknown[]) => value.every((entry) => typeof entry === 'number'))
        expect(item).toEqual({ object: 'embedding', index, embedding: numbers })
      }
    }
  })

  it('are embeddings in the format and size that were asked for', async () => {
    const ask = async (members: object) => {
      const body = { model: embedding, input: 'one', dimensions: 4, ...members }
      const answer = await json(await post(pair.farebox, body, { key, path: '/v1/embeddings' }))
      return (answer as { data: [{ embedding: unknown }] }).data[0].embedding
    }
    const floats = (await ask({ encoding_format: 'float' })) as number[]
    const packed = Buffer.from((await ask({ encoding_format: 'base64' })) as string, 'base64')
    expect(floats).toHaveLength(4)
    expect(floats).toEqual([0, 4, 8, 12].map((offset) => packed.readFloatLE(offset)))
    expect(await ask({})).toEqual(floats)
  })
})

describe('an embeddings provider that answers in a format of its own', () => {
  it.each(['float', 'base64'] as const)('is corrected when it always sends %s', async (format) => {
    pair.upstream.script({ type: 'embedding', format, vectors: [[0.5, -2, 0.125]] })
    for (const asked of ['float', 'base64'] as const) {
      const body = { model: 'embed', input: 'one', encoding_format: asked }
      const answer = await json(await post(pair.farebox, body, { key, path: '/v1/embeddings' }))
      const value = (answer as { data: [{ embedding: number[] | string }] }).data[0].embedding
      const packed = Buffer.from(Float32Array.of(0.5, -2, 0.125).buffer).toString('base64')
      expect(value).toEqual(asked === 'float' ? [0.5, -2, 0.125] : packed)
    }
  })
})

describe('other ways to write a path', () => {
  it.each([
    '/chat/completions',
    '/v1/v1/chat/completions',
    '/v1/chat/completions?trace=1',
    '//v1/chat/completions',
    '/v1//chat/completions//',
  ])('answers %s', async (path) => {
    const answer = await json(await post(pair.farebox, { model: 'chat', messages: HELLO }, { key, path }))
    expect(answer).toMatchObject({ object: 'chat.completion' })
    expect(pair.upstream.requests.map((request) => request.path)).toEqual(['/v1/chat/completions'])
  })

  it.each(['/embeddings', '/v1/v1/embeddings'])('answers %s', async (path) => {
    const answer = await json(await post(pair.farebox, { model: 'embed', input: 'one' }, { key, path }))
    expect(answer).toMatchObject({ object: 'list' })
    expect(pair.upstream.requests.map((request) => request.path)).toEqual(['/v1/embeddings'])
  })

  it('answers the models and the balance under all of their paths alike', async () => {
    const models = await json(await get(pair.farebox, '/v1/models'))
    expect(await json(await get(pair.farebox, '/models'))).toEqual(models)
    expect(await json(await get(pair.farebox, '/v1/v1/models'))).toEqual(models)
    const model = await json(await get(pair.farebox, '/v1/models/chat'))
    expect(await json(await get(pair.farebox, '/models/chat'))).toEqual(model)
    expect(await json(await get(pair.farebox, '/v1/v1/balance', key))).toMatchObject({ object: 'balance' })
  })
})
