// Every route against everybody who could ask for it over the LAN, with administration over it on and off. The tables are made from
// the contract and from the server's own routes, so that one that is added is asked for here without anybody thinking of it.

import { Agent } from 'node:https'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_ROUTES, ADMIN_STREAMS, type Route } from '#contract/admin-routes.ts'
import { readInstance } from '#cli/client.ts'
import { buildServer, type ServerDeps } from '#server/http/server.ts'
import { PASSWORD } from '../support/password.ts'
import { newMember, signInOwner, type Visitor } from '../support/visitor.ts'
import {
  askLan,
  certificateOf,
  gatewayRoutes,
  LAN_ADDRESS,
  OPEN_ROUTES,
  sendBytes,
  signInOverLan,
  startLan,
  type LanAnswer,
  type LanFarebox,
  type LanVisitor,
} from './support.ts'

const ROUTES: (readonly [string, Route])[] = [
  ...Object.entries<Route>(ADMIN_ROUTES),
  ...Object.entries<Route>(ADMIN_STREAMS),
]

let farebox: LanFarebox
let url: string
let ca: string
let key: string
let bearer: string
let owner: Visitor
let member: LanVisitor
let administrator: LanVisitor
let holder: LanVisitor
/** Each connection begins with work for the processor of both sides, and hundreds of routes are asked for by eleven visitors. */
let agent = new Agent({ keepAlive: true })

beforeAll(async () => {
  farebox = await startLan()
  await farebox.admin.call('addPackage', { body: { name: 'plenty', type: 'topup', credits: 10 } })
  key = await farebox.newKey('plenty')
  bearer = `Bearer ${(await readInstance(farebox.dataDir))?.token ?? ''}`
  owner = await signInOwner(farebox)
  await newMember(farebox, 'mia')
  await turnOn(false)
}, 60_000)
afterAll(async () => {
  agent.destroy()
  await farebox.close()
})

async function turnOn(administration: boolean): Promise<void> {
  const port = url === undefined ? 0 : Number(new URL(url).port)
  // What a connection from before a change is still good for is a test of its own.
  agent.destroy()
  agent = new Agent({ keepAlive: true })
  url = (await farebox.on({ names: ['farebox.test'], administration, port })).urls[1] ?? ''
  ca = await certificateOf(farebox)
  member = await signInOverLan(url, 'mia', ca)
  administrator = await signInOverLan(url, 'ada', ca)
  holder = await signInOverLan(url, { key }, ca)
}

const JSON_BODY = '{"no such member":1}'

/** A request that is let in at most as far as its body, which no schema allows. Of a stream of events only the status is awaited. */
async function ask(route: Pick<Route, 'method' | 'path'>, headers: Readonly<Record<string, string>>): Promise<number> {
  const path = route.path.replace('{id}', 'nothing-of-this-name')
  if (route.path === ADMIN_STREAMS.events.path) return statusOnly(path, headers)
  const body = route.method === 'GET' ? {} : { body: JSON_BODY }
  const answer = await askLan(url + path, {
    method: route.method,
    ca,
    agent,
    headers: { origin: url, ...headers },
    ...body,
  })
  return answer.status
}

/** The first line of an answer that never ends. */
function statusOnly(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries({ host, origin: url, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: hostname, port: Number(port), ca }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    })
    socket.on('error', reject)
    socket.once('data', (chunk: Buffer) => {
      socket.destroy()
      resolve(Number(chunk.toString('latin1').slice(9, 12)))
    })
  })
}

const proofOf = ({ cookie, token }: Pick<LanVisitor, 'cookie' | 'token'>) => ({ cookie, 'x-farebox-session': token })

describe.each([false, true])('with administration over the LAN %s', (isAdministered) => {
  beforeAll(() => turnOn(isAdministered))

  it('a stranger is refused everything but to sign in', async () => {
    const overLan = (cookie: string) => cookie.replace(/^farebox-\d+/, `__Host-farebox-${new URL(url).port}`)
    const proofs: Record<string, string>[] = [
      {},
      { authorization: bearer },
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { cookie: administrator.cookie },
      { 'x-farebox-session': administrator.token },
      { cookie: holder.cookie, 'x-farebox-session': administrator.token },
      { cookie: holder.cookie, 'x-farebox-session': key },
      { cookie: member.cookie, 'x-farebox-session': administrator.token },
      // The session of the owner of the machine, under either name of its cookie.
      { cookie: owner.cookie, 'x-farebox-session': owner.token },
      { cookie: overLan(owner.cookie), 'x-farebox-session': owner.token },
    ]
    for (const [action, route] of ROUTES) {
      const statuses = await Promise.all(proofs.map((proof) => ask(route, proof)))
      const expected = route.access === 'public' ? 400 : 401
      expect(statuses, action).toEqual(proofs.map(() => expected))
    }
  }, 120_000)

  it('a member gets what is for members, and nothing else', async () => {
    for (const [action, route] of ROUTES.filter(([name]) => name !== 'signOut')) {
      const status = await ask(route, proofOf(member))
      if (route.access === 'administrator') expect(status, action).toBe(403)
      else expect([401, 403], action).not.toContain(status)
    }
  })

  it('the holder of a key sees that key and nothing else', async () => {
    for (const [action, route] of ROUTES.filter(([name]) => name !== 'signOut')) {
      const status = await ask(route, proofOf(holder))
      if (route.access === 'holder' || route.access === 'public') expect([401, 403], action).not.toContain(status)
      else expect(status, action).toBe(403)
    }
    expect((await holder.ask('/api/session')).json()['role']).toBe('holder')
    expect(JSON.parse((await holder.ask('/api/keys')).text) as unknown[]).toHaveLength(1)
  })

  it('an administrator gets what the table says', async () => {
    for (const [action, route] of ROUTES.filter(([name]) => name !== 'signOut')) {
      const status = await ask(route, proofOf(administrator))
      const isServed = route.lan === 'members' || (route.lan === 'administration' && isAdministered)
      if (isServed) expect([401, 403], action).not.toContain(status)
      else expect(status, action).toBe(403)
    }
  })

  it('an administrator is a member there unless it is on', async () => {
    const shown = (await administrator.ask('/api/session')).json()
    expect(shown['role']).toBe(isAdministered ? 'administrator' : 'member')
    const keys = JSON.parse((await administrator.ask('/api/keys')).text) as unknown[]
    expect(keys).toHaveLength(isAdministered ? 1 : 0)
  })

  it('nobody signs in with a ticket, or twice as fast as on this machine', async () => {
    const { ticket } = await farebox.admin.call('makeTicket', {})
    const answer = await post('/api/session', { ticket })
    expect(answer.status).toBe(401)
    expect(answer.headers['set-cookie']).toBeUndefined()
    // It is still good where it is meant for.
    expect((await fetch(`${farebox.url}/api/session`, signInWith({ ticket }))).status).toBe(200)
    // Guessed from another machine than the tests sign in from.
    const from = isAdministered ? '127.0.0.9' : '127.0.0.10'
    let slow = await post('/api/session', { name: 'nobody', password: 'x' }, from)
    // Five are free; then each has to wait, for so long in the end that no machine is too slow to notice.
    for (let tries = 1; tries < 12 && slow.status === 401; tries++) {
      slow = await post('/api/session', { name: `nobody ${tries}`, password: 'x' }, from)
    }
    expect(slow.status).toBe(429)
    expect(Number(slow.headers['retry-after'])).toBeGreaterThan(0)
  }, 60_000)

  it('nothing but the sign of life and the empty page is served to somebody without a key or a session', async () => {
    for (const { url: path, method } of gatewayRoutes()) {
      // A slash too many ahead leads to the same.
      for (const target of [path, `/${path}`]) {
        const body = method === 'POST' ? { body: JSON_BODY } : {}
        const { status } = await askLan(url + target.replace(/\*|:\w+/g, 'x'), { ca, method, ...body })
        if (OPEN_ROUTES.has(path)) expect([401, 403], target).not.toContain(status)
        else expect([401, 403, 429], `${method} ${target}`).toContain(status)
      }
    }
  })

  it('plain HTTP gets no answer', async () => {
    const { port } = new URL(url)
    for (const path of ['/health', '/v1/models', '/api/session']) {
      const answer = await sendBytes(
        connect(Number(port), LAN_ADDRESS),
        `GET ${path} HTTP/1.1\r\nhost: ${LAN_ADDRESS}\r\n\r\n`,
      )
      expect(answer.toString('latin1')).not.toContain('HTTP')
    }
  })
})

async function post(path: string, body: unknown, from?: string): Promise<LanAnswer> {
  return askLan(url + path, {
    method: 'POST',
    ca,
    headers: { origin: url },
    body,
    ...(from === undefined ? {} : { from }),
  })
}

function signInWith(body: unknown): RequestInit {
  const headers = { origin: farebox.url, 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

it('every route of the server says whether the LAN sees it', () => {
  const deps = {
    hosts: new Set(),
    sockets: { isOn: false },
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
  } as unknown as ServerDeps
  const app = buildServer(deps)
  expect(gatewayRoutes().map((route) => route.url)).toEqual(
    expect.arrayContaining(['/v1/messages', '/health', '/docs/openapi.json']),
  )
  expect(() => app.get('/new', { config: { access: 'public' } }, () => 'open')).toThrow('the LAN')
})

describe('a request over the LAN', () => {
  const own = () => new URL(url).host
  const port = () => new URL(url).port

  it.each([
    ['LOCAL:PORT'],
    ['127.0.0.1:PORT'],
    ['localhost:PORT'],
    ['127.0.0.3:PORT'],
    ['evil.example:PORT'],
    ['farebox.test'],
    ['farebox.test:PORT.evil.example'],
    ['farebox.test.evil.example:PORT'],
    ['sub.farebox.test:PORT'],
    ['farebox.test.:PORT'],
    ['127.0.0.2'],
    ['127.0.0.2:443'],
    ['2130706434:PORT'],
    ['[::ffff:127.0.0.2]:PORT'],
  ])('for the Host %j is refused before any route', async (host) => {
    const loopback = new URL(farebox.url).host
    const headers = { host: host.replace('LOCAL:PORT', loopback).replace('PORT', port()) }
    const paths = ['/health', '/v1/models', '/api/session', '/app', '/none']
    const answers = await Promise.all(paths.map((path) => askLan(url + path, { ca, headers })))
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 403))
  })

  it.each([['127.0.0.2:PORT'], ['farebox.test:PORT'], ['FAREBOX.test:PORT']])(
    'for the Host %s is served',
    async (host) => {
      expect((await askLan(`${url}/health`, { ca, headers: { host: host.replace('PORT', port()) } })).status).toBe(200)
    },
  )

  it('without a Host is refused', async () => {
    expect(await statusOnly('/health', { host: '' })).toBe(403)
  })

  it('and this machine is served under the names of neither to the other', async () => {
    const answer = await fetch(`${farebox.url}/health`)
    expect(answer.status).toBe(200)
    const { request } = await import('node:http')
    const status = await new Promise<number | undefined>((resolve) => {
      request(`${farebox.url}/health`, { headers: { host: own() } }, (response) => resolve(response.statusCode)).end()
    })
    expect(status).toBe(403)
  })

  it.each([
    ['http://OWN'],
    ['https://127.0.0.1:PORT'],
    ['https://farebox.test:PORT'],
    ['https://127.0.0.2'],
    ['https://evil.example'],
    ['http://127.0.0.1:3273'],
    ['null'],
    [''],
  ])('from a page of %j is refused', async (text) => {
    const origin = text.replace('OWN', own()).replace('PORT', port())
    const proofs = [{}, { authorization: `Bearer ${key}` }, proofOf(administrator)]
    for (const proof of proofs) {
      for (const path of ['/v1/models', '/api/session', '/health']) {
        const answer = await askLan(url + path, { ca, headers: { ...proof, origin } })
        expect(answer.status, path).toBe(403)
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
      }
    }
  })

  it('that changes something must say that it comes from our own page', async () => {
    const change = { method: 'POST', ca, body: JSON_BODY }
    const silent = await askLan(`${url}/api/keys`, { ...change, headers: proofOf(member) })
    expect(silent.status).toBe(403)
    const sameSite = { ...proofOf(member), 'sec-fetch-site': 'same-site' }
    expect((await askLan(`${url}/api/keys`, { ...change, headers: sameSite })).status).toBe(403)
  })

  it('gets a cookie that no other host can set, and that never leaves TLS', async () => {
    const answer = await post('/api/session', { name: 'mia', password: PASSWORD })
    const cookie = answer.headers['set-cookie']?.[0] ?? ''
    expect(cookie).toMatch(
      new RegExp(`^__Host-farebox-${port()}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/; Secure$`),
    )
  })

  it('with a key is served as on this machine', async () => {
    const headers = { authorization: `Bearer ${key}` }
    expect((await askLan(`${url}/v1/balance`, { ca, headers })).json()).toMatchObject({ object: 'balance' })
    expect((await askLan(`${url}/v1/models`, { ca, headers })).status).toBe(200)
    expect((await askLan(`${url}/v1/models`, { ca })).status).toBe(401)
    const malformed = await askLan(`${url}/v1/models`, { ca, headers: { authorization: 'Bearer key_x' } })
    expect(malformed.status).toBe(401)
  })

  it('shows a member where they are, and the certificate to trust', async () => {
    const overview = (await member.ask('/api/overview')).json()
    expect(overview['gateway']).toMatchObject({ url, lan: { state: 'on' } })
    expect((await member.ask('/api/lan/certificate')).json()).toMatchObject({ certificate: ca })
  })

  it('never closes or opens the LAN', async () => {
    await turnOn(true)
    for (const method of ['PUT', 'DELETE']) {
      expect((await administrator.ask('/api/lan', { method, body: { administration: true } })).status).toBe(403)
    }
    expect((await administrator.ask('/api/lan')).json()).toMatchObject({ state: 'on' })
    await turnOn(false)
    expect((await administrator.ask('/api/lan')).status).toBe(403)
  })

  it('on a connection from before a change is let in no more, and streams of events end', async () => {
    await turnOn(true)
    const { hostname, port: at, host } = new URL(url)
    const events = connectTls({ host: hostname, port: Number(at), ca })
    const { cookie, token } = administrator
    const head = `host: ${host}\r\norigin: ${url}\r\ncookie: ${cookie}\r\nx-farebox-session: ${token}\r\n`
    events.write(`GET /api/events HTTP/1.1\r\n${head}\r\n`)
    const text = await new Promise<string>((resolve) => events.once('data', (data: Buffer) => resolve(data.toString())))
    expect(text).toContain('200 OK')
    const ended = new Promise<void>((resolve) => events.resume().once('close', () => resolve()))
    await turnOn(false)
    await ended
    expect((await administrator.ask('/api/status')).status).toBe(403)
  })

  it('speaks TLS 1.2 or 1.3, and nothing older', async () => {
    const connectWith = (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
      new Promise<string | null>((resolve, reject) => {
        const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } as const
        const socket = connectTls({ host: LAN_ADDRESS, port: Number(port()), ca, ...versions }, () => {
          resolve(socket.getProtocol())
          socket.destroy()
        })
        socket.on('error', reject)
      })
    expect(await connectWith('TLSv1.2')).toBe('TLSv1.2')
    expect(await connectWith('TLSv1.3')).toBe('TLSv1.3')
    await expect(connectWith('TLSv1.1')).rejects.toThrow(/protocol version|alert/i)
  })
})
