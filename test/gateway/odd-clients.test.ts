// Clients that do not keep to a format: Cursor, which posts a body of responses to chat completions, Codex, which tries a
// WebSocket first also where there is none, and those that say in odd letters that a body is as it is.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MODELS, startFormats } from './formats.ts'
import { chunksOf, eventData, expectError, HELLO, post, rawText, sendRaw, usageOf, type Pair } from './support.ts'

let pair: Pair
let key: string

beforeAll(async () => {
  pair = await startFormats({ env: { FAREBOX_WEBSOCKETS: 'false' } })
  key = await pair.farebox.newKey('plenty')
})

afterAll(() => pair.close())
beforeEach(() => pair.upstream.forget())

const INPUT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'input_text', text: 'Grüße' }] },
]
const TOOL = {
  type: 'function',
  name: 'weather',
  description: 'Tells it.',
  parameters: { type: 'object', properties: {} },
}
const CUSTOM = { type: 'custom', name: 'apply_patch', description: 'Changes files.', format: { type: 'text' } }

const send = (members: object, path = '/v1/chat/completions') => post(pair.farebox, members, { key, path })

describe.each(MODELS)('a body of responses at chat completions, for %s', (model) => {
  it('is answered with a whole chat completion', async () => {
    const response = await send({ model, input: INPUT, max_output_tokens: 50 })
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model,
      choices: [
        { index: 0, message: { role: 'assistant', content: expect.stringMatching(/./) }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    })
    expect(await usageOf(pair.farebox)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ endpoint: 'chat', model })]),
    )
  })

  it('is answered with a stream of chunks, closed by [DONE]', async () => {
    const text = await (await send({ model, input: 'Hello', stream: true }, '/chat/completions')).text()
    expect(eventData(text).at(-1)).toBe('[DONE]')
    const chunks = chunksOf(text)
    expect(chunks.length).toBeGreaterThan(2)
    for (const chunk of chunks) expect(chunk).toMatchObject({ object: 'chat.completion.chunk' })
    expect(text).not.toContain('response.')
  })

  it('has its flat tools called in the form of chat completions', async () => {
    const call = { id: 'call_1', name: 'weather', arguments: '{}' }
    pair.upstream.script({ type: 'answer', toolCalls: [call] })
    const choice = { type: 'function', name: 'weather' }
    const response = await send({ model, input: INPUT, tools: [TOOL, CUSTOM], tool_choice: choice })
    const text = await response.text()
    expect(`${response.status} ${text}`).toMatch(/^200 /)
    const toolCalls = [{ type: 'function', function: { name: 'weather' } }]
    expect(JSON.parse(text)).toMatchObject({
      choices: [{ message: { tool_calls: toolCalls }, finish_reason: 'tool_calls' }],
    })
  })

  it('is refused in the words of chat completions when it is wrong', async () => {
    await expectError(await send({ model, input: INPUT, temperature: 3 }), 400, { param: expect.any(String) })
    await expectError(await send({ model, input: [] }), 400, { param: 'messages' })
    await expectError(await send({ model, input: 5 }), 400, { param: 'messages' })
  })
})

describe('a body at chat completions', () => {
  it('with messages is one of chat completions, whatever else it holds', async () => {
    const response = await send({ model: 'chat-completions', messages: HELLO, input: INPUT })
    expect(response.status).toBe(200)
    expect(pair.upstream.requests[0]?.body).toMatchObject({ messages: HELLO, input: INPUT })
  })

  it('with neither is refused for its messages', async () => {
    await expectError(await send({ model: 'chat-completions' }), 400, { param: 'messages' })
    await expectError(await send({ model: 'chat-completions', x: '"input"' }), 400, { param: 'messages' })
  })
})

describe('a WebSocket where there are none', () => {
  const upgrade = [
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'openai-beta: responses_websockets=2026-02-06',
  ]
  const handshake = (path: string, lines: readonly string[]) => {
    const text = rawText(pair.farebox, `GET ${path} HTTP/1.1`, [...upgrade, ...lines])
    return sendRaw(pair.farebox, text.replace('connection: close\r\n', ''))
  }

  it.each(['/v1/responses', '/responses', '/v1/v1/responses'])(
    'at %s is answered 426 at once, or 401 without a key, and closed',
    async (path) => {
      const keys = [
        [401, []],
        [426, [`authorization: Bearer ${key}`]],
        [401, ['authorization: Bearer key_wrong']],
      ] as const
      for (const [status, lines] of keys) {
        const startedMs = performance.now()
        const answer = await handshake(path, lines)
        expect(answer.status).toBe(status)
        expect(answer.headers.get('connection')).toBe('close')
        expect(JSON.parse(answer.body)).toMatchObject({ error: { code: status } })
        if (status === 426) expect(answer.headers.get('upgrade')).toBe('HTTP/1.1')
        expect(performance.now() - startedMs).toBeLessThan(1000)
      }
      expect(pair.upstream.requests).toEqual([])
    },
  )

  it.each(['/v1/messages', '/v1/chat/completions', '/health', '/nothing', '/'])(
    'elsewhere is refused: %s',
    async (path) => {
      const text = rawText(pair.farebox, `GET ${path} HTTP/1.1`, upgrade.slice(1))
      expect((await sendRaw(pair.farebox, text)).status).toBe(400)
    },
  )

  it('from a web page, or to another host, is refused as every request is', async () => {
    expect((await handshake('/v1/responses', ['origin: https://example.com'])).status).toBe(403)
    expect((await handshake('/v1/responses', ['host: example.com'])).status).toBe(403)
  })

  it('does not keep what is sent behind it', async () => {
    const lines = [...upgrade.slice(1), `authorization: Bearer ${key}`]
    const request = rawText(pair.farebox, 'GET /v1/responses HTTP/1.1', lines)
    const answer = await sendRaw(pair.farebox, `${request}\x81\x05hello${request}`)
    expect(answer.status).toBe(426)
    expect(answer.body.match(/HTTP\/1\.1/g)).toBeNull()
  })
})

it.each(['identity', 'Identity', ''])(
  'a body that is not compressed, and says so with "%s", is taken',
  async (encoding) => {
    const headers = { 'content-encoding': encoding }
    const response = await post(pair.farebox, { model: 'demo', messages: HELLO }, { key, headers })
    expect(response.status).toBe(200)
  },
)
