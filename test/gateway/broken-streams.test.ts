// Streams that break, in every client format and from providers of every dialect: the client sees an HTTP error before the first
// byte, and behind it the error event of its format, never a terminal one; and pays for what it got.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectSoundBooks } from './fault-support.ts'
import {
  ask,
  eventNames,
  expectBrokenStream,
  expectFormatError,
  PAIRS,
  requestOf,
  startFormats,
  type Dialect,
  type Format,
} from './formats.ts'
import { rawText, soon, usageOf, type Pair } from './support.ts'

/** Long enough that every format has sent something when it breaks behind the sixth event. */
const PIECES = Array.from({ length: 12 }, (_, index) => `word-${index} `)
const ANSWER = { type: 'answer', pieces: PIECES } as const
const LATE = { insideEvent: 9 } as const

let pair: Pair
let name = ''
let key = ''
let keys = 0

beforeAll(async () => {
  pair = await startFormats({ env: { FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '300' } })
})

beforeEach(async () => {
  pair.upstream.forget()
  name = `broken ${++keys}`
  ;({ key } = await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } }))
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

function stream(format: Format, dialect: Dialect): Promise<Response> {
  return ask(pair, format, { key, members: { model: dialect, stream: true } })
}

async function expectRecorded(record: object): Promise<number> {
  await soon(async () => (await usageOf(pair.farebox, name)).length === 1)
  const [usage] = await usageOf(pair.farebox, name)
  expect(usage).toMatchObject({ stream: true, ...record })
  const charge = usage?.charge_credits ?? Number.NaN
  const { balance } = await pair.farebox.admin.call('showKey', { id: name })
  expect(balance).toMatchObject({ held_credits: 0, used_credits: charge })
  return charge
}

async function expectPaid(): Promise<void> {
  const charge = await expectRecorded({
    outcome: 'cut',
    status: 200,
    usage_source: expect.stringMatching(/estimated|reported/),
  })
  expect(charge).toBeGreaterThan(0)
  expect(charge).toBeLessThan(0.0005)
}

function reported(dialect: Dialect, message: string, kind: 'ours' | 'theirs'): Record<string, unknown> {
  const isOurs = kind === 'ours'
  if (dialect === 'gemini') {
    return isOurs ? { code: 403, message, status: 'PERMISSION_DENIED' } : { code: 503, message, status: 'UNAVAILABLE' }
  }
  const type = isOurs ? 'authentication_error' : 'overloaded_error'
  if (dialect !== 'responses') return { type, message }
  return { type: 'server_error', code: isOurs ? 'insufficient_quota' : 'server_is_overloaded', message }
}

describe.each(PAIRS)('a stream of %s', (_name, format, dialect) => {
  it.each<[string, Behaviour]>([
    ['is reset inside an event', { ...ANSWER, cut: { at: LATE, how: 'reset' } }],
    ['is closed inside an event', { ...ANSWER, cut: { at: LATE, how: 'close' } }],
    ['ends without its last events', { ...ANSWER, omit: ['finish', 'done'] }],
    ['has an event that is no JSON', { ...ANSWER, type: 'broken-stream', atEvent: 9, how: 'not-json' }],
    ['has an event that is half of its JSON', { ...ANSWER, type: 'broken-stream', atEvent: 9, how: 'truncated-json' }],
  ])('that %s ends with an error event, and is paid for', async (_what, behaviour) => {
    pair.upstream.script(behaviour)
    const response = await stream(format, dialect)
    expect(response.status).toBe(200)
    const text = await response.text()
    expectBrokenStream(text, format)
    expect(text).toContain('word-0')
    await expectPaid()
  })

  it('that holds an error in its middle ends with it in the words of the provider', async () => {
    const error = reported(dialect, 'Too many people today.', 'theirs')
    pair.upstream.script({ ...ANSWER, type: 'error-in-stream', afterEvents: 9, error })
    const text = await (await stream(format, dialect)).text()
    if (format.name === 'responses' && dialect === 'responses') {
      // This format ends a failed answer with an event of its own, which is passed on with the contract's [DONE] behind it.
      expect(eventNames(text).slice(-3)).toEqual(['error', 'response.failed', '[DONE]'])
      expect(text).not.toContain('response.completed')
    } else {
      expectBrokenStream(text, format, /Too many people today\./)
      await expectPaid()
    }
  })

  it('that holds an error about our account keeps its words to itself', async () => {
    const error = reported(dialect, 'Key sk-upstream is not good.', 'ours')
    pair.upstream.script({ ...ANSWER, type: 'error-in-stream', afterEvents: 9, error })
    const text = await (await stream(format, dialect)).text()
    expectBrokenStream(text, format, /secret or account/)
    expect(text).not.toContain('sk-upstream')
  })

  it('that begins with an error is an HTTP error, and free', async () => {
    pair.upstream.script({
      ...ANSWER,
      type: 'error-in-stream',
      afterEvents: 0,
      error: reported(dialect, 'Busy.', 'theirs'),
    })
    const message = await expectFormatError(await stream(format, dialect), format.name, 503)
    expect(message).toBe('Busy.')
    expect(await expectRecorded({ outcome: 'failed', status: 503, usage_source: 'none' })).toBe(0)
  })

  it.each<[string, Behaviour, number]>([
    ['is reset inside its first event', { ...ANSWER, cut: { at: { insideEvent: 0 }, how: 'reset' } }, 502],
    ['is closed behind its head', { ...ANSWER, cut: { at: 'after-headers', how: 'close' } }, 502],
    ['begins with what is no JSON', { ...ANSWER, type: 'broken-stream', atEvent: 0, how: 'not-json' }, 502],
    ['is a page', { type: 'html' }, 502],
    ['is a whole answer', { type: 'status', status: 200, body: {} }, 502],
    ['is empty', { type: 'raw', parts: [''] }, 502],
  ])('that %s is an HTTP error, and free', async (_what, behaviour, status) => {
    pair.upstream.script(behaviour)
    await expectFormatError(await stream(format, dialect), format.name, status)
    expect(await expectRecorded({ outcome: 'failed', status, usage_source: 'none' })).toBe(0)
  })

  it('ends with an error event when its key is revoked, within a second', async () => {
    pair.upstream.script({ type: 'endless', pieces: PIECES, delayMs: 5 })
    const response = await stream(format, dialect)
    const text = response.text()
    const startedMs = performance.now()
    await pair.farebox.admin.call('revokeKey', { id: name })
    expectBrokenStream(await text, format, /blocked/)
    expect(performance.now() - startedMs).toBeLessThan(1000)
    await soon(() => pair.upstream.requests[0]?.closedAtMs)
    await expectPaid()
  })

  it('that is split into single bytes is whole all the same', async () => {
    pair.upstream.script({
      type: 'answer',
      pieces: ['Grüße ', '世界 ', '\u{1F600}'],
      chunking: 'byte-by-byte',
      lineEnd: '\r\n',
    })
    const text = await (await stream(format, dialect)).text()
    expect(text).toMatch(format.terminal)
    for (const piece of ['Grüße', '世界', '\u{1F600}']) expect(text).toContain(piece)
    await expectRecorded({ outcome: 'answered', usage_source: 'reported', charge_credits: 0.000039 })
  })
})

/** All of them at once, since each waits for a second. */
describe('a stream that goes silent', () => {
  async function suffer(behaviour: Behaviour, check: (response: Response, format: Format) => Promise<unknown>) {
    pair.upstream.script(behaviour)
    const calls = PAIRS.map(async ([, format, dialect]) => check(await stream(format, dialect), format))
    await Promise.all(calls)
    await soon(() => pair.upstream.requests.every(({ closedAtMs }) => closedAtMs !== undefined))
    return usageOf(pair.farebox, name)
  }

  it('in its middle ends with an error event that says so, and is paid for', async () => {
    const records = await suffer({ ...ANSWER, stall: { at: LATE, ms: Infinity } }, async (response, format) =>
      expectBrokenStream(await response.text(), format, /stopped in the middle/),
    )
    expect(records).toHaveLength(PAIRS.length)
    for (const record of records) {
      expect(record).toMatchObject({ outcome: 'cut', status: 200 })
      expect(record.charge_credits).toBeGreaterThan(0)
    }
  })

  it('before its first event is an HTTP error, and free', async () => {
    const records = await suffer({ ...ANSWER, stall: { at: { insideEvent: 0 }, ms: Infinity } }, (response, format) =>
      expectFormatError(response, format.name, 504),
    )
    expect(records).toHaveLength(PAIRS.length)
    for (const record of records) expect(record).toMatchObject({ outcome: 'failed', status: 504, charge_credits: 0 })
  })
})

/** A provider of responses says all of an answer once more in one event, which is too large an event here. */
const LONG = PAIRS.filter(([name_]) =>
  ['messages at messages', 'messages at gemini', 'responses at chat-completions'].includes(name_),
)

describe.each(LONG)('a client of %s', (_name, format, dialect) => {
  it('that reads nothing makes the provider wait, and gets everything in the end', async () => {
    // Far more than any output cap: a stream whose output costs nothing is not ended at one.
    await pair.farebox.admin.call('priceModel', { id: dialect, body: { input: 1, output: 0 } })
    // 60 MB, as in slow-reader.test.ts: a system may keep 18 MB by itself.
    const pieces = Array.from({ length: 1000 }, (_, index) => `<${index}>${'x'.repeat(60_000)}`)
    pair.upstream.script({ type: 'answer', pieces })
    const { hostname, port } = new URL(pair.farebox.url)
    const socket = connect(Number(port), hostname).pause()
    const lines = [`authorization: Bearer ${key}`, 'content-type: application/json']
    const { path, body } = requestOf(format, { model: dialect, stream: true })
    socket.write(rawText(pair.farebox, `POST ${path} HTTP/1.1`, lines, JSON.stringify(body)))
    await soon(() => pair.upstream.requests.length)
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(pair.upstream.requests[0]?.completed).toBe(false)
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.resume()
    await once(socket, 'close')
    expect(text.slice(-10_000)).toMatch(format.terminal)
    expect(text.includes('<999>')).toBe(true)
    await expectRecorded({ outcome: 'answered' })
  })

  it('that leaves in the middle ends its provider, and pays for what it got', async () => {
    pair.upstream.script({ type: 'endless', pieces: PIECES, delayMs: 5 })
    const leaving = new AbortController()
    const response = await ask(pair, format, { key, members: { model: dialect, stream: true }, signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    await soon(() => pair.upstream.requests[0]?.closedAtMs)
    const charge = await expectRecorded({
      outcome: 'client_gone',
      usage_source: expect.stringMatching(/estimated|reported/),
    })
    expect(charge).toBeGreaterThan(0)
  })
})
