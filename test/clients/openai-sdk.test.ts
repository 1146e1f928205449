// The real OpenAI SDK through Farebox: chat, streaming and models, against the scripted provider and the demo provider.

import type OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { UsageView } from '#contract/schemas.ts'
import { setUpUpstream, startFarebox, chatModel, type Farebox } from '../support/farebox.ts'
import { openaiClient, saying } from '../support/openai.ts'
import type { UsagePlace } from '../support/upstream-behaviour.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let upstream: Upstream
let farebox: Farebox
let openai: OpenAI

beforeAll(async () => {
  upstream = await startUpstream()
  farebox = await startFarebox()
  await farebox.app.setUpDemo()
  await setUpUpstream(farebox, upstream.url)
  await farebox.admin.call('addModel', { body: chatModel('vendor/large:free') })
  openai = openaiClient({ url: farebox.url, key: await farebox.newKey('plenty') })
})

beforeEach(() => upstream.forget())

afterAll(async () => {
  await farebox.close()
  await upstream.close()
})

async function usageOf(requestId: string | null | undefined): Promise<UsageView | undefined> {
  const { usage } = await farebox.admin.call('usage', {})
  return usage.find(({ id }) => id === requestId)
}

async function chunksOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<OpenAI.ChatCompletionChunk[]> {
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

function textOf(chunks: readonly OpenAI.ChatCompletionChunk[]): string {
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')
}

type Source = {
  readonly model: string
  readonly text: string
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
}

const SOURCES: readonly (readonly [string, Source])[] = [
  [
    'the scripted provider',
    {
      model: 'chat',
      text: 'Hello from the scripted provider.',
      usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
    },
  ],
  [
    'the demo provider',
    {
      model: 'demo-chat',
      text: 'Hello from the Farebox demo model. No provider was called. You said: Hi there',
      usage: { prompt_tokens: 2, completion_tokens: 18, total_tokens: 20 },
    },
  ],
]

describe.each(SOURCES)('with %s', (_name, { model, text, usage }) => {
  it('creates a chat completion, and its request id leads to its charge', async () => {
    const answer = await openai.chat.completions.create({ model, messages: saying('Hi there') })
    expect(answer).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage,
    })
    expect(await usageOf(answer._request_id)).toMatchObject({
      model,
      outcome: 'answered',
      input_tokens: usage.prompt_tokens,
      output_tokens: usage.completion_tokens,
      usage_source: 'reported',
    })
  })

  it('iterates over a stream: role first, then the text, then the finish, and no usage that nobody asked for', async () => {
    const chunks = await chunksOf(
      await openai.chat.completions.create({ model, messages: saying('Hi there'), stream: true }),
    )
    expect(textOf(chunks)).toBe(text)
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([...chunks.slice(1).map(() => null), 'stop'])
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([])
  })

  it('shows the usage in a chunk of its own, last, to a client that asked', async () => {
    const stream_options = { include_usage: true }
    const chunks = await chunksOf(
      await openai.chat.completions.create({ model, messages: saying('Hi there'), stream: true, stream_options }),
    )
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage })
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual(chunks.slice(1).map(() => null))
  })

  it('gives the stream helper a final completion, final content and its usage', async () => {
    const stream = openai.chat.completions.stream({
      model,
      messages: saying('Hi there'),
      stream_options: { include_usage: true },
    })
    expect(await stream.finalContent()).toBe(text)
    expect(await stream.finalChatCompletion()).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage })
    expect(await stream.totalUsage()).toMatchObject(usage)
  })

  it('charges a stream that did not ask for usage by the exact usage all the same', async () => {
    const call = openai.chat.completions.create({ model, messages: saying('Hi there'), stream: true })
    const { data, request_id } = await call.withResponse()
    await chunksOf(data)
    expect(await usageOf(request_id)).toMatchObject({
      stream: true,
      output_tokens: usage.completion_tokens,
      usage_source: 'reported',
    })
  })
})

describe('usage in a stream', () => {
  const places: readonly UsagePlace[] = ['own-chunk', 'finish-chunk', 'every-chunk']

  it('is not shown unasked by a provider that sends it unasked', async () => {
    upstream.script({ type: 'answer', usageAt: 'own-chunk' })
    const chunks = await chunksOf(
      await openai.chat.completions.create({ model: 'chat', messages: saying('Hi'), stream: true }),
    )
    expect(textOf(chunks)).toBe('Hello from the scripted provider.')
    expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([])
  })

  it.each(places)('is shown on request when the provider puts it in its %s, and charged once', async (usageAt) => {
    upstream.script({ type: 'answer', usageAt, usageTimes: 2 })
    const stream_options = { include_usage: true }
    const call = openai.chat.completions.create({ model: 'chat', messages: saying('Hi'), stream: true, stream_options })
    const { data, request_id } = await call.withResponse()
    const shown = (await chunksOf(data)).at(-1)?.usage
    expect(shown?.prompt_tokens).toBe(19)
    expect(await usageOf(request_id)).toMatchObject({ input_tokens: 19, output_tokens: shown?.completion_tokens })
  })
})

describe('a client that stops reading', () => {
  it('stops the provider when it leaves the loop, and pays for what it got', async () => {
    upstream.script({ type: 'endless', event: 'data: {"choices":[{"index":0,"delta":{"content":" more"}}]}\n\n' })
    const call = openai.chat.completions.create({ model: 'chat', messages: saying('Hi'), stream: true })
    const { data, request_id } = await call.withResponse()
    let chunks = 0
    for await (const _chunk of data) if (++chunks === 5) break
    await expect.poll(() => upstream.requests[0]?.closedAtMs).toBeDefined()
    await expect
      .poll(() => usageOf(request_id), { timeout: 15_000 })
      .toMatchObject({ outcome: 'client_gone', usage_source: 'estimated' })
    expect((await usageOf(request_id))?.charge_credits).toBeGreaterThan(0)
  })
})

describe('models', () => {
  it('are listed with the members that the SDK reads', async () => {
    const models: OpenAI.Model[] = []
    for await (const model of openai.models.list()) models.push(model)
    const ids = ['demo-chat', 'demo-embedding', 'chat', 'embed', 'vendor/large:free']
    expect(models.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    expect(models.find(({ id }) => id === 'chat')).toMatchObject({ object: 'model', owned_by: 'upstream' })
    expect(models.every(({ created }) => Number.isInteger(created))).toBe(true)
  })

  it.each(['chat', 'vendor/large:free'])('%s is retrieved by its id', async (id) => {
    expect(await openai.models.retrieve(id)).toMatchObject({ id, object: 'model' })
  })

  it('with a slash in their id are called like any other', async () => {
    const answer = await openai.chat.completions.create({ model: 'vendor/large:free', messages: saying('Hi') })
    expect(answer.choices[0]?.message.content).toBe('Hello from the scripted provider.')
    expect(upstream.requests[0]?.body['model']).toBe('real-vendor/large:free')
  })
})
