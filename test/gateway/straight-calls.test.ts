// Calls go past the router where everything about them is plain. What they are answered is what they are answered on the other way,
// which a slash at the end of the path leads to.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chat, CHAT_PATH, post, rawText, sendRaw, startPair, type Pair } from './support.ts'

const CHAT = '{"model":"chat","messages":[{"role":"user","content":"Hello"}]}'
const JSON_TYPE = 'content-type: application/json'
const PATHS = ['/v1/chat/completions', '/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings']

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startPair()
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())

/** Of both ways, what differs by its nature left out. */
async function bothAnswers(path: string, name: string) {
  const { lines, body } = REQUESTS[name]?.() ?? { lines: [], body: '' }
  const send = async (to: string) => {
    const length = lines.some((line) => /^(content-length|transfer-encoding)/i.test(line))
    const announced = length ? lines : [...lines, `content-length: ${Buffer.byteLength(body)}`]
    const head = Buffer.from(rawText(pair.farebox, `POST ${to} HTTP/1.1`, announced))
    const answer = await sendRaw(pair.farebox, Buffer.concat([head, Buffer.from(body)]), {
      end: name === 'a body that is too short',
    })
    const text = (what: string) => what.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    const headers = Object.fromEntries([...answer.headers].map(([name, value]) => [name, text(value)]))
    return { status: answer.status, headers: { ...headers, date: '' }, body: text(answer.body) }
  }
  return { straight: await send(path), other: await send(`${path}/`) }
}

const bearer = () => `authorization: Bearer ${key}`
const REQUESTS: Readonly<Record<string, () => { lines: readonly string[]; body: string | Buffer }>> = {
  'a call': () => ({ lines: [bearer(), JSON_TYPE], body: CHAT }),
  'a body in chunks': () => ({
    lines: [bearer(), JSON_TYPE, 'transfer-encoding: chunked'],
    body: `${CHAT.length.toString(16)}\r\n${CHAT}\r\n0\r\n\r\n`,
  }),
  'the other way to name a charset': () => ({ lines: [bearer(), `${JSON_TYPE}; charset=UTF-8`], body: CHAT }),
  'a body that is no JSON': () => ({ lines: [bearer(), JSON_TYPE], body: 'Hello' }),
  'a body that is no UTF-8': () => ({ lines: [bearer(), JSON_TYPE], body: Buffer.from([0x22, 0xff, 0x22]) }),
  'a body that is too short': () => ({ lines: [bearer(), JSON_TYPE, 'content-length: 5000'], body: CHAT }),
  'a body that is too long': () => ({ lines: [bearer(), JSON_TYPE, 'content-length: 99000000'], body: '' }),
  'a body of too many parts': () => ({ lines: [bearer(), JSON_TYPE], body: `[${'[],'.repeat(120_000)}[]]` }),
  'no body': () => ({ lines: [bearer(), JSON_TYPE], body: '' }),
  'another type of content': () => ({ lines: [bearer(), 'content-type: text/plain'], body: CHAT }),
  'no key': () => ({ lines: [JSON_TYPE], body: CHAT }),
  'a key that is none': () => ({ lines: ['authorization: Bearer key_0', JSON_TYPE], body: CHAT }),
  'two keys': () => ({ lines: [bearer(), bearer(), JSON_TYPE], body: CHAT }),
  'a foreign Host': () => ({ lines: [bearer(), JSON_TYPE, 'host: elsewhere'], body: CHAT }),
  'a web page': () => ({ lines: [bearer(), JSON_TYPE, 'origin: http://elsewhere'], body: CHAT }),
}

describe.each(PATHS)('a request to %s', (path) => {
  it.each(Object.keys(REQUESTS))('is answered the same on both ways: %s', async (name) => {
    const { straight, other } = await bothAnswers(path, name)
    expect(straight).toEqual(other)
    expect(straight.status).toBeGreaterThanOrEqual(200)
  })
})

describe('the router', () => {
  /** How many requests it had while something was done. */
  async function routed(work: () => Promise<unknown>): Promise<number> {
    let count = 0
    const note = () => (count += 1)
    subscribe('tracing:fastify.request.handler:start', note)
    try {
      await work()
      return count
    } finally {
      unsubscribe('tracing:fastify.request.handler:start', note)
    }
  }

  it('has nothing to do with a plain call, and is asked for every other one', async () => {
    expect(await routed(async () => (await chat(pair.farebox, key)).text())).toBe(0)
    const path = `${CHAT_PATH}/`
    expect(await routed(async () => (await chat(pair.farebox, key, {}, { path })).text())).toBe(1)
    expect(await routed(async () => (await post(pair.farebox, CHAT, { key, path: `${CHAT_PATH}?a=b` })).text())).toBe(1)
  })
})
