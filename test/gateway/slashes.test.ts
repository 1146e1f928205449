// Base URLs with a slash too many: what is served at a path, and to whom, is decided by the path that is served.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN_API, type Endpoint } from '#contract/admin-api.ts'
import { GATEWAY_API, type GatewayEndpoint } from '#contract/gateway-api.ts'
import { DIALECTS, startFormats } from './formats.ts'
import { rawText, sendRaw, soon, usageOf, type Pair, type RawAnswer } from './support.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats()
  key = await pair.farebox.newKey('plenty')
})

beforeEach(() => pair.upstream.forget())
afterAll(() => pair.close())

type Written = { readonly name: string; readonly write: (path: string) => string }

/** As tools put a path behind a base URL that ends in a slash, or in two. */
const AHEAD: readonly Written[] = [
  { name: 'one ahead', write: (path) => `/${path}` },
  { name: 'three ahead', write: (path) => `///${path}` },
]
const ANYWHERE: readonly Written[] = [
  ...AHEAD,
  { name: 'one behind the version', write: (path) => path.replace(/^\/v1(beta)?\//, '$&/') },
  { name: 'two at the end', write: (path) => `${path}//` },
  { name: 'everywhere', write: (path) => path.replaceAll('/', '//') },
]

/** What differs between two answers to the same request by its nature left out. */
function alike({ status, headers, body }: RawAnswer) {
  const text = (what: string) =>
    what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replaceAll(/"checked_at":"[^"]*"/g, '')
  const kept = [...headers].filter(([name]) => !['date', 'content-security-policy'].includes(name))
  return { status, headers: kept.map(([name, value]) => [name, text(value)]), body: text(body) }
}

async function ask(method: string, path: string, lines: readonly string[]): Promise<ReturnType<typeof alike>> {
  const json = method === 'GET' ? [] : ['content-type: application/json']
  const body = method === 'GET' ? '' : '{"no such member":1}'
  return alike(
    await sendRaw(pair.farebox, rawText(pair.farebox, `${method} ${path} HTTP/1.1`, [...json, ...lines], body)),
  )
}

const ASKING: Readonly<Record<string, () => readonly string[]>> = {
  'without a key': () => [],
  'with a key': () => [`authorization: Bearer ${key}`],
  'with a key that is none': () => ['x-api-key: key_none'],
  'with two keys': () => [`authorization: Bearer ${key}`, 'x-goog-api-key: key_none'],
  'by a page from elsewhere': () => ['origin: http://elsewhere', `authorization: Bearer ${key}`],
  'under another name': () => ['host: elsewhere', `authorization: Bearer ${key}`],
}

describe.each(Object.keys(ASKING))('asked %s', (how) => {
  const lines = () => ASKING[how]?.() ?? []

  it.each(Object.values<GatewayEndpoint>(GATEWAY_API))(
    '$method $path is answered alike with slashes too many',
    async ({ method, path }) => {
      const target = path.replace('{model}', 'gemini').replaceAll(/\{\w+\}/g, 'nothing')
      const plain = await ask(method, target, lines())
      for (const { name, write } of ANYWHERE) expect(await ask(method, write(target), lines()), name).toEqual(plain)
    },
  )

  it.each(Object.values<Endpoint>(ADMIN_API).filter(({ method }) => method === 'GET'))(
    'the admin API answers $path alike with slashes ahead',
    async ({ path }) => {
      const target = path.replace('{id}', 'nothing')
      const plain = await ask('GET', target, lines())
      for (const { name, write } of AHEAD) expect(await ask('GET', write(target), lines()), name).toEqual(plain)
    },
  )
})

describe.each(DIALECTS)('a call for %s', (dialect) => {
  it('costs what it costs at its path', async () => {
    const own = await pair.farebox.newKey('plenty')
    const members = { model: dialect, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }
    const paths = ['/v1/messages', '//v1/messages', '/v1//messages', '/v1/messages//?beta=true', '//v1//v1//messages']
    for (const path of paths) {
      const lines = [`x-api-key: ${own}`, 'content-type: application/json']
      const request = rawText(pair.farebox, `POST ${path} HTTP/1.1`, lines, JSON.stringify(members))
      expect((await sendRaw(pair.farebox, request)).status, path).toBe(200)
    }
    await soon(async () => (await pair.farebox.balance(own))['held_credits'] === 0)
    const rows = (await usageOf(pair.farebox)).slice(0, paths.length)
    const [first] = rows
    expect(new Set(rows.map((row) => `${row.endpoint} ${row.charge_credits}`))).toEqual(
      new Set([`messages ${first?.charge_credits}`]),
    )
    expect(Number((await pair.farebox.balance(own))['used_credits'])).toBeCloseTo(
      paths.length * (first?.charge_credits ?? 0),
      9,
    )
  })
})
