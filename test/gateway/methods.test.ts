// What is answered, besides what a path is there for, at every path that tools ask: HEAD, OPTIONS, a slash at its end.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError, startPair, type Pair } from './support.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startPair()
  key = await pair.farebox.newKey('plenty')
})
afterAll(() => pair.close())

const CALLS = [
  '/v1/chat/completions',
  '/chat/completions',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/responses/input_tokens',
  '/responses/input_tokens',
  '/v1/embeddings',
  '/embeddings',
  '/v1/alpha/search',
  '/alpha/search',
  '/v1beta/models/chat:generateContent',
  '/v1/models/chat:generateContent',
]
const READS = [
  '/v1/models',
  '/models',
  '/v1beta/models',
  '/v1/balance',
  '/health',
  '/ready',
  '/v1/responses',
  '/responses',
]

const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(pair.farebox.url + path, { method, headers: { authorization: `Bearer ${key}`, ...headers } })

describe('OPTIONS', () => {
  it.each([...CALLS, ...READS.filter((path) => path !== '/ready')])(
    'says at %s which methods there are',
    async (path) => {
      for (const form of [path, `${path}/`]) {
        const answer = await ask('OPTIONS', form)
        expect([answer.status, await answer.text()]).toEqual([204, ''])
        const allowed = answer.headers.get('allow')?.split(', ') ?? []
        expect(allowed).toContain('OPTIONS')
        expect(allowed).toContain(CALLS.includes(path) ? 'POST' : 'GET')
      }
    },
  )

  it('lets no page go on, wherever it asks from', async () => {
    for (const path of [...CALLS, ...READS]) {
      const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' }
      const answer = await ask('OPTIONS', path, headers)
      expect(answer.status, path).toBe(403)
      const own = await ask('OPTIONS', path, { origin: pair.farebox.url })
      for (const { headers: given } of [answer, own]) {
        expect([...given.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
      }
    }
  })

  it('is not there where nothing is', async () => {
    await expectError(await ask('OPTIONS', '/v1/chat'), 404)
    await expectError(await ask('OPTIONS', '/api/keys'), 404)
  })
})

describe('HEAD', () => {
  it.each(READS)('is answered at %s as GET is, without a body', async (path) => {
    const read = await ask('GET', path)
    const length = (await read.arrayBuffer()).byteLength
    const head = await ask('HEAD', path)
    expect([head.status, await head.text()]).toEqual([read.status, ''])
    expect(head.headers.get('content-type')).toBe(read.headers.get('content-type'))
    expect(head.headers.get('content-length')).toBe(String(length))
  })

  it('of a receipt shows it to its own key alone', async () => {
    expect((await ask('HEAD', '/v1/receipts/none')).status).toBe(404)
    expect((await ask('HEAD', '/v1/receipts/none', { authorization: 'Bearer key_wrong' })).status).toBe(401)
  })

  it.each(CALLS)('at %s finds what GET finds there', async (path) => {
    const read = await ask('GET', path)
    await read.arrayBuffer()
    expect((await ask('HEAD', path)).status).toBe(read.status)
  })
})
