// The bytes of an answer as they are on the wire, read without a client library: Farebox frames the chunks of a stream by itself.

import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { HttpClient } from '#server/http-client.ts'

let server: Server
afterEach(() => new Promise((resolve) => server.close(resolve)))

type Answer = (client: HttpClient, response: ServerResponse, path: string) => void | Promise<void>

async function serve(answer: Answer): Promise<Socket> {
  server = createServer((request, response) => {
    response.sendDate = false
    const client = new HttpClient(response)
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
