// Clients that mean no good: heads that come in drops, thousands of connections that say nothing, answers that nobody reads, bodies
// that would fill the memory. Each is ended or refused, and everybody else is served meanwhile.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpClient } from '#server/http/http-client.ts'
import { MemoryGuard } from '#server/bodies/memory-guard.ts'
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
  const MIB = 1024 * 1024
  /** Sends the head of a call and the beginning of its body. */
  const begun = async (bodyBytes: number, sent: number) => {
    const head = `host: 127.0.0.1:${port()}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
    const socket = await opened()
    socket.write(`POST ${CHAT_PATH} HTTP/1.1\r\n${head}content-length: ${bodyBytes}\r\n\r\n`)
    socket.write(Buffer.alloc(sent, ' '))
    return socket
  }

  it('that are announced and never come keep nobody out', { timeout: 60_000 }, async () => {
    // Together they announce more than any machine has.
    const sockets = await Promise.all(Array.from({ length: 1000 }, () => begun(32 * MIB, 1)))
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await chat(pair.farebox, key)).status))
    expect(statuses).toEqual(statuses.map(() => 200))
    for (const socket of sockets) socket.destroy()
  })

  it('that come are let go of where there are too many, and small ones served', { timeout: 120_000 }, async () => {
    const memory = new MemoryGuard()
    let refused = 0
    const sockets: Socket[] = []
    // What all may take together is a share of what this process may have, so that nobody can say here how many it takes.
    for (let taken = 0; refused === 0 && memory.refusal(taken) === undefined; taken += 31 * MIB) {
      const socket = await begun(32 * MIB, 31 * MIB)
      sockets.push(socket)
      text(socket).then(
        (answer) => (refused += Number(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 5\r\n/i.test(answer))),
        () => undefined,
      )
    }
    const more = await Promise.all([begun(32 * MIB, 31 * MIB), begun(32 * MIB, 31 * MIB)])
    for (const socket of more)
      text(socket).then(
        () => (refused += 1),
        () => (refused += 1),
      )
    await expect.poll(() => refused, { timeout: 30_000 }).toBeGreaterThan(0)
    expect((await chat(pair.farebox, key)).status).toBe(200)
    for (const socket of [...sockets, ...more]) socket.destroy()
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
