import { createHash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { expectedBytes } from '../support/upstream-reply.ts'
import { expectSoundBooks } from './fault-support.ts'
import { chat, CHAT_PATH, HELLO, rawText, soon, startPair, usageOf, type Pair } from './support.ts'

/** 60 MB in events of 60 kB: more than the buffers of a system, which may grow to half of that for each connection. */
const PIECES = Array.from({ length: 1000 }, (_, index) => `${index}${'x'.repeat(60_000)}`)
const USAGE = { prompt_tokens: 19, completion_tokens: 1_000_000 }
const LARGE: Behaviour = { type: 'answer', pieces: PIECES, usageAt: 'own-chunk', usage: USAGE }
const CHARGE = (19 + 2 * 1_000_000) / 1e6
const ENDLESS: Behaviour = { type: 'endless', event: `data: {"choices":[],"x":"${'x'.repeat(60_000)}"}\n\n` }
const MAX_BUFFERED = 512 * 1024
const METERED = { model: 'chat', messages: HELLO, stream: true, stream_options: { include_usage: true } }

let pair: Pair
let key: string
/** The answer that Farebox is giving, and its connection to the upstream, as this process sees them from inside. */
let answer: ServerResponse | undefined
let upstreamSocket: Socket | undefined

const noteAnswer = (message: unknown) => {
  const { response, socket } = message as { response: ServerResponse; socket: Socket }
  if (socket.localPort === Number(new URL(pair.farebox.url).port)) answer ??= response
}
const noteConnection = (message: unknown) => void (upstreamSocket = (message as { socket: Socket }).socket)

beforeAll(() => {
  subscribe('http.server.request.start', noteAnswer)
  subscribe('undici:client:connected', noteConnection)
})

beforeEach(async () => {
  pair = await startPair({ env: { FAREBOX_UPSTREAM_SILENCE_TIMEOUT_MS: '1000' } })
  key = await pair.farebox.newKey('plenty')
  answer = undefined
})

afterEach(async () => {
  await expectSoundBooks(pair)
  await pair.close()
})

afterAll(() => {
  unsubscribe('http.server.request.start', noteAnswer)
  unsubscribe('undici:client:connected', noteConnection)
})

/** A client that has sent its request and reads nothing of the answer. */
async function askWithoutReading(behaviour: Behaviour): Promise<Socket> {
  pair.upstream.once(behaviour)
  const { hostname, port } = new URL(pair.farebox.url)
  const socket = connect(Number(port), hostname).pause()
  const lines = [`authorization: Bearer ${key}`, 'content-type: application/json']
  socket.write(rawText(pair.farebox, `POST ${CHAT_PATH} HTTP/1.1`, lines, JSON.stringify(METERED)))
  await soon(() => answer)
  await untilStuck()
  return socket
}

/** Waits until Farebox cannot get rid of any more. */
async function untilStuck(): Promise<void> {
  for (let before = -1; ;) {
    const sent = answer?.socket?.bytesWritten ?? -1
    if (sent === before && answer?.socket?.writableNeedDrain) return
    before = sent
    // Nothing tells that nothing happens: a tenth of a second without progress has to do.
    await sleep(100)
  }
}

/** Bytes of the answer that Farebox has read and not yet handed to the system. */
function buffered(): number {
  const { bytesRead = 0 } = upstreamSocket ?? {}
  const { bytesWritten = 0, writableLength = 0 } = answer?.socket ?? {}
  expect(bytesWritten).toBeGreaterThan(0)
  return bytesRead - (bytesWritten - writableLength)
}

/** The body of a chunked answer, as a hash: it is large. */
async function hashRest(socket: Socket): Promise<{ hash: string; length: number }> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.resume()
  await once(socket, 'close')
  const text = Buffer.concat(chunks)
  let from = text.indexOf('\r\n\r\n') + 4
  const hash = createHash('sha256')
  let length = 0
  for (;;) {
    const end = text.indexOf('\r\n', from)
    const size = parseInt(text.toString('latin1', from, end), 16)
    if (!(size > 0)) return { hash: hash.digest('hex'), length }
    hash.update(text.subarray(end + 2, end + 2 + size))
    length += size
    from = end + 2 + size + 2
  }
}

it('holds the upstream back for a client that does not read, and gives it every byte when it does', async () => {
  // A cap that leaves room for all of it.
  await pair.farebox.admin.call('editModel', {
    id: 'chat',
    body: { max_output_tokens: 100_000_000, context_window: 200_000_000 },
  })
  const socket = await askWithoutReading(LARGE)
  expect(buffered()).toBeLessThan(MAX_BUFFERED)

  // Longer than an upstream may be silent: being held back is not silence.
  await sleep(1500)
  expect(buffered()).toBeLessThan(MAX_BUFFERED)
  expect(pair.upstream.requests[0]?.closedAtMs).toBeUndefined()

  const got = await hashRest(socket)
  const sent = expectedBytes(LARGE, pair.upstream.requests[0]?.body ?? {})
  expect(got.length).toBe(sent.length)
  expect(got.hash).toBe(createHash('sha256').update(sent).digest('hex'))
  expect((await usageOf(pair.farebox))[0]).toMatchObject({ outcome: 'answered', charge_credits: CHARGE })
})

it('serves others meanwhile, and stops the upstream when the client leaves after all', async () => {
  const socket = await askWithoutReading(ENDLESS)
  expect((await chat(pair.farebox, key)).status).toBe(200)
  expect(pair.upstream.requests[0]).toMatchObject({ completed: false, closedAtMs: undefined })
  const leftAtMs = Date.now()
  socket.resetAndDestroy()
  await soon(() => pair.upstream.requests[0]?.closedAtMs)
  expect((pair.upstream.requests[0]?.closedAtMs ?? Infinity) - leftAtMs).toBeLessThan(1000)
  await expect.poll(async () => (await usageOf(pair.farebox)).map((record) => record.outcome)).toContain('client_gone')
  const record = (await usageOf(pair.farebox)).find(({ outcome }) => outcome === 'client_gone')
  expect(record?.charge_credits).toBeGreaterThan(0)
})
