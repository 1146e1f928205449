// Embeddings with the OpenAI SDK's defaults: it asks for base64 and decodes what comes without checking, so that a provider
// that answers otherwise would give wrong numbers, silently.

import type OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setUpUpstream, startFarebox, type Farebox } from '../support/farebox.ts'
import { openaiClient } from '../support/openai.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let upstream: Upstream
let farebox: Farebox
let key: string
let openai: OpenAI

beforeAll(async () => {
  upstream = await startUpstream()
  farebox = await startFarebox()
  await farebox.app.setUpDemo()
  await setUpUpstream(farebox, upstream.url)
})

beforeEach(async () => {
  upstream.forget()
  key = await farebox.newKey('plenty')
  openai = openaiClient({ url: farebox.url, key })
})

afterAll(async () => {
  await farebox.close()
  await upstream.close()
})

/** Not all of them are 32-bit floats: what is packed into base64 is rounded, which is no more than the format does. */
const VECTORS = [
  [0.1, -0.25, 1 / 3, 0],
  [1e-20, -3.5e18, 0.5, -0.1],
]
const ROUNDED = VECTORS.map((vector) => vector.map(Math.fround))

function vectorsOf({ data }: OpenAI.CreateEmbeddingResponse): number[][] {
  return data.map(({ embedding }) => [...embedding])
}

describe.each(['as-asked', 'base64', 'float'] as const)('from a provider that answers %s', (format) => {
  it('the SDK reads the very numbers with its defaults', async () => {
    upstream.script({ type: 'embedding', format, vectors: VECTORS })
    const answer = await openai.embeddings.create({ model: 'embed', input: ['one', 'two'] })
    expect(vectorsOf(answer).map((vector) => vector.map(Math.fround))).toEqual(ROUNDED)
    expect(answer.data.map(({ index }) => index)).toEqual([0, 1])
    expect(upstream.requests[0]?.body['encoding_format']).toBe('base64')
  })

  it('the SDK reads numbers when it asks for numbers', async () => {
    upstream.script({ type: 'embedding', format, vectors: VECTORS })
    const answer = await openai.embeddings.create({ model: 'embed', input: ['one', 'two'], encoding_format: 'float' })
    expect(answer.data.every(({ embedding }) => Array.isArray(embedding))).toBe(true)
    expect(vectorsOf(answer).map((vector) => vector.map(Math.fround))).toEqual(ROUNDED)
  })

  it('the wire holds base64 exactly when base64 was asked for', async () => {
    upstream.script({ type: 'embedding', format, vectors: VECTORS })
    const kindFor = async (encoding_format: 'float' | 'base64') => {
      const response = await openai.embeddings.create({ model: 'embed', input: 'one', encoding_format }).asResponse()
      const body = (await response.json()) as { data: { embedding: unknown }[] }
      return typeof body.data[0]?.embedding
    }
    expect([await kindFor('base64'), await kindFor('float')]).toEqual(['string', 'object'])
  })
})

describe('every kind of input', () => {
  it.each([
    ['one text', 'one', 1],
    ['several texts', ['one', 'two', 'three'], 3],
    ['tokens', [1, 2, 3], 1],
    ['several lists of tokens', [[1, 2], [3]], 2],
  ])('%s gives a vector for each', async (_name, input, count) => {
    const answer = await openai.embeddings.create({ model: 'embed', input, dimensions: 3 })
    expect(vectorsOf(answer).map((vector) => vector.length)).toEqual(Array.from({ length: count }, () => 3))
    expect(upstream.requests[0]?.body['input']).toEqual(input)
  })

  it('is charged by the usage that the provider reports', async () => {
    upstream.script({ type: 'embedding', usage: { prompt_tokens: 1234, total_tokens: 1234 } })
    const answer = await openai.embeddings.create({ model: 'embed', input: 'one' })
    expect(answer.usage).toEqual({ prompt_tokens: 1234, total_tokens: 1234 })
    expect(await farebox.balance(key)).toMatchObject({ used_credits: 0.001234, total_requests: 1, held_credits: 0 })
  })
})

describe('the demo provider', () => {
  it('gives equal vectors in both formats, of length one', async () => {
    const input = ['Hello', 'Hello', 'Grüezi']
    const packed = vectorsOf(await openai.embeddings.create({ model: 'demo-embedding', input }))
    const plain = vectorsOf(
      await openai.embeddings.create({ model: 'demo-embedding', input, encoding_format: 'float' }),
    )
    expect(packed).toEqual(plain)
    expect(packed[0]).toEqual(packed[1])
    expect(packed[0]).not.toEqual(packed[2])
    expect(packed.map((vector) => Math.hypot(...vector).toFixed(4))).toEqual(['1.0000', '1.0000', '1.0000'])
  })
})
