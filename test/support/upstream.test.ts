import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import OpenAI from 'openai'
import { Agent, request } from 'undici'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ODD_USAGE, ORDINARY_USAGE, type Behaviour } from './upstream-behaviour.ts'
import { expectedBytes } from './upstream-reply.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const PLAIN = { model: 'upstream-chat', messages: [{ role: 'user', content: 'Hello' }] }
const STREAMED = { ...PLAIN, stream: true }
const METERED = { ...STREAMED, stream_options: { include_usage: true } }

let upstream: Upstream
let agent: Agent

beforeEach(async () => {
  upstream = await startUpstream()
  agent = new Agent()
})

afterEach(async () => {
  await agent.destroy()
  await upstream.close()
  expect(upstream.openSockets()).toBe(0)
})

async function post(body: object, path = '/chat/completions') {
  const options = { dispatcher: agent, method: 'POST', headers: { 'content-type': 'application/json' } } as const
  return request(upstream.url + path, { ...options, body: JSON.stringify(body) })
}

async function bytesOf(body: object): Promise<Buffer> {
  const answer = await post(body)
  return Buffer.from(await answer.body.arrayBuffer())
}

/** The reads a raw socket sees, headers and chunk framing included; they show what left in separate writes. */
async function readsOf(body: object): Promise<Buffer[]> {
  const { hostname, port } = new URL(upstream.url)
  const text = JSON.stringify(body)
  const socket = connect(Number(port), hostname)
  const reads: Buffer[] = []
  socket.on('data', (read) => reads.push(read))
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n`)
  socket.write(`content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  await new Promise<void>((resolve, reject) => {
    socket.once('end', resolve)
    socket.once('error', reject)
  })
  socket.destroy()
  return reads
}

function events(stream: Buffer): string[] {
  return stream
    .toString()
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
}

async function chunksOf(behaviour: Behaviour, body: object) {
  upstream.script(behaviour)
  const data = events(await bytesOf(body)).filter((event) => event !== '[DONE]')
  return data.map((event) => JSON.parse(event) as { choices: unknown[]; usage?: unknown })
}

describe('an answer', () => {
  test('is a whole chat completion with usage, byte for byte what the helper says', async () => {
    const bytes = await bytesOf(PLAIN)
    expect(bytes).toEqual(expectedBytes({ type: 'answer' }, PLAIN))
    expect(JSON.parse(bytes.toString())).toMatchObject({
      object: 'chat.completion',
      model: 'upstream-chat',
      choices: [{ index: 0, message: { role: 'assistant' }, finish_reason: 'stop' }],
      usage: ORDINARY_USAGE,
    })
  })

  test('streams usage only to those who asked, in a chunk of its own before [DONE]', async () => {
    const metered = await chunksOf({ type: 'answer' }, METERED)
    expect(metered.at(-1)).toMatchObject({ choices: [], usage: ORDINARY_USAGE })
    expect(metered.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true)
    const plain = await chunksOf({ type: 'answer' }, STREAMED)
    expect(plain.every((chunk) => !('usage' in chunk))).toBe(true)
    expect(events(await bytesOf(STREAMED)).at(-1)).toBe('[DONE]')
  })

  test('carries usage on the finish chunk, on every chunk, twice, odd, or not at all', async () => {
    const onFinish = await chunksOf({ type: 'answer', usageAt: 'finish-chunk' }, STREAMED)
    expect(onFinish.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: ORDINARY_USAGE })
    const running = await chunksOf({ type: 'answer', usageAt: 'every-chunk' }, STREAMED)
    expect(running.map((chunk) => (chunk.usage as typeof ORDINARY_USAGE).completion_tokens)).toEqual(
      running.map((_, index) => index + 1),
    )
    const twice = await chunksOf({ type: 'answer', usageTimes: 2, usage: ODD_USAGE.negative }, METERED)
    expect(twice.slice(-2).map((chunk) => chunk.usage)).toEqual([ODD_USAGE.negative, ODD_USAGE.negative])
    const none = await chunksOf({ type: 'answer', usage: null }, METERED)
    expect(none.every((chunk) => !('usage' in chunk))).toBe(true)
  })

  test('is what the official client understands: parallel tool calls, reasoning, choices, models, embeddings', async () => {
    const toolCalls = ['Berlin', 'Oslo'].map((city, index) => ({
      id: `call_${index}`,
      name: 'weather',
      arguments: JSON.stringify({ city }),
    }))
    upstream.script({ type: 'answer', toolCalls, reasoning: 'Two cities.' })
    const client = new OpenAI({ baseURL: upstream.url, apiKey: 'sk-test', maxRetries: 0 })
    const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'Weather?' }] }
    const streamed = await client.chat.completions.stream({ ...ask, n: 2 }).finalChatCompletion()
    expect(streamed.choices).toHaveLength(2)
    expect(streamed.choices[1]?.finish_reason).toBe('tool_calls')
    const whole = await client.chat.completions.create(ask)
    expect(whole.choices[0]?.message).toMatchObject({ reasoning_content: 'Two cities.', content: null })
    for (const { message } of [streamed.choices[1], whole.choices[0]].flatMap((choice) => choice ?? [])) {
      expect(message.tool_calls?.map((call) => call.type === 'function' && call.function)).toEqual(
        toolCalls.map(({ name, arguments: text }) => expect.objectContaining({ name, arguments: text })),
      )
    }
    const models = await client.models.list()
    expect(models.data.map((model) => model.id)).toContain('upstream-chat')
    const embedded = await client.embeddings.create({ model: 'e', input: ['a', 'b'], dimensions: 3 })
    expect(embedded.data.map((entry) => Array.from(entry.embedding))).toEqual([
      [0, -0.125, -0.25],
      [0.125, 0, -0.125],
    ])
  })
})

describe('embeddings', () => {
  const ask = { model: 'e', input: 'a', encoding_format: 'base64', dimensions: 2 }

  test('follow encoding_format, or ignore it when scripted to', async () => {
    const asked = await (await post(ask, '/embeddings')).body.json()
    const packed = Buffer.from(new Float32Array([0, -0.125]).buffer).toString('base64')
    expect(asked).toMatchObject({ object: 'list', data: [{ embedding: packed }], usage: { prompt_tokens: 5 } })
    upstream.script({ type: 'embedding', format: 'float', usage: null })
    const ignored = await (await post(ask, '/embeddings')).body.json()
    expect(ignored).toMatchObject({ data: [{ embedding: [0, -0.125] }] })
    expect(ignored).not.toHaveProperty('usage')
  })

  test('count token arrays as one input', async () => {
    const answer = (await (await post({ model: 'e', input: [1, 2, 3] }, '/embeddings')).body.json()) as object
    expect(answer).toMatchObject({ data: [{ index: 0 }] })
  })
})

describe('a stream on the wire', () => {
  const text = 'Grüße, 世界 🙂'

  test('sends one event a write, or all in one, or byte by byte, with the same bytes in the end', async () => {
    const expected = expectedBytes({ type: 'answer', text }, METERED)
    for (const chunking of ['per-event', 'whole', 'byte-by-byte', 'inside-characters', { offsets: [3, 50] }] as const) {
      upstream.script({ type: 'answer', text, chunking })
      expect(await bytesOf(METERED)).toEqual(expected)
    }
    upstream.script({ type: 'answer', text, chunking: 'whole' })
    const whole = await readsOf(STREAMED)
    upstream.script({ type: 'answer', text, chunking: 'byte-by-byte' })
    const single = await readsOf(STREAMED)
    expect(whole.length).toBeLessThan(5)
    expect(single.length).toBeGreaterThan(500)
  })

  test('cuts every multi-byte character in two', async () => {
    upstream.script({ type: 'answer', text, chunking: 'inside-characters', delayMs: 2 })
    const reads = await readsOf(STREAMED)
    const broken = reads.filter((read) => read.toString('utf8').includes('\uFFFD'))
    expect(broken.length).toBeGreaterThanOrEqual(2)
  })

  test('pauses between events and inside one', async () => {
    upstream.script({
      type: 'answer',
      pieces: ['a', 'b', 'c'],
      delayMs: 20,
      stall: { at: { insideEvent: 2 }, ms: 100 },
    })
    const started = Date.now()
    await bytesOf(STREAMED)
    expect(Date.now() - started).toBeGreaterThanOrEqual(100 + 5 * 20)
  })

  test('uses the line ends and comments it is told to', async () => {
    for (const lineEnd of ['\n', '\r\n', '\r'] as const) {
      upstream.script({ type: 'answer', lineEnd, comment: ': keep-alive' })
      const stream = (await bytesOf(STREAMED)).toString()
      expect(stream).toContain(`${lineEnd}${lineEnd}: keep-alive${lineEnd}${lineEnd}data: `)
      expect(stream.endsWith(`data: [DONE]${lineEnd}${lineEnd}`)).toBe(true)
      expect(lineEnd === '\r' && stream.includes('\n')).toBe(false)
    }
  })
})

describe('a fault', () => {
  test('refuses connections until it accepts them again on the same port', async () => {
    await upstream.refuse()
    await expect(post(PLAIN)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await upstream.accept()
    expect((await post(PLAIN)).statusCode).toBe(200)
  })

  test('is silent before the headers, and lets go when the client does', async () => {
    upstream.once({ type: 'answer', headersAfterMs: Infinity })
    const pending = request(`${upstream.url}/models`, { dispatcher: agent, signal: AbortSignal.timeout(100) })
    await expect(pending).rejects.toMatchObject({ name: 'TimeoutError' })
    await vi.waitFor(() => expect(upstream.requests[0]?.closedAtMs).toBeDefined())
    expect(upstream.requests[0]?.completed).toBe(false)
  })

  test('resets before the headers, after them, at a byte and inside an event', async () => {
    upstream.once({ type: 'answer', cut: { at: 'before-headers', how: 'reset' } })
    await expect(post(PLAIN)).rejects.toMatchObject({ code: 'ECONNRESET' })
    for (const at of ['after-headers', { byte: 10 }, { insideEvent: 1 }, { afterEvent: 0 }] as const) {
      upstream.once({ type: 'answer', cut: { at, how: 'reset' } })
      const answer = await post(STREAMED)
      expect(answer.statusCode).toBe(200)
      await expect(answer.body.text()).rejects.toMatchObject({ code: 'ECONNRESET' })
    }
  })

  test('sends exactly the bytes before the cut', async () => {
    upstream.once({ type: 'answer', cut: { at: { byte: 10 }, how: 'close' } })
    const answer = await post(STREAMED)
    const got: Buffer[] = []
    answer.body.on('data', (part: Buffer) => got.push(part))
    await expect(new Promise((_, reject) => answer.body.once('error', reject))).rejects.toThrow()
    expect(Buffer.concat(got)).toEqual(expectedBytes({ type: 'answer' }, STREAMED).subarray(0, 10))
  })

  test('sends exactly the events before the cut', async () => {
    upstream.once({ type: 'answer', cut: { at: { afterEvent: 1 }, how: 'close' } })
    const answer = await post(STREAMED)
    const got: Buffer[] = []
    answer.body.on('data', (part: Buffer) => got.push(part))
    await expect(new Promise((_, reject) => answer.body.once('error', reject))).rejects.toThrow()
    const events = expectedBytes({ type: 'answer' }, STREAMED)
      .toString()
      .split(/(?<=\n\n)/)
    expect(Buffer.concat(got).toString()).toBe(events.slice(0, 2).join(''))
  })

  test('closes inside a whole answer that announced its length', async () => {
    upstream.once({ type: 'answer', cut: { at: { byte: 20 }, how: 'close' } })
    const answer = await post(PLAIN)
    await expect(answer.body.text()).rejects.toThrow()
  })

  test('ends a stream without [DONE], without a finish reason, or both', async () => {
    upstream.script({ type: 'answer', omit: ['done'] })
    expect((await bytesOf(STREAMED)).toString()).not.toContain('[DONE]')
    upstream.script({ type: 'answer', omit: ['finish'] })
    expect((await bytesOf(STREAMED)).toString()).not.toContain('"finish_reason":"stop"')
  })

  test('breaks one event and keeps the others sound', async () => {
    for (const how of ['not-json', 'truncated-json'] as const) {
      upstream.script({ type: 'broken-stream', atEvent: 1, how })
      const stream = events(await bytesOf(STREAMED))
      expect(() => void JSON.parse(stream[1] ?? '')).toThrow(SyntaxError)
      expect(() => void JSON.parse(stream[2] ?? '')).not.toThrow()
    }
  })

  test('puts an error inside a 200, whole, first in a stream and later in it', async () => {
    upstream.once({ type: 'error-in-200' })
    const whole = await post(PLAIN)
    expect([whole.statusCode, await whole.body.json()]).toMatchObject([200, { error: { type: 'server_error' } }])
    for (const afterEvents of [0, 2]) {
      upstream.once({ type: 'error-in-stream', afterEvents })
      const stream = events(await bytesOf(STREAMED))
      expect(stream).toHaveLength(afterEvents + 1)
      expect(stream.at(-1)).toContain('{"error":')
    }
  })

  test('answers any status with its body, and Retry-After as it was given', async () => {
    const date = 'Fri, 01 Jan 2027 00:00:00 GMT'
    for (const [status, retryAfter] of [[400], [401], [429, 7], [500], [503, date], [529, 'soon']] as const) {
      upstream.once({ type: 'status', status, ...(retryAfter === undefined ? {} : { retryAfter }) })
      const answer = await post(PLAIN)
      expect(answer.statusCode).toBe(status)
      expect(answer.headers['retry-after']).toBe(retryAfter === undefined ? undefined : String(retryAfter))
      expect(await answer.body.json()).toHaveProperty('error.message')
    }
  })

  test('answers with HTML, a redirect, gzip or another content type', async () => {
    for (const status of [200, 502]) {
      upstream.once({ type: 'html', status })
      const page = await post(PLAIN)
      expect([page.statusCode, page.headers['content-type']]).toEqual([status, 'text/html'])
      expect(await page.body.text()).toContain('<html>')
    }
    upstream.once({ type: 'redirect', to: 'http://127.0.0.1:9/elsewhere' })
    const moved = await post(PLAIN)
    await moved.body.dump()
    expect([moved.statusCode, moved.headers.location]).toEqual([307, 'http://127.0.0.1:9/elsewhere'])
    upstream.once({ type: 'answer', encoding: 'gzip' })
    expect(gunzipSync(await bytesOf(PLAIN))).toEqual(expectedBytes({ type: 'answer' }, PLAIN))
    upstream.once({ type: 'answer', contentType: 'text/plain' })
    const mislabelled = await post(STREAMED)
    await mislabelled.body.dump()
    expect(mislabelled.headers['content-type']).toBe('text/plain')
  })

  test('streams without end until the client leaves, and answers larger than asked', async () => {
    upstream.once({ type: 'endless', delayMs: 1 })
    const answer = await post(STREAMED)
    await sleep(50)
    answer.body.on('error', () => {}).destroy()
    await vi.waitFor(() => expect(upstream.requests[0]?.closedAtMs).toBeDefined())
    upstream.once({ type: 'oversized', bytes: 3_000_000 })
    expect((await bytesOf(PLAIN)).length).toBeGreaterThan(3_000_000)
  })

  test('sends raw bytes as they are', async () => {
    const parts = ['\uFEFFdata:{}\n\n', Buffer.from([0xff, 0xfe])]
    upstream.once({ type: 'raw', parts })
    expect(await bytesOf(STREAMED)).toEqual(Buffer.concat(parts.map((part) => Buffer.from(part))))
  })
})

describe('the record', () => {
  test('holds what was asked and how the reply ended', async () => {
    upstream.script((asked) => (asked.body.n === 3 ? { type: 'status', status: 418 } : { type: 'answer' }))
    expect((await post({ ...PLAIN, n: 3 })).statusCode).toBe(418)
    const [recorded] = upstream.requests
    expect(recorded).toMatchObject({ method: 'POST', path: '/v1/chat/completions', completed: true })
    expect(recorded?.closedAtMs).toBeUndefined()
    expect(recorded?.text).toBe(JSON.stringify(recorded?.body))
    expect(recorded?.rawHeaders).toContain('content-type')
    upstream.forget()
    expect(upstream.requests).toHaveLength(0)
  })

  test('queues behaviours for the next requests only', async () => {
    upstream.once({ type: 'status', status: 500 })
    upstream.once({ type: 'status', status: 501 })
    const statuses = []
    for (let call = 0; call < 3; call += 1) statuses.push((await post(PLAIN)).statusCode)
    expect(statuses).toEqual([500, 501, 200])
  })
})
