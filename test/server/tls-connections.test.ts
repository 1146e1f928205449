// The same bound over TLS, where a connection takes its place before its handshake, and strangers of one source have a share.

import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { createServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeIdentity } from '#lan/identity.ts'
import { ClientConnections, Listeners } from '#server/http/client-connections.ts'

const MAX_CONNECTIONS = 6
const SHARE = 3
const identity = makeIdentity(['127.0.0.2'], Date.now())

let server: Server
let clients: ClientConnections
let finish: (() => void)[]

beforeEach(async () => {
  finish = []
  server = createServer({ key: identity.key, cert: identity.certificate }, (request: IncomingMessage, response) => {
    if (request.url === '/known') clients.known(request.socket)
    if (request.url === '/slow') finish.push(() => response.end('done'))
    else response.end('done')
  })
  clients = new ClientConnections(new Listeners(MAX_CONNECTIONS), { strangers: SHARE })
  clients.watch(server, 'tls')
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.2')
  await once(server, 'listening')
})

afterEach(async () => {
  clients.end()
  for (const end of finish) end()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const place = (from: string) => ({
  host: '127.0.0.2',
  port: (server.address() as AddressInfo).port,
  localAddress: from,
})

/** Never begins its handshake. */
async function silent(from: string): Promise<Socket> {
  const socket = connect(place(from))
  socket.on('error', () => undefined)
  await Promise.all([once(socket, 'connect'), once(server, 'connection')])
  return socket
}

async function secured(from: string): Promise<TLSSocket> {
  const socket = connectTls({ ...place(from), rejectUnauthorized: false })
  socket.on('error', () => undefined)
  await Promise.all([once(socket, 'secureConnect'), once(server, 'secureConnection')])
  return socket
}

async function ask(socket: TLSSocket, path: string): Promise<void> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  if (path !== '/slow') await once(socket, 'data')
}

async function answered(from: string): Promise<string> {
  const socket = await secured(from)
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  return text(socket)
}

const isGone = (socket: Socket) => socket.destroyed || socket.readableEnded

it('lets everybody in while others open connections and say nothing, handshakes that never end among them', async () => {
  for (let count = 0; count < 100; count++) {
    await silent(`127.0.0.${10 + (count % 40)}`)
    if (count % 10 === 0) await secured(`127.0.0.${60 + count}`)
  }
  expect(clients.size).toBe(MAX_CONNECTIONS)
  expect(await answered('127.0.0.7')).toContain('done')
  expect(clients.size).toBeLessThanOrEqual(MAX_CONNECTIONS)
})

it('counts a connection once, before its handshake and after it', async () => {
  const socket = await secured('127.0.0.7')
  expect(clients.size).toBe(1)
  socket.destroy()
  await expect.poll(() => clients.size).toBe(0)
})

it('sends away the idlest of a source that has its share, and nobody else', async () => {
  const other = await secured('127.0.0.8')
  const crowd: TLSSocket[] = []
  for (let count = 0; count < SHARE; count++) crowd.push((await secured('127.0.0.7')).resume())
  await ask(crowd[0] as TLSSocket, '/')
  // The second has done nothing for longest by now. Whoever comes from the same address is let in all the same.
  expect(await answered('127.0.0.7')).toContain('done')
  await expect.poll(() => crowd.map(isGone)).toEqual([false, true, false])
  expect(isGone(other)).toBe(false)
})

it('refuses a stranger where all of a share are busy, and finishes their answers', async () => {
  const busy = []
  for (let count = 0; count < SHARE; count++) {
    const socket = await secured('127.0.0.7')
    await ask(socket, '/slow')
    busy.push(socket)
  }
  await expect.poll(() => finish.length).toBe(SHARE)
  await once((await silent('127.0.0.7')).resume(), 'close')
  expect(await answered('127.0.0.8')).toContain('done')
  const answers = busy.map((socket) => once(socket, 'data'))
  for (const end of finish) end()
  for (const [data] of await Promise.all(answers)) expect(String(data)).toContain('done')
})

it('takes nobody into the share who has shown who they are, and lets strangers make room for them', async () => {
  const known = []
  for (let count = 0; count < SHARE + 1; count++) {
    const socket = await secured('127.0.0.7')
    await ask(socket, '/known')
    known.push(socket.resume())
  }
  for (let count = 0; count < 50; count++) await silent(`127.0.0.${10 + (count % 30)}`)
  expect(await answered('127.0.0.7')).toContain('done')
  expect(known.map(isGone)).toEqual([false, false, false, false])
})

it('keeps no memory of who has gone', async () => {
  for (let count = 0; count < 30; count++) (await silent(`127.0.0.${10 + count}`)).destroy()
  await expect.poll(() => clients.size).toBe(0)
  for (let count = 0; count < SHARE; count++) await silent('127.0.0.12')
  expect(clients.size).toBe(SHARE)
})
