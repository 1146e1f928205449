// A client that asks on over the same connection before it has its answer: answers come one after the other, in the order of the
// requests, whichever is there first.

import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { ResponsesTap } from '#dialect/responses/tap-stream.ts'
import { startFormats } from './formats.ts'
import { HELLO, rawText, sendRaw, usageOf, type Pair } from './support.ts'

/** How a stream of each format ends on the wire. */
const CHAT_END = 'data: [DONE]\n\n\r\n0\r\n\r\n'
const STALL_MS = 500

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats()
})

beforeEach(async () => {
  key = await pair.farebox.newKey('plenty')
  // The answer to chat completions comes last.
  pair.upstream.script(({ path }) =>
    path.includes('chat')
      ? { type: 'answer', stall: { at: { insideEvent: 2 }, ms: STALL_MS } }
      : { type: 'answer', headersAfterMs: 50 },
  )
})

afterEach(() => void vi.restoreAllMocks())

afterAll(() => pair.close())

/** A stream of chat completions, and one of responses behind it. */
function askForBoth({ close }: { readonly close: boolean }) {
  const lines = [`authorization: Bearer ${key}`, 'content-type: application/json']
  const chat = JSON.stringify({ model: 'chat-completions', messages: HELLO, stream: true })
  const responses = JSON.stringify({ model: 'responses', input: 'Hello', stream: true })
  const first = keptOpen(rawText(pair.farebox, 'POST /v1/chat/completions HTTP/1.1', lines, chat))
  const second = rawText(pair.farebox, 'POST /v1/responses HTTP/1.1', lines, responses)
  return sendRaw(pair.farebox, first + (close ? second : keptOpen(second)))
}

function keptOpen(request: string): string {
  return request.replace('connection: close\r\n', '')
}

it('is given every answer whole, in the order of its requests', async () => {
  const { body } = await askForBoth({ close: true })
  const [chat = '', responses = ''] = body.split('HTTP/1.1 200 OK\r\n')
  expect(chat.endsWith(CHAT_END)).toBe(true)
  expect(responses).toContain('response.completed')
})

it('sees the connection end after the first answer when the second was given up meanwhile', async () => {
  const mistake = () => {
    throw new RangeError('a mistake')
  }
  vi.spyOn(ResponsesTap.prototype, 'trailer', 'get').mockImplementation(mistake)
  vi.spyOn(ResponsesTap.prototype, 'fail').mockImplementation(mistake)
  const { body } = await askForBoth({ close: false })
  expect(body.endsWith(CHAT_END)).toBe(true)
  expect(body).not.toContain('HTTP/1.1')
  expect((await usageOf(pair.farebox)).map(({ outcome }) => outcome)).toContain('cut')
})
