import { describe, expect, it } from 'vitest'
import type { AnswerPart } from '#dialect/part.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'
import { context, USAGE } from './requests.ts'
import { readStrictly } from './strict-reader.ts'

const PARTS: AnswerPart[] = [
  { type: 'start' },
  { type: 'open', choice: 0, block: { type: 'reasoning' } },
  { type: 'delta', choice: 0, text: 'So' },
  { type: 'close', choice: 0 },
  { type: 'open', choice: 0, block: { type: 'text' } },
  { type: 'delta', choice: 0, text: 'Hi' },
  { type: 'close', choice: 0 },
  { type: 'open', choice: 0, block: { type: 'tool-call', id: 'c', name: 'wx', kind: 'function' } },
  { type: 'delta', choice: 0, text: '{"a":1}' },
  { type: 'close', choice: 0 },
  { type: 'finish', choice: 0, reason: 'tool-calls' },
]

function good(): string {
  const writer = new ResponsesStreamWriter(context({ reasoning: { summary: 'auto' } }))
  return PARTS.map((part) => writer.write(part)).join('') + writer.end(USAGE)
}

/** The stream without its event at `index`, numbered anew. */
function without(index: number): string {
  const events = good().split(/(?<=\n\n)/)
  events.splice(index, 1)
  return events.map((event, number) => event.replace(/"sequence_number":\d+/, `"sequence_number":${number}`)).join('')
}

describe('the strict reader', () => {
  it('takes a good stream', () => {
    expect(readStrictly(good()).items).toHaveLength(3)
  })

  const types = readStrictly(good()).types.map((type, index) => [type, index] as const)
  const needed = types.filter(([type]) => type !== 'response.in_progress')

  it.each(needed)('takes no stream without its %s', (_, index) => {
    expect(() => readStrictly(without(index))).toThrow()
  })

  it.each([
    ['a number that is missing', (text: string) => text.replace('"sequence_number":3,', '"sequence_number":4,')],
    ['a comment', (text: string) => `: hello\n\n${text}`],
    ['no [DONE]', (text: string) => text.replace('data: [DONE]\n\n', '')],
    ['an event without a name', (text: string) => text.replace('event: response.output_text.delta\n', '')],
    ['a piece that is lost', (text: string) => text.replace('"delta":"Hi"', '"delta":"H"')],
    ['another item id', (text: string) => text.replace(/"item_id":"msg_/, '"item_id":"gsm_')],
    ['usage without details', (text: string) => text.replace('"output_tokens_details"', '"other"')],
    ['no usage', (text: string) => text.replace(/"usage":\{[^]*?\}\},/, '"usage":null,')],
    ['an error in a complete response', (text: string) => text.replace(/("status":"completed","error":)null/, '$1{}')],
  ])('takes no stream with %s', (_, damage) => {
    const damaged = damage(good())
    expect(damaged).not.toBe(good())
    expect(() => readStrictly(damaged)).toThrow()
  })
})
