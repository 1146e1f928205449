// Google's own SDK and the AI SDK make embeddings through Farebox, of models at providers of both kinds.

import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { GoogleGenAI } from '@google/genai'
import { embed, embedMany } from 'ai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { startPairs, type Pairs } from './pairs.ts'

const PROVIDERS = ['chat-completions', 'gemini'] as const

let pairs: Pairs
let key: string

beforeAll(async () => {
  pairs = await startPairs()
  for (const provider of PROVIDERS) {
    const targets = [{ provider, model: 'their-embedding' }]
    const more = { kind: 'embedding' as const, price: { input: 1, output: 0 }, max_output_tokens: 1, targets }
    await pairs.farebox.admin.call('addModel', { body: chatModel(`vec-${provider}`, more) })
  }
})

beforeEach(async () => {
  pairs.upstream.forget()
  key = await pairs.farebox.newKey('plenty')
})

afterAll(() => pairs.close())

describe.each(PROVIDERS)('of a model at %s', (provider) => {
  it('with Google’s SDK', async () => {
    const ai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: pairs.farebox.url } })
    const config = { taskType: 'RETRIEVAL_DOCUMENT', title: 'A', outputDimensionality: 3 }
    const answer = await ai.models.embedContent({ model: `vec-${provider}`, contents: ['one', 'two'], config })
    expect(answer.embeddings?.map(({ values }) => values)).toEqual([
      [0, -0.125, -0.25],
      [0.125, 0, -0.125],
    ])
    const [alone] = (await ai.models.embedContent({ model: `vec-${provider}`, contents: 'one' })).embeddings ?? []
    expect(alone?.values).toHaveLength(8)
    expect(await pairs.farebox.balance(key)).toMatchObject({ total_requests: 2, held_credits: 0 })
  })

  it('with the AI SDK', async () => {
    const google = createGoogleGenerativeAI({ apiKey: key, baseURL: `${pairs.farebox.url}/v1beta` })
    const model = google.embedding(`vec-${provider}`)
    const one = await embed({ model, value: 'one', providerOptions: { google: { outputDimensionality: 2 } } })
    expect(one.embedding).toEqual([0, -0.125])
    const many = await embedMany({ model, values: ['one', 'two', 'three'] })
    expect(many.embeddings.map(([first]) => first)).toEqual([0, 0.125, 0.25])
    expect((await pairs.farebox.balance(key)).used_credits).toBeGreaterThan(0)
  })
})
