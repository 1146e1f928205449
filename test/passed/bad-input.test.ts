// What is wrong with a request of a passed endpoint is refused with the member that is wrong, reaches nobody and costs nothing.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectError, post, usageOf, type Pair } from '../gateway/support.ts'
import { startPassed } from './support.ts'
import { CALLS } from './routes.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startPassed()
  key = await pair.farebox.newKey('plenty')
})

afterEach(async () => {
  expect(pair.upstream.requests).toEqual([])
  expect(await pair.farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0, total_requests: 0 })
})

afterAll(async () => {
  expect(await usageOf(pair.farebox)).toEqual([])
  expect(pair.farebox.log).toEqual([])
  await pair.close()
})

const WRONG: Readonly<Record<string, readonly (readonly [param: string, members: object])[]>> = {
  '/v1/completions': [
    ['prompt', { prompt: undefined }],
    ['prompt', { prompt: null }],
    ['prompt', { prompt: [] }],
    ['prompt', { prompt: { text: 'a' } }],
    ['prompt', { prompt: ['a', 1] }],
    ['prompt', { prompt: [[]] }],
    ['prompt', { prompt: [-1] }],
    ['prompt', { prompt: Array.from({ length: 2049 }, () => 'a') }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_tokens', { max_tokens: 'many' }],
    ['n', { n: 129 }],
    ['best_of', { best_of: 0 }],
    ['stream', { stream: 'yes' }],
    ['stream_options', { stream_options: [] }],
    ['temperature', { temperature: 3 }],
    ['top_p', { top_p: -1 }],
    ['echo', { echo: 1 }],
    ['suffix', { suffix: ['a'] }],
    ['Best_Of', { Best_Of: 5 }],
  ],
  '/v1/moderations': [
    ['input', { input: undefined }],
    ['input', { input: [] }],
    ['input', { input: 5 }],
    ['input', { input: ['a', {}] }],
    ['input', { input: Array.from({ length: 2049 }, () => 'a') }],
  ],
  '/v1/rerank': [
    ['query', { query: undefined }],
    ['query', { query: '' }],
    ['query', { query: 5 }],
    ['documents', { documents: undefined }],
    ['documents', { documents: [] }],
    ['documents', { documents: 'Here' }],
    ['documents', { documents: ['a', 5] }],
    ['documents', { documents: Array.from({ length: 10_001 }, () => 'a') }],
    ['top_n', { top_n: 0 }],
    ['top_k', { top_k: 1.5 }],
  ],
  '/v1/images/generations': [
    ['prompt', { prompt: undefined }],
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: ['a'] }],
    ['n', { n: 0 }],
    ['n', { n: 11 }],
    ['n', { n: '2' }],
    ['size', { size: 1024 }],
    ['size', { size: 'large/high' }],
    ['quality', { quality: ['high'] }],
    ['stream', { stream: 'true' }],
    ['partial_images', { partial_images: 4 }],
    ['response_format', { response_format: 'png' }],
    ['Size', { Size: '1024x1024' }],
  ],
  '/v1/images/edits': [
    ['images', { images: undefined }],
    ['images', { images: [] }],
    ['images', { images: 'data:image/png;base64,AAAA' }],
    ['images', { images: ['data:image/png;base64,AAAA'] }],
    ['images', { images: Array.from({ length: 17 }, () => ({ file_id: 'a' })) }],
    ['mask', { mask: 'a' }],
    ['prompt', { prompt: null }],
    ['n', { n: 1.5 }],
  ],
  '/v1/audio/speech': [
    ['input', { input: undefined }],
    ['input', { input: '' }],
    ['input', { input: ['a'] }],
    ['voice', { voice: 5 }],
    ['speed', { speed: 5 }],
    ['instructions', { instructions: {} }],
    ['response_format', { response_format: 3 }],
    ['stream_format', { stream_format: 'ndjson' }],
  ],
}

describe.each(Object.entries(WRONG))('%s refuses', (path, rows) => {
  const good = CALLS.find((one) => one.path === path)
  if (good === undefined) throw new Error(`no call at ${path}`)
  const send = (members: object) =>
    post(pair.farebox, { model: good.model, ...good.request, ...members }, { key, path })

  it.each(rows)('a wrong %s: %j', async (param, members) => {
    await expectError(await send(members), 400, { param })
  })

  it('a request without a model, of one that is not there, and of one of another kind', async () => {
    await expectError(await send({ model: undefined }), 400, { param: 'model' })
    await expectError(await send({ model: 'nothing' }), 404, { param: 'model' })
    expect(await expectError(await send({ model: 'embed' }), 400, { param: 'model' })).toMatch(/makes embeddings only/)
  })

  it('who has no key, a member that stands twice, and what is no JSON', async () => {
    await expectError(await post(pair.farebox, { model: good.model, ...good.request }, { path }), 401)
    const text = JSON.stringify({ model: good.model, ...good.request })
    await expectError(await post(pair.farebox, `${text.slice(0, -1)},"model":"b"}`, { key, path }), 400, {
      param: 'model',
    })
    await expectError(await post(pair.farebox, text.slice(0, -1), { key, path }), 400)
  })
})

describe('a provider that does not have the endpoint', () => {
  it('is not asked: 404 says so', async () => {
    const { admin } = pair.farebox
    const [provider] = await admin.call('listProviders', {})
    await admin.call('editProvider', { id: provider?.id ?? '', body: { quirks: { routes: [] } } })
    for (const { path, model, request } of CALLS) {
      const response = await post(pair.farebox, { model, ...request }, { key, path })
      expect(await expectError(response, 404, { param: 'model' })).toMatch(/^The provider of '\w+' has no .* here\.$/)
    }
    await admin.call('editProvider', { id: provider?.id ?? '', body: { quirks: {} } })
  })

  it('such as one that speaks messages, or the demo', async () => {
    const { admin } = pair.farebox
    await pair.farebox.app.setUpDemo()
    const model = { context_window: 1000, max_output_tokens: 100, price: { input: 1, output: 1 } }
    const place = { name: 'other', dialect: 'messages' as const, base_url: pair.upstream.url, secret: 'sk' }
    await admin.call('addProvider', { body: place })
    await admin.call('addModel', { body: { id: 'claude', ...model, targets: [{ provider: 'other', model: 'c' }] } })
    for (const name of ['claude', 'demo-chat']) {
      const response = await post(pair.farebox, { model: name, prompt: 'a' }, { key, path: '/v1/completions' })
      await expectError(response, 404, { param: 'model' })
    }
  })
})
