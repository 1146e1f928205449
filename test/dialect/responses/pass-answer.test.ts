import { describe, expect, it } from 'vitest'
import { RESPONSES_ANSWER_TAP } from '#dialect/responses/tap-answer.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { functionCall, message, reasoning, RESPONSE, USAGE } from './streams.ts'

const ANSWER = {
  ...RESPONSE,
  status: 'completed',
  error: null,
  output: [reasoning(['Größe']), message('Hi'), functionCall('c1', '{"a":1}')],
  usage: USAGE,
}

function read(answer: unknown): PassAnswer {
  const reader = new PassAnswer(RESPONSES_ANSWER_TAP)
  const bytes = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer))
  reader.push(bytes.subarray(0, 7))
  reader.push(bytes.subarray(7))
  reader.end()
  return reader
}

describe('a whole response', () => {
  it('passes as the bytes that came, and is understood', () => {
    const reader = read(ANSWER)
    expect(reader.final().toString()).toBe(JSON.stringify(ANSWER))
    expect(reader.usage).toMatchObject({ inputTokens: 6, cacheReadTokens: 4, outputTokens: 6, reasoningTokens: 2 })
    expect(reader.generated.text()).toBe('GrößeHiwx{"a":1}')
    expect(reader.isComplete).toBe(true)
  })

  it.each(['completed', 'incomplete', 'failed', undefined, null])('may have the status %j', (status) => {
    expect(read({ ...ANSWER, status }).isComplete).toBe(true)
  })

  it.each([
    ['is not JSON', 'oops', 'malformed'],
    ['is no object', [], 'malformed'],
    ['has no output', { ...ANSWER, output: undefined }, 'malformed'],
    ['is not finished', { ...ANSWER, status: 'in_progress' }, 'malformed'],
    ['waits', { ...ANSWER, status: 'queued' }, 'malformed'],
    [
      'reports an error',
      { ...ANSWER, status: 'failed', error: { code: 'server_error', message: 'Kaputt.' } },
      'reported',
    ],
    ['is an error', { error: { message: 'Kaputt.' } }, 'reported'],
  ])('is a failure when it %s', (_, answer, kind) => {
    expect(() => read(answer)).toThrow(expect.objectContaining({ kind }) as Error)
  })

  it('survives items of any shape', () => {
    const output = [null, 5, {}, { content: 5 }, { content: [null, { text: 5 }] }, { summary: {} }, { arguments: {} }]
    expect(read({ ...ANSWER, output }).generated.bytes).toBe(0)
  })
})
