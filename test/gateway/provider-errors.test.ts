// What clients of each format are told when a provider of each dialect answers with an error, and that it costs nothing.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import {
  ask,
  expectFormatError,
  PAIRS,
  refusingStatus,
  typeOfRefusing,
  startFormats,
  TRANSLATED,
  wordsIn,
  type Format,
} from './formats.ts'
import { eventData, usageOf, type Pair } from './support.ts'

const WORDS = 'The request is wrong in a way of its own.'

let pair: Pair
let name = ''
let key = ''
let keys = 0

beforeAll(async () => {
  // One attempt each: how an error is told is looked at here, and a provider that asks for patience would get it.
  pair = await startFormats({ env: { FAREBOX_UPSTREAM_ATTEMPTS: '1' } })
})

beforeEach(async () => {
  pair.upstream.forget()
  await newKey()
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

async function newKey(): Promise<void> {
  name = `errors ${++keys}`
  ;({ key } = await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } }))
}

const send = (format: Format, model: string, members: object = {}) =>
  ask(pair, format, { key, members: { model, ...members } })

/** The body as it is passed on: without a code of its own it gets the status, as the contract says. */
function withCode({ error, ...body }: Record<string, unknown>, code: unknown): object {
  return { ...body, error: { ...(error as object), code } }
}

/** The call was recorded once and cost nothing. */
async function expectFree(outcome: object): Promise<void> {
  const free = { charge_credits: 0, usage_source: 'none' }
  expect(await usageOf(pair.farebox, name)).toMatchObject([{ ...outcome, ...free }])
  expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, used_credits: 0, total_requests: 1 })
}

describe.each(PAIRS)('%s', (_name, format, dialect) => {
  const isPassed = format.dialect === dialect

  it.each([400, 404, 409, 413, 415, 422])('shows what the provider has against the request with %i', async (status) => {
    const body = wordsIn(dialect, status, WORDS)
    for (const stream of [false, true]) {
      await newKey()
      pair.upstream.script({ type: 'status', status, body })
      const response = await send(format, dialect, { stream })
      if (isPassed) {
        expect([response.status, await response.json()]).toEqual([status, withCode(body, status)])
        expect(response.headers.get('content-type')).toBe('application/json')
      } else {
        const told = [404, 409, 413].includes(status) ? status : 400
        expect(await expectFormatError(response, format.name, told)).toBe(WORDS)
      }
      expect(response.headers.get('x-farebox-adjusted')).toBeNull()
      await expectFree({ outcome: 'refused', status, stream })
    }
  })

  if (isPassed) {
    it.each<[what: string, code: object, passed: unknown]>([
      ['none', {}, 422],
      ['null', { code: null }, 422],
      ['an empty one', { code: '' }, 422],
      ['a truth value', { code: false }, 422],
      ['a text', { code: 'context_too_long' }, 'context_too_long'],
      ['a number', { code: 20034 }, 20034],
    ])('passes an error on whose code is %s', async (_what, code, expected) => {
      for (const stream of [false, true]) {
        const error = { message: WORDS, type: 'invalid_request_error', param: null, ...code }
        pair.upstream.script({ type: 'status', status: 422, body: { error, request_id: 'req_theirs' } })
        const response = await send(format, dialect, { stream })
        expect(await response.json()).toEqual({ error: { ...error, code: expected }, request_id: 'req_theirs' })
      }
    })

    it('passes errors without words on as they came', async () => {
      for (const body of [{ error: { code: 7 }, n: 1e300 }, [7], { detail: [] }]) {
        pair.upstream.script({ type: 'status', status: 400, body })
        expect(await (await send(format, dialect)).text()).toBe(JSON.stringify(body))
      }
    })

    it('tells words that stand where no client looks for them', async () => {
      for (const body of [{ detail: WORDS }, { error: WORDS }, [{ message: WORDS }]]) {
        pair.upstream.script({ type: 'status', status: 400, body })
        expect(await expectFormatError(await send(format, dialect), format.name, 400)).toBe(WORDS)
      }
    })
  }

  it.each([401, 402, 403])('keeps to itself what the provider has against Farebox with %i', async (status) => {
    const secret = 'Incorrect API key provided: sk-upstr...cret.'
    for (const stream of [false, true]) {
      await newKey()
      pair.upstream.script({ type: 'status', status, body: wordsIn(dialect, status, secret) })
      const response = await send(format, dialect, { stream })
      const told = refusingStatus(format.name)
      expect(response.headers.get('x-should-retry')).toBe('false')
      const message = await expectFormatError(response, format.name, told, typeOfRefusing(format.name))
      expect(message).toContain(`refuses Farebox's secret or account (${status})`)
      expect(message).not.toContain('sk-')
      await expectFree({ outcome: 'failed', status: told })
    }
  })

  it.each<[number, string | number | undefined, number, string | null]>([
    [429, 17, 429, '17'],
    [429, undefined, 429, '5'],
    [429, 'nonsense', 429, '5'],
    [503, 17, 503, '17'],
    [503, undefined, 503, '5'],
    [529, 17, 503, '17'],
    [500, undefined, 502, null],
    [500, 3, 502, '3'],
    [504, undefined, 504, null],
    [408, undefined, 504, null],
  ])('turns %i with Retry-After %s into %i', async (status, retryAfter, told, header) => {
    const behaviour: Behaviour = { type: 'status', status, ...(retryAfter !== undefined && { retryAfter }) }
    pair.upstream.script(behaviour)
    const response = await send(format, dialect, { stream: true })
    expect(response.headers.get('retry-after')).toBe(header)
    await expectFormatError(response, format.name, told)
    await expectFree({ outcome: 'failed', status: told })
  })

  it('reads a date in Retry-After', async () => {
    const retryAfter = new Date(Date.now() + 60_000).toUTCString()
    pair.upstream.script({ type: 'status', status: 429, retryAfter })
    const seconds = Number((await send(format, dialect)).headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  it.each([400, 404, 422])('does not show a page with status %i', async (status) => {
    pair.upstream.script({ type: 'html', status })
    const message = await expectFormatError(await send(format, dialect), format.name, 502)
    expect(message).not.toContain('<')
    await expectFree({ outcome: 'failed', status: 502 })
  })

  it('says so where the provider gives no reason that it can read', async () => {
    pair.upstream.script({ type: 'status', status: 400, body: { wrong: true } })
    const response = await send(format, dialect)
    expect(response.status).toBe(400)
    if (isPassed) expect(await response.text()).toBe('{"wrong":true}')
    else expect(await expectFormatError(response, format.name, 400)).toMatch(/refused the request \(400\)/)
  })
})

describe.each(PAIRS.filter(([, , dialect]) => dialect === 'gemini'))('%s', (_name, format) => {
  it.each([false, true])('reads when to come back from the body, in a list: %s', async (isList) => {
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }
    const body = { error: { code: 429, message: 'Quota.', status: 'RESOURCE_EXHAUSTED', details: [retry] } }
    pair.upstream.script({ type: 'status', status: 429, body: isList ? [body] : body })
    const response = await send(format, 'gemini')
    expect(response.headers.get('retry-after')).toBe('35')
    await expectFormatError(response, format.name, 429)
  })

  it('takes a wrong key for what it is, though Google calls it 400', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    const error = { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details }
    pair.upstream.script({ type: 'status', status: 400, body: { error } })
    const told = refusingStatus(format.name)
    const message = await expectFormatError(
      await send(format, 'gemini', { stream: true }),
      format.name,
      told,
      typeOfRefusing(format.name),
    )
    expect(message).toContain("Farebox's secret")
    await expectFree({ outcome: 'failed', status: told })
  })
})

/** One overflow as providers of each dialect tell it, in which both numbers stand. */
const OVERFLOWS = {
  'chat-completions':
    "This model's maximum context length is 200000 tokens. However, your messages resulted in 210000 tokens.",
  messages: 'prompt is too long: 210000 tokens > 200000 maximum',
  responses: 'Your input exceeds the context window of this model (210000 tokens, the maximum is 200000).',
  gemini: 'The input token count (210000) exceeds the maximum number of tokens allowed (200000).',
} as const

/** The words that the tools of each format look for. */
const TOLD: Readonly<Record<Format['name'], RegExp>> = {
  chat: /maximum context length is 200000 tokens/,
  messages: /^prompt is too long: 210000 tokens > 200000 maximum$/,
  responses: /maximum context length is 200000 tokens/,
  gemini: /^The input token count \(210000\) exceeds the maximum number of tokens allowed \(200000\)\.$/,
}

describe.each(TRANSLATED)('a context that is too long, told to %s', (_name, format, dialect) => {
  const overflow: Behaviour = { type: 'status', status: 400, body: wordsIn(dialect, 400, OVERFLOWS[dialect]) }
  const details = { code: 'context_length_exceeded' }

  it('is in the words that the tools of the format look for', async () => {
    pair.upstream.script(overflow)
    const message = await expectFormatError(await send(format, dialect), format.name, 400, { details })
    expect(message).toMatch(TOLD[format.name])
    await expectFree({ outcome: 'refused', status: 400 })
  })

  it('is told to a stream as its format does', async () => {
    pair.upstream.script(overflow)
    const response = await send(format, dialect, { stream: true })
    if (format.name !== 'responses') {
      await expectFormatError(response, format.name, 400, { details })
    } else {
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      const events = eventData(await response.text()).map((data) => JSON.parse(data) as Record<string, never>)
      expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.failed'])
      const error = { code: 'context_length_exceeded', message: expect.stringContaining('200000') }
      expect(events.at(-1)).toMatchObject({ response: { status: 'failed', error } })
    }
    await expectFree({ outcome: 'refused', status: 400, stream: true })
  })
})

describe.each(PAIRS)(
  'a context that is too long, found when the answer has begun, told to %s',
  (_name, format, dialect) => {
    it('is in the words that the tools of the format look for', async () => {
      const members =
        dialect === 'gemini' ? { code: 400, status: 'INVALID_ARGUMENT' } : { type: 'invalid_request_error' }
      const error = { ...members, message: OVERFLOWS[dialect] }
      const afterEvents = dialect === 'responses' ? 2 : 0
      pair.upstream.script({ type: 'error-in-stream', afterEvents, error })
      const response = await send(format, dialect, { stream: true })
      if (format.name === 'responses') {
        expect(response.status).toBe(200)
        const events = eventData(await response.text()).map((data) => JSON.parse(data) as Record<string, never>)
        expect(events[0]).toMatchObject({ type: 'response.created' })
        const failed = { status: 'failed', error: { code: 'context_length_exceeded' } }
        expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: failed })
      } else {
        const details = { code: 'context_length_exceeded' }
        const message = await expectFormatError(response, format.name, 400, { details })
        expect(message).toMatch(TOLD[format.name])
      }
      await expectFree({ outcome: 'failed', status: 400 })
    })
  },
)
