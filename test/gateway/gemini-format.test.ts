// The Gemini format as its clients use it: paths that name the model, streams as events and as an array, the key's header, lists of
// models, counts, and errors in Google's shape. What becomes of requests and answers in each pair is the matrix's to say.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { MODELS, startFormats } from './formats.ts'
import { eventData, get, post, type CallOptions, type Pair } from './support.ts'

const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello' }] }]

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats({
    packages: [
      { name: 'empty', type: 'topup', credits: 0 },
      { name: 'one', type: 'topup', credits: 5, limits: { requests_per_minute: 1 } },
    ],
  })
  const targets = [{ provider: 'gemini', model: 'gemini-3-flash' }]
  for (const id of ['vendor/family/large', 'llama3:8b']) {
    await pair.farebox.admin.call('addModel', { body: chatModel(id, { targets }) })
  }
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

function ask(path: string, members: object = {}, options: CallOptions = {}): Promise<Response> {
  return post(pair.farebox, { contents: CONTENTS, ...members }, { key, path: `/v1beta/${path}`, ...options })
}

type Part = { readonly text?: string; readonly thought?: boolean }
type Chunk = {
  readonly candidates: readonly [
    { readonly content: { readonly parts: readonly Part[] }; readonly finishReason?: string },
  ]
  readonly usageMetadata: { readonly promptTokenCount: number; readonly candidatesTokenCount: number }
}

const textOf = (chunks: readonly Chunk[]) =>
  chunks.flatMap(({ candidates: [{ content }] }) => content.parts.map(({ text = '' }) => text)).join('')

describe.each(MODELS)('a model at %s', (model) => {
  it('answers as a whole, and is paid for what the answer says', async () => {
    const response = await ask(`models/${model}:generateContent`)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    const answer = (await response.json()) as Chunk
    expect(answer.candidates[0]).toMatchObject({ finishReason: 'STOP', content: { role: 'model' } })
    expect(textOf([answer])).toMatch(/\S/)
    await expectCharged(response, answer)
  })

  it('answers in events, the last of which is paid for', async () => {
    const response = await ask(`models/${model}:streamGenerateContent?alt=sse`)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const chunks = eventData(await response.text()).map((data) => JSON.parse(data) as Chunk)
    expect(textOf(chunks)).toMatch(/\S/)
    expect(chunks.filter(({ candidates }) => candidates[0].finishReason !== undefined)).toEqual([chunks.at(-1)])
    for (const { usageMetadata } of chunks) expect(usageMetadata.promptTokenCount).toBeGreaterThan(0)
    await expectCharged(response, chunks.at(-1))
  })

  it('answers in one array where no events are asked for', async () => {
    const events = await ask(`models/${model}:streamGenerateContent?alt=sse`)
    const inEvents = eventData(await events.text()).map((data) => JSON.parse(data) as Chunk)
    const response = await ask(`models/${model}:streamGenerateContent`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const chunks = JSON.parse(await response.text()) as Chunk[]
    expect(textOf(chunks)).toBe(textOf(inEvents))
    expect(chunks).toHaveLength(inEvents.length)
    await expectCharged(response, chunks.at(-1))
  })

  it('counts tokens for nothing, in both forms of the request', async () => {
    const bare = await countOf(ask(`models/${model}:countTokens`))
    const request = {
      model: `models/${model}`,
      contents: CONTENTS,
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
    }
    const nested = await countOf(
      post(pair.farebox, { generateContentRequest: request }, { key, path: `/v1beta/models/${model}:countTokens` }),
    )
    expect(nested).toBeGreaterThanOrEqual(bare)
    expect(await pair.farebox.balance(key)).toMatchObject({ used_credits: 0, total_requests: 0 })
  })
})

async function countOf(asked: Promise<Response>): Promise<number> {
  const text = await (await asked).text()
  expect(text).toMatch(/^\{"totalTokens":[1-9]\d*\}$/)
  return (JSON.parse(text) as { totalTokens: number }).totalTokens
}

async function expectCharged(response: Response, last: Chunk | undefined): Promise<void> {
  const asked = await get(pair.farebox, `/v1/receipts/${response.headers.get('x-request-id')}`, key)
  const receipt = (await asked.json()) as { readonly charge_credits: number }
  const { promptTokenCount = 0, candidatesTokenCount = 0 } = last?.usageMetadata ?? {}
  expect(receipt.charge_credits).toBe((promptTokenCount + 2 * candidatesTokenCount) / 1_000_000)
}

describe('a request that is passed on', () => {
  it('reaches the provider under the name of its model, with its own members and a cap', async () => {
    const members = { safetySettings: [{ category: 'a' }], generation_config: { top_k: 4 }, model: 'models/other' }
    await (await ask('models/gemini:streamGenerateContent?alt=sse', members)).text()
    const [request] = pair.upstream.requests
    expect(request?.path).toBe('/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse')
    const { model, ...rest } = (request?.body ?? {}) as Record<string, unknown>
    expect(model).toBeUndefined()
    expect(rest).toEqual({
      contents: CONTENTS,
      safetySettings: members.safetySettings,
      generation_config: { top_k: 4, maxOutputTokens: expect.any(Number) },
    })
  })

  it('is counted by the provider, with everything that its model would read', async () => {
    await (await ask('models/gemini:countTokens', { systemInstruction: { parts: [{ text: 'a' }] } })).text()
    const [request] = pair.upstream.requests
    expect(request?.path).toBe('/v1beta/models/gemini-3-flash:countTokens')
    expect(request?.body).toEqual({
      generateContentRequest: {
        model: 'models/gemini-3-flash',
        contents: CONTENTS,
        systemInstruction: { parts: [{ text: 'a' }] },
      },
    })
  })
})

describe('a path', () => {
  it.each([
    'models/vendor/family/large:generateContent',
    'models/vendor%2Ffamily%2Flarge:generateContent',
    'models/models/vendor/family/large:generateContent',
    // The AI SDK leaves out the collection where a name has a slash.
    'vendor/family/large:generateContent',
    'models/llama3:8b:generateContent',
    'models/llama3%3A8b:generateContent/',
    '../v1/models/vendor/family/large:generateContent',
  ])('names its model: %s', async (path) => {
    const response = await ask(path)
    expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
  })

  it.each(['models/gemini', 'models/gemini:zzz', 'models/:generateContent', 'models/gemini:embedEverything'])(
    'leads nowhere without what may be asked: %s',
    async (path) => {
      expect(await errorOf(await ask(path))).toMatchObject({ code: 404, status: 'NOT_FOUND' })
      expect(pair.upstream.requests).toEqual([])
    },
  )

  it('of a model that is not there is refused, and nothing is held', async () => {
    const error = await errorOf(await ask('models/none:generateContent'))
    expect(error).toMatchObject({ code: 404, status: 'NOT_FOUND' })
    expect(await pair.farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0 })
  })
})

describe('a key', () => {
  const path = '/v1beta/models/gemini:generateContent'
  const body = { contents: CONTENTS }

  it.each(['x-goog-api-key', 'x-api-key'])('is taken in %s', async (name) => {
    expect((await post(pair.farebox, body, { path, headers: { [name]: key } })).status).toBe(200)
  })

  it.each([
    'POST /v1beta/models/gemini:generateContent',
    'POST /v1beta/models/gemini:streamGenerateContent?alt=sse',
    'POST /v1beta/models/gemini:countTokens',
    'POST /v1beta/models/gemini:embedContent',
    'POST /v1/models/gemini:generateContent',
    'GET /v1beta/models',
    'HEAD /v1beta/models',
    'GET /v1beta/models/',
    'GET /v1beta/models/gemini',
    'GET /v1/models',
  ])('in the query is refused wherever a client of Google’s asks: %s', async (endpoint) => {
    const [method = '', address = ''] = endpoint.split(' ')
    const url = `${pair.farebox.url}${address}${address.includes('?') ? '&' : '?'}key=${key}`
    const headers = { 'content-type': 'application/json', 'x-goog-api-key': key }
    const sent = method === 'POST' ? { body: JSON.stringify(body) } : {}
    const response = await fetch(url, { method, headers, ...sent })
    expect(response.status).toBe(401)
    if (method !== 'HEAD') expect(await response.text()).toContain('query')
    expect(pair.upstream.requests).toEqual([])
  })

  it('in Google’s header is none at the paths of others', async () => {
    const chat = { model: 'gemini', messages: [{ role: 'user', content: 'Hello' }] }
    const headers = { 'x-goog-api-key': key }
    expect((await post(pair.farebox, chat, { path: '/v1/chat/completions', headers })).status).toBe(401)
    const wrong = { 'x-goog-api-key': `key_${'x'.repeat(40)}` }
    expect((await post(pair.farebox, chat, { path: '/v1/chat/completions', key, headers: wrong })).status).toBe(200)
    expect(await errorOf(await post(pair.farebox, body, { path, key, headers: wrong }))).toMatchObject({ code: 401 })
  })

  it.each(['key', 'access_token'])('in the query is refused, in words that say so: %s', async (name) => {
    const error = await errorOf(await post(pair.farebox, body, { path: `${path}?${name}=${key}`, key }))
    expect(error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED', message: expect.stringContaining('query') })
    expect(pair.upstream.requests).toEqual([])
  })

  it('that differs between two headers is refused', async () => {
    const headers = { 'x-goog-api-key': await pair.farebox.newKey('plenty') }
    expect(await errorOf(await post(pair.farebox, body, { path, key, headers }))).toMatchObject({ code: 401 })
  })
})

describe('a refusal', () => {
  it('names the member that is wrong', async () => {
    const error = await errorOf(
      await ask('models/gemini:generateContent', { generationConfig: { maxOutputTokens: 0 } }),
    )
    expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    const field = 'generationConfig.maxOutputTokens'
    expect(error.details).toContainEqual({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field, description: error.message }],
    })
  })

  it('for want of credits is final for those who read statuses', async () => {
    const empty = await pair.farebox.newKey('empty')
    const response = await ask('models/chat-completions:generateContent', {}, { key: empty })
    expect(response.headers.get('retry-after')).toBeNull()
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 402, status: 'FAILED_PRECONDITION' })
    expect(JSON.stringify(error.details)).not.toContain('RetryInfo')
  })

  it('for a limit says when to come again', async () => {
    const limited = await pair.farebox.newKey('one')
    await (await ask('models/gemini:generateContent', {}, { key: limited })).text()
    const response = await ask('models/gemini:generateContent', {}, { key: limited })
    const seconds = response.headers.get('retry-after')
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED' })
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${String(seconds)}s` }
    expect(error.details).toContainEqual(retry)
  })

  it('of a provider is told in Google’s shape, wherever it came from', async () => {
    for (const model of ['chat-completions', 'messages', 'gemini']) {
      pair.upstream.script({ type: 'status', status: 400, error: { message: 'The sky is too blue.' } })
      const error = await errorOf(await ask(`models/${model}:generateContent`))
      expect(error).toMatchObject({ code: 400, message: 'The sky is too blue.' })
    }
  })
})

describe('an error in place of a stream', () => {
  const stream = 'models/gemini:streamGenerateContent'

  it('comes in an array where the stream would have been one, whoever refuses', async () => {
    const empty = await pair.farebox.newKey('empty')
    const refused = async (code: number, asked: Promise<Response>) => {
      const response = await asked
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect(await response.json()).toEqual([{ error: expect.objectContaining({ code }) as object }])
      expect(response.status).toBe(code)
    }
    await refused(401, ask(stream, {}, { key: 'key_none' }))
    await refused(401, ask(`${stream}?key=${key}`))
    await refused(402, ask(stream, {}, { key: empty }))
    await refused(404, ask('models/none:streamGenerateContent'))
    await refused(400, ask(stream, { contents: [] }))
    for (const model of ['gemini', 'chat-completions']) {
      pair.upstream.script({ type: 'status', status: 400, error: { message: 'The sky is too blue.' } })
      await refused(400, ask(`models/${model}:streamGenerateContent?alt=json`))
    }
    pair.upstream.script({ type: 'status', status: 400, body: [{ error: { code: 400, message: 'No.' } }] })
    await refused(400, ask(stream))
  })

  it('is an object where events were asked for, and where no stream was', async () => {
    for (const path of [`${stream}?alt=sse`, 'models/gemini:generateContent', 'models/gemini:countTokens']) {
      expect(await errorOf(await ask(path, { contents: [] }))).toMatchObject({ code: 400 })
      expect(await errorOf(await ask(path, {}, { key: 'key_none' }))).toMatchObject({ code: 401 })
    }
  })
})

describe('a method', () => {
  it.each(['/v1beta/models', '/v1beta/models/', '/v1beta/models/gemini', '/v1beta/models/gemini/'])(
    'asks for the head of what there is to be read: %s',
    async (path) => {
      const response = await fetch(pair.farebox.url + path, { method: 'HEAD', headers: { 'x-goog-api-key': key } })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect(await response.text()).toBe('')
      const whole = await fetch(pair.farebox.url + path, { headers: { 'x-goog-api-key': key } })
      expect(whole.status).toBe(200)
    },
  )

  it.each(['PATCH', 'PUT', 'DELETE'])('that nothing here has is told in Google’s shape: %s', async (method) => {
    for (const path of ['/v1beta/models/gemini:generateContent', '/v1beta/models']) {
      const response = await fetch(pair.farebox.url + path, { method, headers: { 'x-goog-api-key': key } })
      expect(await errorOf(response)).toMatchObject({ code: 404, status: 'NOT_FOUND' })
    }
  })
})

describe('a stream that breaks', () => {
  it.each(['gemini', 'chat-completions'])('ends with an error at %s, as events and as an array', async (model) => {
    for (const query of ['?alt=sse', '']) {
      pair.upstream.script({ type: 'answer', text: 'One two three four', cut: { at: { afterEvent: 1 }, how: 'reset' } })
      const text = await (await ask(`models/${model}:streamGenerateContent${query}`)).text()
      const chunks =
        query === '' ? (JSON.parse(text) as object[]) : eventData(text).map((data) => JSON.parse(data) as object)
      expect(chunks.at(-1)).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } })
      expect(text).not.toContain('"STOP"')
    }
  })
})

describe('the list of models', () => {
  it('is in Google’s form, as is one of them', async () => {
    const { models } = (await (await get(pair.farebox, '/v1beta/models', key)).json()) as { models: { name: string }[] }
    const large = {
      name: 'models/vendor/family/large',
      version: '001',
      displayName: 'vendor/family/large',
      inputTokenLimit: 100_000,
      outputTokenLimit: 1_000,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
      thinking: true,
    }
    expect(models).toContainEqual(large)
    expect(await (await get(pair.farebox, '/v1beta/models/vendor%2Ffamily%2Flarge', key)).json()).toEqual(large)
    expect(await errorOf(await get(pair.farebox, '/v1beta/models/none', key))).toMatchObject({ code: 404 })
  })

  it('is in that form at /v1 for those who send Google’s header, and for nobody else', async () => {
    const url = `${pair.farebox.url}/v1/models`
    const google = { headers: { 'x-goog-api-key': key } }
    expect(await (await fetch(url, google)).json()).toEqual(
      await (await get(pair.farebox, '/v1beta/models', key)).json(),
    )
    expect(await (await fetch(`${url}/gemini`, google)).json()).toMatchObject({ name: 'models/gemini' })
    expect(await (await get(pair.farebox, '/v1/models', key)).json()).toMatchObject({ object: 'list' })
    expect(await (await get(pair.farebox, '/v1/models/none', key)).json()).toMatchObject({
      error: { type: 'not_found_error' },
    })
  })
})

type GoogleError = { code: number; message: string; status: string; details: object[] }

async function errorOf(response: Response): Promise<GoogleError> {
  const text = await response.text()
  const { error } = JSON.parse(text) as { error: GoogleError }
  expect(error.code).toBe(response.status)
  return error
}
