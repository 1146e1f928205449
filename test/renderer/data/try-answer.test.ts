import { describe, expect, it } from 'vitest'
import { answerCollector, answerReader, MAX_CHARACTERS, wholeAnswer } from '#renderer/data/try-answer.ts'

const CHAT = [
  { choices: [{ delta: { role: 'assistant' } }] },
  { choices: [{ delta: { content: 'Hel' } }] },
  { choices: [{ delta: { content: 'lo' } }] },
  { choices: [], usage: { prompt_tokens: 1 } },
]
const MESSAGES = [
  { type: 'message_start', message: { content: [] } },
  { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hel' } },
  { type: 'content_block_delta', delta: { type: 'text_delta', text: 'lo' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
]
const RESPONSES = [
  { type: 'response.output_text.delta', delta: 'Hel' },
  { type: 'response.function_call_arguments.delta', delta: '{"city"' },
  { type: 'response.output_text.delta', delta: 'lo' },
]

describe('an answer in pieces', () => {
  it.each([
    ['chat', CHAT],
    ['messages', MESSAGES],
    ['responses', RESPONSES],
  ] as const)('says its text in the format %s, wherever the stream is cut', (format, events) => {
    const text = `: ping\n\n${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
    for (let at = 0; at <= text.length; at += 1) {
      const read = answerReader(format)
      read(text.slice(0, at))
      expect(read(text.slice(at))).toEqual({ text: 'Hello', calls: [] })
    }
  })

  it('keeps the text that came before an error, and says both', () => {
    const read = answerReader('messages')
    read(`data: ${JSON.stringify(MESSAGES[2])}\n\n`)
    expect(read('event: error\ndata: {"type":"error","error":{"message":"It broke."}}\n\n')).toEqual({
      text: 'Hel',
      calls: [],
      error: 'It broke.',
    })
  })

  it('says why a response failed', () => {
    const read = answerReader('responses')
    const failed = { type: 'response.failed', response: { error: { message: 'Too much.' } } }
    expect(read(`data: ${JSON.stringify(failed)}\n\n`).error).toBe('Too much.')
  })

  it('reads no text out of what is shaped otherwise', () => {
    for (const data of [
      'null',
      '[]',
      '7',
      '"text"',
      '{"choices":{}}',
      '{"choices":[null]}',
      '{"choices":[{"delta":{"content":5}}]}',
      '{',
    ]) {
      expect(answerReader('chat')(`data: ${data}\n\n`), data).toEqual({ text: '', calls: [] })
    }
  })
})

describe('an answer that came whole', () => {
  it('says its text in each format', () => {
    const chat = { choices: [{ message: { content: 'Hello' } }] }
    const messages = {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Hello' },
      ],
    }
    const responses = { output: [{ type: 'reasoning' }, { content: [{ type: 'output_text', text: 'Hello' }] }] }
    expect(wholeAnswer('chat', JSON.stringify(chat))).toEqual({ text: 'Hello', calls: [] })
    expect(wholeAnswer('messages', JSON.stringify(messages))).toEqual({ text: 'Hello', calls: [] })
    expect(wholeAnswer('responses', JSON.stringify(responses))).toEqual({ text: 'Hello', calls: [] })
  })

  it('counts the numbers of a vector', () => {
    expect(wholeAnswer('embeddings', '{"data":[{"embedding":[0.1,0.2,0.3]}]}')).toEqual({
      text: '',
      calls: [],
      dimensions: 3,
    })
    expect(wholeAnswer('embeddings', '{"data":[{"embedding":"AAAA"}]}')).toEqual({ text: '', calls: [] })
  })

  it('says the words of an error instead of a text', () => {
    const body = '{"error":{"message":"No credits."},"choices":[{"message":{"content":"x"}}]}'
    expect(wholeAnswer('chat', body)).toEqual({ text: '', calls: [], error: 'No credits.' })
  })

  it('is nothing where it is no JSON', () => {
    expect(wholeAnswer('chat', '<html>')).toBeUndefined()
    expect(wholeAnswer('chat', '')).toBeUndefined()
  })
})

describe('an answer that is put together', () => {
  it('says something at once where it is a stream, and at its end where it is not', () => {
    const stream = answerCollector('chat', true)
    stream.add('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')
    expect(stream.collected(false).answer).toEqual({ text: 'Hi', calls: [] })
    const whole = answerCollector('chat', false)
    whole.add('{"choices":[{"message":')
    expect(whole.collected(false)).toEqual({ raw: '{"choices":[{"message":', isCut: false, answer: undefined })
    whole.add('{"content":"Hi"}}]}')
    expect(whole.collected(true).answer).toEqual({ text: 'Hi', calls: [] })
  })

  it('keeps no more than fits, however long it goes on', () => {
    const endless = answerCollector('chat', true)
    const piece = 'data: {"choices":[{"delta":{"content":"0123456789"}}]}\n\n'
    for (let sent = 0; sent <= MAX_CHARACTERS * 2; sent += piece.length) endless.add(piece)
    const { raw, isCut, answer } = endless.collected(true)
    expect([raw.length, isCut]).toEqual([MAX_CHARACTERS, true])
    expect(answer?.text.length).toBeLessThan(MAX_CHARACTERS)
  })

  it('is not cut where it just fits', () => {
    const exact = answerCollector('chat', false)
    exact.add('x'.repeat(MAX_CHARACTERS))
    expect(exact.collected(false).isCut).toBe(false)
    exact.add('x')
    expect(exact.collected(false).isCut).toBe(true)
  })
})
