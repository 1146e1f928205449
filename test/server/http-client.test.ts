// The bytes of an answer as they are on the wire, read without a client library: Farebox frames the chunks of a stream by itself.

import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HttpClient } from '#server/http/http-client.ts'

let server: Server
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

type Answer = (client: HttpClient, response: ServerResponse, path: string) => void | Promise<void>

async function serve(answer: Answer, stuckMs?: number): Promise<Socket> {
  server = createServer((request, response) => {
    response.sendDate = false
    const client = new HttpClient(response, stuckMs)
    client.begin(200, { 'x-is': 'here' })
    void answer(client, response, request.url ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return connect((server.address() as AddressInfo).port, '127.0.0.1')
}

const ask = (path: string, last = true) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n${last ? 'connection: close\r\n' : ''}\r\n`

/** What follows the head of the first answer. */
function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n') + 4)
}

it('is one chunk for each write, of strings and buffers, in their order', async () => {
  const socket = await serve(async (client) => {
    client.write('first')
    client.write('at once')
    await turn()
    client.write(Buffer.from('a buffer: ä'))
    client.write('bytes: \u00e4\u00ff')
    await turn()
    client.end('last')
  })
  socket.write(ask('/'))
  const answer = await text(socket.setEncoding('latin1'))
  const buffer = Buffer.from('a buffer: ä').toString('latin1')
  expect(bodyOf(answer)).toBe(
    `5\r\nfirst\r\n7\r\nat once\r\nc\r\n${buffer}\r\n9\r\nbytes: \u00e4\u00ff\r\n4\r\nlast\r\n0\r\n\r\n`,
  )
})

it('does not end with a write of nothing', async () => {
  const socket = await serve(async (client) => {
    client.write('one')
    await turn()
    expect(client.write('')).toBe(true)
    expect(client.write(Buffer.alloc(0))).toBe(true)
    client.write('two')
    client.end()
  })
  socket.write(ask('/'))
  expect(bodyOf(await text(socket))).toBe('3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n')
})

it('keeps large and small chunks in their order', async () => {
  const chunks = ['s', 'x'.repeat(20_000), 'small', 'y'.repeat(16_384), 'z'.repeat(16_385), 'end']
  const socket = await serve(async (client) => {
    for (const chunk of chunks) {
      client.write(chunk)
      await turn()
    }
    client.end()
  })
  socket.write(ask('/'))
  const expected = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
  expect(bodyOf(await text(socket))).toBe(`${expected}0\r\n\r\n`)
})

it('waits for its turn behind the answer to an earlier request of the same connection', async () => {
  const earlier = Promise.withResolvers<HttpClient>()
  const later = Promise.withResolvers<undefined>()
  const socket = await serve(async (client, _response, path) => {
    client.write(`${path} 1`)
    if (path === '/first') return earlier.resolve(client)
    await turn()
    client.write(`${path} 2`)
    client.end()
    later.resolve(undefined)
  })
  socket.write(ask('/first', false) + ask('/second'))
  const first = await earlier.promise
  await later.promise
  first.write('/first 2')
  first.end()
  const answers = (await text(socket)).split('HTTP/1.1 200 OK\r\n').slice(1).map(bodyOf)
  expect(answers).toEqual([
    '8\r\n/first 1\r\n8\r\n/first 2\r\n0\r\n\r\n',
    '9\r\n/second 1\r\n9\r\n/second 2\r\n0\r\n\r\n',
  ])
})

it('has no chunks for a client of HTTP/1.0', async () => {
  const socket = await serve(async (client) => {
    client.write('one ')
    await turn()
    client.write('two ')
    client.end('three')
  })
  socket.write('POST / HTTP/1.0\r\ncontent-length: 0\r\n\r\n')
  expect(bodyOf(await text(socket))).toBe('one two three')
})

it.each([
  ['small chunks', 8 * 1024],
  ['large chunks', 64 * 1024],
])('says when it is full of %s, and when it is not any more', async (_, size) => {
  const whole = Promise.withResolvers<number>()
  const socket = await serve((client, response) => {
    let written = 0
    const fill = () => {
      for (;;) {
        const goesOn = client.write('x'.repeat(size))
        written += size
        if (written > 40_000_000) {
          client.end()
          return whole.resolve(written)
        }
        if (!goesOn) return client.onDrain(fill)
        expect(response.socket?.writableLength).toBeLessThan(1_000_000)
      }
    }
    fill()
  })
  socket.write(ask('/'))
  const { length } = bodyOf(await text(socket))
  expect(length).toBeGreaterThan(await whole.promise)
})

it('goes to nobody once the client is gone', async () => {
  const gone = Promise.withResolvers<boolean>()
  const socket = await serve(async (client, response) => {
    client.write('one')
    await once(response, 'close')
    expect(client.write('two')).toBe(false)
    gone.resolve(client.isCancelled)
  })
  socket.write(ask('/'))
  await once(socket, 'data')
  socket.resetAndDestroy()
  expect(await gone.promise).toBe(true)
})

describe('a client that does not read', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  const STUCK_MS = 60_000
  const [SMALL, LARGE] = ['s'.repeat(8 * 1024), 'l'.repeat(64 * 1024)]

  /** An answer whose client has been sent more than it takes; it asks for nothing else on its connection. */
  async function full(chunk: string) {
    const begun = Promise.withResolvers<{ client: HttpClient; response: ServerResponse }>()
    const socket = await serve((client, response) => begun.resolve({ client, response }), STUCK_MS)
    socket.on('error', () => undefined)
    socket.write(ask('/'))
    const answer = await begun.promise
    while (answer.client.write(chunk)) await turn()
    return { ...answer, socket }
  }

  it.each([
    ['small chunks', SMALL, SMALL],
    ['large chunks', LARGE, LARGE],
    ['a small chunk and a large one', SMALL, LARGE],
    ['a large chunk and a small one', LARGE, SMALL],
  ])('is waited for once, whatever more it is sent meanwhile: %s', async (_, chunk, next) => {
    const { client, response, socket } = await full(chunk)
    const told: string[] = []
    client.onDrain(() => told.push('first'))
    expect(client.write(next)).toBe(false)
    const drained = Promise.withResolvers<undefined>()
    client.onDrain(() => {
      told.push('second')
      drained.resolve(undefined)
    })
    expect(vi.getTimerCount()).toBe(1)
    socket.resume()
    await drained.promise
    expect(told).toEqual(['second'])
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(STUCK_MS)
    expect(response.destroyed).toBe(false)
    const whole = once(response, 'finish')
    client.end()
    await whole
  })

  it('is cut when the time is over that it had since it was full', async () => {
    const { client, response, socket } = await full(SMALL)
    client.onDrain(() => expect.unreachable())
    vi.advanceTimersByTime(STUCK_MS - 1)
    client.write(LARGE)
    client.onDrain(() => expect.unreachable())
    expect(response.destroyed).toBe(false)
    const gone = once(response, 'close')
    vi.advanceTimersByTime(1)
    expect(response.destroyed).toBe(true)
    await gone
    expect(vi.getTimerCount()).toBe(0)
    socket.destroy()
  })

  it.each([
    ['it leaves', (_client: HttpClient, socket: Socket) => socket.resetAndDestroy()],
    ['it is cut', (client: HttpClient) => client.cut()],
  ])('is not waited for any more once %s', async (_, leave) => {
    const { client, response, socket } = await full(SMALL)
    client.onDrain(() => expect.unreachable())
    const gone = once(response, 'close')
    leave(client, socket)
    await gone
    expect(vi.getTimerCount()).toBe(0)
    expect(client.write(SMALL)).toBe(false)
    client.onDrain(() => expect.unreachable())
    expect(vi.getTimerCount()).toBe(0)
    socket.destroy()
  })

  it.each([
    ['small', SMALL],
    ['large', LARGE],
  ])('is not waited for any more once its answer has its end, with %s chunks before it', async (_, chunk) => {
    const { client, response, socket } = await full(chunk)
    const before = response.socket?.listenerCount('drain')
    client.onDrain(() => expect.unreachable())
    client.onDrain(() => expect.unreachable())
    client.end()
    expect(vi.getTimerCount()).toBe(0)
    expect(response.socket?.listenerCount('drain')).toBe(before)
    const gone = once(response, 'close')
    socket.resume()
    await gone
  })

  it('is told once the answer has its turn behind an earlier one', async () => {
    const earlier = Promise.withResolvers<HttpClient>()
    const drained = Promise.withResolvers<undefined>()
    const full = Promise.withResolvers<undefined>()
    const socket = await serve((client, _response, path) => {
      if (path === '/first') return earlier.resolve(client)
      expect(client.write(LARGE)).toBe(false)
      client.onDrain(() => {
        client.end()
        drained.resolve(undefined)
      })
      full.resolve(undefined)
    }, STUCK_MS)
    socket.write(ask('/first', false) + ask('/second'))
    const first = await earlier.promise
    await full.promise
    expect(vi.getTimerCount()).toBe(1)
    first.end()
    expect((await text(socket)).includes(LARGE)).toBe(true)
    await drained.promise
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('has as long as it needs behind an earlier answer whose last bytes took their time', async () => {
  const STUCK_MS = 100
  const socket = await serve(async (client, response, path) => {
    if (path === '/first') return client.end('x'.repeat(10_000_000))
    await once(response, 'socket')
    await sleep(3 * STUCK_MS)
    client.end('second')
  }, STUCK_MS)
  socket.write(ask('/first', false) + ask('/second'))
  expect((await text(socket)).slice(-20)).toMatch(/second$/)
})

it('keeps its connection no longer than others do when its last bytes have been read', async () => {
  const socket = await serve((client) => client.end('x'.repeat(10_000_000)), 60_000)
  server.keepAliveTimeout = 50
  socket.write(ask('/', false))
  expect(await text(socket)).toMatch(/x$/)
})
