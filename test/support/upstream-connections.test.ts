// What happens to the requests of one kept-alive connection: a fault must break the request that it was scripted for, whatever
// came on the connection before it and whatever comes after it.

import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Behaviour } from './upstream-behaviour.ts'
import { deliver } from './upstream-delivery.ts'
import type { RequestBody } from './upstream-format.ts'
import { expectedBytes } from './upstream-reply.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const PLAIN = { model: 'upstream-chat', messages: [{ role: 'user', content: 'Hello' }] }
const EMBEDDING = { model: 'e', input: 'a', dimensions: 1 }
/** Long before the time limit of a test, and long after everything that is scripted here. */
const LIMIT_MS = 3_000
const CUTS = ['reset', 'close'] as const

let upstream: Upstream
let pool: Pool

beforeEach(async () => {
  upstream = await startUpstream()
  pool = new Pool(new URL(upstream.url).origin, { connections: 1, pipelining: 1 })
})

afterEach(async () => {
  await pool.destroy()
  await upstream.close()
  expect(upstream.openSockets()).toBe(0)
})

/** The next call of the one connection of the pool: its status and body, or 'broken', or 'silent'. */
async function call(body: RequestBody = PLAIN, path = '/v1/chat/completions'): Promise<string> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  try {
    const headers = { 'content-type': 'application/json' }
    const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body), signal })
    return `${answer.statusCode} ${await answer.body.text()}`
  } catch {
    return signal.aborted ? 'silent' : 'broken'
  }
}

const answered = (body: RequestBody = PLAIN, path = '/v1/chat/completions') =>
  `200 ${expectedBytes({ type: 'answer' }, body, path).toString()}`

const REQUEST = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`

/** Sends so many requests at once on one connection. */
function pipeline(count: number): Socket {
  const { hostname, port } = new URL(upstream.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(REQUEST.repeat(count))
  return socket
}

/** All that a connection says until it ends, and how it ends. */
async function heard(socket: Socket): Promise<{ text: string; end: 'reset' | 'close' | 'none' }> {
  let text = ''
  socket.setEncoding('utf8').on('data', (piece: string) => void (text += piece))
  const end = await new Promise<'reset' | 'close' | 'none'>((resolve) => {
    socket.once('end', () => resolve('close'))
    socket.once('error', () => resolve('reset'))
    setTimeout(() => resolve('none'), LIMIT_MS).unref()
  })
  socket.destroy()
  return { text, end }
}

describe('a request behind an answer that is not finished', () => {
  const slow: Behaviour = { type: 'answer', text: 'first', headersAfterMs: 100 }

  test.each(CUTS)('is cut when its turn has come, and not the one before it: %s', async (how) => {
    for (const at of ['before-headers', 'after-headers', { byte: 5 }] as const) {
      upstream.once(slow)
      upstream.once({ type: 'answer', text: 'second', cut: { at, how } })
      const { text, end } = await heard(pipeline(2))
      expect(end).toBe(how)
      expect(text).toContain(expectedBytes(slow, {}).toString())
      expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(at === 'before-headers' ? 1 : 2)
      expect(text).not.toContain('second')
    }
  })

  test('is silent for its own time, and not for that of the one before it', async () => {
    upstream.once(slow)
    upstream.once({ type: 'answer', headersAfterMs: 100, stall: { at: { byte: 5 }, ms: 100 } })
    upstream.once({ type: 'answer', cut: { at: 'before-headers', how: 'close' } })
    const startedAtMs = performance.now()
    expect((await heard(pipeline(3))).end).toBe('close')
    expect(performance.now() - startedAtMs).toBeGreaterThan(295)
  })

  test('is over when its client leaves, like the one before it', async () => {
    upstream.script({ type: 'answer', headersAfterMs: Infinity })
    const socket = pipeline(3)
    await expect.poll(() => upstream.requests.length).toBe(3)
    socket.destroy()
    await expect.poll(() => upstream.requests.filter((one) => one.closedAtMs !== undefined).length).toBe(3)
  })

  // A client has all of an answer with a length before the provider's last silence is over.
  test.each(CUTS)('is cut also where its client took that answer for finished: %s', async (how) => {
    for (let round = 0; round < 3; round += 1) {
      upstream.once({ type: 'answer', delayMs: 50 })
      upstream.once({ type: 'answer', cut: { at: 'before-headers', how } })
      expect([await call(), await call(), await call()]).toEqual([answered(), 'broken', answered()])
    }
    expect(upstream.requests).toHaveLength(9)
  })
})

describe('a cut at the end of an answer or behind it', () => {
  test.each(CUTS)('breaks that answer, and not the next one of its connection: %s', async (how) => {
    const length = expectedBytes({ type: 'answer' }, PLAIN).length
    for (const byte of [length - 1, length, length + 500]) {
      upstream.once({ type: 'answer', cut: { at: { byte }, how } })
      const first = await call()
      // As soon as it can: a connection that breaks late would break this one.
      expect([first, await call()]).toEqual(['broken', answered()])
    }
    await sleep(50)
    expect(await call()).toBe(answered())
    expect(upstream.requests).toHaveLength(7)
  })

  test.each(CUTS)('breaks a short answer: embeddings, and one without a body: %s', async (how) => {
    const path = '/v1/embeddings'
    upstream.once({ type: 'answer', cut: { at: { byte: 599 }, how } })
    expect([await call(EMBEDDING, path), await call(EMBEDDING, path)]).toEqual(['broken', answered(EMBEDDING, path)])
    for (const at of ['after-headers', { byte: 0 }, { byte: 1 }] as const) {
      upstream.once({ type: 'redirect', to: '/elsewhere', cut: { at, how } })
      expect([await call(), await call()]).toEqual(['broken', answered()])
    }
  })

  test('is refused where an answer has no body, and would be complete before it', async () => {
    for (const [status, method] of [
      [204, 'POST'],
      [304, 'GET'],
      [200, 'HEAD'],
    ] as const) {
      const request = Object.assign(new IncomingMessage(new Socket()), { method })
      const reply = { status, headers: {}, parts: [], isStream: false }
      const transport = { cut: { at: 'after-headers', how: 'close' } } as const
      const { signal } = new AbortController()
      const delivered = deliver({ response: new ServerResponse(request), reply, transport, signal })
      await expect(delivered).rejects.toThrow(RangeError)
    }
  })
})
