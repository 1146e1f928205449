// Requests that arrive while the gateway is busy, just before the time of their connection is up.

import { once } from 'node:events'
import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { makeIdentity } from '#lan/identity.ts'
import { answerBroken } from '#server/http/broken-requests.ts'
import { ClientConnections, Listeners } from '#server/http/client-connections.ts'

const TIME_MS = 100
const ASKED = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const LAST_ASKED = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

type Scheme = 'http' | 'https'
const identity = makeIdentity(['127.0.0.1'], Date.now())

let server: Server

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function listening(scheme: Scheme, limits: ServerOptions): Promise<ClientConnections> {
  const options = { connectionsCheckingInterval: TIME_MS / 10, ...limits }
  const tls = { ...options, key: identity.key, cert: identity.certificate }
  server = scheme === 'http' ? createServer(options) : createTlsServer(tls)
  const clients = new ClientConnections(new Listeners(100))
  server.on('request', (_request, response) => response.end('done'))
  server.on('clientError', (error, socket) =>
    answerBroken(error, socket as Socket, { newId: () => 'some-id', scheme, clients }),
  )
  clients.watch(server, scheme === 'http' ? 'plain' : 'tls')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return clients
}

async function opened(scheme: Scheme): Promise<Socket> {
  const to = { port: (server.address() as AddressInfo).port, host: '127.0.0.1' }
  const seen = once(server, scheme === 'http' ? 'connection' : 'secureConnection')
  const socket = scheme === 'http' ? connect(to) : connectTls({ ...to, rejectUnauthorized: false })
  await Promise.all([once(socket, scheme === 'http' ? 'connect' : 'secureConnect'), seen])
  return socket
}

/** Sends, and keeps this process from reading it until timers are due that come first. */
function sendWhileBusy(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      socket.write(request)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * TIME_MS)
      resolve()
    })
  })
}

describe.each(['http', 'https'] as const)('over %s', (scheme) => {
  it('a connection on which nothing was asked in time ends without an answer', async () => {
    await listening(scheme, { headersTimeout: TIME_MS })
    expect(await text(await opened(scheme))).toBe('')
  })

  it('what is asked first on a connection just before its time is up is answered', async () => {
    await listening(scheme, { headersTimeout: TIME_MS })
    const socket = await opened(scheme)
    await sendWhileBusy(socket, LAST_ASKED)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*done$/s)
  })

  it('what is asked next on a connection just before its time is up is answered', async () => {
    await listening(scheme, { keepAliveTimeout: TIME_MS })
    server.keepAliveTimeoutBuffer = 0
    const socket = await opened(scheme)
    socket.write(ASKED)
    await once(socket, 'readable')
    await sendWhileBusy(socket, LAST_ASKED)
    expect(await text(socket)).toMatch(/200 .*200 .*done$/s)
  })

  it('a connection on which nothing else was asked in time ends', async () => {
    const clients = await listening(scheme, { keepAliveTimeout: TIME_MS })
    server.keepAliveTimeoutBuffer = 0
    const socket = await opened(scheme)
    socket.write(ASKED)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*done$/s)
    await expect.poll(() => clients.size).toBe(0)
  })

  it('half a request that is not finished in time is refused', async () => {
    await listening(scheme, { headersTimeout: TIME_MS })
    const socket = await opened(scheme)
    socket.write('GET / HT')
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 .*not valid HTTP/s)
  })
})
