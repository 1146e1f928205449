// Bodies of JSON that begin with a byte order mark, as some programs write every text.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DIALECTS, startFormats } from './formats.ts'
import { openTalk } from './socket-support.ts'
import { chat, HELLO, post, rawText, sendRaw, type Pair } from './support.ts'

const MARK = '\u{feff}'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats({ env: { FAREBOX_WEBSOCKETS: 'true' } })
  key = await pair.farebox.newKey('plenty')
})

beforeEach(() => pair.upstream.forget())
afterAll(() => pair.close())

const lastBody = () => pair.upstream.requests.at(-1)?.body

describe.each([
  ['a short body', 'Hello'],
  ['a body that comes in many pieces', 'Hello '.repeat(40_000)],
  ['a body that is read by a thread', 'Hello '.repeat(200_000)],
])('%s', (_name, text) => {
  const content = `${MARK}${text}${MARK}`

  it.each(DIALECTS)('for %s reaches the provider without the mark, and all others with it', async (model) => {
    const members = { model, messages: [{ role: 'user', content }], max_tokens: 10 }
    expect((await post(pair.farebox, members, { key })).status).toBe(200)
    const plain = lastBody()
    expect(JSON.stringify(plain)).toContain(content)
    expect((await post(pair.farebox, MARK + JSON.stringify(members), { key })).status).toBe(200)
    expect(lastBody()).toEqual(plain)
  })

  it('is what a message over a WebSocket may be', async () => {
    const talk = await openTalk(pair.farebox, key)
    const members = { type: 'response.create', model: 'responses', input: content, max_output_tokens: 16 }
    talk.send(MARK + JSON.stringify(members))
    const events = await talk.answer()
    expect(events.at(-1)?.type).toBe('response.completed')
    expect(JSON.stringify(lastBody())).toContain(content)
    await talk.close()
  })
})

it('may come a byte at a time', async () => {
  const body = Buffer.from(MARK + JSON.stringify({ model: 'chat-completions', messages: HELLO }))
  const chunks = Array.from(body, (byte) => Buffer.from([0x31, 0x0d, 0x0a, byte, 0x0d, 0x0a]))
  const lines = [`authorization: Bearer ${key}`, 'content-type: application/json', 'transfer-encoding: chunked']
  const head = Buffer.from(rawText(pair.farebox, 'POST /v1/chat/completions HTTP/1.1', lines))
  const answer = await sendRaw(pair.farebox, Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')]))
  expect(answer.status).toBe(200)
  expect((await chat(pair.farebox, key, { model: 'chat-completions' })).status).toBe(200)
})
