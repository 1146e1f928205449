// The scripted provider in the format of the Gemini API: what it sends is what Google sends, and what our reader reads.
import { describe, expect, test } from 'vitest'
import { GeminiPartReader } from '#dialect/gemini/read-stream.ts'
import { readGeminiAnswer } from '#dialect/gemini/read-answer.ts'
import { foldParts, type AnswerPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import { GEMINI_USAGE, type Behaviour } from './upstream-behaviour.ts'
import { buildReply } from './upstream-reply.ts'

const WHOLE = '/v1beta/models/gemini-3.5-flash:generateContent'
const STREAM = '/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse'
const COUNT = '/v1beta/models/gemini-3.5-flash:countTokens'
const CALLS = ['Berlin', 'Oslo'].map((city, index) => ({
  id: `c${index}`,
  name: 'weather',
  arguments: `{"city":"${city}"}`,
}))
const RICH = { type: 'answer', reasoning: 'Two cities.', text: 'I look.', toolCalls: CALLS } as const

function whole(behaviour: Behaviour, path = WHOLE): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.concat(buildReply(behaviour, { path, body: {} }).parts).toString())
  if (!isRecord(value)) throw new Error('not an object')
  return value
}

function streamed(behaviour: Behaviour): string[] {
  const { parts } = buildReply(behaviour, { path: STREAM, body: {} })
  return parts.map((part) => /^data: (.+)\r\n\r\n$/.exec(part.toString())?.[1] ?? 'no event')
}

function read(events: readonly string[]): AnswerPart[] {
  const reader = new GeminiPartReader(() => 'call')
  return [...events.flatMap((data) => reader.read(data)), ...reader.end()]
}

describe('the Gemini format', () => {
  test('answers whole with a thought, a text, two calls of which the first is signed, and usage', () => {
    expect(whole(RICH)).toMatchObject({
      candidates: [
        {
          index: 0,
          finishReason: 'STOP',
          content: {
            role: 'model',
            parts: [
              { text: 'Two cities.', thought: true },
              { text: 'I look.' },
              {
                functionCall: { id: 'c0', name: 'weather', args: { city: 'Berlin' } },
                thoughtSignature: expect.any(String),
              },
              { functionCall: { id: 'c1', name: 'weather', args: { city: 'Oslo' } } },
            ],
          },
        },
      ],
      usageMetadata: GEMINI_USAGE,
      modelVersion: 'gemini-3.5-flash',
    })
  })

  test('streams the same, with growing counts', () => {
    const parts = read(streamed(RICH))
    expect(foldParts(parts)).toEqual(foldParts(readGeminiAnswer(whole(RICH), () => 'call')))
    const outputs = parts.flatMap((part) => (part.type === 'usage' ? [part.usage.outputTokens] : []))
    expect(outputs).toEqual([1, 2, 3, 4, 5, 10])
  })

  test('signs a text behind it, gives no ids where the script has none, and answers as often as asked', () => {
    const [signed] = foldParts(read(streamed({ type: 'answer', text: 'A', seal: 'sig' }))).choices
    expect(signed?.blocks).toMatchObject([{ text: 'A' }, { text: '', sealed: { value: 'sig' } }])
    const anonymous = { type: 'answer', toolCalls: [{ id: '', name: 'f', arguments: '{}' }] } as const
    expect(streamed(anonymous)[0]).toContain('"functionCall":{"name":"f"}')
    expect(foldParts(read(streamed({ type: 'answer', choices: 2 }))).choices).toHaveLength(2)
  })

  test('ends without what it is told to leave out', () => {
    expect(() => read(streamed({ type: 'answer', omit: ['finish'] }))).toThrow('before the answer was complete')
    expect(streamed({ type: 'answer', usage: null }).join('')).not.toContain('usageMetadata')
  })

  test('counts tokens', () => {
    expect(whole({ type: 'answer' }, COUNT)).toMatchObject({ totalTokens: 19 })
  })

  test('words errors its own way, whole and in a stream, and has an answer without end', () => {
    const error = { code: 429, status: 'RESOURCE_EXHAUSTED', message: expect.any(String) }
    expect(whole({ type: 'status', status: 429 })).toEqual({ error })
    expect(() => read(streamed({ type: 'error-in-stream', afterEvents: 2 }))).toThrow('The server had an error.')
    expect(buildReply({ type: 'endless' }, { path: STREAM, body: {} }).endlessly?.toString()).toContain('provider.')
  })
})
