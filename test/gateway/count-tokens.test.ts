// POST /v1/messages/count_tokens: a provider's own count where it has one, an estimate everywhere else, and free always.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectFormatError, MODELS, SECRET, startFormats } from './formats.ts'
import { HELLO, post, soon, usageOf, type CallOptions, type Pair } from './support.ts'

const PATH = '/v1/messages/count_tokens'
const ANSWER: Behaviour = { type: 'answer' }

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats({
    packages: [
      { name: 'empty', type: 'topup', credits: 0 },
      { name: 'one', type: 'topup', credits: 5, limits: { requests_per_minute: 1, tokens_per_minute: 100 } },
      { name: 'single', type: 'topup', credits: 5, limits: { concurrent_requests: 1 } },
    ],
    env: { FAREBOX_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '400', FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '400' },
  })
})

beforeEach(async () => {
  pair.upstream.forget()
  key = await pair.farebox.newKey('plenty')
})

afterAll(async () => {
  expect(pair.farebox.log).toEqual([])
  // Calls that some tests make beside their counts, to the demo provider.
  const records = await usageOf(pair.farebox)
  expect(records.filter(({ model }) => model !== 'demo')).toEqual([])
  expect(records).toHaveLength(MODELS.length)
  expect(await pair.farebox.admin.call('status', {})).toMatchObject({ open_exchanges: 0, held_credits: 0 })
  await pair.close()
})

function count(model: string, members: object = {}, options: CallOptions = {}): Promise<Response> {
  return post(pair.farebox, { model, messages: HELLO, ...members }, { key, path: PATH, ...options })
}

async function counted(response: Response): Promise<number> {
  const text = await response.text()
  expect(`${response.status} ${text}`).toMatch(/^200 \{"input_tokens":\d+\}$/)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/)
  return (JSON.parse(text) as { input_tokens: number }).input_tokens
}

async function expectFree(): Promise<void> {
  const balance = { used_credits: 0, held_credits: 0, total_requests: 0 }
  expect(await pair.farebox.balance(key)).toMatchObject(balance)
}

describe.each(MODELS)('a count for %s', (model) => {
  it('is a number, grows with system and tools, and is free', async () => {
    const bare = await counted(await count(model))
    expect(bare).toBeGreaterThan(0)
    const tools = [{ name: 'weather', description: 'Tells the weather.', input_schema: { type: 'object' } }]
    pair.upstream.script({ type: 'status', status: 500 })
    const [small, large] = [
      await counted(await count(model)),
      await counted(await count(model, { system: 'Be brief.', tools })),
    ]
    expect(large).toBeGreaterThan(small)
    await expectFree()
  })

  it('needs no max_tokens, and takes any body that messages take', async () => {
    await counted(await count(model, { max_tokens: 100, stream: true, thinking: { type: 'adaptive' }, x_unknown: 1 }))
    await counted(await count(model, {}, { path: `${PATH}?beta=true` }))
  })

  it('refuses what messages refuse, with the member that is wrong', async () => {
    await expectFormatError(await count(model, { messages: [] }), 'messages', 400, { param: 'messages' })
    await expectFormatError(await count(model, { temperature: 2 }), 'messages', 400, { param: 'temperature' })
    expect(pair.upstream.requests).toEqual([])
  })

  it('needs no credits and no room in the rate limits, and takes none of it', async () => {
    for (const packageName of ['empty', 'one', 'single']) {
      key = await pair.farebox.newKey(packageName)
      const answers = await Promise.all(Array.from({ length: 5 }, () => count(model)))
      for (const answer of answers) await counted(answer)
    }
    key = await pair.farebox.newKey('one')
    await counted(await count(model))
    const call = await post(
      pair.farebox,
      { model: 'demo', max_tokens: 5, messages: HELLO },
      { key, path: '/v1/messages' },
    )
    expect(call.status).toBe(200)
    expect(call.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    await call.text()
    await counted(await count(model))
  })
})

describe('a provider of messages', () => {
  it('is asked with the body as it came but for the model, and with the headers of its format', async () => {
    const rest = '"messages" : [{"role":"user","content":"Gr\\u00fc\\u00dfe \u{1F600}"}],\n "x_unknown": [1.0, null] }'
    const headers = { 'anthropic-beta': 'token-counting-2024-11-01,new', 'anthropic-version': '2026-10-21' }
    const response = await post(pair.farebox, `{ "model": "messages-20250929", ${rest}`, { key, path: PATH, headers })
    expect(await counted(response)).toBe(19)
    const [asked] = pair.upstream.requests
    expect(asked?.path).toBe('/v1/messages/count_tokens')
    expect(asked?.text).toBe(`{ "model": "claude-sonnet-4-5", ${rest}`)
    expect(asked?.headers).toMatchObject({ ...headers, 'x-api-key': SECRET })
    expect(asked?.headers).not.toHaveProperty('authorization')
  })

  it.each([400, 413])('that refuses the request with %i is quoted, with its status as code', async (status) => {
    const body = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'tools.0: Wrong.' },
      request_id: 'x',
    }
    pair.upstream.script({ type: 'status', status, body })
    const response = await count('messages')
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ ...body, error: { ...body.error, code: status } })
    expect(response.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/)
    await expectFree()
  })
})

describe('the count of gemini', () => {
  it('is asked for at its own endpoint with a translated body', async () => {
    expect(await counted(await count('gemini', { system: 'Be brief.' }))).toBe(19)
    const [asked] = pair.upstream.requests
    expect(asked?.path).toBe('/v1beta/models/gemini-3-flash:countTokens')
    expect(asked?.headers).toMatchObject({ 'x-goog-api-key': SECRET })
    expect(asked?.text).toContain('Be brief.')
  })

  it('that is a refusal is replaced by an estimate', async () => {
    pair.upstream.script({ type: 'status', status: 400 })
    await counted(await count('gemini'))
    expect(pair.upstream.requests).toHaveLength(1)
  })
})

describe('an estimate of our own stands in', () => {
  const rows: [string, Behaviour][] = [
    ['answers 401', { type: 'status', status: 401 }],
    ['answers 403', { type: 'status', status: 403 }],
    ['answers 404', { type: 'status', status: 404 }],
    ['answers 429', { type: 'status', status: 429, retryAfter: 60 }],
    ['answers 500', { type: 'status', status: 500 }],
    ['answers 529', { type: 'status', status: 529 }],
    ['redirects', { type: 'redirect', to: 'http://127.0.0.1:9/' }],
    ['answers with a page', { type: 'html' }],
    ['answers 400 with a page', { type: 'html', status: 400 }],
    ['says nothing', { type: 'raw', contentType: 'application/json', parts: [''] }],
    ['counts in words', { type: 'status', status: 200, body: { input_tokens: 'many', totalTokens: 'many' } }],
    ['counts below zero', { type: 'status', status: 200, body: { input_tokens: -1, totalTokens: -1 } }],
    ['answers with a list', { type: 'status', status: 200, body: [{ input_tokens: 3 }] }],
    ['answers more than a megabyte', { type: 'oversized', bytes: 2 * 1024 * 1024 }],
    ['breaks off', { type: 'answer', cut: { at: { byte: 10 }, how: 'reset' } }],
    ['resets the connection', { type: 'answer', cut: { at: 'before-headers', how: 'reset' } }],
    ['does not answer in time', { type: 'answer', headersAfterMs: Infinity }],
    ['stops in the middle', { type: 'answer', stall: { at: { byte: 10 }, ms: Infinity } }],
  ]
  it.each(rows)('where a provider %s', async (_name, behaviour) => {
    pair.upstream.script(behaviour)
    const answers = await Promise.all(['messages', 'gemini'].map(async (model) => counted(await count(model))))
    expect(answers[0]).toBe(answers[1])
    expect(pair.upstream.requests).toHaveLength(2)
    await expectFree()
    // Its health, and that of the model, is not judged by this endpoint.
    pair.upstream.script(ANSWER)
    expect(await counted(await count('messages'))).toBe(19)
  })

  it.each(['demo', 'chat-completions', 'responses'])('where %s has no count, and nobody is asked', async (model) => {
    await counted(await count(model))
    expect(pair.upstream.requests).toEqual([])
  })
})

describe('counts of one key', () => {
  it('may run 64 at a time, which nobody else notices', async () => {
    pair.upstream.script({ type: 'answer', headersAfterMs: 2000 })
    const running = Array.from({ length: 64 }, () => count('messages'))
    await soon(() => pair.upstream.requests.length === 64)
    const message = await expectFormatError(await count('messages'), 'messages', 429)
    expect(message).toContain('64')
    const other = await pair.farebox.newKey('plenty')
    expect(await counted(await count('demo', {}, { key: other }))).toBeGreaterThan(0)
    for (const response of await Promise.all(running)) await counted(response)
    pair.upstream.script(ANSWER)
    await counted(await count('messages'))
  })

  it('end with their client, and the next ones find room', async () => {
    pair.upstream.script({ type: 'answer', headersAfterMs: Infinity })
    const leaving = new AbortController()
    const gone = Array.from({ length: 64 }, () =>
      count('messages', {}, { signal: leaving.signal }).catch(() => undefined),
    )
    await soon(() => pair.upstream.requests.length === 64)
    leaving.abort()
    await Promise.all(gone)
    await soon(() => pair.upstream.requests.every(({ closedAtMs }) => closedAtMs !== undefined))
    pair.upstream.script(ANSWER)
    await soon(async () => (await count('messages')).status === 200)
    await expectFree()
  })
})
