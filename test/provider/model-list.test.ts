import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Provider } from '#core/entities.ts'
import type { ModelListPlace } from '#core/listed-model.ts'
import { isRefusal } from '#core/refusal.ts'
import { listModels, type ListDeps } from '#provider/model-list.ts'
import { readListPage } from '#provider/listed-models.ts'
import { testProvider } from '../support/provider.ts'
import { anthropicList, geminiList, listing, openRouterModel, plainList } from '../support/upstream-models.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { closeConnections, openConnections, NO_TOKENS } from './support.ts'

const SECRET = 'sk-listing-secret'

let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream()
})
afterEach(() => upstream.forget())
afterEach(closeConnections)
afterAll(() => upstream.close())

function secretsWith(secret: string | undefined): ListDeps['secrets'] {
  return { get: async () => secret, known: () => (secret === undefined ? [] : [secret]) }
}

const tools = () => ({ connections: openConnections(), newTokens: NO_TOKENS, userAgent: 'farebox/test' })

async function list(
  more: Partial<Provider> = {},
  place: Partial<ModelListPlace> = {},
  secret: string | undefined = SECRET,
  options: Partial<ListDeps> = {},
) {
  const provider = { ...testProvider({ baseUrl: upstream.url }), hasSecret: true, ...more }
  const where = { baseUrl: provider.baseUrl, dialect: provider.dialect, tellsPrices: false, ...place }
  return listModels(provider, where, { ...tools(), secrets: secretsWith(secret), ...options })
}

async function listed(...args: Parameters<typeof list>) {
  const models = await list(...args)
  if (isRefusal(models)) throw new Error(models.message)
  return models
}

async function refusal(...args: Parameters<typeof list>) {
  const answer = await list(...args)
  return isRefusal(answer) ? answer : expect.fail('this should have been refused')
}

describe('the list of models', () => {
  it('is asked for with the secret, at the base URL, and holds what is told and nothing more', async () => {
    upstream.script(plainList('gpt-a', 'text-embedding-b'))
    expect(await listed()).toEqual([model('gpt-a'), model('text-embedding-b')])
    expect(upstream.requests).toHaveLength(1)
    expect(upstream.requests[0]).toMatchObject({ method: 'GET', path: '/v1/models' })
    expect(upstream.requests[0]?.headers['authorization']).toBe(`Bearer ${SECRET}`)
  })

  it('is read page by page from Anthropic, with its version and its header', async () => {
    upstream.script(anthropicList('claude-a', 'claude-b', 'claude-c', 'claude-d', 'claude-e'))
    const models = await listed({ dialect: 'messages' })
    expect(models.map(({ id }) => id)).toEqual(['claude-a', 'claude-b', 'claude-c', 'claude-d', 'claude-e'])
    expect(models[0]).toEqual({
      ...model('claude-a'),
      displayName: 'claude a',
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
    })
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      '/v1/models?limit=1000',
      '/v1/models?limit=1000&after_id=claude-b',
      '/v1/models?limit=1000&after_id=claude-d',
    ])
    for (const { headers } of upstream.requests) {
      expect(headers).toMatchObject({ 'x-api-key': SECRET, 'anthropic-version': '2023-06-01' })
    }
  })

  it('is read page by page from Gemini, without the collection in the names', async () => {
    upstream.script(geminiList('gemini-a', 'gemini-embedding', 'imagen-c'))
    expect(await listed({ dialect: 'gemini' })).toEqual([
      {
        ...model('gemini-a'),
        displayName: 'GEMINI-A',
        kind: 'chat',
        contextWindow: 1_048_576,
        maxOutputTokens: 65_536,
      },
      {
        ...model('gemini-embedding'),
        displayName: 'GEMINI-EMBEDDING',
        kind: 'embedding',
        contextWindow: 2048,
        maxOutputTokens: 1,
      },
      {
        ...model('imagen-c'),
        displayName: 'IMAGEN-C',
        kind: 'other',
        contextWindow: 1_048_576,
        maxOutputTokens: 65_536,
      },
    ])
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      '/v1/models?pageSize=1000',
      '/v1/models?pageSize=1000&pageToken=2',
    ])
    expect(upstream.requests[0]?.headers['x-goog-api-key']).toBe(SECRET)
  })

  it('of OpenRouter tells limits and prices, which count only where their unit is known', async () => {
    const pricing = { prompt: '0.00000025', completion: '0.000002', input_cache_read: '0.000000025' }
    upstream.script(listing({ data: [openRouterModel('vendor/a', pricing)] }))
    const told = {
      ...model('vendor/a'),
      displayName: 'Vendor: vendor/a',
      contextWindow: 400_000,
      maxOutputTokens: 64_000,
    }
    expect(await listed()).toEqual([told])
    expect(await listed({}, { tellsPrices: true })).toEqual([
      { ...told, price: { input: 0.25, output: 2, cacheRead: 0.025 } },
    ])
  })

  it('may be at another place than the provider, in the words and with the header of that place', async () => {
    upstream.script(plainList('deepseek-flash'))
    const place = { baseUrl: upstream.url.replace('/v1', '/list'), dialect: 'chat-completions' } as const
    expect(await listed({ dialect: 'messages' }, place)).toEqual([model('deepseek-flash')])
    expect(upstream.requests[0]?.path).toBe('/list/models')
    expect(upstream.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${SECRET}` })
    expect(upstream.requests[0]?.headers).not.toHaveProperty('x-api-key')
  })

  it('is asked for without a secret where there is none', async () => {
    upstream.script(plainList('llama'))
    expect(await listed({ hasSecret: false })).toEqual([model('llama')])
    expect(upstream.requests[0]?.headers).not.toHaveProperty('authorization')
  })
})

describe('a list that cannot be had', () => {
  it.each([
    [401, 'It refuses the secret, or wants one (401).'],
    [404, 'It has no list of models there (404). Check the base URL.'],
    [500, 'It answers 500.'],
  ])('is refused for status %i without a word of the answer', async (status, message) => {
    upstream.script({ type: 'status', status, error: { message: 'marker-in-the-answer' } })
    expect(await refusal()).toMatchObject({ code: 'upstream_error', message })
  })

  it('is refused for a redirect, which is not followed', async () => {
    upstream.script({ type: 'redirect', to: `${upstream.url}/elsewhere` })
    expect((await refusal()).message).toContain('redirects (307)')
    expect(upstream.requests).toHaveLength(1)
  })

  it.each([
    ['not JSON', { type: 'html' }, 'not JSON'],
    ['cut off', { type: 'raw', parts: ['{"data":['], contentType: 'application/json' }, 'not JSON'],
    ['too large', { type: 'raw', parts: ['"', 'x'.repeat(17 * 1_048_576), '"'] }, 'too large'],
    ['no list', { type: 'status', status: 200, body: { models: 'none' } }, 'no list of models'],
    ['null', { type: 'status', status: 200, body: null }, 'no list of models'],
  ] as const)('is refused for an answer that is %s', async (_, behaviour, says) => {
    upstream.script(behaviour)
    expect((await refusal()).message).toContain(says)
  })

  it('is refused when nobody answers, or the secret has gone', async () => {
    await upstream.refuse()
    expect((await refusal()).message).toContain('could not be reached (ECONNREFUSED)')
    await upstream.accept()
    const provider = { ...testProvider({ baseUrl: upstream.url }), hasSecret: true }
    const place = { baseUrl: provider.baseUrl, dialect: provider.dialect, tellsPrices: false }
    const answer = await listModels(provider, place, { ...tools(), secrets: secretsWith(undefined) })
    expect(answer).toMatchObject({ code: 'upstream_error', message: expect.stringContaining('not there any more') })
    expect(upstream.requests).toEqual([])
  })

  it('is refused when all its pages together take too long', async () => {
    let page = 0
    upstream.script(() => {
      page += 1
      return page < 3
        ? { type: 'status', status: 200, body: { data: [{ id: `m-${page}` }], has_more: true, last_id: `m-${page}` } }
        : { type: 'answer', headersAfterMs: 5000 }
    })
    const answer = await refusal({ dialect: 'messages' }, {}, SECRET, { timeLimitMs: 1000 })
    expect(answer.message).toContain('time limit')
    expect(upstream.requests).toHaveLength(3)
  })

  it('ends for a provider whose pages never do', async () => {
    let page = 0
    upstream.script(() => {
      page += 1
      return {
        type: 'status',
        status: 200,
        body: { data: [{ id: `m-${page}` }], has_more: true, last_id: `m-${page}` },
      }
    })
    expect(await listed({ dialect: 'messages' })).toHaveLength(20)
    expect(upstream.requests).toHaveLength(20)
  })
})

describe("what llama.cpp's server serves", () => {
  const entry = (id: string, more: object = {}) => ({ id, owned_by: 'llamacpp', ...more })
  const answering = (entries: readonly object[], status: number) =>
    upstream.script(({ method }) =>
      method === 'GET'
        ? { type: 'status', status: 200, body: { object: 'list', data: entries } }
        : { type: 'status', status, body: { error: { message: 'm' } } },
    )

  it.each([
    [400, 'embedding'],
    [501, 'chat'],
    [404, undefined],
  ] as const)('is asked for embeddings of nothing with its secret: %s', async (status, kind) => {
    answering([entry('m')], status)
    expect(await listed()).toEqual([{ ...model('m'), kind }])
    const [, asked] = upstream.requests
    expect(asked).toMatchObject({ method: 'POST', path: '/v1/embeddings', body: {} })
    expect(asked?.headers['authorization']).toBe(`Bearer ${SECRET}`)
  })

  it.each([
    ['a router, which would load a model', [entry('m', { status: { value: 'unloaded' } })]],
    ['a gateway that has its models beside others', [entry('m'), { id: 'n', owned_by: 'openai' }]],
    ['nobody, where there is no model', []],
  ])('is not asked of %s', async (_who, entries) => {
    answering(entries, 400)
    await listed()
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('a page of a list', () => {
  const CHAT = { dialect: 'chat-completions', tellsPrices: true } as const
  const read = (data: unknown) => readListPage({ data }, CHAT)?.models

  it('may be a bare list, as Together has it', () => {
    const entry = { id: 'a/b', type: 'chat', context_length: 131_072, pricing: { input: 0.88, output: 0.88 } }
    expect(readListPage([entry], CHAT)?.models).toEqual([{ ...model('a/b'), kind: 'chat', contextWindow: 131_072 }])
  })

  it.each([
    [
      'Groq',
      { context_window: 131_072, max_completion_tokens: 65_536 },
      { contextWindow: 131_072, maxOutputTokens: 65_536 },
    ],
    [
      'Mistral',
      { max_context_length: 128_000, capabilities: { completion_chat: true } },
      { contextWindow: 128_000, kind: 'chat' },
    ],
    ['vLLM', { max_model_len: 32_768, root: '/models/x' }, { contextWindow: 32_768 }],
    ['llama.cpp', { meta: { n_ctx: 8192, n_ctx_train: 131_072 } }, { contextWindow: 8192 }],
    [
      "a model of llama.cpp's router that is not loaded",
      { owned_by: 'llamacpp', status: { value: 'unloaded', args: ['llama-server', '--embedding', '-c', '2048'] } },
      { contextWindow: 2048, kind: 'embedding' },
    ],
    ['a Mistral model for other things', { capabilities: { completion_chat: false } }, { kind: 'other' }],
    ['a Together model for images', { type: 'image' }, { kind: 'image' }],
    ['a Together model for films', { type: 'video' }, { kind: 'other' }],
    ['a member of another meaning', { max_tokens: 4096 }, {}],
  ] as const)('has the limits that %s tells', (_, entry, told) => {
    expect(read([{ id: 'm', ...entry }])).toEqual([{ ...model('m'), ...told }])
  })

  it.each([null, 1, 'm', {}, { id: 7 }, { id: '' }, { id: 'two words' }, { id: 'x'.repeat(201) }, { id: 'ä' }])(
    'leaves out %j',
    (entry) => {
      expect(read([entry])).toEqual([])
    },
  )

  it.each([0, -1, 1.5, Number.MAX_SAFE_INTEGER, '4096', null])('takes no limit from %j', (count) => {
    expect(read([{ id: 'm', context_length: count }])).toEqual([model('m')])
  })

  it.each([
    ['of which one is missing', { prompt: '0.000001' }],
    ['that depend on the request', { prompt: '-1', completion: '-1' }],
    ['that are numbers, of whatever unit', { prompt: 0.88, completion: 0.88 }],
    ['that are no numbers', { prompt: 'free', completion: 'free' }],
  ])('takes no prices %s', (_, pricing) => {
    expect(read([{ id: 'm', pricing }])).toEqual([model('m')])
  })

  it('takes a price of 0 for a price, and never rounds one down to it', () => {
    const [free, tiny] =
      read([
        { id: 'free', pricing: { prompt: '0', completion: '0' } },
        { id: 'tiny', pricing: { prompt: '0.0000000000001', completion: '1e-7' } },
      ]) ?? []
    expect(free?.price).toEqual({ input: 0, output: 0 })
    expect(tiny?.price).toEqual({ input: 0.000001, output: 0.1 })
  })
})

function model(id: string) {
  return {
    id,
    displayName: undefined,
    kind: undefined,
    contextWindow: undefined,
    maxOutputTokens: undefined,
    price: undefined,
  }
}
