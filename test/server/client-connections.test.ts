import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ClientConnections } from '#server/client-connections.ts'

const MOST = 5

let server: Server
let clients: ClientConnections
let answers: (() => void)[]

beforeEach(async () => {
  answers = []
  server = createServer((_request, response) => {
    response.write('begun ')
    answers.push(() => response.end('done'))
  })
  clients = new ClientConnections(MOST)
  clients.watch(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function opened(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  const seen = once(server, 'connection')
  await Promise.all([once(socket, 'connect'), seen])
  return socket
}

async function asking(): Promise<Socket> {
  const socket = await opened()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await once(socket, 'readable')
  return socket
}

const closed = (socket: Socket) => once(socket.resume(), 'close')

it('sends the connection away that has done nothing for longest when there are too many', async () => {
  const idle = []
  for (let count = 0; count < MOST; count++) idle.push(await opened())
  const [first, ...others] = idle
  const gone = closed(first as Socket)
  const newest = await opened()
  await gone
  expect(clients.size).toBe(MOST)
  expect([...others, newest].map(({ destroyed }) => destroyed)).toEqual(Array.from({ length: MOST }, () => false))
})

it('lets everybody in and finishes every answer while somebody opens many connections and says nothing', async () => {
  const busy = [await asking(), await asking()]
  for (let count = 0; count < 200; count++) await opened()
  expect(clients.size).toBe(MOST)
  const late = await asking()
  for (const answer of answers) answer()
  for (const socket of [...busy, late]) expect(await text(socket)).toMatch(/done/)
})

it('refuses the newest where all are busy', async () => {
  for (let count = 0; count < MOST; count++) await asking()
  await closed(await opened())
  expect(clients.size).toBe(MOST)
})

it('counts a connection as idle again once it was answered, and forgets it when it is closed', async () => {
  const kept = await opened()
  kept.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(kept, 'readable')
  answers[0]?.()
  await once(kept, 'readable')
  const others = []
  for (let count = 0; count < MOST - 1; count++) others.push(await asking())
  const gone = closed(kept)
  await opened()
  await gone
  for (const socket of others) socket.destroy()
  await expect.poll(() => clients.size).toBe(1)
})
