// Every combination of what can be set for the LAN. In none of them does it answer without TLS, or let somebody in who proves nothing.

import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_ROUTES, ADMIN_STREAMS, type Route } from '#contract/admin-routes.ts'
import type { LanChange } from '#contract/lan.ts'
import { makeIdentity } from '#lan/identity.ts'
import { lanAddresses } from '#lan/places.ts'
import {
  askLan,
  certificateOf,
  gatewayRoutes,
  LAN_ADDRESS,
  OPEN_ROUTES,
  sendBytes,
  startLan,
  type LanFarebox,
} from './support.ts'

const NAMES = [[], ['farebox.test', 'other.test']]
/** A machine without a network has its own addresses alone. */
const [network] = lanAddresses(networkInterfaces())
const PLACES: LanChange[] = [{ address: LAN_ADDRESS }, ...(network === undefined ? [] : [{ interface: network.name }])]
const COMBINATIONS = PLACES.flatMap((place) =>
  NAMES.flatMap((names) =>
    [false, true].flatMap((administration) =>
      [false, true].map((isOwn) => ({ change: { ...place, names, administration }, isOwn })),
    ),
  ),
)

let farebox: LanFarebox
let files: { certificate_file: string; key_file: string }

beforeAll(async () => {
  farebox = await startLan()
  const path = (name: string) => join(farebox.dataDir, name)
  files = { certificate_file: path('own.pem'), key_file: path('own.key') }
  const addresses = [LAN_ADDRESS, ...(network === undefined ? [] : [network.address])]
  const own = makeIdentity([...addresses, ...NAMES.flat()], Date.now())
  await writeFile(files.certificate_file, own.certificate)
  await writeFile(files.key_file, own.key, { mode: 0o600 })
}, 60_000)
afterAll(() => farebox.close())

/** Whoever asks for keys' routes without one again and again is told to wait, and let in no more than before. */
const REFUSED = new Set([401, 403, 429])
/** One of each kind; access.test.ts asks for all of them. */
const { signIn, showSession, status, setLan, listKeys, createKey } = ADMIN_ROUTES
const ADMIN: Route[] = [signIn, showSession, status, setLan, listKeys, createKey, ...Object.values(ADMIN_STREAMS)]

describe.each(COMBINATIONS)('with $change and a certificate of one’s own: $isOwn', ({ change, isOwn }) => {
  it('nothing is answered without TLS, and nobody is let in who proves nothing', { timeout: 60_000 }, async () => {
    const certificate = isOwn ? files : { certificate_file: null, key_file: null }
    const on = await farebox.admin.call('setLan', { body: { port: 0, ...change, ...certificate } })
    expect(on).toMatchObject({ state: 'on', certificate: { source: isOwn ? 'files' : 'farebox' } })
    const url = on.urls.at(-1) ?? ''
    const { hostname, port } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const ca = await certificateOf(farebox)
    if (isOwn) expect(ca).toBe(await readFile(files.certificate_file, 'utf8'))

    const plain = await sendBytes(
      connect({ host, port: Number(port) }),
      `GET /health HTTP/1.1\r\nhost: ${host}:${port}\r\n\r\n`,
    )
    expect(plain.toString('latin1')).not.toContain('HTTP')

    const body = { headers: { origin: url }, body: '{"no such member":1}' }
    const admin = ADMIN.map(async ({ method, path, access }) => {
      const more = method === 'GET' ? {} : body
      const { status } = await askLan(url + path.replace('{id}', 'x'), { method, ca, ...more })
      return `${method} ${path} ${status === 401 || (access === 'public' && status === 400) ? 'refused' : status}`
    })
    const gateway = gatewayRoutes()
      .filter((route) => !OPEN_ROUTES.has(route.url))
      .map(async ({ method, url: path }) => {
        const more = method === 'GET' ? {} : { body: '{}' }
        const { status } = await askLan(url + path.replace(/\*|:\w+/g, 'x'), { method, ca, ...more })
        return `${method} ${path} ${REFUSED.has(status) ? 'refused' : status}`
      })
    const answers = await Promise.all([...admin, ...gateway])
    expect(answers.length).toBeGreaterThan(20)
    expect(answers.filter((answer) => !answer.endsWith(' refused'))).toEqual([])
    expect((await fetch(`${farebox.url}/health`)).status).toBe(200)
  })
})
