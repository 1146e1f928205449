// What a WebSocket takes of memory before it has asked anything: parts of messages count among the bodies of all calls.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { BodyBudget } from '#server/bodies/body-budget.ts'
import { Connection, type ConnectionDeps, type Welcomed } from '#server/socket/connection.ts'
import { Sockets } from '#server/socket/sockets.ts'

const MIB = 1024 * 1024

let server: Server
let bodies: BodyBudget
let sockets: Sockets

beforeEach(async () => {
  const clock = { nowMs: () => 0, monotonicMs: () => 0 }
  bodies = new BodyBudget(8 * MIB)
  sockets = new Sockets({ isOn: true, most: 100, ...clock })
  const deps = { clock, sockets, memory: { bodies } } as unknown as ConnectionDeps
  const webSockets = new WebSocketServer({ noServer: true, autoPong: false })
  server = createServer().on('upgrade', (request, socket, head) => {
    const opened = { id: 'one', caller: { key: { id: 'key' } }, socket } as unknown as Welcomed
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
