import { describe, expect, it } from 'vitest'
import { DEFAULT_QUIRKS } from '#core/quirks.ts'
import { isRefusal } from '#core/refusal.ts'
import { editChatRequest } from '#dialect/chat-completions/edit-request.ts'
import { readChatRequest } from '#dialect/chat-completions/read-request.ts'
import type { ClientRequest } from '#dialect/dialect.ts'
import { editEmbeddingRequest, readEmbeddingRequest } from '#dialect/embeddings/read-request.ts'
import { UNMENDED } from '#dialect/mended.ts'

const MESSAGES = [{ role: 'user', content: 'Hi' }]

const chatText = (members: object) => JSON.stringify({ model: 'm', messages: MESSAGES, ...members })
const readChat = (text: string) => readChatRequest(text, Buffer.byteLength(text))
const readEmbedding = (members: object) => {
  const text = JSON.stringify({ model: 'e', input: 'text', ...members })
  return readEmbeddingRequest(text, Buffer.byteLength(text))
}

function chat(members: object): ClientRequest {
  const request = readChat(chatText(members))
  if (isRefusal(request)) expect.fail(request.message)
  return request
}

/** A value as JSON text that JSON.stringify would not write. */
const raw = (name: string, text: string) =>
  `{"model":"m","messages":[{"role":"user","content":"Hi"}],"${name}":${text}}`

describe('a chat completion request is refused', () => {
  it.each([
    ['that is not JSON', '{"model":', 'not valid JSON'],
    ['that is empty', '', 'not valid JSON'],
    ['that has something behind it', '{"model":"m"} x', 'not valid JSON'],
    ['that is an array', '[]', 'must be a JSON object'],
    ['that is null', 'null', 'must be a JSON object'],
    ['that is a string', '"{}"', 'must be a JSON object'],
    ['that is nested too deeply', raw('x', '['.repeat(100) + ']'.repeat(100)), 'too deeply'],
  ])('%s', (_, text, says) => {
    expect(readChat(text)).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(says) as string })
  })

  it('that gives a member twice, naming it, also where an escape hides it', () => {
    const twice = String.raw`{"model":"cheap","messages":[{"role":"user","content":"Hi"}],"mod\u0065l":"dear"}`
    expect(readChat(twice)).toMatchObject({ code: 'invalid_request', param: 'model' })
  })

  it('whose escaped names are misread, as V8 does after a text with similar ones', () => {
    const body = (member: string) => `{"model":"m","messages":[{"role":"user","content":"Hi"}],${member}}`
    for (const [similar, escaped, field] of [
      [String.raw`"\\":1`, String.raw`"\u006e":100`, 'choices'],
      [String.raw`"max_t\\u006":1`, String.raw`"max_t\u006fkens":100`, 'outputCap'],
    ] as const) {
      for (let count = 0; count < 3; count++) readChat(body(similar))
      const request = readChat(body(escaped))
      // An engine without the mistake reads what is written; nobody reads anything else.
      if (isRefusal(request)) expect(request.code).toBe('invalid_request')
      else expect(request[field]).toBe(100)
    }
  })

  it('without repeating anything of its content', () => {
    const refusal = readChat('{"messages": secret words')
    expect(JSON.stringify(refusal)).not.toContain('secret')
  })

  it.each([
    ['model', undefined],
    ['model', null],
    ['model', ''],
    ['model', 5],
    ['messages', undefined],
    ['messages', null],
    ['messages', 'Hi'],
    ['messages', []],
    ['messages', {}],
    ['messages[0]', ['Hi']],
    ['messages[0]', [null]],
    ['messages[0].role', [{ content: 'Hi' }]],
    ['messages[0].role', [{ role: 'robot', content: 'Hi' }]],
    ['messages[1].role', [...MESSAGES, { role: 1, content: 'Hi' }]],
    ['messages[0].content', [{ role: 'user' }]],
    ['messages[0].content', [{ role: 'user', content: null }]],
    ['messages[0].content', [{ role: 'user', content: 5 }]],
    ['messages[0].content', [{ role: 'user', content: ['Hi'] }]],
    ['messages[0].content', [{ role: 'tool', content: null, tool_call_id: 'x' }]],
    ['max_tokens', 0],
    ['max_tokens', -1],
    ['max_tokens', 1.5],
    ['max_tokens', '5'],
    ['max_completion_tokens', 0],
    ['max_completion_tokens', true],
    ['stream', 'true'],
    ['stream', 1],
    ['stream_options', true],
    ['stream_options', []],
    ['temperature', -0.1],
    ['temperature', 2.1],
    ['temperature', '1'],
    ['top_p', -0.1],
    ['top_p', 1.1],
    ['n', 0],
    ['n', 129],
    ['n', 1.5],
    ['tools', {}],
    ['tools', ['f']],
    ['tool_choice', 'any'],
    ['tool_choice', []],
    ['tool_choice', 1],
  ])('for its %s when that is wrong: %j', (param, value) => {
    const member = param.replace(/\[.*$/, '')
    expect(readChat(chatText({ [member]: value }))).toMatchObject({ code: 'invalid_request', param })
  })

  it.each(['temperature', 'top_p', 'max_tokens', 'n'])('for a %s beyond all numbers', (name) => {
    expect(readChat(raw(name, '1e400'))).toMatchObject({ param: name })
  })

  it('that gives both caps: nobody knows which one a provider believes', () => {
    expect(readChat(chatText({ max_tokens: 5, max_completion_tokens: 6 }))).toMatchObject({ param: 'max_tokens' })
  })
})

describe('a chat completion request is read', () => {
  it.each([
    ['system', 'text'],
    ['developer', 'text'],
    ['user', [{ type: 'text', text: 'Hi' }]],
    ['user', []],
    ['user', ''],
    ['assistant', null],
    ['assistant', undefined],
    ['tool', 'result'],
    ['function', 'result'],
  ])('with a message of role %s and content %j', (role, content) => {
    expect(isRefusal(readChat(chatText({ messages: [{ role, content }] })))).toBe(false)
  })

  it('with nothing but what is required', () => {
    expect(chat({})).toMatchObject({
      model: 'm',
      isStream: false,
      wantsUsage: false,
      outputCap: undefined,
      outputCapName: 'max_tokens',
      choices: 1,
    })
  })

  it('where null counts as not given', () => {
    const nothing = { max_tokens: null, stream: null, stream_options: null, temperature: null, n: null, tools: null }
    expect(chat(nothing)).toMatchObject({ isStream: false, outputCap: undefined, choices: 1 })
    expect(chat({ max_tokens: null, max_completion_tokens: 7 })).toMatchObject({
      outputCap: 7,
      outputCapName: 'max_completion_tokens',
    })
  })

  it.each([
    [{ max_tokens: 5 }, { outputCap: 5, outputCapName: 'max_tokens' }],
    [{ max_completion_tokens: 6 }, { outputCap: 6, outputCapName: 'max_completion_tokens' }],
    [{ n: 3 }, { choices: 3 }],
    [{ stream: true }, { isStream: true, wantsUsage: false }],
    [
      { stream: true, stream_options: { include_usage: true } },
      { isStream: true, wantsUsage: true },
    ],
    [{ stream: true, stream_options: { include_usage: false } }, { wantsUsage: false }],
    [{ stream: true, stream_options: { include_usage: 'yes' } }, { wantsUsage: false }],
  ])('with what routing and metering need: %j', (members, found) => {
    expect(chat(members)).toMatchObject(found)
  })

  it.each([{ temperature: 0 }, { temperature: 2 }, { top_p: 0 }, { top_p: 1 }, { n: 128 }, { tool_choice: 'none' }])(
    'at the ends of the ranges: %j',
    (members) => {
      expect(chat(members).model).toBe('m')
    },
  )

  it('whatever else it holds: unknown members are for the provider to judge', () => {
    const members = { reasoning_effort: 'high', seed: 'x', logit_bias: 5, provider: { order: [] }, __proto__: 1 }
    expect(chat(members).model).toBe('m')
  })

  it('and measured: text by its bytes, embedded media as parts', () => {
    const text = chatText({ messages: [{ role: 'user', content: 'Grüße 🚀' }] })
    expect(chat({ messages: [{ role: 'user', content: 'Grüße 🚀' }] }).body.size).toEqual({
      textBytes: Buffer.byteLength(text),
      mediaParts: 0,
    })
    const url = `data:image/png;base64,${'A'.repeat(100_000)}`
    const size = chat({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] }).body.size
    expect(size.mediaParts).toBe(1)
    expect(size.textBytes).toBeLessThan(200)
  })
})

describe('what is sent to the provider', () => {
  const plain = {
    upstreamModel: 'm',
    outputCap: undefined,
    outputCapField: 'max_tokens',
    quirks: DEFAULT_QUIRKS,
    mended: UNMENDED,
  } as const

  it('is the request as it came when nothing has to change', () => {
    const text = ' {"messages": [{"role":"user","content":"\\u0048i"}],\n "model":"m", "x": 1e2} '
    const request = readChat(text)
    if (isRefusal(request)) expect.fail(request.message)
    expect(editChatRequest(request, plain)).toBe(text)
    expect(editChatRequest(request, { ...plain, upstreamModel: 'other"name' })).toBe(
      text.replace('"m"', String.raw`"other\"name"`),
    )
  })

  it.each([
    [{}, 100, { max_completion_tokens: 100 }],
    [{ max_tokens: null }, 100, { max_tokens: null, max_completion_tokens: 100 }],
    [{ max_tokens: 500 }, 100, { max_tokens: 100 }],
    [{ max_completion_tokens: 500 }, 100, { max_completion_tokens: 100 }],
    [{ max_tokens: 100 }, 100, { max_tokens: 100 }],
    [{ max_tokens: 500 }, undefined, { max_tokens: 500 }],
  ])('has its cap where the client gave one, else where the provider takes one: %j to %s', (given, outputCap, sent) => {
    const edited = editChatRequest(chat(given), { ...plain, outputCap, outputCapField: 'max_completion_tokens' })
    expect(JSON.parse(edited)).toEqual({ model: 'm', messages: MESSAGES, ...sent })
  })

  it.each([
    [{ stream: true }, { include_usage: true }],
    [{ stream: true, stream_options: null }, { include_usage: true }],
    [
      { stream: true, stream_options: { a: 1 } },
      { a: 1, include_usage: true },
    ],
    [
      { stream: true, stream_options: { include_usage: false, a: 1 } },
      { include_usage: true, a: 1 },
    ],
    [
      { stream: true, stream_options: { include_usage: true, a: 1 } },
      { include_usage: true, a: 1 },
    ],
    [{ stream: false }, undefined],
    [{}, undefined],
  ])('asks for usage in every stream, and in nothing else: %j', (given, options) => {
    const sent = JSON.parse(editChatRequest(chat(given), plain)) as Record<string, unknown>
    expect(sent['stream_options']).toEqual(options)
  })
})

describe('an embeddings request', () => {
  it.each([
    [undefined],
    [null],
    [''],
    [5],
    [{}],
    [[]],
    [['']],
    [['a', '']],
    [['a', 1]],
    [[1, 'a']],
    [[-1]],
    [[1.5]],
    [[[]]],
    [[[1], []]],
    [[[1], 'a']],
    [Array.from({ length: 2049 }, () => 'a')],
  ])('is refused for an input that is none: %j', (input) => {
    expect(readEmbedding({ input })).toMatchObject({ code: 'invalid_request', param: 'input' })
  })

  it.each([
    ['encoding_format', 'hex'],
    ['encoding_format', 1],
    ['dimensions', 0],
    ['dimensions', 1.5],
    ['dimensions', '256'],
  ])('is refused for a wrong %s: %j', (param, value) => {
    expect(readEmbedding({ [param]: value })).toMatchObject({ code: 'invalid_request', param })
  })

  it.each([
    ['one text', undefined],
    [['several', 'texts'], undefined],
    [Array.from({ length: 2048 }, () => 'a'), undefined],
    [[1, 2, 3], 3],
    [[[1, 2], [3]], 3],
    [Array.from({ length: 8000 }, () => 7), 8000],
  ])('is read with the tokens that the client counted itself: %j', (input, tokenCount) => {
    expect(readEmbedding({ input })).toMatchObject({ model: 'e', tokenCount })
  })

  it.each([
    [{}, 'float'],
    [{ encoding_format: null }, 'float'],
    [{ encoding_format: 'float' }, 'float'],
    [{ encoding_format: 'base64' }, 'base64'],
  ])('%j asks for %s', (members, format) => {
    expect(readEmbedding(members)).toMatchObject({ form: format })
  })

  it('is passed on with only its model changed', () => {
    const request = readEmbedding({ input: [[1, 2]], user: 'u' })
    if (isRefusal(request)) expect.fail(request.message)
    expect(editEmbeddingRequest(request, 'e')).toBe(request.body.text)
    expect(editEmbeddingRequest(request, 'real')).toBe(request.body.text.replace('"e"', '"real"'))
  })
})
