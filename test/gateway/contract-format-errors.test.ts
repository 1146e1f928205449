// Refusals of Farebox itself at the endpoints of all three formats: who is let in, what is no request at all, and that each
// format's clients are told in the shape that they read.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeKey } from '#core/key-format.ts'
import { ask, expectFormatError, formatOf, FORMATS, startFormats, type FormatName } from './formats.ts'
import { asResponse, get, manualClock, rawText, sendRaw, type ManualClock, type Pair } from './support.ts'

const UNKNOWN_KEY = makeKey(Buffer.alloc(64, 7))
const COUNT_PATH = '/v1/messages/count_tokens'

/** Every path of the new formats, and the format of its errors. */
const PATHS: readonly (readonly [path: string, format: FormatName])[] = [
  ['/v1/messages', 'messages'],
  [COUNT_PATH, 'messages'],
  ['/v1/responses', 'responses'],
  ['/responses', 'responses'],
  ['/v1/responses/input_tokens', 'responses'],
  ['/responses/input_tokens', 'responses'],
  ['/v1/v1/responses', 'responses'],
]
/** Those of them that cost something. */
const PAID = PATHS.filter(([path]) => !path.endsWith('_tokens'))

let clock: ManualClock
let pair: Pair
let names = 0

beforeAll(async () => {
  clock = manualClock('2026-03-10T12:00:00.000Z')
  const one = { requests_per_minute: 1, tokens_per_minute: 50_000 }
  pair = await startFormats({
    clock,
    packages: [
      { name: 'empty', type: 'topup', credits: 0 },
      { name: 'past', type: 'topup', credits: 5, valid_until: '2026-01-01' },
      { name: 'slow', type: 'topup', credits: 5, limits: one },
      { name: 'narrow', type: 'topup', credits: 5, models: ['demo'] },
    ],
  })
})

afterAll(async () => {
  expect(pair.farebox.log.filter((line) => !line.includes('RangeError'))).toEqual([])
  await pair.close()
})
beforeEach(() => pair.upstream.forget())

function bodyOf(format: FormatName): string {
  return JSON.stringify({ ...formatOf(format).body, model: formatOf(format).dialect })
}

function send(path: string, format: FormatName, headers: Record<string, string>, body = bodyOf(format)) {
  return fetch(pair.farebox.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

function newKey(packageName = 'plenty') {
  return pair.farebox.admin.call('createKey', { body: { name: `format ${++names}`, package: packageName } })
}

describe.each(PATHS)('%s', (path, format) => {
  it('takes a key as a bearer, as x-api-key, and as both when they are the same', async () => {
    const { key } = await newKey()
    for (const headers of [bearer(key), { 'x-api-key': key }, { ...bearer(key), 'x-api-key': key }]) {
      const response = await send(path, format, headers as Record<string, string>)
      expect(`${response.status} ${await response.text()}`).toMatch(/^200 /)
    }
  })

  it('answers 401 to no key, to one that is none, and to two', async () => {
    const { key } = await newKey()
    const wrong: Record<string, string>[] = [
      {},
      bearer(UNKNOWN_KEY),
      bearer(`${key}0`),
      { authorization: key },
      { 'x-api-key': UNKNOWN_KEY },
      { 'x-api-key': '' },
      { ...bearer(key), 'x-api-key': UNKNOWN_KEY },
      { 'x-goog-api-key': key },
      { cookie: `key=${key}` },
    ]
    for (const headers of wrong) await expectFormatError(await send(path, format, headers), format, 401)
    await expectFormatError(await send(`${path}?key=${key}`, format, bearer(key)), format, 401)
    expect(pair.upstream.requests).toEqual([])
  })

  it('answers 403 to a key that is suspended or revoked', async () => {
    const { key, name } = await newKey()
    for (const action of ['suspendKey', 'revokeKey'] as const) {
      await pair.farebox.admin.call(action, { id: name })
      const response = await send(path, format, bearer(key))
      expect(response.headers.get('connection')).toBe('close')
      await expectFormatError(response, format, 403)
    }
    expect(pair.upstream.requests).toEqual([])
  })

  it('answers 404 to a model that does not exist, and to one that is not of the package', async () => {
    const { key } = await newKey()
    const other = await newKey('narrow')
    const body = JSON.stringify({ ...formatOf(format).body, model: 'nothing' })
    await expectFormatError(await send(path, format, bearer(key), body), format, 404, { param: 'model' })
    await expectFormatError(await send(path, format, bearer(other.key)), format, 404, { param: 'model' })
  })

  it('answers 400 to what is no JSON object, in no UTF-8, compressed, or of another type', async () => {
    const { key } = await newKey()
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '"text"',
      '{"model":"a","model":"b"}',
      '{"model":1}',
      '{"__proto__":{}}',
    ]) {
      const response = await send(path, format, bearer(key), body)
      const text = await response.clone().text()
      const { param } = (JSON.parse(text) as { error: { param?: string } }).error
      await expectFormatError(response, format, 400, param === undefined ? {} : { param })
    }
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': '' }, { 'content-encoding': 'gzip' }]) {
      await expectFormatError(await send(path, format, { ...bearer(key), ...(headers as object) }), format, 400)
    }
    const lines = ['content-type: application/json', `authorization: Bearer ${key}`, 'content-length: 6']
    const head = Buffer.from(rawText(pair.farebox, `POST ${path} HTTP/1.1`, lines))
    const bytes = Buffer.concat([head, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])])
    const answer = await sendRaw(pair.farebox, bytes)
    await expectFormatError(asResponse(answer), format, 400)
    expect(pair.upstream.requests).toEqual([])
  })

  it('answers 413 to a body that says that it is larger than 32 MB, unread', async () => {
    const { key } = await newKey()
    const lines = ['content-type: application/json', `authorization: Bearer ${key}`, 'content-length: 33554433']
    const answer = await sendRaw(pair.farebox, rawText(pair.farebox, `POST ${path} HTTP/1.1`, lines))
    await expectFormatError(asResponse(answer), format, 413)
    expect(answer.headers.get('connection')).toBe('close')
  })
})

describe.each(PAID)('%s', (path, format) => {
  it('answers 402 when the credits are used up or the package is past its day, to be final', async () => {
    for (const [packageName, says] of [
      ['empty', /used up/],
      ['past', /expired/],
    ] as const) {
      const response = await send(path, format, bearer((await newKey(packageName)).key))
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(await expectFormatError(response, format, 402)).toMatch(says)
    }
  })

  it('answers 429 with the limit that was hit, and when to come back', async () => {
    const { key } = await newKey('slow')
    expect((await send(path, format, bearer(key))).status).toBe(200)
    clock.advance(10_000)
    const response = await send(path, format, bearer(key))
    const text = await response.clone().text()
    const { limit } = (JSON.parse(text) as { error: { limit: { reset_at: string } } }).error
    expect(limit).toEqual({ name: 'requests_per_minute', scope: 'key', reset_at: expect.any(String) })
    expect(response.headers.get('retry-after')).toBe(
      String(Math.ceil((Date.parse(limit.reset_at) - clock.nowMs()) / 1000)),
    )
    await expectFormatError(response, format, 429, { limit })
  })

  it('answers 500 to a mistake of ours, without its words', async () => {
    const { key } = await newKey()
    clock.failAt(2)
    const message = await expectFormatError(await send(path, format, bearer(key)), format, 500, { type: 'api_error' })
    expect(message).not.toContain('a secret detail')
  })
})

describe('limits in headers', () => {
  it.each(FORMATS.map(({ name }) => name))(
    'are told to clients of %s under the names that they know, whole and streamed',
    async (format) => {
      const { key } = await newKey('slow')
      const call = () => ask(pair, formatOf(format), { key, members: { model: formatOf(format).dialect } })
      const response = await call()
      await response.text()
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('1')
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0')
      expect(response.headers.get('x-ratelimit-reset-requests')).toMatch(/^\d+ms$/)
      const theirs = [...response.headers].filter(([name]) => name.startsWith('anthropic-ratelimit-'))
      if (format !== 'messages') return expect(theirs).toEqual([])
      const resetAt = expect.stringMatching(/^2026-03-10T12:\d\d:\d\d\.\d{3}Z$/)
      expect(Object.fromEntries(theirs)).toEqual({
        'anthropic-ratelimit-requests-limit': '1',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': resetAt,
        'anthropic-ratelimit-tokens-limit': '50000',
        'anthropic-ratelimit-tokens-remaining': expect.stringMatching(/^\d+$/),
        'anthropic-ratelimit-tokens-reset': resetAt,
      })
      const refused = await call()
      expect(refused.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0')
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    },
  )
})

describe('other methods and paths', () => {
  it.each([
    ['/v1/messages', 'messages'],
    [COUNT_PATH, 'messages'],
    ['/v1/messages/batches', 'messages'],
    ['/messages', 'chat'],
    ['/v1/messagesx', 'chat'],
    ['/v1/responses/resp_1', 'responses'],
  ] as const)('GET %s is 404 in the shape of %s', async (path, format) => {
    await expectFormatError(await get(pair.farebox, path, (await newKey()).key), format, 404)
  })
})
