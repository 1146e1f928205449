import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { ODD_USAGE, type Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks, suffer, type Fault, type Sees } from './fault-support.ts'
import { chat, ORDINARY_CHARGE, startPair, usageOf, type Pair } from './support.ts'

let pair: Pair
/** Where redirects lead. */
let elsewhere: Upstream

beforeAll(async () => {
  elsewhere = await startUpstream()
  pair = await startPair()
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
  await elsewhere.close()
})

type Row = [name: string, provider: Behaviour, sees: Sees, charge: number | 'some']

const ANSWER = { type: 'answer' } as const
const FAILED: Sees = { status: 502 }
const JSON_200 = { type: 'status', status: 200 } as const
const CHOICES = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }]
const BARE = { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: CHOICES }

describe('a whole answer that is', () => {
  it.each<Row>([
    ['reset before its headers', { ...ANSWER, cut: { at: 'before-headers', how: 'reset' } }, FAILED, 0],
    ['closed before its headers', { ...ANSWER, cut: { at: 'before-headers', how: 'close' } }, FAILED, 0],
    ['reset after its headers', { ...ANSWER, cut: { at: 'after-headers', how: 'reset' } }, FAILED, 0],
    ['reset in its middle', { ...ANSWER, cut: { at: { byte: 100 }, how: 'reset' } }, FAILED, 0],
    ['closed in its middle', { ...ANSWER, cut: { at: { byte: 100 }, how: 'close' } }, FAILED, 0],
    [
      'closed in its middle, without a length',
      { ...ANSWER, withoutLength: true, cut: { at: { byte: 100 }, how: 'close' } },
      FAILED,
      0,
    ],
    ['an error', { type: 'error-in-200' }, FAILED, 0],
    ['a page', { type: 'html' }, FAILED, 0],
    ['a page with status 502', { type: 'html', status: 502 }, FAILED, 0],
    ['a page with status 404', { type: 'html', status: 404 }, FAILED, 0],
    ['a page that says it is JSON', { type: 'html', contentType: 'application/json' }, FAILED, 0],
    ['plain text', { ...ANSWER, contentType: 'text/plain' }, FAILED, 0],
    ['of no type', { ...ANSWER, contentType: '' }, FAILED, 0],
    ['compressed', { ...ANSWER, encoding: 'gzip' }, FAILED, 0],
    ['half of its JSON', { type: 'raw', contentType: 'application/json', parts: ['{"choices":['] }, FAILED, 0],
    ['empty', { type: 'raw', contentType: 'application/json', parts: [''] }, FAILED, 0],
    ['a list', { ...JSON_200, body: [BARE] }, FAILED, 0],
    ['null', { ...JSON_200, body: null }, FAILED, 0],
    ['without choices', { ...JSON_200, body: { object: 'chat.completion' } }, FAILED, 0],
    ['with choices that are no list', { ...JSON_200, body: { ...BARE, choices: {} } }, FAILED, 0],
    ['a stream', { type: 'raw', parts: ['data: {"choices":[]}\n\n', 'data: [DONE]\n\n'] }, FAILED, 0],
    ['of 65 MB', { type: 'oversized', bytes: 65 * 1024 * 1024 }, { status: 502, says: /too large/ }, 0],
    ['without usage', { ...JSON_200, body: BARE }, 'all', 'some'],
    ['with an error that is null', { ...JSON_200, body: { ...BARE, error: null } }, 'all', 'some'],
    [
      'of JSON under another name',
      { ...ANSWER, contentType: 'application/vnd.x+json; charset=utf-8' },
      'all',
      ORDINARY_CHARGE,
    ],
    ['split into bytes', { ...ANSWER, chunking: 'byte-by-byte' }, 'all', ORDINARY_CHARGE],
  ])('%s', (name, provider, sees, charge) => suffer(pair, { name, provider, sees, charge }))
})

describe('a stream that is', () => {
  it.each<Row>([
    ['a whole answer', { ...JSON_200, body: BARE }, FAILED, 0],
    ['an error', { type: 'error-in-200' }, FAILED, 0],
    ['a page', { type: 'html' }, FAILED, 0],
    ['compressed', { ...ANSWER, encoding: 'gzip' }, FAILED, 0],
    ['plain text', { ...ANSWER, contentType: 'text/plain' }, FAILED, 0],
    ['of the right type in other letters', { ...ANSWER, contentType: 'Text/Event-Stream' }, 'all', ORDINARY_CHARGE],
  ])('%s', (name, provider, sees, charge) => suffer(pair, { name, provider, request: { stream: true }, sees, charge }))
})

describe('an answer that takes its time', () => {
  const LATE = { FAREBOX_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '300' }
  const SILENT = { FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '300' }
  const LONG = { FAREBOX_UPSTREAM_TOTAL_TIMEOUT_MS: '3000' }
  const stream = { stream: true }
  const unbegun = { ...ANSWER, headersAfterMs: Infinity }
  const broken = { breaksWith: 'upstream_timeout', says: /longer than/ } as const

  // Each has the one short limit that ends it: on a busy machine another might end it first, or what should be answered.
  it.each<[name: string, limit: Record<string, string>, Omit<Fault, 'name'>]>([
    ['and has not begun', LATE, { provider: unbegun, sees: { status: 504, says: /did not begin/ }, charge: 0 }],
    ['and has not begun, as a stream', LATE, { provider: unbegun, request: stream, sees: { status: 504 }, charge: 0 }],
    [
      'and is silent from its middle on',
      SILENT,
      {
        provider: { ...ANSWER, stall: { at: { byte: 100 }, ms: Infinity } },
        sees: { status: 504, says: /stopped/ },
        charge: 0,
      },
    ],
    [
      'and is never silent and never done',
      LONG,
      { provider: { type: 'endless', delayMs: 20 }, request: stream, sees: broken, charge: 'some' },
    ],
  ])('%s', async (name, limit, fault) => {
    const hasty = await startPair({ env: limit })
    await suffer(hasty, { name, ...fault })
    await expectSoundBooks(hasty)
    await hasty.close()
  })
})

describe('a status', () => {
  const inAMinute = () => new Date(Date.now() + 60_000).toUTCString()
  const status = (code: number, retryAfter?: string | number): Behaviour => {
    return { type: 'status', status: code, ...(retryAfter === undefined ? {} : { retryAfter }) }
  }

  it.each<[number, string | undefined, Exclude<Sees, 'all'>]>([
    [401, undefined, { status: 424, says: /refuses Farebox's secret/ }],
    [402, undefined, { status: 424, says: /refuses Farebox's secret or account/ }],
    [403, undefined, { status: 424, says: /refuses Farebox's secret/ }],
    [407, undefined, { status: 424 }],
    [408, undefined, { status: 504 }],
    [429, '17', { status: 429, retryAfter: '17' }],
    [429, undefined, { status: 429, retryAfter: '5' }],
    [429, 'soon', { status: 429, retryAfter: '5' }],
    [429, '-5', { status: 429, retryAfter: '1' }],
    [429, '0', { status: 429, retryAfter: '1' }],
    [429, 'Mon, 01 Jan 2001 00:00:00 GMT', { status: 429, retryAfter: '1' }],
    [500, undefined, { status: 502 }],
    [500, '17', { status: 502, retryAfter: '17' }],
    [502, undefined, { status: 502 }],
    [503, '17', { status: 503, retryAfter: '17' }],
    [503, undefined, { status: 503, retryAfter: '5' }],
    [504, undefined, { status: 504 }],
    [529, '17', { status: 503, retryAfter: '17' }],
    [529, undefined, { status: 503, retryAfter: '5' }],
    [418, undefined, { status: 502 }],
    [599, undefined, { status: 502 }],
    [304, undefined, { status: 502 }],
  ])('%i with Retry-After %j is told in the words of the contract', async (code, retryAfter, sees) => {
    const fault = { name: `${code}`, provider: status(code, retryAfter), sees, charge: 0 }
    // Both at once, as each waits for as long as the provider says.
    await Promise.all([suffer(pair, fault), suffer(pair, { ...fault, request: { stream: true } })])
  })

  it.each([429, 503])('%i with Retry-After as a date is told in seconds', async (code) => {
    pair.upstream.script(status(code, inAMinute()))
    const response = await chat(pair.farebox, await pair.farebox.newKey('plenty'))
    expect(response.status).toBe(code)
    expect(Number(response.headers.get('retry-after'))).toSatisfy((seconds: number) => seconds >= 58 && seconds <= 61)
    await response.text()
  })

  it('of a redirect is not followed, wherever it leads', async () => {
    for (const to of [`${elsewhere.url}/chat/completions`, '/v1/models', 'file:///etc/passwd']) {
      const sees: Sees = { status: 502, says: /Redirects are not followed/ }
      await suffer(pair, { name: to, provider: { type: 'redirect', to }, sees, charge: 0 })
    }
    expect(elsewhere.requests).toEqual([])
  })

  it.each([400, 404, 409, 413, 415, 422])('%i reaches the client with the words of the provider', async (code) => {
    // That a context is full is told in each client's own form instead.
    const text = '{ "error":{"message":"temperature is too warm","type":"odd","code":"too_warm" } }\n'
    for (const request of [{}, { stream: true }]) {
      pair.upstream.script({ type: 'raw', status: code, contentType: 'application/json', parts: [text] })
      const name = `passed ${code} ${JSON.stringify(request)}`
      const { key } = await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } })
      const response = await chat(pair.farebox, key, request)
      expect(response.status).toBe(code)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.text()).toBe(text)
      const [record] = await usageOf(pair.farebox, name)
      expect(record).toMatchObject({ outcome: 'refused', status: code, charge_credits: 0, usage_source: 'none' })
      expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, used_credits: 0 })
    }
  })

  it.each([
    ['nothing', ''],
    ['no JSON', 'Bad request'],
    ['no object', '"Bad request"'],
    ['1.1 MB', JSON.stringify({ error: { message: 'x'.repeat(1_100_000) } })],
  ])('400 with %s for a reason is an error in the shape of the contract', async (name, text) => {
    const provider = { type: 'raw', status: 400, contentType: 'application/json', parts: [text] } as const
    await suffer(pair, { name, provider, sees: { status: 502 }, charge: 0 })
  })
})

describe('a provider that cannot be reached', () => {
  it('is 502, and is tried again by the next call', async () => {
    await pair.upstream.refuse()
    const sees: Sees = { status: 502, says: /ECONNREFUSED/ }
    for (const request of [{}, { stream: true }])
      await suffer(pair, { name: 'gone', provider: ANSWER, request, sees, charge: 0 })
    await pair.upstream.accept()
    await suffer(pair, { name: 'back', provider: ANSWER, sees: 'all', charge: ORDINARY_CHARGE })
  })

  it('is 502 when its name is not known', async () => {
    const { admin } = pair.farebox
    const base_url = 'http://provider.invalid/v1'
    const provider = { name: 'nowhere', dialect: 'chat-completions', base_url, network: 'local' } as const
    await admin.call('addProvider', { body: provider })
    await admin.call('addModel', { body: chatModel('nowhere', { targets: [{ provider: 'nowhere', model: 'm' }] }) })
    const sees: Sees = { status: 502, says: /could not be reached/ }
    await suffer(pair, { name: 'nowhere', provider: ANSWER, request: { model: 'nowhere' }, sees, charge: 0 })
  })
})

describe('usage that is', () => {
  it.each<[string, Record<string, unknown> | null, number | 'some']>([
    ['zero', ODD_USAGE.zero, 'some'],
    ['negative', ODD_USAGE.negative, 'some'],
    ['a fraction', ODD_USAGE.fractional, 0.000042],
    ['text', { prompt_tokens: '19', completion_tokens: '10' }, 'some'],
    ['empty', {}, 'some'],
    ['a list', [] as unknown as Record<string, unknown>, 'some'],
    ['left out', null, 'some'],
    ['half', { prompt_tokens: 19 }, 'some'],
    ['only a total', { total_tokens: 29 }, 'some'],
    [
      'partly cached',
      { prompt_tokens: 19, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 9 } },
      ORDINARY_CHARGE,
    ],
    ['without its reasoning', { prompt_tokens: 19, completion_tokens: 4, total_tokens: 29 }, ORDINARY_CHARGE],
  ])('%s is charged as it should be, whole and streamed', async (name, usage, charge) => {
    for (const request of [{}, { stream: true }]) {
      const sees: Sees = 'all'
      await suffer(pair, { name, provider: { ...ANSWER, usage, usageAt: 'own-chunk' }, request, sees, charge })
    }
  })

  it('impossible is not believed: what was delivered is charged, and the key goes on', async () => {
    const { key } = await pair.farebox.admin.call('createKey', { body: { name: 'huge', package: 'plenty' } })
    pair.upstream.script({ ...ANSWER, usage: ODD_USAGE.huge })
    expect((await chat(pair.farebox, key)).status).toBe(200)
    const [record] = await usageOf(pair.farebox, 'huge')
    expect(record).toMatchObject({ usage_source: 'estimated', overrun: false })
    expect(record?.charge_credits).toBeLessThan(2 * ORDINARY_CHARGE)
    expect(await pair.farebox.balance(key)).toMatchObject({ used_credits: record?.charge_credits, held_credits: 0 })
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })
})
