// Clients that mean no good: heads that come in drops, thousands of connections that say nothing, answers that nobody reads, bodies
// that would fill the memory. Each is ended or refused, and everybody else is served meanwhile.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpClient } from '#server/http-client.ts'
import { chat, CHAT_PATH, get, startPair, type Pair } from './support.ts'

let pair: Pair
let key: string
const port = () => Number(new URL(pair.farebox.url).port)

beforeAll(async () => {
  pair = await startPair()
  key = await pair.farebox.newKey('plenty')
})
afterAll(() => pair.close())

function opened(): Promise<Socket> {
  const socket = connect(port(), '127.0.0.1')
  socket.on('error', () => undefined)
  return once(socket, 'connect').then(() => socket)
}

describe('thousands of connections that say nothing', () => {
  it('are bounded, lock nobody out, and are gone afterwards', { timeout: 120_000 }, async () => {
    const before = process.memoryUsage.rss()
    const sockets: Socket[] = []
    for (let batch = 0; batch < 10; batch++) {
      sockets.push(...(await Promise.all(Array.from({ length: 500 }, opened))))
    }
    expect((await chat(pair.farebox, key)).status).toBe(200)
    const alive = () => sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length
    for (const socket of sockets) socket.resume()
    await expect.poll(alive, { timeout: 30_000 }).toBeLessThanOrEqual(4096)
    // Both ends of all connections are in this process.
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024)
    for (const socket of sockets) socket.destroy()
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })
})

it('ends a head that comes in drops, after ten seconds or little more', { timeout: 60_000 }, async () => {
  const socket = await opened()
  socket.write('GET /health HTTP/1.1\r\nhost: ')
  const drops = setInterval(() => socket.write('x'), 500)
  const startedMs = performance.now()
  await once(socket.resume(), 'close')
  clearInterval(drops)
  expect(performance.now() - startedMs).toBeLessThan(30_000)
  expect((await get(pair.farebox, '/health')).status).toBe(200)
})

describe('bodies that would fill the memory', () => {
  it('are refused by what they announce, unread, and only while others fill it', { timeout: 60_000 }, async () => {
    // The budget is a quarter of a memory, so that nobody can say here how many it takes.
    const head = `host: 127.0.0.1:${port()}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
    const announced = `POST ${CHAT_PATH} HTTP/1.1\r\n${head}content-length: ${32 * 1024 * 1024}\r\n\r\n{`
    const sockets: Socket[] = []
    const refused: string[] = []
    for (let count = 0; count < 3000 && refused.length === 0; count++) {
      const socket = await opened()
      sockets.push(socket)
      socket.write(announced)
      text(socket).then(
        (answer) => refused.push(answer),
        () => undefined,
      )
    }
    await expect.poll(() => refused.length).toBeGreaterThan(0)
    expect(refused[0]).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused[0]).toMatch(/\r\nretry-after: 5\r\n/i)
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await chat(pair.farebox, key)).status).toBe(200)
  })
})

describe('a whole answer that nobody reads', () => {
  it('is cut after a while without progress, also when its last byte was written', async () => {
    const large = 'x'.repeat(32 * 1024 * 1024)
    const ended = Promise.withResolvers<boolean>()
    const server = createServer((_request, response) => {
      const client = new HttpClient(response, 300)
      client.begin(200, {})
      client.end(large)
      response.once('close', () => ended.resolve(response.writableFinished))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(await ended.promise).toBe(false)
    socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  it('is not cut while its client reads slowly', { timeout: 60_000 }, async () => {
    const large = 'x'.repeat(24 * 1024 * 1024)
    const stuckMs = 1500
    const server = createServer((_request, response) => {
      const client = new HttpClient(response, stuckMs)
      client.begin(200, {})
      client.end(large)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    let received = 0
    const startedMs = performance.now()
    // Some 60 kB each time.
    const reading = setInterval(() => (received += (socket.read() as Buffer | null)?.length ?? 0), 8)
    await once(socket, 'end')
    clearInterval(reading)
    expect(received).toBeGreaterThan(large.length)
    expect(performance.now() - startedMs).toBeGreaterThan(stuckMs)
    socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
})
