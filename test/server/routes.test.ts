// Walks every route there is, and paths that are none, on both listeners as a stranger who sends a large body: what is answered is what
// the table of docs/security.md says, and next to nothing of the body is read.

import { once } from 'node:events'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_ROUTES, ADMIN_STREAMS, type Route } from '#contract/admin-routes.ts'
import { certificateOf, gatewayRoutes, startLan, type LanFarebox } from '../lan/support.ts'
import { cellsOf, ACCESS_ROWS, UNKNOWN } from './access-table.ts'

const MIB = 1024 * 1024
/** What a stranger wants to send. */
const LENGTH = 8 * MIB
/** What one read takes from the system, and a second one that may be under way: neither is asked for by us. */
const READ_AHEAD = 256 * 1024

const ROUTES: (readonly [method: string, path: string])[] = [
  ...gatewayRoutes().map(({ method, url }) => [method, url.replace(/\*|:\w+/g, 'x')] as const),
  ...Object.values<Route>({ ...ADMIN_ROUTES, ...ADMIN_STREAMS }).map(
    ({ method, path }) => [method, path.replace('{id}', 'x')] as const,
  ),
]

let farebox: LanFarebox
let lanUrl: URL
let ca: string

beforeAll(async () => {
  farebox = await startLan()
  const [url = ''] = (await farebox.on()).urls
  lanUrl = new URL(url)
  ca = await certificateOf(farebox)
}, 60_000)
afterAll(() => farebox.close())

type Listener = 'here' | 'over the LAN'

async function open(listener: Listener): Promise<{ socket: Socket; own: string }> {
  if (listener === 'here') {
    const { host, origin, port } = new URL(farebox.url)
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    return { socket, own: `host: ${host}\r\norigin: ${origin}\r\n` }
  }
  const { hostname, host, origin, port } = lanUrl
  const socket = connectTls({ host: hostname, port: Number(port), ca, checkServerIdentity: () => undefined })
  await once(socket, 'secureConnect')
  return { socket, own: `host: ${host}\r\norigin: ${origin}\r\n` }
}

type Seen = { readonly status: number; readonly bytesRead: number; readonly text: string }

/** Sends a head and as much of a body as is taken, and tells how much of all that the server read. */
async function push(listener: Listener, [method, path]: readonly [string, string], length = LENGTH): Promise<Seen> {
  const { socket, own } = await open(listener)
  let served: Socket | undefined
  const note = (message: unknown) => (served ??= (message as { socket: Socket }).socket)
  subscribe('http.server.request.start', note)
  let text = ''
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  const head = `${method} ${path} HTTP/1.1\r\n${own}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
  const body = Buffer.alloc(Math.min(length, 64 * 1024), ' ')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const pump = (left: number) => {
    if (left > 0 && !socket.destroyed) socket.write(body.subarray(0, left), () => pump(left - body.length))
  }
  socket.write(head, () => pump(length))
  // A small body can be read, and its connection goes on.
  const limit = setTimeout(() => socket.destroy(), length < READ_AHEAD ? 300 : 8000)
  await closed
  clearTimeout(limit)
  unsubscribe('http.server.request.start', note)
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), bytesRead: served?.bytesRead ?? Number.NaN, text }
}

const LISTENERS: readonly Listener[] = ['here', 'over the LAN']

function rowOf(route: readonly [string, string]) {
  return ACCESS_ROWS.filter(({ fits }) => fits.test(route.join(' ')))
}

it('each route is of one row of the table', () => {
  expect(ROUTES.length).toBeGreaterThan(80)
  for (const route of ROUTES) expect(rowOf(route), route.join(' ')).toHaveLength(1)
})

it('docs/security.md has the table', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'security.md'), 'utf8')
  const [, section = ''] = text.split('### Who may send how much')
  // Another table follows it.
  const [, ...rows] = cellsOf(section.split('\n**What was measured**')[0] ?? '')
  expect(rows).toEqual(
    ACCESS_ROWS.map(({ what, here, overLan, fromStrangers, fromKnown }) => [
      what,
      here,
      overLan,
      fromStrangers,
      fromKnown,
    ]),
  )
})

describe.each(LISTENERS)('a stranger who sends a large body %s', (listener) => {
  it.each(ROUTES)('to %s %s is answered as the table says, and next to nothing is read', async (...route) => {
    const [row] = rowOf(route)
    const [here = [], overLan = []] = row?.statuses ?? []
    const { status, bytesRead } = await push(listener, route)
    expect(listener === 'here' ? here : overLan).toContain(status)
    expect(bytesRead).toBeLessThanOrEqual(READ_AHEAD)
  })

  it.each(UNKNOWN)('to %s %s, which is not there, is told so, and next to nothing is read', async (...route) => {
    const { status, bytesRead, text } = await push(listener, route)
    expect(status).toBe(404)
    expect(bytesRead).toBeLessThanOrEqual(READ_AHEAD)
    expect(text).toMatch(/\r\nconnection: close\r\n/i)
    expect(text).toContain(`There is no ${route.join(' endpoint at ')}.`)
  })

  it('with a slash at its end each path is what it is without', async () => {
    const ask = async ([method, path]: readonly [string, string]) => (await push(listener, [method, path], 2)).status
    for (const route of ROUTES.filter(([, path]) => path !== '/')) {
      const [method, path] = route
      expect(await ask([method, `${path}/`]), route.join(' ')).toBe(await ask(route))
    }
  })

  it.each([
    [4096, 400],
    [4097, 413],
  ])('of %i bytes to a door that is open to everybody gets %i', async (length, status) => {
    for (const path of ['/api/session', '/api/invites/accept']) {
      expect((await push(listener, ['POST', path], length)).status).toBe(status)
    }
  })
})
