import { createServer, type RequestListener } from 'node:http'
import { createServer as createSocketServer, type AddressInfo, type Server } from 'node:net'
import { basename } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { describePortOwner } from '#hosts/port-owner.ts'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  closers.push(() => new Promise((resolve) => server.close(() => resolve())))
  return (server.address() as AddressInfo).port
}

async function listenHttp(answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  const port = await listen(server)
  closers.unshift(() => {
    server.closeAllConnections()
    return Promise.resolve()
  })
  return port
}

/** How this process is named where the platform tells. */
function thisProcess(): string {
  if (process.platform !== 'linux') return 'another program'
  return `'${basename(process.execPath)}' (process ${process.pid})`
}

describe('describePortOwner', () => {
  it('recognises another Farebox and its version', async () => {
    const port = await listenHttp((_, response) => response.end('{"name":"farebox","version":"1.2.3"}'))
    expect(await describePortOwner(port)).toBe('another Farebox (version 1.2.3)')
  })

  it('does not repeat a version that is none', async () => {
    const port = await listenHttp((_, response) => response.end('{"name":"farebox","version":"1\\u001b[2J"}'))
    expect(await describePortOwner(port)).toBe('another Farebox')
  })

  it.each<[string, RequestListener]>([
    ['answers something else', (_, response) => response.end('{"name":"other"}')],
    ['answers no JSON', (_, response) => response.end('hello')],
    ['answers nothing', (_, response) => response.writeHead(204).end()],
    ['redirects', (_, response) => response.writeHead(307, { location: '/elsewhere' }).end()],
    ['answers more than a Farebox would', (_, response) => response.end(' '.repeat(5_000) + '{"name":"farebox"}')],
  ])('names the process that %s', async (_, answer) => {
    expect(await describePortOwner(await listenHttp(answer))).toBe(thisProcess())
  })

  it('does not wait for a program that accepts and stays silent', async () => {
    const sockets: { destroy: () => void }[] = []
    const port = await listen(createSocketServer((socket) => sockets.push(socket)))
    const startedMs = performance.now()
    expect(await describePortOwner(port)).toBe(thisProcess())
    expect(performance.now() - startedMs).toBeLessThan(2_500)
    for (const socket of sockets) socket.destroy()
  })

  it('finds a program that listens on every address', async () => {
    const port = await listen(
      createSocketServer((socket) => socket.destroy()),
      '0.0.0.0',
    )
    expect(await describePortOwner(port)).toBe(thisProcess())
  })

  it('has an answer when nobody listens any more', async () => {
    const server = createSocketServer()
    const port = await listen(server)
    await closers.pop()?.()
    expect(await describePortOwner(port)).toBe('another program')
  })
})
