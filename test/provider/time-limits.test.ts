import { createServer, type Server, type Socket, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { ProviderTimeLimits } from '#core/entities.ts'
import { caller, type Caller } from './support.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
const LONG = { connectMs: 10_000, firstByteMs: 10_000, silenceMs: 10_000 }
const SHORT = { connectMs: 150, firstByteMs: 150, silenceMs: 150 }

const servers: { readonly server: Server; readonly sockets: Set<Socket> }[] = []
const callers: Caller[] = []

afterEach(async () => {
  await Promise.all(callers.splice(0).map(({ connections }) => connections.close()))
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A server that says something once the first bytes of a request are in; what it says is up to the test. */
async function serve(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push({ server, sockets })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function newCaller(timeLimits: Required<ProviderTimeLimits>): Caller {
  const made = caller({ timeLimits })
  callers.push(made)
  return made
}

const silent = () => undefined
const stalls = (socket: Socket) => void socket.write(`${HEAD}1\r\n{\r\n`)
/** Limits are kept to within about a second. */
const answersLate = (socket: Socket) => void setTimeout(() => socket.end(`${HEAD}2\r\n{}\r\n0\r\n\r\n`), 2_500)

describe('a provider that stalls', () => {
  it.each<[string, string, keyof ProviderTimeLimits, (socket: Socket) => void, RegExp]>([
    ['while it is connected to', 'https', 'connectMs', silent, /could not be reached in time/],
    ['before it answers', 'http', 'firstByteMs', silent, /did not begin to answer in time/],
    ['in the middle of its answer', 'http', 'silenceMs', stalls, /stopped in the middle/],
  ])('%s is given up after its own limit', async (_when, scheme, limit, answer, says) => {
    const baseUrl = `${scheme}://${await serve(answer)}/v1`
    const startedAtMs = performance.now()
    const outcome = await newCaller(LONG).send({ baseUrl, timeLimits: { [limit]: 150 } })
    expect(outcome).toMatchObject({ kind: 'timeout', message: expect.stringMatching(says) as string })
    expect(performance.now() - startedAtMs).toBeLessThan(5_000)
  })

  it.each<[string, string, (socket: Socket) => void]>([
    ['while it is connected to', 'https', silent],
    ['before it answers', 'http', silent],
    ['in the middle of its answer', 'http', stalls],
  ])('%s is given up after the limit of the settings, where it has none', async (_when, scheme, answer) => {
    const baseUrl = `${scheme}://${await serve(answer)}/v1`
    expect(await newCaller(SHORT).send({ baseUrl })).toMatchObject({ kind: 'timeout' })
  })
})

describe('a limit of a provider', () => {
  it('may be longer than that of the settings', async () => {
    const baseUrl = `http://${await serve(answersLate)}/v1`
    const { send } = newCaller(SHORT)
    expect(await send({ baseUrl, timeLimits: { firstByteMs: 9_000 } })).toEqual({ status: 200, text: '{}' })
  })

  it('holds for that provider alone, also beside another one at the same place', async () => {
    const baseUrl = `http://${await serve(answersLate)}/v1`
    const { send } = newCaller(LONG)
    const [hasty, patient] = await Promise.all([send({ baseUrl, timeLimits: { firstByteMs: 150 } }), send({ baseUrl })])
    expect(hasty).toMatchObject({ kind: 'timeout' })
    expect(patient).toEqual({ status: 200, text: '{}' })
  })
})
