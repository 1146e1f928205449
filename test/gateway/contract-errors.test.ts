import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import {
  asResponse,
  chat,
  CHAT_PATH,
  expectError,
  get,
  HELLO,
  manualClock,
  post,
  rawText,
  sendRaw,
  startPair,
  type ManualClock,
  type Pair,
} from './support.ts'

const CHAT = { model: 'chat', messages: HELLO }

let clock: ManualClock
let pair: Pair
/** Lines that were logged before the test. */
let logged = 0

beforeAll(async () => {
  clock = manualClock('2026-03-10T12:00:00.000Z')
  pair = await startPair({ clock })
})

beforeEach(() => {
  pair.upstream.forget()
  logged = pair.farebox.log.length
})

afterAll(() => pair.close())

const newKey = (packageName = 'plenty') => pair.farebox.newKey(packageName)

/** The refused call cost nothing and reached nobody. */
async function expectUntouched(key: string): Promise<void> {
  expect(pair.upstream.requests).toEqual([])
  expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, used_credits: 0, total_requests: 0 })
}

describe('404', () => {
  it('is the answer to a model that does not exist, is disabled, or is not in the package', async () => {
    const { admin } = pair.farebox
    await admin.call('addModel', { body: chatModel('off', { enabled: false }) })
    await admin.call('addPackage', { body: { name: 'narrow', type: 'topup', credits: 5, models: ['embed'] } })
    const key = await newKey()
    for (const model of ['none', 'off', 'Chat', 'chat ', 'constructor', '__proto__']) {
      await expectError(await chat(pair.farebox, key, { model }), 404, { param: 'model' })
      const body = { model, input: 'x' }
      await expectError(await post(pair.farebox, body, { key, path: '/v1/embeddings' }), 404, { param: 'model' })
    }
    await expectError(await chat(pair.farebox, await newKey('narrow')), 404, { param: 'model' })
    await expectUntouched(key)
  })

  it('is the answer to a path that is not served, with and without a key', async () => {
    const key = await newKey()
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/none',
      '/v2/models',
      '/v1/chat/completions',
      '/v1/chat/completions/',
      '/V1/models',
    ]) {
      await expectError(await get(pair.farebox, path), 404)
      await expectError(await get(pair.farebox, path, key), 404)
    }
    for (const path of ['/v1/models', '/v1/balance', '/v1/chat', '/v1/v1/v1/chat/completions']) {
      await expectError(await post(pair.farebox, CHAT, { key, path }), 404)
    }
  })
})

describe('413', () => {
  it('refuses a body of 40 MB by its length and reads next to nothing of it', async () => {
    const key = await newKey()
    const length = 40 * 1024 * 1024
    const lines = [`authorization: Bearer ${key}`, 'content-type: application/json', `content-length: ${length}`]
    const served = servedSockets()
    const head = Buffer.from(rawText(pair.farebox, `POST ${CHAT_PATH} HTTP/1.1`, lines))
    const answer = await sendRaw(pair.farebox, Buffer.concat([head, Buffer.alloc(length, 0x20)]))
    await expectError(asResponse(answer), 413)
    expect(answer.headers.get('connection')).toBe('close')
    expect(served.stop()[0]?.bytesRead).toBeLessThan(1024 * 1024)
    await expectUntouched(key)
  })

  it('refuses a body without a length once it is too long', async () => {
    const key = await newKey()
    const lines = [`authorization: Bearer ${key}`, 'content-type: application/json', 'transfer-encoding: chunked']
    const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x10_0000, 0x20), Buffer.from('\r\n')])
    const served = servedSockets()
    const request = [Buffer.from(rawText(pair.farebox, `POST ${CHAT_PATH} HTTP/1.1`, lines)), ...Array(40).fill(piece)]
    await expectError(asResponse(await sendRaw(pair.farebox, Buffer.concat(request))), 413)
    expect(served.stop()[0]?.bytesRead).toBeLessThan(34 * 1024 * 1024)
    await expectUntouched(key)
  })

  it('does not refuse a body of 31 MB', async () => {
    const body = JSON.stringify(CHAT) + ' '.repeat(31 * 1024 * 1024)
    expect((await post(pair.farebox, body, { key: await newKey() })).status).toBe(200)
  })
})

/** The server's ends of the connections that requests arrive on. */
function servedSockets(): { stop(): Socket[] } {
  const sockets: Socket[] = []
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe('http.server.request.start', note)
  const stop = () => {
    unsubscribe('http.server.request.start', note)
    return sockets
  }
  return { stop }
}

describe('429', () => {
  it('says which limit was hit, when it frees up and how the others stand', async () => {
    const limits = { requests_per_minute: 2, tokens_per_minute: 5000 }
    await pair.farebox.admin.call('addPackage', { body: { name: 'slow', type: 'topup', credits: 5, limits } })
    const key = await newKey('slow')
    const startedAtMs = clock.nowMs()
    const first = await chat(pair.farebox, key)
    expect(rateHeaders(first)).toMatchObject({
      'limit-requests': '2',
      'remaining-requests': '1',
      'limit-tokens': '5000',
    })
    clock.advance(10_000)
    expect((await chat(pair.farebox, key)).status).toBe(200)
    clock.advance(10_500)
    const response = await chat(pair.farebox, key)
    const resetMs = resetOf(await response.clone().text())
    // A minute after the first request, to the second.
    expect(resetMs).toBeGreaterThan(startedAtMs + 59_000)
    expect(resetMs).toBeLessThanOrEqual(startedAtMs + 61_000)
    expect(response.headers.get('retry-after')).toBe(String(Math.ceil((resetMs - clock.nowMs()) / 1000)))
    const untilAllAreBack = `${resetMs + 10_000 - clock.nowMs()}ms`
    expect(rateHeaders(response)).toEqual({
      'limit-requests': '2',
      'remaining-requests': '0',
      'reset-requests': untilAllAreBack,
      'limit-tokens': '5000',
      // What the two answers used: 29 tokens each.
      'remaining-tokens': '4942',
      'reset-tokens': untilAllAreBack,
    })
    const limit = { name: 'requests_per_minute', scope: 'key', reset_at: new Date(resetMs).toISOString() }
    expect(await expectError(response, 429, { limit })).toContain('2 requests per minute')
  })
})

function resetOf(text: string): number {
  const { error } = JSON.parse(text) as { error: { limit: { reset_at: string } } }
  return Date.parse(error.limit.reset_at)
}

function rateHeaders(response: Response): Record<string, string> {
  const entries = [...response.headers].filter(([name]) => name.startsWith('x-ratelimit-'))
  return Object.fromEntries(entries.map(([name, value]) => [name.slice('x-ratelimit-'.length), value]))
}

describe('500', () => {
  it.each([
    ['the key is checked', 2],
    ['the limits are checked', 3],
  ])('hides a mistake of ours that is made while %s', async (_when, look) => {
    const key = await newKey()
    clock.failAt(look)
    const message = await expectError(await chat(pair.farebox, key), 500)
    expect(message).toBe('Something went wrong inside Farebox. Its log has the details.')
    const lines = pair.farebox.log.slice(logged)
    expect(lines).toEqual([expect.stringMatching(/^fault in request [0-9a-f-]{36}: RangeError /)])
    expect(lines.join()).not.toContain('a secret detail')
    await expectUntouched(key)
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })
})

describe('every answer', () => {
  it("carries the id of its request, which is never the client's", async () => {
    const key = await newKey()
    const headers = { 'x-request-id': 'mine' }
    const answers = [
      await get(pair.farebox, '/health'),
      await get(pair.farebox, '/v1/models', key),
      await get(pair.farebox, '/v1/models/chat'),
      await get(pair.farebox, '/v1/balance', key),
      await get(pair.farebox, '/none'),
      await get(pair.farebox, '/v1/models/%ff'),
      await chat(pair.farebox, key, {}, { headers }),
      await chat(pair.farebox, key, { stream: true }, { headers }),
      await chat(pair.farebox, key, { stream: 1 }, { headers }),
      await post(pair.farebox, { model: 'embed', input: 'x' }, { key, path: '/embeddings' }),
    ]
    const ids = answers.map((answer) => answer.headers.get('x-request-id'))
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/)
    expect(new Set(ids).size).toBe(ids.length)
    await Promise.all(answers.map((answer) => answer.text()))
  })

  it('carries it also when the request is not HTTP', async () => {
    const answer = await sendRaw(pair.farebox, 'NONSENSE\r\n\r\n')
    await expectError(asResponse(answer), 400)
  })
})
