// Every route against everybody who could ask for it. The tables are made from the contract, so that a route that is added is asked
// for here without anybody thinking of it.

import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_ROUTES, ADMIN_STREAMS, type Route } from '#contract/admin-routes.ts'
import { buildServer, type Access, type ServerDeps } from '#server/http/server.ts'
import { readInstance } from '#cli/client.ts'
import { newMember, signInOwner, signInWithKey, type Visitor } from '../support/visitor.ts'
import { startPair, type Pair } from './support.ts'

const ROUTES: (readonly [string, Route])[] = [
  ...Object.entries<Route>(ADMIN_ROUTES),
  ...Object.entries<Route>(ADMIN_STREAMS),
]

let pair: Pair
let key: string
let member: Visitor
let owner: Visitor
let administrator: Visitor
let holder: Visitor
let bearer: string

beforeAll(async () => {
  pair = await startPair()
  key = await pair.farebox.newKey('plenty')
  member = await newMember(pair.farebox, 'mia')
  administrator = await newMember(pair.farebox, 'ada', { role: 'administrator' })
  owner = await signInOwner(pair.farebox)
  holder = await signInWithKey(pair.farebox, key)
  bearer = `Bearer ${(await readInstance(pair.farebox.dataDir))?.token ?? ''}`
}, 120_000)
afterAll(() => pair.close())

/** The status of a request that is let in at most as far as its body, which no schema allows. */
async function ask(
  { method, path }: Pick<Route, 'method' | 'path'>,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const url = pair.farebox.url + path.replace('{id}', 'nothing-of-this-name')
  const withBody = method === 'GET' ? {} : { body: '{"no such member":1}' }
  const json = method === 'GET' ? {} : { 'content-type': 'application/json' }
  const ended = new AbortController()
  const answer = await fetch(url, { method, headers: { ...json, ...headers }, ...withBody, signal: ended.signal })
  // A stream of events goes on.
  ended.abort()
  return answer.status
}

const own = () => ({ origin: pair.farebox.url })

describe('a stranger is refused', () => {
  it.each(ROUTES)('%s', async (_action, route) => {
    const proofs: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { authorization: 'Bearer ' },
      { authorization: bearer.slice(0, -1) },
      { authorization: `${bearer}x` },
      { authorization: `Basic ${Buffer.from(bearer).toString('base64')}` },
      { cookie: owner.cookie },
      { 'x-farebox-session': owner.token },
      { cookie: owner.cookie, 'x-farebox-session': member.token },
      { cookie: member.cookie, 'x-farebox-session': owner.token },
      { cookie: owner.cookie.replace(/farebox-\d+/, 'farebox'), 'x-farebox-session': owner.token },
      { cookie: `${owner.cookie.split('=')[0]}=${owner.token}`, 'x-farebox-session': owner.token },
      { cookie: owner.cookie, 'x-farebox-session': `${owner.token}x` },
      { cookie: `token=${key}` },
      { cookie: holder.cookie, 'x-farebox-session': owner.token },
      { cookie: owner.cookie, 'x-farebox-session': holder.token },
      { cookie: holder.cookie, 'x-farebox-session': key },
    ]
    for (const proof of proofs) {
      const status = await ask(route, { ...own(), ...proof })
      // Anybody may try to sign in, and this body is no try.
      expect(status, JSON.stringify(proof)).toBe(route.access === 'public' ? 400 : 401)
    }
  })

  it('but is told what is not there, as everybody is: the documentation says it too', async () => {
    for (const path of [
      '/api/',
      '/api/none',
      '/api/keys/a/b/c',
      '/api//status',
      '/api/keys//suspend',
      '/api/events/x',
    ]) {
      for (const proof of [{}, { authorization: `Bearer ${key}` }, { 'x-api-key': key }, member.headers]) {
        expect(await ask({ method: 'GET', path }, proof), path).toBe(404)
      }
    }
  })

  it('reaches nothing by writing a path in another way', async () => {
    for (const path of ['/api/%73tatus', '/%61pi/status', '/api/key%73', '/api/status?', '/api/status/']) {
      expect(await ask({ method: 'GET', path }, {}), path).toBe(401)
    }
  })
})

describe('whoever is signed in', () => {
  // Whoever may sign out is signed out, which sessions.test.ts sees to.
  const asked = ROUTES.filter(([action]) => action !== 'signOut')
  it.each(asked)('may ask for %s or not, by their role', async (_action, route) => {
    const asHolder = await ask(route, { ...own(), ...holder.headers })
    if (route.access === 'holder' || route.access === 'public') expect([401, 403]).not.toContain(asHolder)
    else expect(asHolder).toBe(403)
    const isForAll = route.access !== 'administrator'
    const asMember = await ask(route, { ...own(), ...member.headers })
    if (isForAll) expect([401, 403]).not.toContain(asMember)
    else expect(asMember).toBe(403)
    for (const proof of [owner.headers, administrator.headers, { authorization: bearer }]) {
      expect([401, 403], JSON.stringify(Object.keys(proof))).not.toContain(await ask(route, { ...own(), ...proof }))
    }
  })

  it.each(ROUTES.filter(([, { method, access }]) => method !== 'GET' && access !== 'public'))(
    'is refused %s by a page that does not say that it is ours',
    async (_action, route) => {
      expect(await ask(route, owner.headers)).toBe(403)
      expect(await ask(route, { ...owner.headers, origin: 'http://evil.example' })).toBe(403)
      expect(await ask(route, { ...owner.headers, 'sec-fetch-site': 'same-site' })).toBe(403)
      expect(await ask(route, holder.headers)).toBe(403)
    },
  )

  it('is found among cookies that others have set', async () => {
    const [name = ''] = owner.cookie.split('=')
    const cookie = `other=1; ${name}=; ${name}=${'A'.repeat(43)}; ${owner.cookie}; x${name}=2`
    expect(await ask(ADMIN_ROUTES.status, { ...owner.headers, cookie })).toBe(200)
  })

  it('with a key alone is let in to these and no others', () => {
    const open = ROUTES.filter(([, { access }]) => access === 'holder').map(([action]) => action)
    expect(open.toSorted()).toEqual([
      'events',
      'listKeys',
      'listModels',
      'listPackages',
      'listRefused',
      'overview',
      'receipt',
      'revokeKey',
      'showKey',
      'showLanCertificate',
      'showSession',
      'signOut',
      'usage',
      'usageReport',
      'why',
    ])
  })

  it('opens nothing on the gateway', async () => {
    for (const headers of [owner.headers, holder.headers, { authorization: bearer }]) {
      expect(await ask({ method: 'GET', path: '/v1/balance' }, headers)).toBe(401)
    }
  })
})

describe('a route', () => {
  it('cannot be registered without saying who may reach it', () => {
    const registered: (Access | undefined)[] = []
    const app = buildServer({ ...pairDeps(), newId: () => 'id' })
    app.addHook('onRoute', ({ config }) => void registered.push(config?.access))
    expect(() => app.get('/new', () => 'open')).toThrow('access')
    expect(() => Fastify().get('/new', () => 'open')).not.toThrow()
  })
})

/** Registering only names the handlers; none of them runs. */
function pairDeps(): ServerDeps {
  return {
    hosts: new Set(),
    sockets: { isOn: false },
    clock: { nowMs: () => 0, monotonicMs: () => 0 },
  } as unknown as ServerDeps
}
