// The models that a provider lists, offered and added: over the admin API of a real Farebox, against a provider that answers.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Catalog } from '#catalog/catalog.ts'
import { offersOf } from '#catalog/offers.ts'
import { modelListPlace } from '#catalog/presets.ts'
import type { ProviderCreate } from '#contract/providers.ts'
import type { ListedModel } from '#core/listed-model.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { testProvider } from '../support/provider.ts'
import { anthropicList, geminiList, listing, openRouterModel, plainList } from '../support/upstream-models.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { refusal, refused } from './support.ts'

let farebox: Farebox
let upstream: Upstream
let names = 0

beforeAll(async () => {
  upstream = await startUpstream()
  farebox = await startFarebox()
})
afterEach(async () => {
  upstream.forget()
  for (const { id } of await call('listModels', {})) await call('removeModel', { id })
})
afterAll(async () => {
  await farebox.close()
  await upstream.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)

/** A provider of a preset that is really the scripted one. */
async function provider(preset: string, more: Partial<ProviderCreate> = {}): Promise<string> {
  const body = { name: `p${++names}`, preset, base_url: upstream.url, secret: 'sk-1', ...more }
  return (await call('addProvider', { body })).name
}
const offers = async (id: string) => (await call('listProviderModels', { id })).models
const add = (id: string, models: 'all' | string[], more: object = {}) =>
  call('addProviderModels', { id, body: { models, ...more } })

const CARD_PRICE = {
  input: 0.1,
  output: 0.5,
  cache_read: 0.01,
  cache_write: 0.125,
  steps: [{ above: 272_000, input: 0.2, output: 0.75, cache_read: 0.02, cache_write: 0.25 }],
}

describe('an offer', () => {
  it('has the price and the limits of the card, with what long prompts cost', async () => {
    upstream.script(plainList('gpt-6-luna'))
    expect(await offers(await provider('openai'))).toEqual([
      {
        model: 'gpt-6-luna',
        id: 'gpt-6-luna',
        display_name: 'GPT-6 Luna',
        kind: 'chat',
        kind_source: 'card',
        context_window: 1_050_000,
        max_output_tokens: 128_000,
        price: CARD_PRICE,
        price_source: 'card',
        note: null,
        state: 'ready',
      },
    ])
  })

  it('has no more context than its price holds for', async () => {
    upstream.script(plainList('gpt-5.5'))
    expect(await offers(await provider('openai'))).toMatchObject([
      { context_window: 272_000, note: expect.stringContaining('up to 272000 tokens') as string, state: 'ready' },
    ])
  })

  it('has no price of a model that only resembles one of the card, or of another provider', async () => {
    upstream.script(plainList('gpt-6-luna-2026-12-01', 'gpt-6-lun', 'glm-5.3'))
    for (const offer of await offers(await provider('openai'))) {
      expect(offer).toMatchObject({ price: null, price_source: 'none', state: 'no-limits' })
    }
    upstream.script(plainList('gpt-6-luna'))
    expect(await offers(await provider('groq'))).toMatchObject([{ price: null }])
    expect(await offers(await provider('custom'))).toMatchObject([{ price: null }])
  })

  it('knows the dated names that the card has', async () => {
    upstream.script(anthropicList('claude-haiku-4-5-20251001', 'claude-opus-5-5', 'claude-new'))
    expect(await offers(await provider('anthropic'))).toMatchObject([
      { model: 'claude-haiku-4-5-20251001', price: { input: 1 }, state: 'ready' },
      { model: 'claude-opus-5-5', price: { input: 4 }, context_window: 1_000_000, state: 'ready' },
      { model: 'claude-new', price: null, context_window: 1_000_000, max_output_tokens: 128_000, state: 'unpriced' },
    ])
  })

  it("has what OpenRouter tells, prices included; a provider of one's own is not believed", async () => {
    const pricing = { prompt: '0.00000125', completion: '0.00001', input_cache_read: '0.000000125' }
    upstream.script(listing({ data: [openRouterModel('vendor/a', pricing)] }))
    const told = { context_window: 400_000, max_output_tokens: 64_000 }
    // The list is at another origin than OpenRouter's, so its own place counts, of which nothing is known.
    expect(await offers(await provider('openrouter'))).toMatchObject([{ ...told, price: null, state: 'unpriced' }])
    expect(await offers(await provider('custom'))).toMatchObject([{ ...told, price: null, state: 'unpriced' }])
  })

  it("of a server of one's own costs an explicit 0, and needs its context window", async () => {
    upstream.script(plainList('qwen3:8b', 'nomic-embed-text'))
    const name = await provider('ollama')
    expect(await offers(name)).toMatchObject([
      { price: { input: 0, output: 0, cache_read: 0, cache_write: 0 }, price_source: 'free', state: 'no-limits' },
      { kind: 'embedding', kind_source: 'name', price_source: 'free', state: 'no-limits' },
    ])
  })

  it('says what cannot be served', async () => {
    upstream.script(geminiList('gemini-2.5-pro', 'gemini-embedding', 'imagen-c'))
    expect(await offers(await provider('gemini'))).toMatchObject([
      { model: 'gemini-2.5-pro', context_window: 1_048_576, state: 'ready' },
      { model: 'gemini-embedding', kind: 'embedding', state: 'unpriced' },
      { model: 'imagen-c', state: 'unsupported' },
    ])
    upstream.script(anthropicList('claude-embed'))
    const note = 'A provider that speaks messages has no embeddings here.'
    expect(await offers(await provider('anthropic'))).toMatchObject([{ state: 'unsupported', note }])
  })

  it('has another name where its own is taken, and the one that it has where it is there already', async () => {
    upstream.script(plainList('gpt-6-luna'))
    const [first, second] = [await provider('openai'), await provider('openai')]
    await add(first, 'all')
    expect(await offers(first)).toMatchObject([{ id: 'gpt-6-luna', state: 'added' }])
    expect(await offers(second)).toMatchObject([{ id: `${second}/gpt-6-luna`, state: 'ready' }])
    await add(second, 'all')
    expect(await offers(second)).toMatchObject([{ id: `${second}/gpt-6-luna`, state: 'added' }])
    const third = await provider('openai', { name: 'with a space' })
    expect(await offers(third)).toMatchObject([{ state: 'unsupported', note: 'Its name is taken by another model.' }])
  })
})

describe('what a model is for', () => {
  const kinds = async () => (await call('listModels', {})).map(({ id, kind }) => `${id} ${kind}`).toSorted()

  it('is what an administrator says of it, whatever its name or its provider says', async () => {
    upstream.script(listing({ data: [{ id: 'e5-small' }, { id: 'embedded-chat' }, { id: 'told', type: 'chat' }] }))
    const name = await provider('ollama')
    expect(await offers(name)).toMatchObject([
      { model: 'e5-small', kind: 'chat', kind_source: 'name' },
      { model: 'embedded-chat', kind: 'embedding', kind_source: 'name' },
      { model: 'told', kind: 'chat', kind_source: 'provider' },
    ])
    await add(name, ['e5-small', `${name}/told`, 'told'], { kind: 'embedding', context_window: 1000 })
    await add(name, ['embedded-chat'], { kind: 'chat', context_window: 1000 })
    expect(await kinds()).toEqual(['e5-small embedding', 'embedded-chat chat', 'told embedding'])
  })

  it('is said of all of which nobody says it', async () => {
    upstream.script(listing({ data: [{ id: 'e5-small' }, { id: 'told', type: 'chat' }] }))
    await add(await provider('ollama'), 'all', { kind: 'embedding', context_window: 1000 })
    expect(await kinds()).toEqual(['e5-small embedding', 'told chat'])
  })

  it('makes a model servable, or not', async () => {
    upstream.script(listing({ data: [{ id: 'embedded-chat' }, { id: 'other' }] }))
    const name = await provider('custom', { dialect: 'messages' })
    expect(await offers(name)).toMatchObject([{ state: 'unsupported' }, { state: 'no-limits' }])
    const { added } = await add(name, ['embedded-chat'], { kind: 'chat', context_window: 1000 })
    expect(added).toMatchObject([{ id: 'embedded-chat', kind: 'chat', max_output_tokens: 1000 }])
    const { skipped } = await add(name, ['other'], { kind: 'embedding', context_window: 1000 })
    expect(skipped).toMatchObject([{ model: 'other' }])
  })
})

describe('an offer with a price that the provider tells', () => {
  const catalog = new Catalog(
    { providers: [], models: [], packages: [], keys: [], members: [], invites: [], projects: [] },
    new Map(),
  )
  const openRouter = testProvider({ preset: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1' })
  const offerOf = (price: ListedModel['price'], id = 'a/b') => {
    const listed = {
      id,
      displayName: 'B\u0007\u202e',
      kind: undefined,
      contextWindow: 9,
      maxOutputTokens: undefined,
      price,
    }
    return offersOf(catalog, openRouter, [listed])[0]
  }

  it('is not to be had under a name that cannot be seen', () => {
    const note = 'Its name has characters that cannot be seen.'
    for (const id of ['a/\u200bb', 'a\u202eb'])
      expect(offerOf(undefined, id)).toMatchObject({ state: 'unsupported', note })
  })

  it('has it, each class that is not told at the price of the input', () => {
    expect(offerOf({ input: 1, output: 2, cacheRead: 0.1 })).toMatchObject({
      display_name: 'B',
      price: { input: 1, output: 2, cache_read: 0.1, cache_write: 1 },
      price_source: 'provider',
      max_output_tokens: 9,
      state: 'ready',
    })
  })

  it('has none that is beyond belief', () => {
    expect(offerOf({ input: 1, output: 1_000_001 })).toMatchObject({ price: null, state: 'unpriced' })
  })
})

describe('where a provider lists its models', () => {
  it('is the place of its preset, at the origin of the provider alone', () => {
    const place = (baseUrl: string, dialect: 'chat-completions' | 'messages' = 'messages') =>
      modelListPlace(testProvider({ preset: 'deepseek', dialect, baseUrl }))
    const preset = { baseUrl: 'https://api.deepseek.com', dialect: 'chat-completions', tellsPrices: false }
    expect(place('https://api.deepseek.com/anthropic/v1')).toEqual(preset)
    expect(place('https://api.deepseek.com.example/v1')).toMatchObject({
      baseUrl: 'https://api.deepseek.com.example/v1',
    })
    expect(place('http://api.deepseek.com/v1')).toMatchObject({
      baseUrl: 'http://api.deepseek.com/v1',
      dialect: 'messages',
    })
    expect(modelListPlace(testProvider({ preset: 'gone' }))).toMatchObject({ baseUrl: testProvider().baseUrl })
  })
})

describe('adding models', () => {
  it('adds those with a price enabled and the others disabled, and says what is missing', async () => {
    upstream.script(anthropicList('claude-opus-5-5', 'claude-new'))
    const name = await provider('anthropic')
    const { added, skipped } = await add(name, ['claude-new', 'claude-opus-5-5', 'claude-opus-5-5', 'claude-none'])
    expect(added).toMatchObject([
      { id: 'claude-new', enabled: false, price: null, context_window: 1_000_000 },
      {
        id: 'claude-opus-5-5',
        display_name: 'Claude Opus 5.5',
        enabled: true,
        price: { version: 1, input: 4, output: 20, cache_read: 0.2, cache_write: 5 },
        targets: [{ provider: name, model: 'claude-opus-5-5' }],
      },
    ])
    expect(skipped).toEqual([{ model: 'claude-none', reason: 'The provider does not list it.' }])
    expect(await add(name, ['claude-opus-5-5'])).toEqual({
      added: [],
      skipped: [{ model: 'claude-opus-5-5', reason: "It is already added as 'claude-opus-5-5'." }],
    })
    expect(await add(name, 'all')).toEqual({ added: [], skipped: [] })
  })

  it('makes no limits up: who knows them says them', async () => {
    upstream.script(plainList('qwen3:8b', 'nomic-embed-text'))
    const name = await provider('ollama')
    expect(await add(name, 'all')).toEqual({
      added: [],
      skipped: [
        { model: 'qwen3:8b', reason: 'Its context window is not known. Give one.' },
        { model: 'nomic-embed-text', reason: 'Its context window is not known. Give one.' },
      ],
    })
    const { added } = await add(name, 'all', { context_window: 32_768, max_output_tokens: 4096 })
    expect(added).toMatchObject([
      { id: 'qwen3:8b', enabled: true, context_window: 32_768, max_output_tokens: 4096, price: { input: 0 } },
      { id: 'nomic-embed-text', kind: 'embedding', enabled: true, context_window: 32_768 },
    ])
  })

  it('does not overrule what is told with what is said', async () => {
    upstream.script(anthropicList('claude-opus-5-5'))
    const { added } = await add(await provider('anthropic'), 'all', { context_window: 5, max_output_tokens: 5 })
    expect(added).toMatchObject([{ context_window: 1_000_000, max_output_tokens: 128_000 }])
  })

  it('adds nothing that cannot be served, even when it is named', async () => {
    upstream.script(geminiList('imagen-b', 'imagen-c'))
    const name = await provider('gemini')
    expect(await add(name, 'all')).toEqual({ added: [], skipped: [] })
    expect((await add(name, ['imagen-c'])).skipped).toEqual([
      { model: 'imagen-c', reason: 'It makes what Farebox does not serve.' },
    ])
  })

  it('lets a call be made and charged at once', async () => {
    upstream.script(plainList('openai/gpt-oss-20b'))
    await add(await provider('groq'), 'all')
    await call('addPackage', { body: { name: 'plenty', type: 'topup', credits: 10 } })
    const key = await farebox.newKey('plenty')
    const response = await fetch(`${farebox.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-oss-20b', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(response.status).toBe(200)
    await response.text()
    // 19 tokens at 0.075 and 10 at 0.3, rounded up once: 4.425 micro-credits.
    expect((await farebox.balance(key))['used_credits']).toBe(0.000005)
    expect(upstream.requests.at(-1)?.body).toMatchObject({ model: 'openai/gpt-oss-20b' })
  })
})

describe('a list that cannot be had', () => {
  it('is an error of the provider, without its words and without the secret', async () => {
    const name = await provider('openai', { secret: 'sk-very-secret' })
    upstream.script({ type: 'status', status: 401, error: { message: 'bad key sk-very-secret' } })
    for (const asked of [call('listProviderModels', { id: name }), add(name, 'all')]) {
      const error = await asked.catch((reason: unknown) => reason)
      expect(error).toMatchObject({ status: 502, errorType: 'upstream_error' })
      expect(String(error)).not.toContain('sk-very-secret')
    }
  })

  it('is refused for a provider that is not there, and for the demo', async () => {
    expect(await refusal(call('listProviderModels', { id: 'nobody' }))).toEqual(refused.notFound)
    expect(await refusal(add('nobody', 'all'))).toEqual(refused.notFound)
    await call('addProvider', { body: { name: 'demo', dialect: 'demo' } })
    expect(await refusal(call('listProviderModels', { id: 'demo' }))).toMatchObject({ status: 400 })
  })

  it('leaves nothing behind when the provider is removed while it is asked', async () => {
    const name = await provider('openai')
    upstream.script((request) => {
      void request
      return { type: 'status', status: 200, headersAfterMs: 300, body: { data: [{ id: 'gpt-6-luna' }] } }
    })
    const adding = refusal(add(name, 'all'))
    await call('removeProvider', { id: name })
    expect(await adding).toEqual(refused.notFound)
    expect(await call('listModels', {})).toEqual([])
  })

  it.each([
    ['no models', { models: [] }, 'models'],
    ['a word for all', { models: 'every' }, 'models'],
    ['a context of nothing', { models: 'all', context_window: 0 }, 'context_window'],
    ['a member that nobody knows', { models: 'all', price: 0 }, 'price'],
  ])('is refused with %s', async (_, body, param) => {
    const answer = await farebox.app.inject({ method: 'POST', path: '/api/providers/x/models', body })
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } })
  })
})
