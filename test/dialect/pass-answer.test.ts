import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { CHAT_ANSWER_TAP } from '#dialect/chat-completions/tap-answer.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { ChatTap } from '#dialect/chat-completions/tap-stream.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { chunk, DONE } from './chat-streams.ts'

const USAGE = { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 }

function answer(message: object, members: object = {}): Buffer {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }]
  return Buffer.from(JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage: USAGE, ...members }))
}

function read(bytes: Buffer): { reader: PassAnswer; sent: Buffer } {
  const reader = new PassAnswer(CHAT_ANSWER_TAP)
  expect(reader.push(bytes)).toBeUndefined()
  expect(reader.isComplete).toBe(false)
  reader.end()
  const sent = reader.final()
  return { reader, sent }
}

describe('a whole chat completion', () => {
  it('passes byte for byte, in whatever pieces it came', () => {
    const bytes = Buffer.from(` {"choices": [ {"message":{"content":"Gr\\u00fc\u00dfe 🚀"}} ],\n "x": 1.0e2 } `)
    expect(read(bytes).sent).toBe(bytes)
    for (let at = 0; at <= bytes.length; at++) {
      const reader = new PassAnswer(CHAT_ANSWER_TAP)
      reader.push(bytes.subarray(0, at))
      reader.push(bytes.subarray(at))
      reader.end()
      expect(reader.final().equals(bytes)).toBe(true)
      expect(reader.generated.bytes).toBe(read(bytes).reader.generated.bytes)
      // An answer of many pieces is put together once, to be read and to be sent.
      expect(reader.final()).toBe(reader.final())
    }
  })

  it('loses the byte order mark that JSON has no place for', () => {
    const bytes = answer({ content: 'Hi' })
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
    for (const at of [0, 1, 3, 10]) {
      const reader = new PassAnswer(CHAT_ANSWER_TAP)
      reader.push(marked.subarray(0, at))
      reader.push(marked.subarray(at))
      reader.end()
      expect(reader.final().equals(bytes)).toBe(true)
    }
  })

  it('is none without choices', () => {
    expect(() => read(answer({}, { choices: [] }))).toThrow(UpstreamFailure)
  })

  it('reports its usage, also one that is explicitly zero', () => {
    expect(read(answer({ content: 'Hi' })).reader.usage).toMatchObject({ inputTokens: 19, outputTokens: 10 })
    const zero = { usage: { prompt_tokens: 0, completion_tokens: 0 } }
    expect(read(answer({ content: 'Hi' }, zero)).reader.usage).toMatchObject({ inputTokens: 0, outputTokens: 0 })
  })

  it('reports a usage that stands with its choice', () => {
    const choices = [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop', usage: USAGE }]
    const { reader } = read(answer({}, { choices, usage: undefined }))
    expect(reader.usage).toMatchObject({ inputTokens: 19, outputTokens: 10 })
  })

  it.each([undefined, null, {}, 'none', []])('reports none where the provider gives %j', (usage) => {
    expect(read(answer({ content: 'Hi' }, { usage })).reader.usage).toBeUndefined()
  })

  it.each([
    ['content', { content: 'Hello' }, 5],
    ['nothing', { content: null }, 0],
    ['reasoning', { content: 'Hi', reasoning_content: 'Hmm' }, 5],
    ['reasoning under both names, which is one text', { reasoning_content: 'Hmm', reasoning: 'Hmm' }, 3],
    ['a refusal', { content: null, refusal: 'No.' }, 3],
    ['tool calls', { tool_calls: [{ function: { name: 'f', arguments: '{}' } }, { function: { name: 'gg' } }] }, 5],
    ['a call of a custom tool', { tool_calls: [{ type: 'custom', custom: { name: 'f', input: 'x = 1' } }] }, 6],
    ['arguments that are an object', { tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }, 8],
    ['what was said aloud', { content: null, audio: { id: 'a', data: 'AAAA', transcript: 'Hi' } }, 2],
    ['a function call of old', { function_call: { name: 'f', arguments: '{"a":1}' } }, 8],
    ['other scripts', { content: 'Grüße 東京 🚀' }, Buffer.byteLength('Grüße 東京 🚀')],
    ['odd members', { content: 5, tool_calls: [null, 5, { function: null }], refusal: {} }, 0],
  ])('is measured in bytes of text: %s', (_, message, textBytes) => {
    expect(read(answer(message)).reader.generated.textBytes).toBe(textBytes)
  })

  it.each(['Grüße 東京 🚀', 'plain'])('measures the same text as a stream of it: %s', (text) => {
    const stream = new PassStream(new ChatTap({ wantsUsage: true }))
    stream.push(Buffer.from(chunk([{ index: 0, delta: { content: text }, finish_reason: 'stop' }]) + DONE))
    expect(read(answer({ content: text })).reader.generated.bytes).toBe(stream.generated.bytes)
  })

  it('measures all choices', () => {
    const choices = [{ message: { content: 'a' } }, { message: { content: 'bcd' } }, null]
    expect(read(answer({}, { choices })).reader.generated.bytes).toBe(4)
  })
})

describe('an answer that is no chat completion', () => {
  it.each([
    ['nothing', ''],
    ['HTML', '<html></html>'],
    ['a list', '[]'],
    ['a stream', 'data: {}\n\n'],
    ['a piece of one', '{"choices":[{"message":{"content":"H'],
    ['no choices', '{"id":"x"}'],
    ['choices that are no list', '{"choices":{}}'],
    ['an error inside a success', '{"error":{"message":"overloaded"},"choices":[]}'],
    ['an error that is only text', '{"error":"no","choices":[]}'],
  ])('is a failure: %s', (_, text) => {
    const reader = new PassAnswer(CHAT_ANSWER_TAP)
    reader.push(Buffer.from(text))
    expect(() => reader.end()).toThrow(UpstreamFailure)
    expect(reader.isComplete).toBe(false)
  })

  it('does not repeat what the provider said about our account', () => {
    const reader = new PassAnswer(CHAT_ANSWER_TAP)
    reader.push(Buffer.from('{"error":{"message":"secret words","code":"invalid_api_key"}}'))
    expect(() => reader.end()).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret words') as string }) as Error,
    )
  })
})
