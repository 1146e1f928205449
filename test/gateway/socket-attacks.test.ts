// Clients of WebSockets that misbehave: in the handshake, in frames, in messages, in time. Whatever they do, others are served, nothing stays
// held and every call that began has its record.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectSoundBooks } from './fault-support.ts'
import { startFormats } from './formats.ts'
import { errorIn, frame, openTalk, OPCODE, type Frame, type Talk } from './socket-support.ts'
import { rawText, sendRaw, soon, usageOf, type Pair } from './support.ts'

let pair: Pair
let key = ''
let name = ''
let calls = 0

beforeAll(async () => {
  pair = await startFormats({ env: { FAREBOX_WEBSOCKETS: 'true' } })
})

beforeEach(async () => {
  pair.upstream.forget()
  name = `misbehaving ${++calls}`
  key = (await pair.farebox.admin.call('createKey', { body: { name, package: 'plenty' } })).key
})

afterAll(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

const CREATE = { type: 'response.create', model: 'chat-completions', input: 'Hello', store: false }
const held = async () => (await pair.farebox.balance(key))['held_credits']
const records = () => usageOf(pair.farebox, name)

/** Nothing is left of whoever misbehaved, and another client of the same key is served. */
async function expectUnharmed(): Promise<void> {
  await soon(async () => (await held()) === 0)
  const talk = await openTalk(pair.farebox, key)
  expect((await talk.ask({ ...CREATE, model: 'demo' })).at(-1)?.type).toBe('response.completed')
  await talk.close()
  expect(pair.farebox.log.filter((line) => line.startsWith('fault'))).toEqual([])
}

// ---- Frames as no library writes them ----

const { continued: CONTINUED, text: TEXT, close: CLOSE, ping: PING } = OPCODE

/** A connection on which the handshake is done. */
async function openRaw(): Promise<{ socket: Socket; ended: Promise<Buffer> }> {
  const { hostname, port, host } = new URL(pair.farebox.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(
    `GET /v1/responses HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\nconnection: Upgrade\r\n` +
      `upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  )
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const ended = once(socket, 'close').then(() => afterHead(Buffer.concat(chunks)))
  await expect
    .poll(() => Buffer.concat(chunks).toString('latin1'), { interval: 2 })
    .toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\n/)
  return { socket, ended }
}

function afterHead(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
}

/** The code of the close frame that an answer ends with; undefined where there is none. */
function closeCode(bytes: Buffer): number | undefined {
  const at = bytes.lastIndexOf(0x88)
  return at === -1 || at + 4 > bytes.length ? undefined : bytes.readUInt16BE(at + 2)
}

const text = (payload: string, more: Partial<Frame> = {}) => frame({ opcode: TEXT, payload, ...more })
const create = (members: object = {}) => JSON.stringify({ ...CREATE, ...members })

describe('broken frames end the connection with the code that says why:', () => {
  it.each<readonly [string, number, () => Buffer]>([
    ['a frame that is not masked', 1002, () => text(create(), { isMasked: false })],
    ['a reserved bit, as for compression that nobody agreed on', 1002, () => text(create(), { reserved: 0x40 })],
    ['another reserved bit', 1002, () => text(create(), { reserved: 0x10 })],
    ['an opcode that there is not', 1002, () => frame({ opcode: 5, payload: 'x' })],
    ['a control opcode that there is not', 1002, () => frame({ opcode: 0xb, payload: 'x' })],
    ['a continuation of nothing', 1002, () => frame({ opcode: CONTINUED, payload: 'x' })],
    ['a message inside of another', 1002, () => Buffer.concat([text('{', { isFinal: false }), text(create())])],
    ['a ping in pieces', 1002, () => frame({ opcode: PING, payload: 'x', isFinal: false })],
    ['a ping that is too long', 1002, () => frame({ opcode: PING, payload: 'x'.repeat(126) })],
    ['a close frame of one byte', 1002, () => frame({ opcode: CLOSE, payload: 'x' })],
    ['a close code that may not be sent', 1002, () => frame({ opcode: CLOSE, payload: Buffer.of(3, 237) })],
    ['text that is not UTF-8', 1007, () => frame({ opcode: TEXT, payload: Buffer.of(0x22, 0xc3, 0x28, 0x22) })],
    ['a length beyond what can be counted', 1009, () => text('x', { length: 1n << 60n })],
    ['a length beyond the bound of a body', 1009, () => text('x', { length: 33n * 1024n * 1024n })],
    [
      'more pieces than any message has',
      1008,
      () =>
        Buffer.concat([
          text('{', { isFinal: false }),
          ...Array<Buffer>(2000).fill(frame({ opcode: CONTINUED, payload: ' ', isFinal: false })),
        ]),
    ],
  ])('%s (%i)', async (_what, code, bytes) => {
    const { socket, ended } = await openRaw()
    socket.write(bytes())
    expect(closeCode(await ended)).toBe(code)
    expect(await records()).toEqual([])
    await expectUnharmed()
  })
})

describe('a message that is none is told so in an event, and the next one is served:', () => {
  const deep = (levels: number) => `{"type":"response.create","x":${'['.repeat(levels)}${']'.repeat(levels)}}`
  it.each<readonly [string, string | Buffer, number, object]>([
    ['nothing', '', 400, {}],
    ['no JSON', 'hello', 400, {}],
    ['half of it', create().slice(0, -5), 400, {}],
    ['a list', '[]', 400, {}],
    ['a text', '"response.create"', 400, {}],
    ['without a type', JSON.stringify({ ...CREATE, type: undefined }), 400, { param: 'type' }],
    ['of another type', create({ type: 'response.cancel' }), 400, { param: 'type' }],
    ['of a type that is no text', create({ type: ['response.create'] }), 400, { param: 'type' }],
    ['with a type twice', '{"type":"response.cancel","type":"response.create","model":"demo","input":"x"}', 400, {}],
    ['too deep', deep(100_000), 400, {}],
    ['of too many parts', `{"type":"response.create","x":[${'{},'.repeat(150_000)}{}]}`, 413, {}],
    ['without a model', create({ model: undefined }), 400, { param: 'model' }],
    ['without an input', create({ input: undefined }), 400, { param: 'input' }],
    ['for a model that there is not', create({ model: 'none' }), 404, {}],
    ['for another lane', create({ stream_id: 'two' }), 400, { param: 'stream_id' }],
    ['with a wrong wish for a warm-up', create({ generate: 'no' }), 400, { param: 'generate' }],
    ['a warm-up of no items', create({ generate: false, input: 5 }), 400, { param: 'input' }],
    ['in the background', create({ background: true }), 400, { param: 'background' }],
    ['from an answer that there is not', create({ previous_response_id: 'resp_none' }), 400, {}],
    ['from an answer of a wrong type', create({ previous_response_id: { id: 1 } }), 400, {}],
    ['binary', Buffer.from(create()), 400, {}],
  ])('%s', async (_what, message, status, members) => {
    const talk = await openTalk(pair.farebox, key)
    talk.webSocket.send(message)
    const event = await talk.next()
    expect(event).toMatchObject({ type: 'error', status, headers: { 'x-request-id': expect.any(String) } })
    expect(errorIn(event)).toMatchObject({ code: expect.any(String), message: expect.stringMatching(/\S/), ...members })
    expect((await talk.ask({ ...CREATE, model: 'demo' })).at(-1)?.type).toBe('response.completed')
    await talk.close()
    expect(await records()).toHaveLength(1)
    await expectUnharmed()
  })
})

describe('a handshake that is none, or of somebody who may not, opens nothing:', () => {
  const open = (headers: Record<string, string>, more: { path?: string; key?: string } = {}) =>
    openTalk(pair.farebox, 'key' in more ? more.key : key, { headers, ...(more.path && { path: more.path }) })
  it.each<readonly [string, number, () => Promise<Talk>]>([
    ['without a key', 401, () => openTalk(pair.farebox, undefined)],
    ['with a wrong key', 401, () => openTalk(pair.farebox, 'key_wrong')],
    ['with a key in the query', 401, () => openTalk(pair.farebox, undefined, { path: `/v1/responses?api_key=${key}` })],
    ['from a web page', 403, () => open({ origin: 'https://example.com' })],
    ['from a page of another site, as a browser says', 403, () => open({ 'sec-fetch-site': 'cross-site' })],
    ['to another host', 403, () => open({ host: 'example.com' })],
    ['at another path', 400, () => open({}, { path: '/v1/chat/completions' })],
  ])('%s (%i)', async (_what, status, attempt) => {
    await expect(attempt()).rejects.toThrow(`refused with ${status}`)
    await expectUnharmed()
  })
})

it.each([
  ['of an old version', 'sec-websocket-version: 8', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='],
  ['with a wrong nonce', 'sec-websocket-version: 13', 'sec-websocket-key: short'],
  ['without a nonce', 'sec-websocket-version: 13', 'x-nothing: here'],
])('a handshake %s is answered 426', async (_what, ...lines) => {
  const own = ['upgrade: websocket', `authorization: Bearer ${key}`]
  const request = rawText(pair.farebox, 'GET /v1/responses HTTP/1.1', [...own, ...lines])
  expect((await sendRaw(pair.farebox, request)).status).toBe(426)
  await expectUnharmed()
})

describe('a client that leaves', () => {
  const stalled = { type: 'answer', text: 'word '.repeat(20), stall: { at: { afterEvent: 3 }, ms: Infinity } } as const
  const leave: Readonly<Record<string, (talk: Talk) => void>> = {
    'by a close frame': (talk) => talk.webSocket.close(),
    'without a word': (talk) => talk.webSocket.terminate(),
  }
  describe.each(Object.entries(leave))('%s', (_how, leaves) => {
    it('before it asked anything leaves nothing', async () => {
      const talk = await openTalk(pair.farebox, key)
      leaves(talk)
      await talk.closed
      expect(await records()).toEqual([])
      await expectUnharmed()
    })

    it('before its answer begins has its upstream stopped', async () => {
      pair.upstream.script({ type: 'answer', headersAfterMs: Infinity })
      const talk = await openTalk(pair.farebox, key)
      talk.send(CREATE)
      await soon(() => pair.upstream.requests.length)
      expect(await held()).toBeGreaterThan(0)
      leaves(talk)
      await soon(() => pair.upstream.requests[0]?.closedAtMs)
      await soon(async () => (await records()).length === 1)
      expect((await records())[0]).toMatchObject({ outcome: 'client_gone', charge_credits: 0 })
      await expectUnharmed()
    })

    it('in the middle of its answer pays for what it got', async () => {
      pair.upstream.script(stalled)
      const talk = await openTalk(pair.farebox, key)
      talk.send(CREATE)
      for (let event = await talk.next(); event.type !== 'response.output_text.delta';) event = await talk.next()
      leaves(talk)
      await soon(async () => (await records()).length === 1)
      expect((await records())[0]).toMatchObject({
        outcome: 'client_gone',
        charge_credits: expect.toSatisfy((it) => it > 0),
      })
      await expectUnharmed()
    })

    it('with one message waiting behind another is not served that', async () => {
      pair.upstream.script(stalled)
      const talk = await openTalk(pair.farebox, key)
      talk.send(CREATE)
      await talk.next()
      leaves(talk)
      await soon(async () => (await records()).length === 1)
      expect(pair.upstream.requests).toHaveLength(1)
      await expectUnharmed()
    })
  })

  it('in the middle of a message leaves nothing', async () => {
    const { socket, ended } = await openRaw()
    socket.write(text(create()).subarray(0, 40))
    socket.destroy()
    await ended
    expect(await records()).toEqual([])
    await expectUnharmed()
  })
})

describe('a client that sends more than it waits for', () => {
  it('has twenty messages answered one after another', async () => {
    const talk = await openTalk(pair.farebox, key)
    for (let index = 0; index < 20; index++) talk.send({ ...CREATE, model: 'demo', input: `number ${index}` })
    for (let index = 0; index < 20; index++) expect((await talk.answer()).at(-1)?.type).toBe('response.completed')
    await talk.close()
    await soon(async () => (await records()).length === 20)
    await expectUnharmed()
  })

  it('and reads nothing of what it is told is not served any further', async () => {
    const { socket } = await openRaw()
    socket.pause()
    const wrong = text('x')
    const pings = frame({ opcode: PING, payload: 'x'.repeat(100) })
    const flood = Buffer.concat(Array<Buffer>(2000).fill(Buffer.concat([wrong, pings])))
    let taken = 0
    // Farebox stops reading when its own answers are not read, so that the bytes stay with whoever sends them.
    while (socket.write(flood, () => (taken += 1)) || socket.writableLength < 64 * flood.length);
    await soon(() => taken > 0 || socket.writableLength > 0)
    await expectUnharmed()
    socket.destroy()
  })
})
