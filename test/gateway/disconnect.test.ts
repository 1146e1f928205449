import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { chat, CHAT_PATH, HELLO, rawText, sendRaw, soon, startPair, usageOf, type Pair } from './support.ts'

/** The time within which an upstream is stopped once its client is gone. */
const STOP_MS = 250

let pair: Pair
let calls = 0
let name = ''
let key = ''

beforeAll(async () => {
  pair = await startPair({ env: { FAREBOX_HOLD_WAIT_MS: '20000', RATE_LIMIT_WAIT: 'true' } })
})

beforeEach(async () => {
  pair.upstream.forget()
  await newKey('plenty')
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

async function newKey(packageName: string): Promise<void> {
  name = `leaving ${++calls}`
  key = (await pair.farebox.admin.call('createKey', { body: { name, package: packageName } })).key
}

/** One record of a client that left, with nothing held. */
async function expectLeft(expected: { status: number; charged: boolean }): Promise<void> {
  await expect.poll(async () => (await usageOf(pair.farebox, name)).length).toBe(1)
  const [record] = await usageOf(pair.farebox, name)
  expect(record).toMatchObject({ outcome: 'client_gone', status: expected.status })
  const charge = record?.charge_credits ?? -1
  if (expected.charged) expect(charge).toBeGreaterThan(0)
  else expect(charge).toBe(0)
  expect(record?.usage_source).toBe(expected.charged ? 'estimated' : 'none')
  expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: 0, used_credits: charge, total_requests: 1 })
}

async function expectStopped(sinceMs: number): Promise<void> {
  await soon(() => pair.upstream.requests[0]?.closedAtMs)
  expect((pair.upstream.requests[0]?.closedAtMs ?? Infinity) - sinceMs).toBeLessThanOrEqual(STOP_MS)
}

describe('a client that leaves', () => {
  it.each([
    ['before the headers of a whole answer', {}, { headersAfterMs: Infinity }],
    ['in the middle of a whole answer', {}, { stall: { at: { byte: 100 }, ms: Infinity } }],
    ['before the headers of a stream', { stream: true }, { headersAfterMs: Infinity }],
    ['before the first event of a stream', { stream: true }, { stall: { at: { insideEvent: 0 }, ms: Infinity } }],
  ] as const)('%s stops the upstream and pays nothing', async (_when, members, transport) => {
    pair.upstream.script({ type: 'answer', ...transport })
    const leaving = new AbortController()
    const call = chat(pair.farebox, key, members, { signal: leaving.signal })
    await soon(() => pair.upstream.requests.length)
    expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: expect.toSatisfy((held) => held > 0) })
    const leftAtMs = Date.now()
    leaving.abort()
    await expect(call).rejects.toThrow('aborted')
    await expectStopped(leftAtMs)
    await expectLeft({ status: 499, charged: false })
  })

  it.each([
    ['while it comes', { type: 'endless', delayMs: 5 }],
    ['while it is silent', { type: 'answer', stall: { at: { insideEvent: 3 }, ms: Infinity } }],
  ] as const)('a stream %s stops the upstream and pays for what was delivered', async (_when, behaviour) => {
    pair.upstream.script(behaviour)
    const leaving = new AbortController()
    const response = await chat(pair.farebox, key, { stream: true }, { signal: leaving.signal })
    await response.body?.getReader().read()
    const leftAtMs = Date.now()
    leaving.abort()
    await expectStopped(leftAtMs)
    await expectLeft({ status: 200, charged: true })
  })

  it('behind the last byte of its answer has been served like any other', async () => {
    const response = await chat(pair.farebox, key, { stream: true })
    await response.text()
    const [record] = await usageOf(pair.farebox, name)
    expect(record).toMatchObject({ outcome: 'answered', usage_source: 'reported' })
  })

  it('while its body is on the way has called nobody', async () => {
    const socket = await open()
    const body = JSON.stringify({ model: 'chat', messages: HELLO })
    socket.write(head(body.length) + body.slice(0, -1))
    socket.destroy()
    await once(socket, 'close')
    // A call that is made afterwards is the only one that was ever made.
    expect((await chat(pair.farebox, key)).status).toBe(200)
    expect(pair.upstream.requests).toHaveLength(1)
    expect(await pair.farebox.balance(key)).toMatchObject({ total_requests: 1, held_credits: 0 })
  })

  it('while it waits for credits leaves the queue, and nobody is called for it', async () => {
    await pair.farebox.admin.call('addPackage', { body: { name: 'one', type: 'topup', credits: 0.001 } })
    await newKey('one')
    await expectQueueLeft('held')
  })

  it('while it waits for its rate limit leaves the queue, and nobody is called for it', async () => {
    const limits = { concurrent_requests: 1 }
    await pair.farebox.admin.call('addPackage', { body: { name: 'single', type: 'topup', credits: 5, limits } })
    await newKey('single')
    await expectQueueLeft('limited')
  })

  it.each([
    ['before the headers of a whole answer', {}, { headersAfterMs: Infinity }],
    ['before the headers of a stream', { stream: true }, { headersAfterMs: Infinity }],
    ['in the middle of a stream', { stream: true }, { stall: { at: { insideEvent: 3 }, ms: Infinity } }],
  ] as const)(
    '%s stops the upstream also where a tunnel tells only that it sends no more',
    async (_when, members, transport) => {
      pair.upstream.script({ type: 'answer', ...transport })
      const tunnel = await openTunnel()
      const client = connect(tunnel.port, '127.0.0.1')
      const body = JSON.stringify({ model: 'chat', messages: HELLO, ...members })
      const begun = 'stall' in transport ? once(client, 'data') : undefined
      client.resume().write(head(body.length) + body)
      await soon(() => pair.upstream.requests.length)
      await begun
      client.destroy()
      // The tunnel is told by what it passes on later.
      await expect.poll(() => pair.upstream.requests[0]?.closedAtMs, { timeout: 20_000 }).toBeTruthy()
      tunnel.close()
    },
  )
})

describe('a client that closes its sending side', () => {
  it.each([
    ['a whole answer', {}, {}],
    ['a whole answer that takes its time', {}, { headersAfterMs: 400 }],
    ['a stream', { stream: true }, {}],
    ['a stream that is silent for a while', { stream: true }, { stall: { at: { insideEvent: 3 }, ms: 400 } }],
    ['a stream in small pieces', { stream: true }, { chunking: 'byte-by-byte' }],
  ] as const)('reads %s', async (_what, members, transport) => {
    pair.upstream.script({ type: 'answer', ...transport })
    const body = JSON.stringify({ model: 'chat', messages: HELLO, ...members })
    const answer = await sendRaw(pair.farebox, head(body.length) + body, { end: true })
    const text =
      answer.status === 100
        ? answer.body.slice(answer.body.lastIndexOf('HTTP/1.1 '))
        : `HTTP/1.1 ${answer.status}\r\n\r\n${answer.body}`
    expect(text).toMatch(/^HTTP\/1\.1 200/)
    expect(unframed(text.slice(text.indexOf('\r\n\r\n') + 4))).toMatch(
      'stream' in members ? /data: \[DONE\]\n\n$/ : /^\{.*\}\s*$/s,
    )
    await soon(async () => (await usageOf(pair.farebox, name)).length === 1)
    const [record] = await usageOf(pair.farebox, name)
    expect(record).toMatchObject({ outcome: 'answered', usage_source: 'reported' })
  })

  it('reads what is no call, and the answers to all that it asked', async () => {
    const lines = [`authorization: Bearer ${key}`]
    const asked = ['/health', '/v1/balance', '/v1/models'].map((path) =>
      rawText(pair.farebox, `GET ${path} HTTP/1.1`, lines),
    )
    const [first = '', second = '', third = ''] = asked
    const kept = (text: string) => text.replace('connection: close\r\n', '')
    const { status, body } = await sendRaw(pair.farebox, kept(first) + kept(second) + third, { end: true })
    expect(status).toBe(200)
    expect(body.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  })

  it('has its connection ended behind the answer', async () => {
    const request = rawText(pair.farebox, 'GET /health HTTP/1.1').replace('connection: close\r\n', '')
    expect((await sendRaw(pair.farebox, request, { end: true })).status).toBe(200)
  })

  it('and leaves later, while nothing comes, stops the upstream', async () => {
    pair.upstream.script({ type: 'answer', headersAfterMs: Infinity })
    const socket = await open()
    const body = JSON.stringify({ model: 'chat', messages: HELLO })
    socket.resume().end(head(body.length) + body)
    await soon(() => pair.upstream.requests.length)
    // Three of what means nothing: nobody leaves in the time in which the first of them find it out.
    const seen = new Promise<void>((resolve) => {
      let text = ''
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()).split('100 Continue').length > 4 && resolve())
    })
    await seen
    expect(await pair.farebox.balance(key)).toMatchObject({ held_credits: expect.toSatisfy((held) => held > 0) })
    socket.destroy()
    await expect.poll(() => pair.upstream.requests[0]?.closedAtMs, { timeout: 20_000 }).toBeTruthy()
    await expectLeft({ status: 499, charged: false })
  })

  it('in the middle of its body has asked nothing', async () => {
    const body = JSON.stringify({ model: 'chat', messages: HELLO })
    expect((await sendRaw(pair.farebox, head(body.length) + body.slice(0, -1), { end: true })).status).toBe(400)
    expect(pair.upstream.requests).toEqual([])
  })
})

/** The text of a body in chunks, whose lengths may begin with zeros; others as they are. */
function unframed(body: string): string {
  if (!/^[0-9a-f]+\r\n/.test(body)) return body
  let text = ''
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at)
    const length = Number.parseInt(body.slice(at, end), 16)
    if (length === 0) return text
    text += body.slice(end + 2, end + 2 + length)
    at = end + 2 + length + 2
  }
}

/** Passes connections on, and of a client that is gone only that it sends no more. */
async function openTunnel(): Promise<{ readonly port: number; close(): void }> {
  const { hostname, port } = new URL(pair.farebox.url)
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, close }
}

/** The second of two calls leaves while it waits for the first; a third gets the place. */
async function expectQueueLeft(user: string): Promise<void> {
  pair.upstream.once({ type: 'answer', headersAfterMs: 700 })
  const first = chat(pair.farebox, key, { user: `${user} first` })
  await soon(() => pair.upstream.requests.length)
  const leaving = new AbortController()
  const second = chat(pair.farebox, key, { user: `${user} second` }, { signal: leaving.signal })
  const left = expect(second).rejects.toThrow('aborted')
  const third = chat(pair.farebox, key, { user: `${user} third` })
  leaving.abort()
  await left
  expect((await first).status).toBe(200)
  expect((await third).status).toBe(200)
  expect(pair.upstream.requests.map((request) => request.body['user'])).toEqual([`${user} first`, `${user} third`])
  expect(await pair.farebox.balance(key)).toMatchObject({ total_requests: 2, held_credits: 0 })
}

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(pair.farebox.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}

function head(length: number): string {
  const lines = [`authorization: Bearer ${key}`, 'content-type: application/json', `content-length: ${length}`]
  return rawText(pair.farebox, `POST ${CHAT_PATH} HTTP/1.1`, lines)
}
