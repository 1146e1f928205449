// What a WebSocket takes of memory before it has asked anything: parts of messages count among the bodies of all calls.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { BodyBudget } from '#server/bodies/body-budget.ts'
import { FrameMeter } from '#server/socket/frame-meter.ts'
import { Connection, type ConnectionDeps, type Welcomed } from '#server/socket/connection.ts'
import { Sockets } from '#server/socket/sockets.ts'
import { frame, OPCODE } from '../gateway/socket-support.ts'

const MIB = 1024 * 1024

let server: Server
let bodies: BodyBudget
let sockets: Sockets
let nowMs: number

beforeEach(async () => {
  nowMs = 0
  const clock = { nowMs: () => 0, monotonicMs: () => nowMs }
  bodies = new BodyBudget(8 * MIB)
  sockets = new Sockets({ isOn: true, most: 100, ...clock })
  const key = { id: 'key', hash: 'hash' }
  const catalog = { key: () => key, statusOf: () => 'active', package: () => ({}) }
  const deps = { clock, sockets, catalog, memory: { bodies } } as unknown as ConnectionDeps
  const webSockets = new WebSocketServer({ noServer: true, autoPong: false })
  server = createServer().on('upgrade', (request, socket, head) => {
    const opened = { id: 'one', caller: { key }, socket } as unknown as Welcomed
    webSockets.handleUpgrade(request, socket, head, (webSocket) => sockets.add(new Connection(webSocket, opened, deps)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(() => void server.close())

async function open(): Promise<WebSocket> {
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  client.on('error', () => undefined)
  await once(client, 'open')
  return client
}

it('counts what has arrived of a message, and gives it back with the connection', async () => {
  const client = await open()
  client.send(Buffer.alloc(2 * MIB, ' '), { fin: false, binary: false })
  await expect.poll(() => bodies.bytes).toBeGreaterThanOrEqual(2 * MIB)
  expect(sockets.size).toBe(1)
  client.terminate()
  await expect.poll(() => bodies.bytes).toBe(0)
  expect(sockets.size).toBe(0)
})

it('ends a connection that there is no memory for, and says why', async () => {
  const client = await open()
  const closed = once(client, 'close')
  client.send(Buffer.alloc(7 * MIB, ' '), { fin: false, binary: false })
  expect((await closed)[0]).toBe(1013)
  await expect.poll(() => bodies.bytes).toBe(0)
})

it('does not take pings for parts of a message', async () => {
  const client = await open()
  for (let index = 0; index < 3; index++) {
    client.ping()
    await once(client, 'pong')
    expect(bodies.bytes).toBe(0)
  }
  client.terminate()
})

/** A client that writes its own frames. */
async function openRaw(): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let text = ''
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  const nonce = 'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
  socket.write(`GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${nonce}\r\n\r\n`)
  await expect.poll(() => text).toContain('\r\n\r\n')
  return { socket, text: () => text }
}

const control = (opcode: number, payload = '') => frame({ opcode, payload })
const PINGS = [control(OPCODE.ping, 'x'.repeat(100)), control(OPCODE.ping), control(OPCODE.pong, 'x'.repeat(125))]
const BEGUN = frame({ opcode: OPCODE.text, payload: '{"type":', isFinal: false })

it.each([
  ['pings and pongs in one segment', [Buffer.concat([...PINGS, ...PINGS])]],
  [
    'two pings, the second of which comes in two segments',
    [Buffer.concat(PINGS).subarray(0, 110), Buffer.concat(PINGS).subarray(110)],
  ],
  ['pings byte by byte', Array.from(Buffer.concat(PINGS), (byte) => Buffer.of(byte))],
])('does not end a connection for %s', async (_what, segments) => {
  const { socket, text } = await openRaw()
  const before = socket.bytesRead
  for (const bytes of segments) {
    socket.write(bytes)
    await new Promise((resolve) => setImmediate(resolve))
  }
  // Both pings were answered.
  await expect.poll(() => socket.bytesRead).toBeGreaterThanOrEqual(before + 104)
  await expect.poll(() => bodies.bytes).toBe(0)
  nowMs = 121_000
  sockets.look()
  socket.write(control(OPCODE.ping, 'still here'))
  await expect.poll(text).toContain('still here')
  expect(text()).not.toContain('too long')
  socket.destroy()
})

it('ends a connection whose message does not arrive, whatever pings come between its parts', async () => {
  const { socket, text } = await openRaw()
  socket.write(Buffer.concat([...PINGS, BEGUN, ...PINGS]))
  await expect.poll(() => bodies.bytes).toBe(BEGUN.length)
  nowMs = 119_000
  socket.write(Buffer.concat(PINGS))
  nowMs = 121_000
  sockets.look()
  await expect.poll(text).toContain('The message took too long to arrive.')
  socket.destroy()
  await expect.poll(() => bodies.bytes).toBe(0)
})

/** Messages of some frames each, with control frames before any of them. */
const message = fc.array(
  fc.record({ length: fc.oneof(fc.nat(130), fc.nat(70_000)), controls: fc.array(fc.nat(125), { maxLength: 2 }) }),
  { minLength: 1, maxLength: 4 },
)

it('counts each message by its frames, however they are cut', () => {
  const property = fc.property(
    fc.array(message, { maxLength: 4 }),
    fc.boolean(),
    fc.infiniteStream(fc.nat(40_000)),
    (all, isWhole, sizes) => {
      const expected: number[] = []
      const bytes = Buffer.concat(
        all.flatMap((frames, index) => {
          let count = 0
          const isOpen = !isWhole && index === all.length - 1
          const made = frames.flatMap(({ length, controls }, place) => {
            const opcode = place === 0 ? OPCODE.text : OPCODE.continued
            const data = frame({ opcode, payload: 'x'.repeat(length), isFinal: !isOpen && place === frames.length - 1 })
            count += data.length
            return [...controls.map((size) => control(OPCODE.ping, 'p'.repeat(size))), data]
          })
          expected.push(count)
          return [...made, control(OPCODE.pong)]
        }),
      )
      const counted: number[] = []
      let arriving = 0
      const meter = new FrameMeter({
        messageBytes: (count) => (arriving += count),
        messageEnd: () => {
          counted.push(arriving)
          arriving = 0
        },
      })
      for (let at = 0; at < bytes.length;) {
        const size = Math.max(1, sizes.next().value ?? 1)
        meter.read(bytes.subarray(at, at + size))
        at += size
      }
      if (arriving > 0) counted.push(arriving)
      expect(counted).toEqual(expected)
    },
  )
  fc.assert(property, { numRuns: 200 })
})
