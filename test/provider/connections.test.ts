import { createServer, type RequestListener, type Server } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import type { TcpSocketConnectOpts } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { probeProvider } from '#provider/probe.ts'
import { testProvider } from '../support/provider.ts'
import { caller, names, SECRETS, watchConnections, type Caller, NO_TOKENS } from './support.ts'

const servers: Server[] = []
const callers: Caller[] = []

afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(callers.splice(0).map(({ connections }) => connections.close()))
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const LIST = JSON.stringify({ object: 'list', data: [{ id: 'a', object: 'model' }] })
const ANSWER: RequestListener = (request, response) => {
  request.resume()
  const { method } = request
  response.writeHead(200, { 'content-type': 'application/json' }).end(method === 'GET' ? LIST : '{"ok":true}')
}
/** Ends the connection after its answer, so that the next request needs a new one. */
const ANSWER_ONCE: RequestListener = (request, response) => {
  response.shouldKeepAlive = false
  ANSWER(request, response)
}
const ANSWERED = { status: 200, text: '{"ok":true}' }

/** The port of a server that answers like this, and how many connections it has. */
async function serve(listener: RequestListener, host = '127.0.0.1') {
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  servers.push(server)
  const { port } = server.address() as AddressInfo
  const open = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
    })
  return { port, url: `http://127.0.0.1:${port}/v1`, open }
}

function newCaller(options: Parameters<typeof caller>[0] = {}): Caller {
  const made = caller(options)
  callers.push(made)
  return made
}

describe('a local server', () => {
  it.each(['127.0.0.1', 'localhost', 'LOCALHOST', '127.1', '[::ffff:127.0.0.1]'])('is called at %s', async (host) => {
    const { port } = await serve(ANSWER)
    const { connections, send } = newCaller({ resolve: undefined })
    expect(await send({ baseUrl: `http://${host}:${port}/v1` })).toEqual(ANSWERED)
    expect(await probe({ baseUrl: `http://${host}:${port}/v1` }, connections)).toMatchObject({ ok: true })
  })

  it('is called at [::1] where there is IPv6, and is out of reach where there is none', async () => {
    const server = await serve(ANSWER, '::1').catch(() => undefined)
    const outcome = await newCaller().send({ baseUrl: `http://[::1]:${server?.port ?? 9}/v1` })
    if (server === undefined) expect(outcome).toMatchObject({ kind: 'connect' })
    else expect(outcome).toEqual(ANSWERED)
  })
})

function probe(provider: Parameters<typeof testProvider>[0], connections: Caller['connections']) {
  return probeProvider(testProvider(provider), {
    secrets: SECRETS,
    newTokens: NO_TOKENS,
    connections,
    userAgent: 'test',
  })
}

it('closes idle connections where those to all places together are as many as there may be', async () => {
  const { send } = newCaller({ most: 3 })
  const places = await Promise.all(Array.from({ length: 5 }, () => serve(ANSWER)))
  for (const { url } of places) expect(await send({ baseUrl: url })).toEqual(ANSWERED)
  const all = async () => (await Promise.all(places.map(({ open }) => open()))).reduce((sum, one) => sum + one, 0)
  await expect.poll(all).toBeLessThanOrEqual(3)
  expect(await places.at(-1)?.open()).toBe(1)
})

describe('a name', () => {
  it('is resolved once for each connection, and not for each request', async () => {
    const { port } = await serve(ANSWER)
    const resolve = names({ 'provider.test': [['127.0.0.1']] })
    const watched = watchConnections()
    const { send } = newCaller({ resolve })
    for (let round = 0; round < 3; round += 1) {
      expect(await send({ baseUrl: `http://provider.test:${port}/v1` })).toEqual(ANSWERED)
      // The connection is free again a moment after its answer has ended.
      await setImmediate()
    }
    expect(resolve.asked).toEqual(['provider.test'])
    expect(watched.attempts()).toBe(1)
  })

  it('that means something else later is refused at the next connection', async () => {
    const { port } = await serve(ANSWER_ONCE)
    const resolve = names({ 'provider.test': [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']] })
    const { send } = newCaller({ resolve })
    const provider = { baseUrl: `http://provider.test:${port}/v1` }
    expect(await send(provider)).toEqual(ANSWERED)
    expect(await send(provider)).toMatchObject({ kind: 'address' })
    expect(await send(provider)).toEqual(ANSWERED)
    expect(resolve.asked).toHaveLength(3)
  })

  it('of a public provider that becomes an address of this machine is refused', async () => {
    const resolve = names({ 'provider.test': [['192.31.196.1'], ['127.0.0.1']] })
    const led: (string | undefined)[] = []
    // No test leaves this machine: what the socket would connect to is asked in its place.
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: unknown[]) {
      const [{ host = '', lookup }] = given as [TcpSocketConnectOpts]
      lookup?.(host, { all: true }, (error, addresses) => {
        led.push(error?.message ?? JSON.stringify(addresses))
        globalThis.setImmediate(() => this.destroy(error ?? new Error('not here')))
      })
      return this
    })
    const { send } = newCaller({ resolve })
    const provider = { baseUrl: 'https://provider.test/v1', network: 'public' } as const
    expect(await send(provider)).toMatchObject({ kind: 'closed' })
    expect(await send(provider)).toMatchObject({ kind: 'address' })
    expect(led).toEqual([
      '[{"address":"192.31.196.1","family":4}]',
      expect.stringMatching(/this machine.*network: local/),
    ])
  })

  it('with good and bad addresses is connected to at a good one', async () => {
    const { port } = await serve(ANSWER)
    const addresses = ['169.254.169.254', 'fe80::1', '0.0.0.0', '127.0.0.1', '::']
    const { send } = newCaller({ resolve: names({ 'provider.test': [addresses] }) })
    expect(await send({ baseUrl: `http://provider.test:${port}/v1` })).toEqual(ANSWERED)
  })

  it('that nobody knows is no forbidden place, but out of reach', async () => {
    expect(await newCaller().send({ baseUrl: 'http://provider.test/v1' })).toMatchObject({ kind: 'connect' })
  })
})

describe('where Farebox itself listens', () => {
  it('nothing is connected to, by whatever name', async () => {
    const { port } = await serve(ANSWER)
    const resolve = names({ 'provider.test': [['127.0.0.1']] })
    const { send, connections } = newCaller({ resolve, isOwn: (address, at) => address === '127.0.0.1' && at === port })
    for (const host of ['127.0.0.1', '127.1', 'provider.test']) {
      const outcome = await send({ baseUrl: `http://${host}:${port}/v1` })
      expect(outcome).toMatchObject({ kind: 'address' })
      expect(outcome).toMatchObject({ message: expect.stringContaining('leads to Farebox itself') as string })
      const { ok, message } = await probe({ baseUrl: `http://${host}:${port}/v1` }, connections)
      expect({ ok, message }).toEqual({ ok: false, message: expect.stringContaining('Farebox itself') as string })
    }
    const other = await serve(ANSWER)
    expect(await send({ baseUrl: other.url })).toEqual(ANSWERED)
  })

  it('the port that its scheme implies counts too', async () => {
    const { send } = newCaller({ isOwn: (_address, port) => port === 80 || port === 443 })
    expect(await send({ baseUrl: 'http://127.0.0.1/v1' })).toMatchObject({ kind: 'address' })
    expect(await send({ baseUrl: 'https://127.0.0.1/v1' })).toMatchObject({ kind: 'address' })
  })
})

describe('connections', () => {
  it('of a provider that is gone are closed, and those of others stay', async () => {
    const [left, right] = [await serve(ANSWER), await serve(ANSWER)]
    const { send, connections } = newCaller()
    const stays = testProvider({ baseUrl: left.url })
    await send(stays)
    await send({ baseUrl: right.url })
    expect([await left.open(), await right.open()]).toEqual([1, 1])
    connections.retain([stays])
    await expect.poll(right.open).toBe(0)
    expect(await left.open()).toBe(1)
  })

  it('of a provider that was changed are not used again', async () => {
    const { url, open } = await serve(ANSWER)
    const { send, connections } = newCaller()
    await send({ baseUrl: url, network: 'local' })
    expect(await send({ baseUrl: url, network: 'public' })).toMatchObject({ kind: 'address' })
    connections.retain([{ baseUrl: url, network: 'public', timeLimits: {} }])
    await expect.poll(open).toBe(0)
  })

  it('that carry an answer carry it to its end, also when their provider goes meanwhile', async () => {
    const begun = Promise.withResolvers<() => void>()
    const { url, open } = await serve((request, response) => {
      request.resume()
      response.write('first ')
      begun.resolve(() => void response.end('last'))
    })
    const { send, connections } = newCaller()
    const provider = testProvider({ baseUrl: url })
    const outcome = send(provider)
    const finish = await begun.promise
    connections.retain([])
    // A request that was on its way already when its provider changed gets connections of its own.
    const late = send(provider)
    await expect.poll(open).toBe(2)
    finish()
    expect(await outcome).toEqual({ status: 200, text: 'first last' })
    await expect.poll(open).toBe(1)
    await connections.close()
    expect(await late).toBeInstanceOf(UpstreamFailure)
    expect(await open()).toBe(0)
  })

  it('are broken at the end, also those that were to come to their own', async () => {
    const { url, open } = await serve((_request, response) => void response.write('for ever'))
    const { send, connections } = newCaller()
    const outcome = send({ baseUrl: url })
    await expect.poll(open).toBe(1)
    connections.retain([])
    await connections.close()
    expect(await outcome).toMatchObject({ kind: 'closed' })
    await expect.poll(open).toBe(0)
  })
})
