// Which headers pass between clients and providers: secrets in the form of each dialect, what clients of one dialect hand to
// providers of the same, and what was dropped.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask, DIALECTS, formatOf, PAIRS, SECRET, startFormats, type Dialect, type Format } from './formats.ts'
import type { Pair } from './support.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats()
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())
beforeEach(() => pair.upstream.forget())

function send(format: Format, dialect: Dialect, members: object, headers: Record<string, string> = {}) {
  return ask(pair, format, { key, members: { model: dialect, ...members }, headers })
}

/** What only a few providers would understand, and nobody else should hear. */
const ODD_HEADERS = {
  'anthropic-beta': 'one-2025-01-01,two-2026-01-01',
  'anthropic-version': '2026-10-21',
  'anthropic-new-thing': 'yes',
  'openai-beta': 'three=v1',
  'openai-organization': 'org-client',
  'openai-project': 'proj-client',
  'x-goog-user-project': 'client-project',
  'x-request-id': 'mine',
  'x-stainless-lang': 'js',
  'x-forwarded-for': '10.0.0.1',
  cookie: 'session=1',
  'user-agent': 'client/1.0',
  accept: 'text/html',
}

const SECRET_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key']

function secretOf(dialect: Dialect): Record<string, string> {
  if (dialect === 'messages') return { 'x-api-key': SECRET }
  if (dialect === 'gemini') return { 'x-goog-api-key': SECRET }
  return { authorization: `Bearer ${SECRET}` }
}

describe.each(PAIRS)('a request of %s', (_name, format, dialect) => {
  it("shows the provider Farebox's secret in the form of its dialect, and never the key", async () => {
    // Google's header is a key at Google's paths, and nothing anywhere else.
    const theirs = { 'x-goog-api-key': format.name === 'gemini' ? key : 'theirs' }
    expect((await send(format, dialect, {}, { 'x-api-key': key, ...theirs })).status).toBe(200)
    const [asked] = pair.upstream.requests
    const secrets = Object.entries(asked?.headers ?? {}).filter(([name]) => SECRET_HEADERS.includes(name))
    expect(Object.fromEntries(secrets)).toEqual(secretOf(dialect))
    expect(JSON.stringify(asked)).not.toContain(key)
  })

  it('hands on the headers that the provider of the same dialect knows, and no other', async () => {
    await (await send(format, dialect, {}, ODD_HEADERS)).text()
    const headers = pair.upstream.requests[0]?.headers ?? {}
    const passed = Object.keys(ODD_HEADERS).filter(
      (name) => headers[name] === ODD_HEADERS[name as keyof typeof ODD_HEADERS],
    )
    const expected: Record<Dialect, string[]> = {
      'chat-completions': ['openai-beta'],
      responses: ['openai-beta'],
      messages: ['anthropic-beta', 'anthropic-version', 'anthropic-new-thing'],
      gemini: [],
    }
    expect(passed).toEqual(format.dialect === dialect ? expected[dialect] : [])
    const others = [
      'openai-organization',
      'x-goog-user-project',
      'cookie',
      'x-stainless-lang',
      'x-forwarded-for',
      'x-request-id',
    ]
    for (const name of others) expect(headers).not.toHaveProperty(name)
    expect(headers['user-agent']).toMatch(/^farebox/i)
    expect(headers['accept-encoding']).toBe('identity')
  })

  it('names a version of messages to providers of messages only', async () => {
    await (await send(format, dialect, {})).text()
    const version = dialect === 'messages' ? '2023-06-01' : undefined
    expect(pair.upstream.requests[0]?.headers['anthropic-version']).toBe(version)
  })

  it("keeps the provider's headers to itself but for those that speak of the answer", async () => {
    const theirs = {
      'openai-processing-ms': '12',
      'openai-version': '2020-10-01',
      'openai-organization': 'our-org',
      'openai-model': 'the-real-model',
      'anthropic-organization-id': 'our-org',
      'anthropic-ratelimit-requests-remaining': '3',
      'x-ratelimit-remaining-requests': '3',
      'request-id': 'req_theirs',
      'x-request-id': 'req_theirs',
      'set-cookie': 'a=b',
      'x-farebox-dropped': 'all',
      'strict-transport-security': 'max-age=1',
    }
    pair.upstream.script({ type: 'answer', headers: theirs })
    for (const stream of [false, true]) {
      const response = await send(format, dialect, { stream })
      await response.text()
      const passed = Object.entries(theirs).filter(([name, value]) => response.headers.get(name) === value)
      const isPassed = format.dialect === dialect
      expect(passed.map(([name]) => name)).toEqual(isPassed ? ['openai-processing-ms', 'openai-version'] : [])
    }
  })
})

describe('x-farebox-dropped', () => {
  it('names what a provider of another dialect cannot be told, in whole answers and in streams', async () => {
    for (const stream of [false, true]) {
      const members = { seed: 7, logit_bias: { 1: 2 }, presence_penalty: 1, stream }
      const response = await send(formatOf('chat'), 'messages', members)
      expect(response.status).toBe(200)
      const dropped = response.headers.get('x-farebox-dropped')?.split(', ') ?? []
      expect(dropped).toEqual(expect.arrayContaining(['seed', 'logit_bias', 'presence_penalty']))
      expect(new Set(dropped).size).toBe(dropped.length)
      await response.text()
    }
  })

  it.each(DIALECTS)('is not there when nothing was dropped, nor when the request is passed on: %s', async (dialect) => {
    for (const format of [formatOf('chat'), formatOf('messages'), formatOf('responses')]) {
      expect((await send(format, dialect, {})).headers.get('x-farebox-dropped')).toBeNull()
    }
    const own = [formatOf('chat'), formatOf('messages'), formatOf('responses')].find(
      (format) => format.dialect === dialect,
    )
    if (own === undefined) return
    const response = await send(own, dialect, { x_unknown: 1, seed: 7 })
    expect(response.headers.get('x-farebox-dropped')).toBeNull()
  })

  it.each(PAIRS)(
    'is bounded and made of safe characters, whatever a member is called: %s',
    async (_name, format, dialect) => {
      const names = ['new\r\nset-cookie: a=b', 'a, b', 'ünïcode \u{1F600}', '\0', 'x'.repeat(9000), '__proto__x', '']
      const many = Array.from({ length: 2000 }, (_, index) => `member_${index}`)
      const members = Object.fromEntries([...names, ...many].map((name) => [name, 1]))
      const response = await send(format, dialect, members)
      const dropped = response.headers.get('x-farebox-dropped') ?? ''
      expect(response.status).toBe(200)
      expect(dropped.length).toBeLessThanOrEqual(2000)
      expect(dropped).toMatch(/^[\x20-\x7e]*$/)
      expect(response.headers.get('set-cookie')).toBeNull()
    },
  )

  it('is safe for tools with odd names and types', async () => {
    const tools = [
      { type: 'new\nthing_20270101', name: 'a,b' },
      { type: 'web_search_20250305', name: 'web_search' },
    ]
    const response = await send(formatOf('messages'), 'gemini', { tools })
    const dropped = response.headers.get('x-farebox-dropped') ?? ''
    expect(response.status).toBe(200)
    expect(dropped).toMatch(/^[\x20-\x7e]+$/)
    expect(dropped).toContain('web_search')
  })
})
