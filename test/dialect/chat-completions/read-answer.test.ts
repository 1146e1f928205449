import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { readChatAnswer } from '#dialect/chat-completions/read-answer.ts'
import { foldParts, type AnswerPart } from '#dialect/part.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { blocksOf, callIds, expectOrderly, failureOf } from './support.ts'
import { someDelta, wildObject } from './wild.ts'

function read(answer: JsonObject): AnswerPart[] {
  const parts = readChatAnswer(answer, callIds())
  expectOrderly(parts)
  return parts
}

function message(members: JsonObject, finish: string | null = 'stop'): AnswerPart[] {
  return read({ choices: [{ index: 0, message: { role: 'assistant', ...members }, finish_reason: finish }] })
}

describe('a whole answer', () => {
  it('has its reasoning first, then text, then calls', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }
    const parts = message(
      { tool_calls: [call, { ...call, id: 'b' }], content: 'Hi', reasoning_content: 'So' },
      'tool_calls',
    )
    expect(blocksOf(parts)).toEqual([
      ['reasoning', 'So'],
      ['text', 'Hi'],
      ['tool-call', 'a', 'f', '{"x":1}'],
      ['tool-call', 'b', 'f', '{"x":1}'],
    ])
    expect(foldParts(parts).choices[0]?.finish).toBe('tool-calls')
  })

  it('keeps every call apart, whatever ids and indexes are given', () => {
    const call = { index: 0, function: { name: 'f', arguments: '{' } }
    const parts = message({
      content: null,
      tool_calls: [{ ...call, id: 'a' }, { ...call, id: 'a' }, call, { ...call, id: '' }],
    })
    const ids = foldParts(parts).choices[0]?.blocks.map(({ block }) => (block.type === 'tool-call' ? block.id : ''))
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(4)
  })

  it('has its refusal, its citations and its usage', () => {
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.b', title: 'A' } }]
    const parts = read({
      choices: [
        { message: { content: 'x', annotations }, finish_reason: 'stop' },
        { message: { content: null, refusal: 'No.' }, finish_reason: 'content_filter' },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 4 } },
    })
    const { choices, usage } = foldParts(parts)
    expect(choices).toMatchObject([
      { blocks: [{ text: 'x', citations: [{ url: 'https://a.b', title: 'A' }] }], finish: 'stop' },
      { blocks: [{ block: { type: 'refusal' }, text: 'No.' }], finish: 'content-filter' },
    ])
    expect(usage).toMatchObject({ inputTokens: 6, cacheReadTokens: 4, outputTokens: 5 })
  })

  it('keeps blocks of reasoning with their seals apart', () => {
    const details = [
      { type: 'reasoning.text', text: 'a', signature: 'farebox1.messages.1' },
      { type: 'reasoning.encrypted', data: 'farebox1.messages-redacted.2' },
      { type: 'reasoning.text', text: 'b', signature: 'farebox1.messages.3' },
    ]
    expect(blocksOf(message({ content: 'x', reasoning_content: 'ab', reasoning_details: details }))).toEqual([
      ['reasoning', 'a', { origin: 'messages', value: '1' }],
      ['reasoning', '', { origin: 'messages-redacted', value: '2' }],
      ['reasoning', 'b', { origin: 'messages', value: '3' }],
      ['text', 'x'],
    ])
  })

  it('marks a call that the length cut off', () => {
    const call = { id: 'a', function: { name: 'f', arguments: '{"x' } }
    expect(blocksOf(message({ tool_calls: [call] }, 'length'))).toEqual([['tool-call', 'a', 'f', '{"x', 'cut']])
  })

  it('without a finish reason is finished', () => {
    expect(foldParts(message({ content: 'x' }, null)).choices[0]?.finish).toBe('stop')
  })

  it.each<[string, JsonObject]>([
    ['nothing', {}],
    ['no choice', { choices: [] }],
    ['a choice without a message', { choices: [{ finish_reason: 'stop' }] }],
    ['a choice that is none', { choices: [5] }],
  ])('that has %s is malformed', (_, answer) => {
    expect(failureOf(() => read(answer))).toMatchObject({ kind: 'malformed' })
  })

  it('that is an error fails with the words of the provider', () => {
    const choice = { message: { content: '' }, error: { message: 'Gone.', code: 502 }, finish_reason: 'error' }
    expect(failureOf(() => read({ choices: [choice] }))).toMatchObject({
      kind: 'reported',
      message: 'Gone.',
      status: 502,
    })
    expect(failureOf(() => read({ error: { message: 'No.' } }))).toMatchObject({ kind: 'reported', message: 'No.' })
    expect(failureOf(() => read({ object: 'error', message: 'No.' }))).toMatchObject({ message: 'No.' })
    expect(failureOf(() => message({ content: 'x' }, 'error'))).toMatchObject({ kind: 'closed' })
  })

  it('gives orderly parts, or fails, whatever it is', () => {
    const choice = fc.record({
      message: fc.oneof(someDelta, wildObject),
      finish_reason: fc.constantFrom('stop', 'length', 5, null),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(choice, wildObject), { maxLength: 3 }), wildObject, (choices, more) => {
        try {
          read({ ...more, choices })
        } catch (error) {
          if (!(error instanceof UpstreamFailure)) throw error
        }
      }),
      { numRuns: 500 },
    )
  })
})
