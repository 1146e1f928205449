import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Catalog } from '#catalog/catalog.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { Pause } from '#pipeline/pause.ts'
import { AnswerMemory } from '#pipeline/answer-memory.ts'
import { CountLimiter, runCount, type CountDeps } from '#pipeline/count.ts'
import { FakeClient, FakeTransport, KEY, modelOf, PACKAGE, providerOf, routingDeps } from './support.ts'

const DIALECTS = ['messages', 'gemini'] as const
const ESTIMATE = 7

let transport: FakeTransport
let client: FakeClient
let faults: unknown[]

beforeEach(() => {
  vi.useFakeTimers()
  transport = new FakeTransport()
  client = new FakeClient()
  faults = []
})

afterEach(() => {
  vi.useRealTimers()
})

function count(model: string, deps: Partial<CountDeps> = {}): Promise<void> {
  const text = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
  const models = [...DIALECTS.map((dialect) => modelOf(dialect)), modelOf('responses', [])]
  const state = {
    providers: DIALECTS.map(providerOf),
    models,
    packages: [PACKAGE],
    keys: [KEY],
    members: [],
    invites: [],
    projects: [],
  }
  const call = {
    requestId: 'id',
    endpoint: 'messages' as const,
    caller: { key: KEY, package: PACKAGE },
    text,
    byteLength: text.length,
    headers: {},
    client,
  }
  return runCount(call, {
    catalog: new Catalog(state, new Map()),
    transport,
    counter: { count: () => Promise.resolve(ESTIMATE) },
    limiter: new CountLimiter(),
    pause: new Pause(Date.now),
    answers: new AnswerMemory({ monotonicMs: () => 0, keptMs: 1 }),
    routing: routingDeps(),
    refused: { note: () => undefined },
    reportFault: (error) => faults.push(error),
    ...deps,
  })
}

/** What the client was told, and that it was told once. */
function told(): unknown {
  expect(client.hasEnded).toBe(true)
  return { status: client.status, ...(JSON.parse(client.text) as object) }
}

it.each(DIALECTS)('waits ten seconds for a provider of %s, and no longer', async (model) => {
  const counting = count(model)
  await vi.advanceTimersByTimeAsync(9_999)
  expect([client.hasEnded, transport.last.isAborted]).toEqual([false, false])
  await vi.advanceTimersByTimeAsync(1)
  await counting
  expect(transport.last.isAborted).toBe(true)
  expect(told()).toEqual({ status: 200, input_tokens: expect.any(Number) })
  expect(vi.getTimerCount()).toBe(0)
})

it('keeps to the ten seconds when the answer drips', async () => {
  const counting = count('messages')
  await vi.advanceTimersByTimeAsync(6_000)
  transport.last.head(200, { 'content-type': 'application/json' })
  transport.last.data('{"input')
  await vi.advanceTimersByTimeAsync(4_000)
  await counting
  expect(told()).toMatchObject({ status: 200 })
  expect(transport.last.isAborted).toBe(true)
})

it('leaves no timer behind when the provider answers or fails', async () => {
  const answered = count('messages')
  await vi.advanceTimersByTimeAsync(0)
  transport.last.answer(200, { input_tokens: 3 })
  await answered
  expect(told()).toEqual({ status: 200, input_tokens: 3 })
  client = new FakeClient()
  const failed = count('gemini')
  await vi.advanceTimersByTimeAsync(0)
  transport.last.fail(new UpstreamFailure('closed', 'It broke.'))
  await failed
  expect(told()).toMatchObject({ status: 200 })
  expect(vi.getTimerCount()).toBe(0)
})

it('stops asking when the client leaves', async () => {
  const counting = count('messages')
  client.leave()
  await counting
  expect(transport.last.isAborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  expect(faults).toEqual([])
})

it('answers a mistake of ours, and reports it, instead of leaving the client waiting', async () => {
  const error = new TypeError('a secret detail')
  await count('messages', { counter: { count: () => Promise.reject(error) }, transport: failing(error) })
  expect(told()).toMatchObject({ status: 500, type: 'error', error: { type: 'api_error', code: 500 } })
  expect(client.text).not.toContain('a secret detail')
  expect(faults).toEqual([error])
})

it('answers for a model that has no target', async () => {
  await count('responses')
  expect(told()).toMatchObject({ status: 500 })
  expect(faults).toHaveLength(1)
})

function failing(error: Error): CountDeps['transport'] {
  return {
    send() {
      throw error
    },
  }
}

it('gives a place back however a count ends', async () => {
  const limiter = new CountLimiter()
  const broken = () => Promise.reject(new Error('broken'))
  for (let i = 0; i < 100; i += 1) await expect(limiter.run('key', broken)).rejects.toThrow('broken')
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = Array.from({ length: 64 }, () => limiter.run('key', () => promise))
  expect(await limiter.run('key', () => promise)).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 })
  expect(await limiter.run('another', () => Promise.resolve())).toBeUndefined()
  resolve()
  expect(new Set(await Promise.all(running))).toEqual(new Set([undefined]))
  expect(await limiter.run('key', () => Promise.resolve())).toBeUndefined()
})
