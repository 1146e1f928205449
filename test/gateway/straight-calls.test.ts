// Calls go past the router where everything about them is plain. What they are answered is what they are answered on the other way,
// which a slash at the end of the path leads to.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { chat, CHAT_PATH, post, rawText, sendRaw, soon, startPair, type Pair } from './support.ts'

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

describe('a fault while a refusal is told', () => {
  const refused = () => post(pair.farebox, { ...JSON.parse(CHAT), model: 'none' }, { key })
  const faults = () => pair.farebox.log.filter((line) => line.startsWith('fault in request')).length
  const fault = () => {
    throw new Error('a fault of the test')
  }

  afterEach(() => vi.restoreAllMocks())

  it('is reported, and answered', async () => {
    const before = faults()
    vi.spyOn(ServerResponse.prototype, 'writeHead').mockImplementationOnce(fault).mockImplementationOnce(fault)
    const response = await refused()
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ error: { type: 'api_error' } })
    expect(faults()).toBe(before + 2)
  })

  it('is reported, and ends the connection where the answer had begun', async () => {
    const before = faults()
    vi.spyOn(ServerResponse.prototype, 'writeHead')
      .mockImplementationOnce(fault)
      .mockImplementationOnce(function (this: ServerResponse, status: number) {
        this.writeHead(status)
        return fault()
      })
    await expect(refused()).rejects.toThrow('fetch failed')
    expect(faults()).toBe(before + 2)
    expect((await chat(pair.farebox, key)).status).toBe(200)
  })
})

it.each([CHAT_PATH, `${CHAT_PATH}/`])(
  'a large body that %s is sent holds what its input can be at least',
  async (path) => {
    const own = await pair.farebox.newKey('plenty')
    const content = 'a word and '.repeat(250_000)
    const leaving = new AbortController()
    const messages = [{ role: 'user', content }]
    const { signal } = leaving
    pair.upstream.forget()
    pair.upstream.script({ type: 'answer', headersAfterMs: Infinity })
    const call = chat(pair.farebox, own, { messages, max_tokens: 1 }, { path, signal }).catch(() => 'left')
    await soon(() => pair.upstream.requests.length === 1)
    // A token is three bytes at most, and costs a micro-credit.
    const { held_credits: held } = await pair.farebox.balance(own)
    expect(Number(held) * 1e6).toBeGreaterThan(content.length / 3)
    leaving.abort()
    expect(await call).toBe('left')
    pair.upstream.forget()
  },
)
