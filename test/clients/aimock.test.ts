// aimock, a provider that nobody here wrote, behind Farebox, and the real OpenAI SDK before it. It wants the provider's secret,
// and what it reports as usage is what is charged.

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { LLMock } from '@copilotkit/aimock'
import { APIError, InternalServerError, RateLimitError } from 'openai'
import type OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { UsageView } from '#contract/schemas.ts'
import { warmUp } from '../gateway/support.ts'
import { setUpUpstream, startFarebox, type Farebox } from '../support/farebox.ts'
import { countedClient, saying } from '../support/openai.ts'

const PROVIDER_SECRET = 'sk-upstream-secret'
const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(4).trim()

let aimock: LLMock
let farebox: Farebox
let key: string
let openai: OpenAI
let requests: () => number

beforeAll(async () => {
  aimock = new LLMock({ host: '127.0.0.1', port: 0, auth: { apiKeys: [PROVIDER_SECRET] } })
  await aimock.start()
  // One attempt each: what Farebox would mend itself is for the client to see here.
  farebox = await startFarebox({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
  await setUpUpstream(farebox, `${aimock.url}/v1`)
})

beforeEach(async () => {
  key = await farebox.newKey('plenty')
  const client = countedClient({ url: farebox.url, key })
  openai = client.openai
  requests = client.requests
})

afterEach(() => aimock.reset())

afterAll(async () => {
  await farebox.close()
  await aimock.stop()
})

/** The record of the call that came last. */
async function lastUsage(): Promise<UsageView | undefined> {
  const { usage } = await farebox.admin.call('usage', { query: { limit: '1' } })
  return usage[0]
}

function chat() {
  return openai.chat.completions.create({ model: 'chat', messages: saying('Tell me about the fox') })
}

function chatStream(extra: { stream_options?: { include_usage: boolean } } = {}) {
  const messages = saying('Tell me about the fox')
  return openai.chat.completions.create({ model: 'chat', messages, stream: true, ...extra })
}

it('answers a chat completion and charges the usage of its fixture', async () => {
  aimock.onMessage('fox', { content: TEXT, usage: { prompt_tokens: 1000, completion_tokens: 500 } })
  const answer = await chat()
  expect(answer.choices[0]?.message.content).toBe(TEXT)
  // 1000 input tokens at 1 and 500 output tokens at 2 credits per million.
  expect(await farebox.balance(key)).toMatchObject({ used_credits: 0.002, total_requests: 1, held_credits: 0 })
  expect(aimock.getLastRequest()?.body).toMatchObject({ model: 'real-chat' })
})

it('charges what it counts itself where the fixture says nothing', async () => {
  aimock.onMessage('fox', { content: TEXT })
  const { usage } = await chat()
  expect(usage?.completion_tokens).toBeGreaterThan(10)
  expect(await lastUsage()).toMatchObject({
    input_tokens: usage?.prompt_tokens,
    output_tokens: usage?.completion_tokens,
    usage_source: 'reported',
  })
})

it('streams, shows usage only when it was asked for, and charges both streams the same', async () => {
  aimock.onMessage('fox', { content: TEXT, usage: { prompt_tokens: 1000, completion_tokens: 500 } })
  const silent: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of await chatStream()) silent.push(chunk)
  expect(silent.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(TEXT)
  expect(silent.filter((chunk) => Boolean(chunk.usage))).toEqual([])
  const asking: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of await chatStream({ stream_options: { include_usage: true } })) asking.push(chunk)
  expect(asking.at(-1)?.usage).toMatchObject({ prompt_tokens: 1000, completion_tokens: 500 })
  expect(await farebox.balance(key)).toMatchObject({ used_credits: 0.004, total_requests: 2, held_credits: 0 })
})

it.each([false, true])('makes a round trip with a tool through runTools, streaming %s', async (stream) => {
  const toolCalls = [{ name: 'look_up', arguments: JSON.stringify({ animal: 'fox' }) }]
  const first = { prompt_tokens: 50, completion_tokens: 10 }
  const second = { prompt_tokens: 80, completion_tokens: 20 }
  aimock.on({ userMessage: 'fox', hasToolResult: false }, { toolCalls, usage: first })
  aimock.on({ userMessage: 'fox', toolResultContains: 'red' }, { content: 'It is red.', usage: second })
  const asked: { animal: string }[] = []
  const tool = {
    type: 'function' as const,
    function: {
      name: 'look_up',
      description: 'What is known about an animal.',
      parameters: { type: 'object', properties: { animal: { type: 'string' } } },
      parse: (text: string) => JSON.parse(text) as { animal: string },
      function: (input: { animal: string }) => {
        asked.push(input)
        return 'red and quick'
      },
    },
  }
  const params = { model: 'chat', messages: saying('Which colour has the fox?'), tools: [tool] }
  const { completions } = openai.chat
  const runner = stream ? completions.runTools({ ...params, stream: true }) : completions.runTools(params)
  expect(await runner.finalContent()).toBe('It is red.')
  expect(asked).toEqual([{ animal: 'fox' }])
  // 130 input tokens at 1 and 30 output tokens at 2 credits per million.
  expect(await farebox.balance(key)).toMatchObject({ used_credits: 0.00019, total_requests: 2, held_credits: 0 })
})

it('gives embeddings to a client that asks for base64, which aimock ignores', async () => {
  const embedding = [0.5, -0.25, 0.1, 0]
  aimock.onEmbedding('fox', { embedding })
  const answer = await openai.embeddings.create({ model: 'embed', input: ['a fox', 'another fox'] })
  expect(answer.data.map((item) => [...item.embedding].map(Math.fround))).toEqual(
    [embedding, embedding].map((vector) => vector.map(Math.fround)),
  )
  const raw = await openai.embeddings.create({ model: 'embed', input: 'a fox', encoding_format: 'base64' })
  expect(raw.data[0]?.embedding).toBeTypeOf('string')
})

it("lists Farebox's models, whatever the provider lists", async () => {
  const models: string[] = []
  for await (const { id } of openai.models.list()) models.push(id)
  expect(models.toSorted()).toEqual(['chat', 'embed'])
  expect(aimock.getRequests()).toEqual([])
})

it('waits as long as a 429 says, tries again, and charges the answer once', async () => {
  aimock.on({ userMessage: 'fox', sequenceIndex: 0 }, { error: { message: 'slow down' }, status: 429, retryAfter: 1 })
  aimock.onMessage('fox', { content: TEXT, usage: { prompt_tokens: 10, completion_tokens: 5 } })
  const startedMs = performance.now()
  expect((await chat()).choices[0]?.message.content).toBe(TEXT)
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990)
  expect([requests(), aimock.getRequests().length]).toEqual([2, 2])
  expect(await farebox.balance(key)).toMatchObject({ used_credits: 0.00002, held_credits: 0 })
})

it('passes a lasting 429 on as a RateLimitError with its Retry-After, free of charge', async () => {
  aimock.onMessage('fox', { error: { message: 'slow down' }, status: 429, retryAfter: 17 })
  const error: unknown = await openai.chat.completions
    .create({ model: 'chat', messages: saying('fox') }, { maxRetries: 0 })
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(RateLimitError)
  expect(error instanceof RateLimitError && error.headers.get('retry-after')).toBe('17')
  expect(await farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0 })
})

it('makes an InternalServerError of a 500, free of charge', async () => {
  aimock.onMessage('fox', { error: { message: 'broken' }, status: 500 })
  await expect(chat()).rejects.toBeInstanceOf(InternalServerError)
  expect(requests()).toBe(3)
  expect(await lastUsage()).toMatchObject({ outcome: 'failed', charge_credits: 0, usage_source: 'none' })
  expect(await farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0 })
})

it('throws when the socket is cut in the middle of a stream, and charges an estimate of what came', async () => {
  await warmUp({ farebox })
  aimock.onMessage('fox', { content: TEXT }, { truncateAfterChunks: 5, chunkSize: 10, latency: 5 })
  let text = ''
  const reading = (async () => {
    for await (const chunk of await chatStream()) text += chunk.choices[0]?.delta.content ?? ''
  })()
  await expect(reading).rejects.toBeInstanceOf(APIError)
  expect(text).not.toBe('')
  expect(TEXT.startsWith(text)).toBe(true)
  const usage = await lastUsage()
  expect(usage).toMatchObject({ outcome: 'cut', usage_source: 'estimated', output_tokens: countTokens(text) })
  expect(await farebox.balance(key)).toMatchObject({ used_credits: usage?.charge_credits, held_credits: 0 })
  expect(requests()).toBe(1)
})

it('answers 424, which is not tried again, when the provider does not take its secret', async () => {
  await farebox.admin.call('setProviderSecret', { id: 'upstream', body: { secret: 'sk-another' } })
  const error: unknown = await openai.chat.completions
    .create({ model: 'chat', messages: saying('fox') }, { maxRetries: 0 })
    .catch((reason: unknown) => reason)
  await farebox.admin.call('setProviderSecret', { id: 'upstream', body: { secret: PROVIDER_SECRET } })
  expect(error).toMatchObject({ status: 424, type: 'upstream_error' })
  expect(JSON.stringify(error)).not.toContain('sk-')
})
