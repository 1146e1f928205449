import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ClientConnections, Listeners } from '#server/http/client-connections.ts'

const MAX_CONNECTIONS = 5
/** How an answer in chunks ends. */
const WHOLE = 'done\r\n0\r\n\r\n'

let server: Server
let clients: ClientConnections
let answers: (() => void)[]

beforeEach(async () => {
  answers = []
  server = createServer((request, response) => {
    if (request.url === '/bad') response.statusCode = 404
    if (request.url !== '/late') response.write('begun ')
    answers.push(() => (request.url === '/given-up' ? response.destroy() : response.end('done')))
  })
  clients = new ClientConnections(new Listeners(MAX_CONNECTIONS))
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

const asked = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

/** Reads the rest of an answer, and what has come of the next one. */
async function untilAnswered(socket: Socket): Promise<void> {
  for (let read = ''; !read.includes(WHOLE); read += String(socket.read() ?? '')) await once(socket, 'readable')
}

const closed = (socket: Socket) => once(socket.resume(), 'close')

it('sends the connection away that has done nothing for longest when there are too many', async () => {
  const idle = []
  for (let count = 0; count < MAX_CONNECTIONS; count++) idle.push(await opened())
  const [first, ...others] = idle
  const gone = closed(first as Socket)
  const newest = await opened()
  await gone
  expect(clients.size).toBe(MAX_CONNECTIONS)
  expect([...others, newest].map(({ destroyed }) => destroyed)).toEqual(
    Array.from({ length: MAX_CONNECTIONS }, () => false),
  )
})

it('lets everybody in and finishes every answer while somebody opens many connections and says nothing', async () => {
  const busy = [await asking(), await asking()]
  for (let count = 0; count < 200; count++) await opened()
  expect(clients.size).toBe(MAX_CONNECTIONS)
  const late = await asking()
  for (const answer of answers) answer()
  for (const socket of [...busy, late]) expect(await text(socket)).toMatch(/done/)
})

it('knows of a connection whether its last answer was that of an error', async () => {
  const seen = once(server, 'connection') as Promise<[Socket]>
  const client = await opened()
  const [socket] = await seen
  const told = [clients.wasRefused(socket)]
  for (const path of ['/bad', '/']) {
    client.write(asked(path))
    await expect.poll(() => answers.length).toBe(1)
    answers.pop()?.()
    await untilAnswered(client)
    await expect.poll(() => clients.wasRefused(socket)).toBe(path === '/bad')
    told.push(clients.wasRefused(socket))
  }
  expect(told).toEqual([false, true, false])
})

it('refuses the newest where all are busy', async () => {
  for (let count = 0; count < MAX_CONNECTIONS; count++) await asking()
  await closed(await opened())
  expect(clients.size).toBe(MAX_CONNECTIONS)
})

it('counts a connection as busy until the last of its requests was answered', async () => {
  const busy = await opened()
  busy.write(asked('/').repeat(2))
  await expect.poll(() => answers.length).toBe(2)
  answers[0]?.()
  await untilAnswered(busy)
  for (let count = 0; count < MAX_CONNECTIONS + 1; count++) await opened()
  expect(clients.size).toBe(MAX_CONNECTIONS)
  answers[1]?.()
  await untilAnswered(busy)
})

it('ends a connection after the answers that come before one that was given up', async () => {
  const busy = await opened()
  busy.write(asked('/').repeat(2) + asked('/given-up') + asked('/'))
  await expect.poll(() => answers.length).toBe(4)
  answers[2]?.()
  answers[0]?.()
  await untilAnswered(busy)
  answers[1]?.()
  expect((await text(busy)).endsWith(WHOLE)).toBe(true)
  expect(clients.size).toBe(0)
})

describe('once they are to end', () => {
  it('ends connections that never had a request or have none now, and new ones', async () => {
    const [unused, kept] = [await opened(), await opened()]
    kept.write(asked('/'))
    await expect.poll(() => answers.length).toBe(1)
    answers[0]?.()
    await untilAnswered(kept)
    const both = Promise.all([closed(unused), closed(kept)])
    clients.endWhenIdle()
    await both
    await closed(await opened())
  })

  it('ends a connection when the last of its requests was answered, and not before', async () => {
    const busy = await opened()
    busy.write(asked('/').repeat(2))
    await expect.poll(() => answers.length).toBe(2)
    clients.endWhenIdle()
    answers[0]?.()
    await untilAnswered(busy)
    answers[1]?.()
    expect((await text(busy)).endsWith(WHOLE)).toBe(true)
  })

  it('tells whoever has no answer yet to ask no more on it', async () => {
    const busy = await opened()
    busy.write(asked('/late'))
    await expect.poll(() => answers.length).toBe(1)
    clients.endWhenIdle()
    answers[0]?.()
    expect((await text(busy)).toLowerCase()).toMatch(/\r\nconnection: close\r\n[^]*\r\n\r\ndone$/)
  })
})

it('counts a connection as idle again once it was answered, and forgets it when it is closed', async () => {
  const kept = await opened()
  kept.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(kept, 'readable')
  answers[0]?.()
  await once(kept, 'readable')
  const others = []
  for (let count = 0; count < MAX_CONNECTIONS - 1; count++) others.push(await asking())
  const gone = closed(kept)
  await opened()
  await gone
  for (const socket of others) socket.destroy()
  await expect.poll(() => clients.size).toBe(1)
})

it('shares its bound with other listeners, of which the largest makes room', async () => {
  const listeners = new Listeners(6)
  const servers = [createServer(), createServer()]
  const [small, large] = await Promise.all(
    servers.map(async (each) => {
      const own = new ClientConnections(listeners)
      own.watch(each)
      await once(each.listen(0, '127.0.0.1'), 'listening')
      return { own, port: (each.address() as AddressInfo).port, seen: () => once(each, 'connection') }
    }),
  )
  if (small === undefined || large === undefined) throw new Error('there are two listeners')
  const open = async ({ port, seen }: typeof small) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await Promise.all([once(socket, 'connect'), seen()])
    return socket
  }
  const kept = [await open(small), await open(small)]
  for (let count = 0; count < 20; count++) await open(large)
  expect([small.own.size, large.own.size]).toEqual([2, 4])
  kept.push(await open(small))
  expect([small.own.size, large.own.size]).toEqual([3, 3])
  expect(kept.map(({ destroyed }) => destroyed)).toEqual([false, false, false])
  for (const { own } of [small, large]) own.endWhenIdle()
  await expect.poll(() => listeners.size).toBe(0)
  await Promise.all(servers.map((each) => new Promise((resolve) => each.close(resolve))))
})

it('is told of connections that the system could not hand over, and outlives them', async () => {
  const failed: unknown[] = []
  const other = createServer()
  new ClientConnections(new Listeners(5, (error) => failed.push(error))).watch(other)
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' })
  other.emit('error', error)
  expect(failed).toEqual([error])
  await new Promise((resolve) => other.close(resolve))
})
