// Every client format at the platforms through which companies buy: Gemini and Claude on Vertex AI with a service account, and Azure
// OpenAI with an application of Entra ID. Where requests go, what stands in them, and what becomes of answers, errors and cuts.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { foldStream, foldWhole, type Seen } from '../matrix/fold.ts'
import { chatModel, startFarebox, type Farebox } from '../support/farebox.ts'
import { startTokenEndpoint, type TokenEndpoint } from '../support/token-endpoint.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { expectSoundBooks } from './fault-support.ts'
import { post, usageOf } from './support.ts'

const CLIENTS = ['chat', 'messages', 'responses', 'gemini'] as const
type Client = (typeof CLIENTS)[number]
const PLATFORMS = ['vertex-gemini', 'vertex-claude', 'azure'] as const
type PlatformName = (typeof PLATFORMS)[number]

const PLACE = '/v1/projects/farebox-test/locations/global/publishers'
const CLAUDE = 'claude-haiku-4-5@20251001'
const GEMINI = 'gemini-2.5-flash'
const MODELS = { 'vertex-gemini': GEMINI, 'vertex-claude': CLAUDE, azure: 'our-deployment' }
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let upstream: Upstream
let endpoint: TokenEndpoint
let farebox: Farebox
let key: string

beforeAll(async () => {
  upstream = await startUpstream()
  endpoint = await startTokenEndpoint()
  farebox = await startFarebox({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
  const origin = upstream.url.replace(/\/v1$/, '')
  const vertex = { secret: endpoint.serviceAccount, network: 'local' as const }
  const providers = [
    { name: 'vertex-gemini', preset: 'vertex-gemini', base_url: `${origin}${PLACE}/google`, ...vertex },
    { name: 'vertex-claude', preset: 'vertex-claude', base_url: `${origin}${PLACE}/anthropic`, ...vertex },
    { name: 'azure', preset: 'azure-openai', base_url: `${origin}/openai/v1`, secret: endpoint.entraClient },
  ]
  const models = PLATFORMS.map((provider) =>
    chatModel(provider, { max_output_tokens: 8000, targets: [{ provider, model: MODELS[provider] }] }),
  )
  const packages = [{ name: 'plenty', type: 'topup' as const, credits: 1000 }]
  await farebox.admin.call('apply', { body: { document: { providers, models, packages } } })
  key = await farebox.newKey('plenty')
})
beforeEach(() => upstream.forget())
afterAll(async () => {
  // One token for each provider, for all of these calls.
  expect(endpoint.grants).toHaveLength(3)
  await expectSoundBooks({ farebox })
  await farebox.close()
  await upstream.close()
  await endpoint.close()
})

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const TOOL = { name: 'weather', description: 'Tells it.' }
const DATA = `data:image/png;base64,${PNG}`

/** A question with an image and a tool, as each format has it. */
const RICH: Readonly<Record<Client, object>> = {
  chat: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'image_url', image_url: { url: DATA } },
        ],
      },
    ],
    tools: [{ type: 'function', function: { ...TOOL, parameters: SCHEMA } }],
  },
  messages: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        ],
      },
    ],
    max_tokens: 1000,
    tools: [{ ...TOOL, input_schema: SCHEMA }],
  },
  responses: {
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Hello' },
          { type: 'input_image', image_url: DATA, detail: 'auto' },
        ],
      },
    ],
    tools: [{ type: 'function', ...TOOL, parameters: SCHEMA }],
  },
  gemini: {
    contents: [{ role: 'user', parts: [{ text: 'Hello' }, { inlineData: { mimeType: 'image/png', data: PNG } }] }],
    tools: [{ functionDeclarations: [{ ...TOOL, parameters: SCHEMA }] }],
  },
}

const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' }

type Asking = { readonly stream?: boolean; readonly headers?: Readonly<Record<string, string>> }

function ask(client: Client, model: PlatformName, { stream = false, headers = {} }: Asking = {}): Promise<Response> {
  if (client === 'gemini') {
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
    return post(farebox, RICH.gemini, { path: `/v1beta/models/${model}:${method}`, key, headers })
  }
  return post(farebox, { model, ...RICH[client], ...(stream ? { stream } : {}) }, { path: PATHS[client], key, headers })
}

async function seen(client: Client, model: PlatformName, stream: boolean): Promise<Seen> {
  const response = await ask(client, model, { stream })
  // Google ends its lines as HTTP does.
  const text = (await response.text()).replaceAll('\r\n', '\n')
  expect(response.status, text).toBe(200)
  return stream ? foldStream(client, text) : foldWhole(client, text)
}

const last = () => {
  const request = upstream.requests.at(-1)
  if (request === undefined) throw new Error('nothing was asked')
  return request
}

/** Where a platform is asked, and what stands in the request there and nowhere else. */
const ASKED: Readonly<Record<PlatformName, (stream: boolean) => { readonly path: string; readonly body: object }>> = {
  'vertex-gemini': (stream) => ({
    path: `${PLACE}/google/models/${GEMINI}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user' }], tools: [{ functionDeclarations: [{ name: 'weather' }] }] },
  }),
  'vertex-claude': (stream) => ({
    path: `${PLACE}/anthropic/models/${CLAUDE}:${stream ? 'streamRawPredict' : 'rawPredict'}`,
    body: { anthropic_version: 'vertex-2023-10-16', messages: [{ role: 'user' }], tools: [{ name: 'weather' }] },
  }),
  azure: () => ({ path: '/openai/v1/responses', body: { model: 'our-deployment', tools: [{ name: 'weather' }] } }),
}

const PAIRS = CLIENTS.flatMap((client) => PLATFORMS.map((platform) => [client, platform] as const))

describe.each(PAIRS)('a client of %s at %s', (client, platform) => {
  it.each([false, true])('gets a text, and is charged for what is reported (stream: %s)', async (stream) => {
    const answer = await seen(client, platform, stream)
    expect(answer.text).toMatch(/\S/)
    expect(answer.finish).toBe('stop')
    const [record] = await usageOf(farebox)
    expect(record).toMatchObject({ model: platform, usage_source: 'reported', status: 200, stream })
  })

  it.each([false, true])('is asked for where the platform has its models (stream: %s)', async (stream) => {
    await seen(client, platform, stream)
    const { path, body } = ASKED[platform](stream)
    const asked = last()
    expect(asked.path).toBe(path)
    expect(asked.body).toMatchObject(body)
    expect(asked.text).toContain(PNG)
    if (platform !== 'azure') expect(asked.body).not.toHaveProperty('model')
    expect(endpoint.tokens.map((token) => `Bearer ${token}`)).toContain(asked.headers.authorization)
    expect(asked.headers).not.toHaveProperty('x-api-key')
    expect(asked.headers).not.toHaveProperty('x-goog-api-key')
    expect(asked.headers).not.toHaveProperty('api-key')
  })

  it.each([false, true])('gets calls of its tools (stream: %s)', async (stream) => {
    const toolCalls = [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }]
    upstream.script({ type: 'answer', text: '', toolCalls, ...(platform === 'azure' ? {} : { text: 'I look.' }) })
    const { tools, finish } = await seen(client, platform, stream)
    expect(tools).toEqual([{ name: 'weather', arguments: { city: 'Oslo' } }])
    expect(finish).toBe('tools')
  })

  it.each([400, 429, 500])('is told of an error %d, also in a list as Google sends it', async (status) => {
    const error = { code: status, message: 'The value at request is invalid.', status: 'INVALID_ARGUMENT' }
    const body = platform === 'azure' ? { error } : ([{ error }] as unknown as Record<string, unknown>)
    upstream.script({ type: 'status', status, body })
    const response = await ask(client, platform)
    expect(response.status).toBe(status === 500 ? 502 : status)
    const told = (await response.json()) as { readonly error: { readonly message: string } }
    expect(told.error.message).toMatch(status === 400 ? /invalid/ : /\S/)
  })

  it('never takes a stream for whole that was cut', async () => {
    const whole = await seen(client, platform, true)
    for (const cut of [
      { at: { insideEvent: 2 }, how: 'close' } as const,
      { at: { afterEvent: 3 }, how: 'reset' } as const,
    ]) {
      upstream.script({ type: 'answer', pieces: ['one ', 'two ', 'three ', 'four ', 'five '], cut })
      const text = await (await ask(client, platform, { stream: true })).text()
      expect(text).toMatch(/"error"|response\.failed/)
      expect(text).not.toMatch(/\[DONE\]|message_stop|response\.completed|"finishReason":"STOP"/)
    }
    expect(whole.finish).toBe('stop')
  })
})

describe('Claude on Vertex AI', () => {
  it('is sent the betas that it knows, and the client is told of the others', async () => {
    const betas = 'claude-code-20250219, interleaved-thinking-2025-05-14,context-1m-2025-08-07'
    const response = await ask('messages', 'vertex-claude', { headers: { 'anthropic-beta': betas } })
    expect(response.headers.get('x-farebox-dropped')).toBe('anthropic-beta')
    expect(last().headers['anthropic-beta']).toBe(' interleaved-thinking-2025-05-14,context-1m-2025-08-07'.trim())
    const known = await ask('messages', 'vertex-claude', { headers: { 'anthropic-beta': 'context-1m-2025-08-07' } })
    expect(known.headers.get('x-farebox-dropped')).toBeNull()
    await ask('messages', 'vertex-claude', { headers: { 'anthropic-beta': 'oauth-2025-04-20' } })
    expect(last().headers).not.toHaveProperty('anthropic-beta')
  })

  it('is passed the client’s own bytes but for the model and the version', async () => {
    const body =
      '{ "model":"vertex-claude","max_tokens" : 100, "messages":[{"role":"user","content":"Hi"}],"x":"\\u0041" }'
    await (await post(farebox, body, { path: '/v1/messages', key })).text()
    expect(last().text).toContain('"max_tokens" : 100, "messages":[{"role":"user","content":"Hi"}],"x":"\\u0041"')
    expect(JSON.parse(last().text)).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      x: 'A',
    })
  })

  it('counts tokens at its own place, by a request that names the model', async () => {
    const { tools, messages } = RICH.messages as Record<string, unknown>
    const asked = { model: 'vertex-claude', messages, tools }
    const response = await post(farebox, asked, { path: '/v1/messages/count_tokens', key })
    expect(await response.json()).toEqual({ input_tokens: expect.any(Number) })
    expect(last()).toMatchObject({
      path: `${PLACE}/anthropic/models/count-tokens:rawPredict`,
      body: { model: CLAUDE, anthropic_version: 'vertex-2023-10-16', messages, tools },
    })
    const other = await post(farebox, RICH.gemini, { path: '/v1beta/models/vertex-claude:countTokens', key })
    expect(other.status).toBe(200)
    expect(last()).toMatchObject({ path: `${PLACE}/anthropic/models/count-tokens:rawPredict`, body: { model: CLAUDE } })
  })
})

describe('Gemini on Vertex AI', () => {
  it.each([
    ['its own clients', 'gemini'],
    ['others', 'messages'],
  ] as const)('counts tokens for %s, with the members that it takes there', async (_who, client) => {
    const settings = { safetySettings: [], toolConfig: {}, generationConfig: { temperature: 1 } }
    const response =
      client === 'gemini'
        ? await post(
            farebox,
            { ...RICH.gemini, ...settings },
            { path: '/v1beta/models/vertex-gemini:countTokens', key },
          )
        : await post(farebox, { model: 'vertex-gemini', ...RICH.messages }, { path: '/v1/messages/count_tokens', key })
    expect(response.status).toBe(200)
    expect(last().path).toBe(`${PLACE}/google/models/${GEMINI}:countTokens`)
    const members = Object.keys(last().body)
    expect(members).toEqual(expect.arrayContaining(['contents', 'tools']))
    expect(members).not.toEqual(expect.arrayContaining(['toolConfig']))
    for (const name of members) expect(['contents', 'tools', 'systemInstruction', 'generationConfig']).toContain(name)
  })
})

it('has no embeddings at Vertex AI, and says so before anything is asked', async () => {
  const targets = [{ provider: 'vertex-gemini', model: 'gemini-embedding-001' }]
  await farebox.admin.call('addModel', {
    body: chatModel('embed', { kind: 'embedding', targets, price: { input: 1 } }),
  })
  const response = await post(farebox, { model: 'embed', input: 'Hello' }, { path: '/v1/embeddings', key })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('no embeddings here')
  expect(upstream.requests).toEqual([])
})

describe('a platform without a list of models', () => {
  it.each(['vertex-gemini', 'vertex-claude'] as const)('is tested by a model that is named: %s', async (name) => {
    const id = (await farebox.admin.call('listProviders', {})).find((provider) => provider.name === name)?.id ?? ''
    const before = endpoint.grants.length
    expect(await farebox.admin.call('testProvider', { id })).toMatchObject({ ok: false, problem: 'no_model_list' })
    expect(upstream.requests).toEqual([])
    const tested = await farebox.admin.call('testProvider', { id, query: { model: MODELS[name] } })
    expect(tested).toMatchObject({ ok: true })
    expect(last().path).toBe(ASKED[name](false).path)
    // Each test gets a token of its own.
    endpoint.grants.splice(before)
  })
})

it('has the prices of the card for models on Vertex AI, by the names that they have there', async () => {
  const { rows } = await farebox.admin.call('priceCard', { query: {} })
  const card = rows.map(({ provider, upstream_model }) => [provider, upstream_model])
  expect(card).toContainEqual(['vertex-claude', CLAUDE])
  expect(card).toContainEqual(['vertex-gemini', GEMINI])
})
