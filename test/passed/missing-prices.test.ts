// Prices that do not name what a provider reports of images, sound and rankings: it is charged as what it belongs to, its receipt says so,
// and an administrator is told.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ModelCreate } from '#contract/schemas.ts'
import { expectSoundBooks } from '../gateway/fault-support.ts'
import { get, post, type Pair } from '../gateway/support.ts'
import { chatModel } from '../support/farebox.ts'
import { SOUND, formOf } from './form-calls.ts'
import { freshKey, startPassed } from './support.ts'

const MODELS: readonly ModelCreate[] = [
  chatModel('flat-image', { kind: 'image', price: { input: 5, output: 40 } }),
  chatModel('square-image', { kind: 'image', price: { input: 0, units: { 'image/256x256': 0.25 } } }),
  chatModel('flat-ear', { kind: 'transcription', price: { input: 2.5, output: 10 } }),
  chatModel('free-search', { kind: 'rerank', price: { input: 0, units: { request: 0.001 } } }),
]

let pair: Pair
let key = ''

beforeAll(async () => {
  pair = await startPassed()
  await pair.farebox.admin.call('apply', { body: { document: { models: [...MODELS] } } })
})

beforeEach(async () => {
  key = (await freshKey(pair)).key
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

/** The receipt of an answer. */
async function receiptOf(response: Response): Promise<Record<string, unknown>> {
  expect(response.status).toBe(200)
  await response.arrayBuffer()
  const answer = await get(pair.farebox, `/v1/receipts/${response.headers.get('x-request-id') ?? ''}`, key)
  const receipt = (await answer.json()) as Record<string, unknown>
  expect(Number(receipt['charge_credits'])).toBeLessThanOrEqual(Number(receipt['held_credits']))
  return receipt
}

async function missingOf(model: string) {
  const about = async () =>
    (await pair.farebox.admin.call('overview', {})).attention.filter(
      ({ kind, subject }) => kind === 'missing_price' && subject === model,
    )
  await expect.poll(about).toHaveLength(1)
  const { missing_prices: missing = [] } = await pair.farebox.admin.call('status', {})
  return missing.filter((one) => one.model === model).map(({ name, charged_as }) => ({ name, charged_as }))
}

it('pictures that an edit was given cost what its input costs, as vendors have it, and nobody has to be told', async () => {
  const usage = {
    input_tokens: 110,
    input_tokens_details: { text_tokens: 10, image_tokens: 100 },
    output_tokens: 272,
    total_tokens: 382,
  }
  pair.upstream.script({ type: 'status', status: 200, body: { created: 1, data: [{ b64_json: 'AAAA' }], usage } })
  const request = { model: 'flat-image', prompt: 'At night', images: [{ file_id: 'a' }], quality: 'low' }
  const receipt = await receiptOf(await post(pair.farebox, request, { key, path: '/v1/images/edits' }))
  const unnamed = [{ name: 'input_image', charged_as: 'input' }]
  // 110 at 5 and 272 at 40 credits per million.
  expect(receipt).toMatchObject({ charge_credits: 0.01143, unnamed })
  expect(await pair.farebox.admin.call('status', {})).not.toHaveProperty('missing_prices')
})

it('sound that was written down costs what its input costs', async () => {
  const usage = {
    type: 'tokens',
    input_tokens: 14,
    input_token_details: { text_tokens: 0, audio_tokens: 14 },
    output_tokens: 5,
  }
  pair.upstream.script({ type: 'status', status: 200, body: { text: 'Hello', usage } })
  const body = formOf({ model: 'flat-ear', fields: [], files: [['file', SOUND, 'a.mp3', 'audio/mpeg']] })
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${pair.farebox.url}/v1/audio/transcriptions`, { method: 'POST', headers, body })
  const unnamed = [{ name: 'input_audio', charged_as: 'input' }]
  // 14 at 2.5 and 5 at 10 credits per million.
  expect(await receiptOf(response)).toMatchObject({ charge_credits: 0.000085, unnamed })
  expect(await missingOf('flat-ear')).toEqual(unnamed)
})

it('images of a size that has no price cost what the dearest other ones do', async () => {
  const body = { created: 1, size: '1024x1024', quality: 'high', data: [{ b64_json: 'AAAA' }] }
  pair.upstream.script({ type: 'status', status: 200, body })
  const request = { model: 'square-image', prompt: 'A boat', size: '1024x1024', quality: 'high' }
  const receipt = await receiptOf(await post(pair.farebox, request, { key, path: '/v1/images/generations' }))
  const unnamed = [{ name: 'image/1024x1024/high', charged_as: 'image/256x256' }]
  expect(receipt).toMatchObject({ charge_credits: 0.25, unnamed })
  expect(await missingOf('square-image')).toEqual(unnamed)
})

it('searches of a ranking without a price cost nothing beside the request, and are told', async () => {
  const results = [{ index: 0, relevance_score: 0.1 }]
  const meta = { api_version: { version: '2' }, billed_units: { search_units: 2 } }
  pair.upstream.script({ type: 'status', status: 200, body: { id: 'r', results, meta } })
  const request = { model: 'free-search', query: 'Where?', documents: ['Here'] }
  const receipt = await receiptOf(await post(pair.farebox, request, { key, path: '/v1/rerank' }))
  const unnamed = [{ name: 'search', charged_as: null }]
  expect(receipt).toMatchObject({ charge_credits: 0.001, unnamed })
  expect(await missingOf('free-search')).toEqual(unnamed)
})
