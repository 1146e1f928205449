// Bodies that are made to be expensive, and senders that take their time: what is refused is refused early and in words, and nothing
// of it is left.

import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BODY_BOUNDS } from '#server/bodies/body-reader.ts'
import { signInOwner } from '../support/visitor.ts'
import { CHAT_PATH, expectError, HELLO, post, startPair, type Pair } from './support.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startPair()
  key = await pair.farebox.newKey('plenty')
})
afterAll(() => pair.close())

/** What the dashboard sends along. */
async function asOwner(): Promise<Record<string, string>> {
  return { ...(await signInOwner(pair.farebox)).headers, origin: pair.farebox.url }
}

const MANY = `${'{},'.repeat(BODY_BOUNDS.pieces)}{}`
const SHAPES: readonly (readonly [what: string, list: string])[] = [
  ['objects', MANY],
  ['lists', `${'[],'.repeat(BODY_BOUNDS.pieces)}[]`],
  ['texts', `${'"",'.repeat(BODY_BOUNDS.pieces)}""`],
  ['numbers', `${'1,'.repeat(BODY_BOUNDS.values)}1`],
]
const PATHS = [
  CHAT_PATH,
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/responses',
  '/v1/responses/input_tokens',
  '/v1/embeddings',
  '/chat/completions',
]

describe('a body of too many parts', () => {
  it.each(PATHS)('is refused in words at %s', async (path) => {
    for (const [what, list] of SHAPES) {
      const answer = await post(pair.farebox, `{"model":"chat","messages":[${list}]}`, { key, path })
      expect(answer.status, what).toBe(413)
      expect(await answer.text()).toContain('made of too many parts: at most 100000 objects, lists and texts')
    }
  })

  it('is refused by the admin API', async () => {
    const headers = await asOwner()
    for (const path of ['/api/keys', '/api/apply', '/api/try']) {
      const answer = await post(pair.farebox, `{"key":"a","request":{"a":[${MANY}]}}`, { path, headers })
      expect(answer.status, path).toBe(413)
    }
  })

  it('that would be nested too deeply is refused as that', async () => {
    const headers = await asOwner()
    const deep = `{"a":${'['.repeat(400_000)}`
    await expectError(await post(pair.farebox, deep, { key }), 400)
    await expectError(await post(pair.farebox, deep, { path: '/api/keys', headers }), 400)
  })

  it('is not read to its end', async () => {
    const { host, port } = new URL(pair.farebox.url)
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    const head = `host: ${host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
    socket.write(
      `POST ${CHAT_PATH} HTTP/1.1\r\n${head}content-length: 32000000\r\n\r\n{"model":"chat","messages":[${MANY}`,
    )
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 [^]*\r\nconnection: close\r\n/i)
  })

  it('is none where a conversation is only long', async () => {
    const messages = Array.from({ length: 10_000 }, () => HELLO[0])
    expect((await post(pair.farebox, { model: 'chat', messages }, { key })).status).toBe(200)
  })
})

it('a body that anybody may send is waited for only briefly', { timeout: 40_000 }, async () => {
  const { host, origin, port } = new URL(pair.farebox.url)
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
  const startedMs = performance.now()
  const head = `host: ${host}\r\norigin: ${origin}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n`
  socket.write(`POST /api/session HTTP/1.1\r\n${head}\r\n{`)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*took too long/)
  expect(performance.now() - startedMs).toBeGreaterThan(9000)
})
