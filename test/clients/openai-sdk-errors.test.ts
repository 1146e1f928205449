// What the OpenAI SDK makes of everything that can go wrong: which error class, how often it tries again, and that half an
// answer never looks like a whole one.

import {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeKey } from '#core/key-format.ts'
import { setUpUpstream, startFarebox, type Farebox } from '../support/farebox.ts'
import { countedClient, openaiClient, saying, type Counted } from '../support/openai.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

let upstream: Upstream
let farebox: Farebox

beforeAll(async () => {
  upstream = await startUpstream()
  // One attempt each: what Farebox would mend itself is for the client to see here.
  farebox = await startFarebox({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
  await setUpUpstream(farebox, upstream.url, [
    { name: 'plenty', type: 'topup', credits: 1000 },
    { name: 'empty', type: 'topup', credits: 0 },
    { name: 'ended', type: 'topup', credits: 10, valid_until: '2020-01-01' },
    { name: 'rationed', type: 'topup', credits: 10, limits: { requests_per_minute: 1 } },
    { name: 'single', type: 'topup', credits: 10, limits: { concurrent_requests: 1 } },
  ])
})

beforeEach(() => upstream.forget())

afterAll(async () => {
  await farebox.close()
  await upstream.close()
})

const CALL = { model: 'chat', messages: saying('Hi') }

/** The error of a call that must fail; anything but an APIError fails the test. */
async function errorOf(call: Promise<unknown>): Promise<APIError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof APIError)) throw new Error(`no API error but ${String(error)}`)
  return error
}

async function clientIn(packageName: string): Promise<Counted> {
  return countedClient({ url: farebox.url, key: await farebox.newKey(packageName) })
}

describe('a refusal is of its class, says why, and is not tried again', () => {
  it.each([
    ['malformed', 'key_nonsense'],
    ['unknown', makeKey(Buffer.alloc(64, 7))],
  ])('401 for a key that is %s', async (_name, key) => {
    const { openai, requests } = countedClient({ url: farebox.url, key })
    const error = await errorOf(openai.chat.completions.create(CALL))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error).toMatchObject({ status: 401, type: 'authentication_error', code: 401 })
    expect(requests()).toBe(1)
  })

  it('403 for a key that is suspended', async () => {
    const { id, key } = await farebox.admin.call('createKey', { body: { name: 'suspended', package: 'plenty' } })
    await farebox.admin.call('suspendKey', { id })
    const { openai, requests } = countedClient({ url: farebox.url, key })
    const error = await errorOf(openai.chat.completions.create(CALL))
    expect(error).toBeInstanceOf(PermissionDeniedError)
    expect(error).toMatchObject({ status: 403, type: 'permission_error' })
    expect(requests()).toBe(1)
  })

  it('404 for a model that does not exist', async () => {
    const { openai, requests } = await clientIn('plenty')
    const error = await errorOf(openai.chat.completions.create({ ...CALL, model: 'nothing' }))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ status: 404, type: 'not_found_error', param: 'model' })
    expect(requests()).toBe(1)
    expect(await errorOf(openai.models.retrieve('nothing'))).toBeInstanceOf(NotFoundError)
  })

  it('400 for a parameter out of range, without asking the provider', async () => {
    const { openai, requests } = await clientIn('plenty')
    const error = await errorOf(openai.chat.completions.create({ ...CALL, temperature: 3 }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param: 'temperature' })
    expect([requests(), upstream.requests.length]).toEqual([1, 0])
  })

  it("400 of the provider, in the provider's own words", async () => {
    const theirs = { message: 'max_tokens is too large: 9.', type: 'invalid_request_error', code: 'their_code' }
    upstream.script({ type: 'status', status: 400, error: theirs })
    const { openai, requests } = await clientIn('plenty')
    const error = await errorOf(openai.chat.completions.create(CALL))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error.error).toEqual(theirs)
    expect(requests()).toBe(1)
  })

  it.each(['empty', 'ended'])('402 for a key of the %s package', async (packageName) => {
    const { openai, requests } = await clientIn(packageName)
    const error = await errorOf(openai.chat.completions.create(CALL))
    expect(error.constructor).toBe(APIError)
    expect(error).toMatchObject({ status: 402, type: 'insufficient_credits', code: 402 })
    expect(error.headers?.get('x-should-retry')).toBe('false')
    expect([requests(), upstream.requests.length]).toEqual([1, 0])
  })

  it('has the request id that Farebox answered with', async () => {
    const { openai } = await clientIn('empty')
    const error = await errorOf(openai.chat.completions.create(CALL))
    expect(error.requestID).toMatch(/^[0-9a-f-]{36}$/)
    expect(error.error).toMatchObject({ request_id: error.requestID })
  })
})

describe('what may pass is tried again', () => {
  it('after the time that a 429 of the provider names', async () => {
    upstream.once({ type: 'status', status: 429, retryAfter: 1 })
    const { openai, requests } = await clientIn('plenty')
    const startedMs = performance.now()
    const answer = await openai.chat.completions.create(CALL)
    expect(answer.choices[0]?.message.content).toBe('Hello from the scripted provider.')
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990)
    expect([requests(), upstream.requests.length]).toEqual([2, 2])
  })

  it("after a 429 of Farebox's own, once the limit leaves room", async () => {
    upstream.once({ type: 'answer', text: 'first', headersAfterMs: 800 })
    upstream.once({ type: 'answer', text: 'second' })
    const { openai, requests } = await clientIn('single')
    const first = openai.chat.completions.create(CALL)
    await expect.poll(() => upstream.requests.length).toBe(1)
    const second = await openai.chat.completions.create(CALL)
    expect([await first, second].map((answer) => answer.choices[0]?.message.content)).toEqual(['first', 'second'])
    expect([requests(), upstream.requests.length]).toEqual([3, 2])
  })

  it('and a limit that stays hit is a RateLimitError that says when to come back', async () => {
    const openai = openaiClient({ url: farebox.url, key: await farebox.newKey('rationed'), maxRetries: 0 })
    await openai.chat.completions.create(CALL)
    const error = await errorOf(openai.chat.completions.create(CALL))
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ status: 429, type: 'rate_limit_error' })
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0)
    expect(error.headers?.get('x-ratelimit-limit-requests')).toBe('1')
  })

  it('and a provider that keeps failing is an InternalServerError after the two retries, free of charge', async () => {
    upstream.script({ type: 'answer', cut: { at: 'before-headers', how: 'reset' } })
    const key = await farebox.newKey('plenty')
    const { openai, requests } = countedClient({ url: farebox.url, key })
    const error = await errorOf(openai.chat.completions.create(CALL))
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error).toMatchObject({ status: 502, type: 'upstream_error' })
    expect(requests()).toBe(3)
    expect(await farebox.balance(key)).toMatchObject({ used_credits: 0, held_credits: 0 })
  })
})

const PIECES = ['one ', 'two ', 'three ', 'four ', 'five']
const WHOLE = PIECES.join('')

const BROKEN_STREAMS: readonly (readonly [string, Behaviour])[] = [
  [
    'is reset in the middle of an event',
    { type: 'answer', pieces: PIECES, cut: { at: { insideEvent: 3 }, how: 'reset' } },
  ],
  [
    'is closed in the middle of an event',
    { type: 'answer', pieces: PIECES, cut: { at: { insideEvent: 3 }, how: 'close' } },
  ],
  [
    'ends without its finish and its last event',
    { type: 'answer', pieces: PIECES, omit: ['finish', 'done'], usage: null },
  ],
  ['holds an error event', { type: 'error-in-stream', pieces: PIECES, afterEvents: 3 }],
  ['holds an event that is not JSON', { type: 'broken-stream', pieces: PIECES, atEvent: 3, how: 'not-json' }],
  ['holds half an event', { type: 'broken-stream', pieces: PIECES, atEvent: 3, how: 'truncated-json' }],
]

describe.each(BROKEN_STREAMS)('a stream that %s', (_name, behaviour) => {
  it('throws out of the iteration after what had come, and is charged for that', async () => {
    upstream.script(behaviour)
    const key = await farebox.newKey('plenty')
    const openai = openaiClient({ url: farebox.url, key })
    let text = ''
    const reading = (async () => {
      for await (const chunk of await openai.chat.completions.create({ ...CALL, stream: true })) {
        text += chunk.choices[0]?.delta.content ?? ''
      }
    })()
    expect(await errorOf(reading)).toMatchObject({ type: 'upstream_error' })
    expect(text).not.toBe('')
    expect(WHOLE.startsWith(text)).toBe(true)
    expect(upstream.requests).toHaveLength(1)
    const { usage } = await farebox.admin.call('usage', {})
    expect(usage[0]).toMatchObject({ outcome: 'cut', status: 200, usage_source: 'estimated' })
    expect(await farebox.balance(key)).toMatchObject({ used_credits: usage[0]?.charge_credits, held_credits: 0 })
    expect(usage[0]?.charge_credits).toBeGreaterThan(0)
  })

  it('gives the stream helper no final content', async () => {
    upstream.script(behaviour)
    const { openai } = await clientIn('plenty')
    const stream = openai.chat.completions.stream(CALL)
    await expect(stream.finalContent()).rejects.toBeInstanceOf(APIError)
  })
})
