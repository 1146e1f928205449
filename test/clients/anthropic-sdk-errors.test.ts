// What the Anthropic SDK makes of what can go wrong, with providers of all dialects: which error class, how often it tries again,
// and that half an answer never looks like a whole one.

import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from '@anthropic-ai/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeKey } from '#core/key-format.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { DIALECTS, PIECES, startPairs, type Dialect, type Pairs } from './pairs.ts'

let pairs: Pairs

beforeAll(async () => {
  // One attempt each: what Farebox would mend itself is for the client to see here.
  pairs = await startPairs({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
})

beforeEach(() => pairs.upstream.forget())

afterAll(() => pairs.close())

/** A client with the SDK's own retries, which counts the requests that it really makes. */
async function newClient(key?: string) {
  let requests = 0
  const anthropic = new Anthropic({
    apiKey: key ?? (await pairs.farebox.newKey('plenty')),
    baseURL: pairs.farebox.url,
    fetch: (input, init) => {
      requests += 1
      return fetch(input, init)
    },
  })
  return { anthropic, requests: () => requests }
}

function asked(model: string) {
  return { model, max_tokens: 1024, messages: [{ role: 'user' as const, content: 'Hi' }] }
}

/** The error of a call that must fail; anything but an APIError fails the test. */
async function errorOf(call: Promise<unknown>): Promise<APIError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof APIError)) throw new Error(`no API error but ${String(error)}`)
  return error
}

describe('a refusal of Farebox', () => {
  it('of a key is an AuthenticationError, and final', async () => {
    const { anthropic, requests } = await newClient(makeKey(Buffer.alloc(64, 7)))
    const error = await errorOf(anthropic.messages.create(asked('messages')))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error).toMatchObject({ status: 401, type: 'authentication_error' })
    expect(requests()).toBe(1)
  })

  it('of a model is a NotFoundError, also where its tokens are to be counted', async () => {
    const { anthropic, requests } = await newClient()
    const error = await errorOf(anthropic.messages.create(asked('nothing')))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ status: 404, type: 'not_found_error' })
    const { model, messages } = asked('nothing')
    expect(await errorOf(anthropic.messages.countTokens({ model, messages }))).toBeInstanceOf(NotFoundError)
    expect(requests()).toBe(2)
  })

  it('of a key without credits is an APIError with 402, and final', async () => {
    const { anthropic, requests } = await newClient(await pairs.farebox.newKey('empty'))
    const error = await errorOf(anthropic.messages.create(asked('gemini')))
    expect(error).toMatchObject({ status: 402, error: { error: { type: 'insufficient_credits' } } })
    expect([requests(), pairs.upstream.requests.length]).toEqual([1, 0])
  })

  it('of a member names it, and the id of the request', async () => {
    const { anthropic, requests } = await newClient()
    // The SDK has no such parameter any more, and passes it on all the same.
    const params = { ...asked('gemini'), temperature: 2 }
    const error = await errorOf(anthropic.messages.create(params))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error.error).toMatchObject({ type: 'error', error: { type: 'invalid_request_error', param: 'temperature' } })
    expect(error.requestID).toMatch(/^[0-9a-f-]{36}$/)
    expect(error.error).toMatchObject({ request_id: error.requestID })
    expect([requests(), pairs.upstream.requests.length]).toEqual([1, 0])
  })
})

describe.each(DIALECTS)('an error of a provider of %s', (dialect: Dialect) => {
  it.each([false, true])('400 is a BadRequestError in its own words, and final, streaming %s', async (stream) => {
    const message = 'The temperature is too high for this model.'
    const error = dialect === 'gemini' ? { code: 400, status: 'INVALID_ARGUMENT', message } : { message }
    pairs.upstream.script({ type: 'status', status: 400, error: { type: 'invalid_request_error', ...error } })
    const { anthropic, requests } = await newClient()
    const given = await errorOf(anthropic.messages.create({ ...asked(dialect), stream }))
    expect(given).toBeInstanceOf(BadRequestError)
    expect(given.type).toBe('invalid_request_error')
    expect(given.message).toContain(message)
    expect(requests()).toBe(1)
  })

  it('404 is a NotFoundError', async () => {
    pairs.upstream.script({ type: 'status', status: 404 })
    const { anthropic, requests } = await newClient()
    expect(await errorOf(anthropic.messages.create(asked(dialect)))).toBeInstanceOf(NotFoundError)
    expect(requests()).toBe(1)
  })

  it('401 is one of Farebox, since its secret is refused and not the key of the client', async () => {
    pairs.upstream.script({ type: 'status', status: 401 })
    const { anthropic } = await newClient()
    const error = await errorOf(anthropic.messages.create(asked(dialect), { maxRetries: 0 }))
    // A status after which no tool tries again.
    expect(error).toMatchObject({ status: 424, type: 'api_error' })
  })

  it('429 is tried again after the time that it names, and answered then', async () => {
    pairs.upstream.once({ type: 'status', status: 429, retryAfter: 1 })
    pairs.upstream.once({ type: 'answer', text: 'Good day.' })
    const { anthropic, requests } = await newClient()
    const startedMs = performance.now()
    const answer = await anthropic.messages.create(asked(dialect))
    expect(answer.content).toMatchObject([{ type: 'text', text: 'Good day.' }])
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990)
    expect([requests(), pairs.upstream.requests.length]).toEqual([2, 2])
  })

  it.each([
    [429, RateLimitError, 429, 'rate_limit_error'],
    [500, InternalServerError, 502, 'api_error'],
    [529, InternalServerError, 503, 'overloaded_error'],
  ] as const)('%i that stays is of its class, and free of charge', async (status, errorClass, told, type) => {
    pairs.upstream.script({ type: 'status', status, retryAfter: 17 })
    const key = await pairs.farebox.newKey('plenty')
    const { anthropic } = await newClient(key)
    const error = await errorOf(anthropic.messages.create(asked(dialect), { maxRetries: 0 }))
    expect(error).toBeInstanceOf(errorClass)
    expect(error).toMatchObject({ status: told, type })
    expect(error.headers?.get('retry-after')).toBe('17')
    expect(await pairs.farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0 })
  })
})

const BROKEN_STREAMS: readonly (readonly [string, Behaviour])[] = [
  [
    'is reset in the middle of an event',
    { type: 'answer', pieces: PIECES, cut: { at: { insideEvent: 4 }, how: 'reset' } },
  ],
  [
    'is closed in the middle of an event',
    { type: 'answer', pieces: PIECES, cut: { at: { insideEvent: 4 }, how: 'close' } },
  ],
  ['ends without its last events', { type: 'answer', pieces: PIECES, omit: ['finish', 'done'], usage: null }],
  ['holds an error', { type: 'error-in-stream', pieces: PIECES, afterEvents: 4 }],
]

describe.each(DIALECTS)('a stream of a provider of %s', (dialect: Dialect) => {
  it.each(BROKEN_STREAMS)('that %s gives no final message', async (_name, behaviour) => {
    pairs.upstream.script(behaviour)
    const key = await pairs.farebox.newKey('plenty')
    const { anthropic, requests } = await newClient(key)
    const stream = anthropic.messages.stream(asked(dialect))
    let text = ''
    stream.on('text', (piece) => {
      text += piece
    })
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Error)
    expect(PIECES.join('').startsWith(text)).toBe(true)
    const usage = await pairs.lastUsage(key)
    expect(usage).toMatchObject({ model: dialect, stream: true, outcome: usage.status === 200 ? 'cut' : 'failed' })
    expect(requests()).toBe(usage.status === 200 ? 1 : 3)
  })

  it('that its client leaves is stopped at the provider, and what came is paid for', async () => {
    pairs.upstream.script({ type: 'endless', delayMs: 1 })
    const key = await pairs.farebox.newKey('plenty')
    const { anthropic } = await newClient(key)
    const stream = anthropic.messages.stream(asked(dialect))
    let pieces = 0
    stream.on('text', () => {
      pieces += 1
      if (pieces === 10) stream.abort()
    })
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError)
    await expect.poll(() => pairs.upstream.requests[0]?.closedAtMs).toBeDefined()
    const usage = await pairs.lastUsage(key)
    expect(usage).toMatchObject({ model: dialect, outcome: 'client_gone' })
    expect(usage.output_tokens).toBeGreaterThanOrEqual(10)
    expect(await pairs.farebox.balance(key)).toMatchObject({ used_credits: usage.charge_credits, held_credits: 0 })
  })
})
