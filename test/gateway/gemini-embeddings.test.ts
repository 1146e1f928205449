// Embeddings as Gemini's clients ask for them, and Google's models for clients of OpenAI's endpoint: each with every kind of provider that
// makes embeddings, metered, and refused in the words of the client.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel, startFarebox } from '../support/farebox.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { startUpstream } from '../support/upstream.ts'
import { get, post, type CallOptions, type Pair } from './support.ts'

const DIALECTS = ['chat-completions', 'responses', 'gemini', 'demo'] as const
type Dialect = (typeof DIALECTS)[number]

let pair: Pair
let key: string

beforeAll(async () => {
  const upstream = await startUpstream()
  const farebox = await startFarebox()
  const origin = upstream.url.replace(/\/v1$/, '')
  const providers = DIALECTS.map((dialect) =>
    dialect === 'demo'
      ? { name: dialect, dialect }
      : {
          name: dialect,
          dialect,
          base_url: dialect === 'gemini' ? `${origin}/v1beta` : upstream.url,
          secret: 'sk-upstream',
        },
  )
  const models = DIALECTS.map((dialect) =>
    chatModel(`vec-${dialect}`, {
      kind: 'embedding',
      price: { input: 1, output: 0 },
      max_output_tokens: 1,
      targets: [{ provider: dialect, model: 'their-embedding' }],
    }),
  )
  const talker = chatModel('talker', { targets: [{ provider: 'gemini', model: 'gemini-3-flash' }] })
  const packages = [
    { name: 'plenty', type: 'topup' as const, credits: 1000 },
    { name: 'empty', type: 'topup' as const, credits: 0 },
  ]
  await farebox.admin.call('apply', { body: { document: { providers, models: [...models, talker], packages } } })
  const close = async () => {
    await farebox.close()
    await upstream.close()
  }
  pair = { farebox, upstream, close }
})

beforeEach(async () => {
  pair.upstream.forget()
  key = await pair.farebox.newKey('plenty')
})

afterAll(async () => {
  expect(pair.farebox.log).toEqual([])
  expect(await pair.farebox.admin.call('status', {})).toMatchObject({ open_exchanges: 0, held_credits: 0 })
  await pair.close()
})

const content = (...texts: readonly string[]) => ({ parts: texts.map((text) => ({ text })) })

type Embedded = {
  readonly embedding?: { readonly values: readonly number[] }
  readonly embeddings?: readonly { readonly values: readonly number[] }[]
  readonly usageMetadata?: { readonly promptTokenCount: number }
}

function single(dialect: Dialect, members: object, options: CallOptions = {}): Promise<Response> {
  return post(pair.farebox, members, { key, path: `/v1beta/models/vec-${dialect}:embedContent`, ...options })
}

function batch(dialect: Dialect, requests: readonly object[], options: CallOptions = {}): Promise<Response> {
  return post(pair.farebox, { requests }, { key, path: `/v1beta/models/vec-${dialect}:batchEmbedContents`, ...options })
}

function openai(dialect: Dialect, members: object): Promise<Response> {
  return post(pair.farebox, { model: `vec-${dialect}`, ...members }, { key, path: '/v1/embeddings' })
}

async function read<Answer>(asked: Promise<Response>): Promise<{ readonly answer: Answer; readonly charge: number }> {
  const response = await asked
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(/^200 /)
  const receipt = await get(pair.farebox, `/v1/receipts/${response.headers.get('x-request-id')}`, key)
  const { charge_credits } = (await receipt.json()) as { readonly charge_credits: number }
  return { answer: JSON.parse(text) as Answer, charge: charge_credits }
}

async function errorOf(asked: Promise<Response>) {
  const response = await asked
  const { error } = (await response.json()) as { error: { code: number; message: string; status: string } }
  expect(error.code).toBe(response.status)
  return error
}

const COUNTS = { 'chat-completions': { prompt_tokens: 7, total_tokens: 7 }, gemini: { promptTokenCount: 7 } }
const usageOf = (dialect: Dialect) => (dialect === 'gemini' ? COUNTS.gemini : COUNTS['chat-completions'])

describe.each(DIALECTS)('a model at %s', (dialect) => {
  it('embeds a content for a client of Google’s', async () => {
    pair.upstream.script({ type: 'embedding', usage: usageOf(dialect) })
    const { answer, charge } = await read<Embedded>(
      single(dialect, { content: content('Hello'), outputDimensionality: 4 }),
    )
    expect(answer.embeddings).toBeUndefined()
    expect(answer.embedding?.values).toHaveLength(4)
    expect(answer.embedding?.values.every(Number.isFinite)).toBe(true)
    expect(charge).toBe((answer.usageMetadata?.promptTokenCount ?? 0) / 1_000_000)
    if (dialect !== 'demo') expect(charge).toBe(0.000007)
  })

  it('embeds several contents, in their order', async () => {
    const contents = ['one', 'two', 'three'].map((text) => ({ content: content(text), outputDimensionality: 3 }))
    const { answer } = await read<Embedded>(batch(dialect, contents))
    expect(answer.embedding).toBeUndefined()
    expect(answer.embeddings).toHaveLength(3)
    for (const [index, request] of contents.entries()) {
      if (dialect !== 'demo') expect(answer.embeddings?.[index]?.values[0]).toBe(index / 8)
      else {
        const alone = await read<Embedded>(single(dialect, request))
        expect(answer.embeddings?.[index]).toEqual(alone.answer.embedding)
      }
    }
  })

  it('is charged by the size of the input where nobody counts it', async () => {
    if (dialect === 'demo') return
    pair.upstream.script({ type: 'embedding', usage: null })
    const short = await read<Embedded>(single(dialect, { content: content('Hello') }))
    const long = await read<Embedded>(single(dialect, { content: content('Hello '.repeat(400)) }))
    expect(short.charge).toBeGreaterThan(0)
    expect(long.charge).toBeGreaterThan(short.charge * 10)
    expect(long.answer.usageMetadata?.promptTokenCount ?? 0).toBe(dialect === 'gemini' ? 0 : long.charge * 1_000_000)
  })

  it('embeds for a client of OpenAI’s, packed and as numbers', async () => {
    type Listed = { data: { index: number; embedding: unknown }[]; usage: object; model: string }
    const input = ['one', 'two']
    const { answer: numbers } = await read<Listed>(openai(dialect, { input, dimensions: 2 }))
    expect(numbers.data.map(({ index }) => index)).toEqual([0, 1])
    const [, second] = numbers.data
    expect(second?.embedding).toHaveLength(2)
    const packed = await read<Listed>(openai(dialect, { input, dimensions: 2, encoding_format: 'base64' }))
    const bytes = Buffer.from(String(packed.answer.data[1]?.embedding), 'base64')
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual(second?.embedding)
    expect(packed.answer.usage).toMatchObject({ prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) })
    expect(packed.charge).toBeGreaterThan(0)
  })
})

describe('a provider of Google’s dialect', () => {
  it('gets a content as it came, under its own name of the model', async () => {
    const members = {
      content: { role: 'user', parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: '' } }] },
    }
    const own = { taskType: 'RETRIEVAL_DOCUMENT', title: 'A', embedContentConfig: { autoTruncate: true } }
    await read(single('gemini', { model: 'models/vec-gemini', ...members, ...own }))
    const [request] = pair.upstream.requests
    expect(request?.path).toBe('/v1beta/models/their-embedding:embedContent')
    expect(request?.text).toBe(JSON.stringify({ model: 'models/their-embedding', ...members, ...own }))
  })

  it('finds its own name of the model in each request of a batch, whatever the client wrote there', async () => {
    const requests = [
      { model: 'models/vec-gemini', content: content('a'), taskType: 'CLUSTERING' },
      { content: content('b ] } , "model"'), model: 'models/dear' },
      { content: content('c') },
    ]
    await read(batch('gemini', requests))
    const [request] = pair.upstream.requests
    expect(request?.path).toBe('/v1beta/models/their-embedding:batchEmbedContents')
    expect(request?.body).toEqual({ requests: requests.map((one) => ({ ...one, model: 'models/their-embedding' })) })
  })

  it('is asked in one batch by a client of OpenAI’s', async () => {
    const response = await openai('gemini', { input: ['a', 'b'], dimensions: 3, user: 'me' })
    expect(response.headers.get('x-farebox-dropped')).toBe('user')
    const model = 'models/their-embedding'
    const requests = ['a', 'b'].map((text) => ({ model, content: content(text), outputDimensionality: 3 }))
    expect(pair.upstream.requests[0]?.body).toEqual({ requests })
    await read(openai('gemini', { input: 'a' }))
    expect(pair.upstream.requests[1]?.body).toEqual({ requests: [{ model, content: content('a') }] })
  })

  it('cannot be sent tokens', async () => {
    for (const input of [
      [1, 2],
      [[1], [2]],
    ]) {
      const response = await openai('gemini', { input })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { param: 'input' } })
    }
    expect(pair.upstream.requests).toEqual([])
  })
})

describe('a provider with OpenAI’s endpoint', () => {
  it('gets the texts of a client of Google’s, and the client is told what was left out', async () => {
    const response = await batch('chat-completions', [
      { content: content('a', 'b'), taskType: 'CLUSTERING', outputDimensionality: 2 },
      { content: content('c'), embed_content_config: { output_dimensionality: 2, title: 'C' } },
    ])
    expect(response.headers.get('x-farebox-dropped')).toBe('taskType, title')
    const [request] = pair.upstream.requests
    expect(request?.path).toBe('/v1/embeddings')
    expect(request?.body).toEqual({ model: 'their-embedding', input: ['a\nb', 'c'], dimensions: 2 })
  })

  it('may answer packed and out of order', async () => {
    const packed = (value: number) => {
      const bytes = Buffer.alloc(4)
      bytes.writeFloatLE(value)
      return bytes.toString('base64')
    }
    const data = [1, 0].map((index) => ({ object: 'embedding', index, embedding: packed(index + 0.5) }))
    pair.upstream.script({ type: 'status', status: 200, body: { object: 'list', data } })
    const { answer } = await read<Embedded>(batch('responses', [{ content: content('a') }, { content: content('b') }]))
    expect(answer.embeddings).toEqual([{ values: [0.5] }, { values: [1.5] }])
  })

  it.each([
    [
      'content.parts[1]',
      { content: { parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } },
    ],
    ['content.parts[0]', { content: { parts: [{ text: 'a', file_data: { fileUri: 'x' } }] } }],
    ['content.parts[0]', { content: { parts: [{ functionCall: {} }] } }],
    ['content.parts', { content: content('', '') }],
  ])('cannot embed anything but texts: %s', async (param, members) => {
    const error = await errorOf(single('chat-completions', members))
    expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    expect(error.message).toContain(`'${param}'`)
    expect(pair.upstream.requests).toEqual([])
  })

  it('cannot give vectors of different lengths', async () => {
    const requests = [{ content: content('a'), outputDimensionality: 2 }, { content: content('b') }]
    expect(await errorOf(batch('responses', requests))).toMatchObject({ code: 400 })
  })
})

describe('a request that is wrong', () => {
  const one = { content: content('a') }

  it.each([
    ['content', {}],
    ['content', { content: 'a' }],
    ['content', { contents: [content('a')] }],
    ['content.parts', { content: {} }],
    ['content.parts', { content: { parts: [] } }],
    ['content.parts[1]', { content: { parts: [{ text: 'a' }, 'b'] } }],
    ['outputDimensionality', { ...one, outputDimensionality: 0 }],
    ['outputDimensionality', { ...one, output_dimensionality: 'x' }],
    ['outputDimensionality', { ...one, embedContentConfig: { outputDimensionality: 1e9 } }],
    ['content.parts[0].fileData', { content: { parts: [{ fileData: {}, file_data: {} }] } }],
  ])('is refused, and %s is named', async (param, members) => {
    for (const dialect of ['gemini', 'chat-completions'] as const) {
      const error = await errorOf(single(dialect, members))
      expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
      expect(error.message).toContain(`'${param}'`)
    }
    expect(pair.upstream.requests).toEqual([])
    expect(await pair.farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0 })
  })

  it.each([
    ['requests', { requests: [] }],
    ['requests', { requests: one }],
    ['requests', one],
    ['requests', { requests: Array.from({ length: 2049 }, () => one) }],
    ['requests[1]', { requests: [one, 'a'] }],
    ['requests[1].content', { requests: [one, {}] }],
    ['requests[0].outputDimensionality', { requests: [{ ...one, outputDimensionality: -1 }] }],
  ])('is refused in a batch, and %s is named', async (param, body) => {
    const path = '/v1beta/models/vec-gemini:batchEmbedContents'
    const error = await errorOf(post(pair.farebox, body, { key, path }))
    expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    expect(error.message).toContain(`'${param}'`)
    expect(pair.upstream.requests).toEqual([])
  })

  it('or goes to a model of another kind is refused in Google’s shape', async () => {
    const asked = { key, path: '/v1beta/models/talker:embedContent' }
    expect(await errorOf(post(pair.farebox, one, asked))).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    const generate = { key, path: '/v1beta/models/vec-gemini:generateContent' }
    expect(await errorOf(post(pair.farebox, { contents: [content('a')] }, generate))).toMatchObject({ code: 400 })
  })

  it('and a key without credits are told in Google’s shape', async () => {
    const empty = await pair.farebox.newKey('empty')
    for (const dialect of DIALECTS) {
      expect(await errorOf(single(dialect, one, { key: empty }))).toMatchObject({ code: 402 })
    }
    expect(await errorOf(single('gemini', one, { key: 'key_none' }))).toMatchObject({ code: 401 })
  })
})

describe('an answer that is none', () => {
  const json = (body: unknown): Behaviour => ({ type: 'status', status: 200, body })
  const two = [{ content: content('a') }, { content: content('b') }]
  const vectors = (...values: unknown[]) => values.map((one) => ({ values: one }))
  const listed = (...values: unknown[]) => ({ data: values.map((embedding, index) => ({ index, embedding })) })

  it.each<[string, Dialect, Behaviour, number]>([
    ['one vector for two inputs', 'gemini', json({ embeddings: vectors([1]) }), 502],
    ['one vector for two inputs', 'chat-completions', json(listed([1])), 502],
    ['three vectors for two inputs', 'chat-completions', json(listed([1], [2], [3])), 502],
    ['a single one for a batch', 'gemini', json({ embedding: { values: [1] } }), 502],
    ['a vector that is not all numbers', 'gemini', json({ embeddings: vectors([1], ['x']) }), 502],
    ['a list with a hole', 'gemini', json({ embeddings: [null, { values: [1] }] }), 502],
    ['no list', 'gemini', json({ embeddings: {} }), 502],
    ['nothing', 'gemini', json({}), 502],
    ['an error inside', 'gemini', { type: 'error-in-200' }, 502],
    ['a page', 'gemini', { type: 'html' }, 502],
    ['cut off', 'gemini', { type: 'embedding', cut: { at: { byte: 30 }, how: 'reset' } }, 502],
    ['refused for our secret', 'gemini', { type: 'status', status: 401 }, 424],
    ['too many for now', 'responses', { type: 'status', status: 429, retryAfter: 9 }, 429],
  ])('is told, and nothing is charged: %s (%s)', async (_name, dialect, behaviour, code) => {
    pair.upstream.script(behaviour)
    expect(await errorOf(batch(dialect, two))).toMatchObject({ code, message: expect.stringMatching(/\S/) })
    expect(await pair.farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0 })
  })

  it('is told to a client of OpenAI’s in its words', async () => {
    pair.upstream.script({
      type: 'status',
      status: 400,
      error: { code: 400, message: 'The sky is too blue.', status: 'INVALID_ARGUMENT' },
    })
    const response = await openai('gemini', { input: 'a' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { message: 'The sky is too blue.', type: 'invalid_request_error' },
    })
  })
})

describe('the list of models', () => {
  it('says that such models embed', async () => {
    const answer = await (await get(pair.farebox, '/v1beta/models/vec-gemini', key)).json()
    expect(answer).toMatchObject({ supportedGenerationMethods: ['embedContent', 'batchEmbedContents'] })
  })
})
