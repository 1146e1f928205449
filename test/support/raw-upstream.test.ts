import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { REFUSED_ORIGIN, startRawUpstream, type RawScript, type RawUpstream } from './raw-upstream.ts'

let upstream: RawUpstream | undefined

afterEach(() => upstream?.close())

async function start(script: RawScript) {
  upstream = await startRawUpstream(script)
  const { hostname, port } = new URL(upstream.origin)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  return { upstream, socket }
}

const REQUEST = 'POST /v1/x HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{"a":"b"}'

test('tells its script of every whole request of a connection, however it was cut on the way', async () => {
  const { socket } = await start({
    asked: async ({ path, body, number, write, end }) => {
      await write(`${number} ${path} ${JSON.stringify(body)}\n`)
      if (number === 2) end()
    },
  })
  for (const character of REQUEST) socket.write(character)
  socket.write(REQUEST.slice(0, -3))
  socket.write(REQUEST.slice(-3))
  expect(await text(socket)).toBe('1 /v1/x {"a":"b"}\n2 /v1/x {"a":"b"}\n')
})

test('resets a connection as soon as it is there', async () => {
  const { socket } = await start({ connected: (peer) => void peer.resetAndDestroy() })
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNRESET')
})

test('counts connections whose script goes on, and lets a script go when its peer does', async () => {
  const { socket, upstream: server } = await start({ asked: ({ wait }) => wait(60_000) })
  socket.write(REQUEST)
  await expect.poll(() => server.busySockets()).toBe(1)
  socket.destroy()
  await expect.poll(() => [server.busySockets(), server.openSockets()]).toEqual([0, 0])
})

test('knows an origin that refuses', async () => {
  const { hostname, port } = new URL(REFUSED_ORIGIN)
  const [error] = (await once(connect(Number(port), hostname), 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNREFUSED')
})
