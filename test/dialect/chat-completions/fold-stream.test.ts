import { describe, expect, it } from 'vitest'
import { ChatFold } from '#dialect/chat-completions/fold-stream.ts'

function fold(...chunks: readonly object[]) {
  const folding = new ChatFold()
  for (const chunk of chunks) folding.read(JSON.stringify(chunk), undefined)
  folding.read('[DONE]', undefined)
  return folding.whole()
}

const piece = (delta: object, more: object = {}) => ({ id: 'a', choices: [{ index: 0, delta, ...more }] })
const messageOf = (...deltas: readonly object[]) =>
  (fold(...deltas.map((delta) => piece(delta)))['choices'] as { message: unknown }[])[0]?.message

describe('a stream of chat completions as a whole', () => {
  it('has the texts together, and what is said once as it was said first', () => {
    const message = messageOf(
      { role: 'assistant', content: null },
      { content: 'a' },
      { role: 'assistant', content: 'b' },
    )
    expect(message).toEqual({ role: 'assistant', content: 'ab' })
  })

  it('has nothing for content beside calls, and an empty text without any', () => {
    expect(messageOf({ role: 'assistant' })).toEqual({ role: 'assistant', content: '' })
    expect(messageOf({ tool_calls: [{ index: 0, id: 'c' }] })).toMatchObject({ content: null })
  })

  it('has calls in their order, also of servers that number none', () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: id, arguments: '' } })
    const more = (text: string) => ({ function: { arguments: text } })
    const numbered = [
      {
        tool_calls: [
          { index: 1, ...call('two') },
          { index: 0, ...call('one') },
        ],
      },
      {
        tool_calls: [
          { index: 0, ...more('{') },
          { index: 1, ...more('[') },
        ],
      },
      {
        tool_calls: [
          { index: 1, ...more(']') },
          { index: 0, ...more('}') },
        ],
      },
    ]
    const bare = [call('one'), more('{'), more('}'), call('two'), more('['), more(']')].map((one) => ({
      tool_calls: [one],
    }))
    const expected = [
      { ...call('one'), function: { name: 'one', arguments: '{}' } },
      { ...call('two'), function: { name: 'two', arguments: '[]' } },
    ]
    for (const deltas of [numbered, bare]) expect(messageOf(...deltas)).toMatchObject({ tool_calls: expected })
  })

  it('has log probabilities of all pieces, the last counts, and whatever else was told', () => {
    const token = (text: string) => ({ logprobs: { content: [{ token: text }] } })
    const whole = fold(
      { ...piece({ content: 'a' }, token('a')), usage: null },
      { ...piece({ content: 'b' }, { ...token('b'), finish_reason: 'stop' }), usage: { prompt_tokens: 1 } },
      { id: 'a', choices: [], usage: { prompt_tokens: 2 }, timings: { predicted_n: 2 } },
    )
    expect(whole).toMatchObject({
      object: 'chat.completion',
      usage: { prompt_tokens: 2 },
      timings: { predicted_n: 2 },
      choices: [{ finish_reason: 'stop', logprobs: { content: [{ token: 'a' }, { token: 'b' }] } }],
    })
  })

  it.each([
    ['an error', { error: { message: 'no' } }],
    ['a choice of no number', { choices: [{ index: -1, delta: {} }] }],
    ['a choice beyond belief', { choices: [{ index: 128, delta: {} }] }],
    ['a call beyond belief', piece({ tool_calls: [{ index: 1024 }] })],
  ])('is a failure with %s', (_what, chunk) => {
    expect(() => fold(chunk)).toThrow()
  })

  it('is a failure where it did not come to its end', () => {
    const folding = new ChatFold()
    expect(() => folding.whole()).toThrow('before the answer was complete')
    folding.read(JSON.stringify(piece({ content: 'a' })), undefined)
    expect(() => folding.whole()).toThrow('before the answer was complete')
    expect(() => folding.read('{', undefined)).toThrow('not JSON')
  })
})
