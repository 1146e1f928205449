// Requests after which a connection cannot be trusted: a declined upgrade, and HTTP/1.0 with a transfer coding. Their answer closes the connection, and bytes
// behind them are never served as a request, however they are cut into segments.

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { cases } from '../support/cases.ts'
import { PASSWORD } from '../support/password.ts'
import { LAN_ADDRESS } from '../lan/support.ts'
import { soon, startPair, usageOf, type Pair } from './support.ts'

let pair: Pair
let key: string
let lanPort: number

beforeAll(async () => {
  pair = await startPair({ env: { FAREBOX_WEBSOCKETS: 'true' } })
  key = await pair.farebox.newKey('plenty')
  await pair.farebox.admin.call('addMember', { body: { name: 'ada', role: 'administrator', password: PASSWORD } })
  const { urls } = await pair.farebox.admin.call('setLan', { body: { port: 0, address: LAN_ADDRESS } })
  lanPort = Number(new URL(urls[0] ?? '').port)
})
beforeEach(() => pair.upstream.forget())
afterAll(() => pair.close())

/** A connection that is open for so long after all was sent stays open. */
const OPEN_MS = 10_000

type Segment = { readonly bytes: Buffer; readonly waitMs: number }

/** Whether in peace or not. */
function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.on('error', () => undefined).once('close', () => resolve()))
}

/** Sends segments and reads until the server ends the connection. */
async function exchange(segments: readonly Segment[], place: 'here' | 'lan' = 'here'): Promise<string> {
  const port = Number(new URL(pair.farebox.url).port)
  const lan = { host: LAN_ADDRESS, port: lanPort, rejectUnauthorized: false }
  const socket = place === 'here' ? connect({ host: '127.0.0.1', port, noDelay: true }) : connectTls(lan)
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  const closed = untilClosed(socket)
  for (const { bytes, waitMs } of segments) {
    socket.write(bytes)
    if (waitMs > 0) await Promise.race([sleep(waitMs), closed])
  }
  const limit = setTimeout(() => socket.destroy(), OPEN_MS)
  await closed
  clearTimeout(limit)
  return answer
}

const host = (place: 'here' | 'lan') =>
  place === 'here' ? new URL(pair.farebox.url).host : `${LAN_ADDRESS}:${lanPort}`

function request(first: string, lines: readonly string[], body = '', place: 'here' | 'lan' = 'here'): string {
  return `${[first, `host: ${host(place)}`, ...lines].join('\r\n')}\r\n\r\n${body}`
}

const CHAT = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello' }] })
const call = () => [`authorization: Bearer ${key}`, 'content-type: application/json']
const sized = (body: string) => `content-length: ${body.length}`
const H2C = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAoAAAAAIAAAAA']
const WEB_SOCKET = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
]
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

/** Each is the last request on its connection; with the status that answers it. */
const LAST: Readonly<Record<string, readonly [number, () => string]>> = {
  'an offer of h2c': [200, () => request('GET /health HTTP/1.1', ['connection: Upgrade', 'upgrade: h2c'])],
  'an offer of h2c with settings': [200, () => request('GET /v1/models HTTP/1.1', H2C)],
  'an offer of h2c that the connection header does not name': [
    200,
    () => request('GET /health HTTP/1.1', ['upgrade: h2c']),
  ],
  'a call that offers h2c': [
    200,
    () => request('POST /v1/chat/completions HTTP/1.1', [...H2C, ...call(), sized(CHAT)], CHAT),
  ],
  'a call in chunks that offers h2c': [
    200,
    () =>
      request('POST /v1/chat/completions HTTP/1.1', [...H2C, ...call(), 'transfer-encoding: chunked'], chunked(CHAT)),
  ],
  'a call that offers h2c and expects 100-continue': [
    200,
    () => request('POST /v1/chat/completions HTTP/1.1', [...H2C, ...call(), 'expect: 100-continue', sized(CHAT)], CHAT),
  ],
  'an offer of h2c with another expectation': [
    400,
    () => request('POST /v1/chat/completions HTTP/1.1', [...H2C, ...call(), 'expect: more', sized('')]),
  ],
  'an offer of h2c with a body to read': [200, () => request('GET /health HTTP/1.1', [...H2C, sized('abc')], 'abc')],
  'a WebSocket where there is none': [400, () => request('GET /health HTTP/1.1', WEB_SOCKET)],
  'a WebSocket without a key': [401, () => request('GET /v1/responses HTTP/1.1', WEB_SOCKET)],
  'a WebSocket with a body': [
    426,
    () => request('GET /v1/responses HTTP/1.1', [...WEB_SOCKET, `authorization: Bearer ${key}`, sized('abc')], 'abc'),
  ],
  'a WebSocket with a body in chunks': [
    426,
    () =>
      request(
        'GET /v1/responses HTTP/1.1',
        [...WEB_SOCKET, `authorization: Bearer ${key}`, 'transfer-encoding: chunked'],
        chunked('abc'),
      ),
  ],
  'TLS inside of the connection': [
    400,
    () => request('OPTIONS /health HTTP/1.1', ['connection: Upgrade', 'upgrade: TLS/1.3']),
  ],
  'an upgrade to nothing': [400, () => request('GET /health HTTP/1.1', ['connection: Upgrade', 'upgrade:'])],
  'a tunnel': [400, () => request('CONNECT example.com:443 HTTP/1.1', [])],
  'a tunnel with a body': [400, () => request('CONNECT example.com:443 HTTP/1.1', [sized('abc')], 'abc')],
  'the preface of HTTP/2': [400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'HTTP/1.0 in chunks': [
    200,
    () => request('POST /v1/chat/completions HTTP/1.0', [...call(), 'transfer-encoding: chunked'], chunked(CHAT)),
  ],
  'HTTP/1.0 in chunks that wants to keep the connection': [
    200,
    () =>
      request(
        'POST /v1/chat/completions HTTP/1.0',
        [...call(), 'connection: keep-alive', 'transfer-encoding: chunked'],
        chunked(CHAT),
      ),
  ],
  'HTTP/1.0 with a transfer coding that it does not have': [
    400,
    () => request('GET /health HTTP/1.0', ['connection: keep-alive', 'transfer-encoding: identity']),
  ],
  'two lengths of one body': [
    400,
    () =>
      request(
        'POST /v1/chat/completions HTTP/1.1',
        [...call(), sized(CHAT), 'transfer-encoding: chunked'],
        chunked(CHAT),
      ),
  ],
  'two lengths of one body of HTTP/1.0': [
    400,
    () =>
      request(
        'POST /v1/chat/completions HTTP/1.0',
        [...call(), 'connection: keep-alive', 'transfer-encoding: chunked', sized(CHAT)],
        chunked(CHAT),
      ),
  ],
  'a folded header': [
    400,
    () => request('POST /v1/chat/completions HTTP/1.1', [...call(), 'transfer-encoding:\r\n chunked'], chunked(CHAT)),
  ],
}

/** A call that is never to be served, whole or as what another one carries. */
const hidden = () => request('POST /v1/chat/completions HTTP/1.1', [...call(), sized(CHAT)], CHAT)

const statuses = (answer: string) =>
  Array.from(answer.matchAll(/HTTP\/1\.[01] (\d{3})/g), ([, status]) => Number(status)).filter(
    (status) => status !== 100,
  )

function expectLast(answer: string, status: number): void {
  expect(statuses(answer), answer).toEqual([status])
  expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n')
}

it.each(Object.entries(LAST))('%s is answered and closed, and what is behind it is not served', async (what, last) => {
  const [status, text] = last
  const before = (await usageOf(pair.farebox)).length
  const calls = text().includes('POST') && status === 200 ? 1 : 0
  const carrier = request('POST /v1/chat/completions HTTP/1.1', [...call(), sized(hidden())])
  expectLast(await exchange([{ bytes: Buffer.from(text()), waitMs: 0 }]), status)
  expectLast(await exchange([{ bytes: Buffer.from(text() + hidden()), waitMs: 0 }]), status)
  expectLast(
    await exchange([
      { bytes: Buffer.from(text() + carrier), waitMs: 700 },
      { bytes: Buffer.from(hidden()), waitMs: 0 },
    ]),
    status,
  )
  expect(pair.upstream.requests, what).toHaveLength(3 * calls)
  expect((await usageOf(pair.farebox)).length - before).toBe(3 * calls)
})

it('is so over the LAN', async () => {
  for (const lines of [['connection: Upgrade', 'upgrade: h2c'], WEB_SOCKET]) {
    const first = request('GET /health HTTP/1.1', lines, '', 'lan')
    const second = request('POST /v1/chat/completions HTTP/1.1', [...call(), sized(CHAT)], CHAT, 'lan')
    const segments = [
      { bytes: Buffer.from(first), waitMs: 50 },
      { bytes: Buffer.from(second), waitMs: 0 },
    ]
    expectLast(await exchange(segments, 'lan'), lines === WEB_SOCKET ? 400 : 200)
  }
  expect(pair.upstream.requests).toHaveLength(0)
})

it('gives the answers to what came before', async () => {
  const earlier = request('GET /health HTTP/1.1', []).repeat(2)
  for (const name of ['an offer of h2c', 'a tunnel', 'a WebSocket without a key']) {
    const [status, text] = LAST[name] ?? [0, () => '']
    const answer = await exchange([{ bytes: Buffer.from(earlier + text() + hidden()), waitMs: 0 }])
    expect(statuses(answer).slice(0, 2), name).toEqual([200, 200])
    // Behind a tunnel that is declined nothing but its refusal comes, and that only where nothing else is under way.
    expect([[], [status]]).toContainEqual(statuses(answer).slice(2))
  }
  expect(pair.upstream.requests).toHaveLength(0)
})

it('opens no WebSocket before earlier requests on the connection are answered', async () => {
  pair.upstream.script({ type: 'answer', headersAfterMs: 200 })
  const opening = request('GET /v1/responses HTTP/1.1', [...WEB_SOCKET, `authorization: Bearer ${key}`])
  const answer = await exchange([{ bytes: Buffer.from(hidden() + opening), waitMs: 0 }])
  expect(statuses(answer)).toEqual([200, 426])
})

it('still sees its client leave', async () => {
  for (const name of ['a call that offers h2c', 'HTTP/1.0 in chunks']) {
    pair.upstream.script({ type: 'answer', headersAfterMs: Infinity })
    const socket = connect(Number(new URL(pair.farebox.url).port), '127.0.0.1')
    socket.on('error', () => undefined).write(LAST[name]?.[1]() ?? '')
    await soon(() => pair.upstream.requests.length)
    socket.destroy()
    await soon(() => pair.upstream.requests[0]?.closedAtMs)
    pair.upstream.forget()
  }
})

it('does not read on and on while the last answer is under way', async () => {
  pair.upstream.script({ type: 'answer', headersAfterMs: 1500 })
  const [, text] = LAST['a call that offers h2c'] ?? [0, () => '']
  const socket = connect(Number(new URL(pair.farebox.url).port), '127.0.0.1')
  const closed = untilClosed(socket.resume())
  socket.write(text())
  const flood = Buffer.from(request('GET /health HTTP/1.1', []).repeat(10_000))
  let taken = 0
  const more = () => {
    taken += flood.length
    if (!socket.destroyed) socket.write(flood, () => setImmediate(more))
  }
  more()
  await closed
  // What fits into the buffers of the system on both sides.
  expect(taken).toBeLessThan(64 * 1024 * 1024)
  expect(pair.upstream.requests).toHaveLength(1)
})

it('is so however the bytes are cut into segments', { timeout: 120_000 }, async () => {
  const names = Object.keys(LAST)
  const cuts = fc.array(fc.record({ at: fc.nat(999), waitMs: fc.constantFrom(0, 0, 1, 5, 20) }), { maxLength: 6 })
  const property = fc.asyncProperty(fc.constantFrom(...names), fc.boolean(), cuts, async (name, isCarried, at) => {
    const [status, text] = LAST[name] ?? [0, () => '']
    pair.upstream.forget()
    const carried = isCarried ? request('POST /v1/chat/completions HTTP/1.1', [...call(), sized(hidden())]) : ''
    const bytes = Buffer.from(text() + carried + hidden())
    const places = at.map((cut) => ({ ...cut, at: Math.floor((cut.at / 1000) * bytes.length) }))
    places.sort((left, right) => left.at - right.at)
    const segments = [...places, { at: bytes.length, waitMs: 0 }].map(({ at: end, waitMs }, index) => ({
      bytes: bytes.subarray(places[index - 1]?.at ?? 0, end),
      waitMs,
    }))
    const answer = await exchange(segments)
    // What still comes when the connection is closed resets it, and may take the answer along.
    if (answer !== '') expectLast(answer, status)
    expect(pair.upstream.requests.length).toBe(text().includes('POST') && status === 200 ? 1 : 0)
  })
  await fc.assert(property, { numRuns: cases(40, 100, 3000) })
})
