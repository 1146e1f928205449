import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryOf } from '#core/retry.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { ChatPartReader } from '#dialect/chat-completions/read-stream.ts'
import { foldParts, type AnswerPart } from '#dialect/part.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { RECORDED } from '../chat-streams.ts'
import { blocksOf, callIds, chunkText, expectOrderly, failureOf, readDeltas, readPieces, readText } from './support.ts'
import { someDelta, wildObject } from './wild.ts'

const DONE = 'data: [DONE]\n\n'
const STOP = chunkText([{ index: 0, delta: {}, finish_reason: 'stop' }])

function tool(piece: JsonObject): JsonObject {
  return { tool_calls: [piece] }
}

function says(content: string, finish: string | null = null): string {
  return chunkText([{ index: 0, delta: { content }, finish_reason: finish }])
}

function finishOf(parts: readonly AnswerPart[]) {
  return parts.filter((part) => part.type === 'finish')
}

describe.each(RECORDED)('a stream with $name', ({ text, usage, textBytes }) => {
  const parts = readText(text)

  it('gives its text and its usage', () => {
    const blocks = foldParts(parts).choices.flatMap((choice) => choice.blocks)
    const names = blocks.map(({ block }) => (block.type === 'tool-call' ? block.name : '')).join('')
    expect(Buffer.byteLength(blocks.map((block) => block.text).join('') + names)).toBe(textBytes)
    if (usage !== undefined) expect(foldParts(parts).usage).toMatchObject(usage)
    expect(parts.some(({ type }) => type === 'usage')).toBe(usage !== undefined)
  })

  it('gives the same one character at a time, and with other line ends', () => {
    expect(readPieces(Array.from(text))).toEqual(parts)
    const plain = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
    for (const end of ['\n', '\r\n', '\r']) {
      const other = plain.replaceAll('\n', end)
      expect(readText(other)).toEqual(parts)
      expect(readPieces(Array.from(other))).toEqual(parts)
    }
  })

  it('is no answer when it is cut before its end', () => {
    const end = text.lastIndexOf('"finish_reason":"') - 80
    const cut = text.slice(0, Math.max(end, 0)).split(/(?<=\n\n|\r\n\r\n|\r\r)/)
    for (let count = 0; count < cut.length; count++) {
      if (cut.slice(0, count).join('').includes('"finish_reason":"')) break
      expect(failureOf(() => readText(cut.slice(0, count).join('')))).toMatchObject({ kind: 'closed' })
    }
  })
})

describe('text and reasoning', () => {
  it('are a block each time one follows the other, and nothing of them is lost', () => {
    const parts = readDeltas([
      { role: 'assistant', content: '' },
      { reasoning_content: 'a', content: null },
      { reasoning_content: 'b' },
      { content: 'c' },
      { content: 'd' },
      { reasoning: 'e' },
      { refusal: 'f' },
    ])
    expect(blocksOf(parts)).toEqual([
      ['reasoning', 'ab'],
      ['text', 'cd'],
      ['reasoning', 'e'],
      ['refusal', 'f'],
    ])
  })

  it('in one delta come in the order of thinking', () => {
    expect(blocksOf(readDeltas([{ content: 'b', reasoning_content: 'a' }]))).toEqual([
      ['reasoning', 'a'],
      ['text', 'b'],
    ])
  })

  it('are told apart in content that is parts', () => {
    const content = [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }, { type: 'text', text: 'b' }, 5]
    expect(blocksOf(readDeltas([{ content }, { content: 'c' }]))).toEqual([
      ['reasoning', 'a'],
      ['text', 'bc'],
    ])
  })

  it('that are all empty are an answer without blocks', () => {
    expect(blocksOf(readDeltas([{ content: '' }, { reasoning_content: '' }]))).toEqual([])
  })
})

describe('reasoning details', () => {
  const piece = (text: string) => ({ reasoning: text, reasoning_details: [{ type: 'reasoning.text', text, index: 0 }] })

  it('repeat the text beside them, and seal its block', () => {
    const seal = { type: 'reasoning.text', signature: 'sig', format: 'x', index: 0 }
    const parts = readDeltas([piece('a'), piece('a'), { reasoning_details: [seal] }, { content: 'c' }])
    expect(blocksOf(parts)).toEqual([
      ['reasoning', 'aa', { origin: 'chat-completions', value: JSON.stringify(seal).replace(/,"text".*?,/, ',') }],
      ['text', 'c'],
    ])
  })

  it('are the text where nothing stands beside them', () => {
    const details = [
      { type: 'reasoning.summary', summary: 'a' },
      { type: 'reasoning.text', text: 'b' },
    ]
    expect(blocksOf(readDeltas([{ reasoning_details: details }]))).toEqual([['reasoning', 'ab']])
  })

  it('that are encrypted are a block of their own, where none is open, and wait until a tool call is over', () => {
    const blob = { type: 'reasoning.encrypted', data: 'x' }
    const sealed = { origin: 'chat-completions', value: JSON.stringify(blob) }
    const call = tool({ index: 0, id: 'c', function: { name: 'f', arguments: '{' } })
    const parts = readDeltas([
      { reasoning_details: [blob] },
      call,
      { reasoning_details: [blob] },
      tool({ index: 0, function: { arguments: '}' } }),
    ])
    expect(blocksOf(parts)).toEqual([
      ['reasoning', '', sealed],
      ['tool-call', 'c', 'f', '{}'],
      ['reasoning', '', sealed],
    ])
  })

  it('with a whole text at the end, as another Farebox sends them, do not repeat it', () => {
    const seal = { type: 'reasoning.text', text: 'ab', signature: 'farebox1.messages.sig', index: 0 }
    const parts = readDeltas([{ reasoning_content: 'a' }, { reasoning_content: 'b' }, { reasoning_details: [seal] }])
    expect(blocksOf(parts)).toEqual([['reasoning', 'ab', { origin: 'messages', value: 'sig' }]])
  })
})

describe('tool calls', () => {
  const made = (parts: AnswerPart[]) =>
    blocksOf(parts).filter((block) => Array.isArray(block) && block[0] === 'tool-call')
  const call = (id: string, name: string, args: string) => ['tool-call', id, name, args]

  it.each<[string, JsonObject[], unknown[]]>([
    [
      'in pieces',
      [
        { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
        { index: 0, function: { arguments: '{"x":' } },
        { index: 0, function: { arguments: '1}' } },
      ],
      [call('a', 'f', '{"x":1}')],
    ],
    ['whole in one piece', [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }], [call('a', 'f', '{}')]],
    ['without arguments', [{ index: 0, id: 'a', function: { name: 'f' } }], [call('a', 'f', '')]],
    ['without an id', [{ index: 0, function: { name: 'f', arguments: '{}' } }], [call('made_0', 'f', '{}')]],
    [
      'with an empty id and an empty name later',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 0, id: '', function: { name: '', arguments: ':1}' } },
      ],
      [call('a', 'f', '{"x":1}')],
    ],
    [
      'with the id and the name in every piece',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 0, id: 'a', function: { name: 'f', arguments: ':1}' } },
        { index: 0, id: 'a', function: { name: 'f', arguments: '' } },
      ],
      [call('a', 'f', '{"x":1}')],
    ],
    [
      'with the name in every piece and no id',
      [
        { index: 0, function: { name: 'f', arguments: '{"x"' } },
        { index: 0, function: { name: 'f', arguments: ':1}' } },
        { index: 0, function: { name: 'f', arguments: '' } },
      ],
      [call('made_0', 'f', '{"x":1}')],
    ],
    [
      'with the name behind the arguments',
      [
        { index: 0, id: 'a', function: { arguments: '{"x"' } },
        { index: 0, function: { name: 'f', arguments: ':1}' } },
      ],
      [call('a', 'f', '{"x":1}')],
    ],
    [
      'with the id behind the first piece',
      [
        { index: 0, function: { arguments: '{"x"' } },
        { index: 0, id: 'a', function: { name: 'f', arguments: ':1}' } },
      ],
      [call('a', 'f', '{"x":1}')],
    ],
    [
      'with arguments that are an object',
      [{ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } }],
      [call('a', 'f', '{"x":1}')],
    ],
    [
      'numbered from 1',
      [
        { index: 1, id: 'a', function: { name: 'f', arguments: '{}' } },
        { index: 2, id: 'b', function: { name: 'g', arguments: '{}' } },
      ],
      [call('a', 'f', '{}'), call('b', 'g', '{}')],
    ],
    [
      'all numbered 0, with new ids',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 0, function: { arguments: ':1}' } },
        { index: 0, id: 'b', function: { name: 'f', arguments: '{"x":2}' } },
        { index: 0, id: 'a', function: { arguments: '' } },
      ],
      [call('a', 'f', '{"x":1}'), call('b', 'f', '{"x":2}')],
    ],
    [
      'with another id in every piece',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{"y"' } },
        { index: 0, id: 'c', function: { arguments: '{"x"' } },
        { index: 1, id: 'd', function: { arguments: ':2}' } },
        { index: 0, id: 'e', function: { name: '', arguments: ':1}' } },
        { index: 0, id: 'f', function: { arguments: '' } },
      ],
      [call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}')],
    ],
    [
      'without numbers',
      [
        { id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { function: { arguments: ':1}' } },
        { id: 'b', function: { name: 'f', arguments: '{}' } },
      ],
      [call('a', 'f', '{"x":1}'), call('b', 'f', '{}')],
    ],
    [
      'without numbers and ids',
      [
        { function: { name: 'f', arguments: '{}' } },
        { function: { name: 'f', arguments: '{"x":1}' } },
        { function: { name: 'g', arguments: '{}' } },
      ],
      [call('made_0', 'f', '{}'), call('made_1', 'f', '{"x":1}'), call('made_2', 'g', '{}')],
    ],
    [
      'that share an id',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 1, id: 'a', function: { name: 'g', arguments: '{"y"' } },
        { index: 0, id: 'a', function: { arguments: ':1}' } },
        { index: 1, id: 'a', function: { arguments: ':2}' } },
      ],
      [call('a', 'f', '{"x":1}'), call('made_0', 'g', '{"y":2}')],
    ],
    [
      'in turns',
      [
        { index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } },
        { index: 1, id: 'b', function: { name: 'g', arguments: '{"y"' } },
        { index: 0, function: { arguments: ':"}"}' } },
        { index: 1, function: { arguments: ':2}' } },
      ],
      [call('a', 'f', '{"x":"}"}'), call('b', 'g', '{"y":2}')],
    ],
  ])('%s are told apart', (_, pieces, expected) => {
    const parts = readDeltas(pieces.map(tool), 'tool_calls')
    expect(made(parts)).toEqual(expected)
    expect(made(readDeltas([{ tool_calls: pieces }], 'tool_calls'))).toEqual(expected)
    expect(finishOf(parts)).toMatchObject([{ reason: 'tool-calls' }])
  })

  it('of the deprecated form are calls', () => {
    const deltas = [{ function_call: { name: 'f', arguments: '{"x"' } }, { function_call: { arguments: ':1}' } }]
    const parts = readDeltas(deltas, 'function_call')
    expect(blocksOf(parts)).toEqual([call('made_0', 'f', '{"x":1}')])
    expect(finishOf(parts)).toMatchObject([{ reason: 'tool-calls' }])
  })

  it('keep the signature of Google', () => {
    const piece = {
      index: 0,
      id: 'a',
      function: { name: 'f', arguments: '{}' },
      extra_content: { google: { thought_signature: 's' } },
    }
    expect(blocksOf(readDeltas([tool(piece)]))).toEqual([
      ['tool-call', 'a', 'f', '{}', { origin: 'chat-completions', value: 's' }],
    ])
  })

  it('are tool calls whatever finish reason is given, or none', () => {
    for (const finish of ['stop', 'tool_calls', 'function_call', 'strange', '', null]) {
      const parts = readDeltas([tool({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } })], finish)
      expect(finishOf(parts), String(finish)).toMatchObject([{ reason: 'tool-calls' }])
    }
  })

  it('that were cut off by the length are marked, the others are not', () => {
    const whole = { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }
    const half = { index: 1, id: 'b', function: { name: 'g', arguments: '{"x' } }
    const parts = readDeltas([tool(whole), tool(half)], 'length')
    expect(blocksOf(parts)).toEqual([call('a', 'f', '{"x":1}'), [...call('b', 'g', '{"x'), 'cut']])
    expect(finishOf(parts)).toMatchObject([{ reason: 'length' }])
  })

  it('with text between them do not mix with it', () => {
    const parts = readDeltas([
      tool({ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }),
      { content: 'x' },
      tool({ index: 0, function: { arguments: '}' } }),
      { content: 'y' },
    ])
    expect(blocksOf(parts)).toEqual([call('a', 'f', '{}'), ['text', 'xy']])
  })

  it('without a name are no answer', () => {
    const read = () => readDeltas([tool({ index: 0, id: 'a', function: { arguments: '{}' } })])
    expect(failureOf(read)).toMatchObject({ kind: 'malformed' })
  })

  it('that never end in number are too many', () => {
    const calls = Array.from({ length: 600 }, (_, index) => ({ index, id: `c${index}`, function: { name: 'f' } }))
    expect(failureOf(() => readDeltas([{ tool_calls: calls }]))).toMatchObject({ kind: 'too_large' })
  })
})

describe('citations', () => {
  const cite = (url: string) => ({ annotations: [{ type: 'url_citation', url_citation: { url, title: 't' } }] })

  it('stand behind the text that they are for, also when they come before it', () => {
    const parts = readDeltas([cite('a'), { content: 'x' }, cite('b'), { annotations: [{}, 5] }])
    expect(foldParts(parts).choices[0]?.blocks).toMatchObject([
      {
        text: 'x',
        citations: [
          { url: 'a', title: 't' },
          { url: 'b', title: 't' },
        ],
      },
    ])
  })

  it('of no text are left out', () => {
    expect(readDeltas([cite('a')]).some(({ type }) => type === 'citation')).toBe(false)
  })
})

describe('the end', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['model_length', 'context-window'],
    ['content_filter', 'content-filter'],
    ['anything', 'stop'],
  ])('with the reason %s is %s', (reason, expected) => {
    expect(finishOf(readDeltas([{ content: 'x' }], reason))).toEqual([{ type: 'finish', choice: 0, reason: expected }])
  })

  it('tells the stop sequence where the server does', () => {
    const last = chunkText([{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 'END' }])
    expect(finishOf(readText(says('x') + last + DONE))).toMatchObject([
      { reason: 'stop-sequence', stopSequence: 'END' },
    ])
    const token = chunkText([{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 128_009 }])
    expect(finishOf(readText(says('x') + token + DONE))).toMatchObject([{ reason: 'stop' }])
  })

  it('waits for what comes behind the finish reason', () => {
    const usage = chunkText([], { usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } })
    const parts = readText(says('a', 'stop') + says('b') + usage + DONE)
    expect(blocksOf(parts)).toEqual([['text', 'ab']])
    expect(foldParts(parts).usage).toMatchObject({ inputTokens: 3, outputTokens: 2 })
  })

  it('is nothing but the rest once it was read', () => {
    const reader = new ChatPartReader(callIds())
    reader.read('{"choices":[{"delta":{"content":"x"}}]}', undefined)
    reader.read(' [DONE] ', undefined)
    expect([...reader.read('not JSON', undefined), ...reader.end()]).toEqual([])
  })

  it('of each choice comes once', () => {
    const two = chunkText([
      { index: 0, delta: { content: 'a' } },
      { index: 1, delta: { content: 'b' } },
    ])
    const parts = readText(two + chunkText([{ index: 1, delta: {}, finish_reason: 'length' }]) + STOP + DONE)
    expect(finishOf(parts)).toMatchObject([
      { choice: 0, reason: 'stop' },
      { choice: 1, reason: 'length' },
    ])
    expect([blocksOf(parts, 0), blocksOf(parts, 1)]).toEqual([[['text', 'a']], [['text', 'b']]])
  })

  it('without [DONE] counts when every choice was finished, and only then', () => {
    expect(blocksOf(readText(says('a', 'stop')))).toEqual([['text', 'a']])
    const other = chunkText([{ index: 1, delta: { content: 'b' } }])
    expect(failureOf(() => readText(says('a', 'stop') + other))).toMatchObject({ kind: 'closed' })
    expect(failureOf(() => readText(''))).toMatchObject({ kind: 'closed' })
  })

  it('with [DONE] and without an answer is none', () => {
    expect(failureOf(() => readText(chunkText([]) + DONE))).toMatchObject({ kind: 'malformed' })
  })

  it('reads usage of a choice, and of Groq', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const inside = chunkText([{ index: 0, delta: {}, finish_reason: 'stop', usage }])
    const groq = chunkText([{ index: 0, delta: {}, finish_reason: 'stop' }], { x_groq: { usage } })
    for (const last of [inside, groq]) {
      expect(foldParts(readText(says('a') + last + DONE)).usage).toMatchObject({ inputTokens: 3, outputTokens: 2 })
    }
  })

  it('takes a whole message in a stream once', () => {
    const whole = chunkText([{ index: 0, message: { role: 'assistant', content: 'ab' }, finish_reason: 'stop' }])
    expect(blocksOf(readText(whole + DONE))).toEqual([['text', 'ab']])
    expect(blocksOf(readText(says('ab') + whole + DONE))).toEqual([['text', 'ab']])
  })
})

describe('an error inside a stream', () => {
  it.each<[string, JsonObject, number | undefined, boolean]>([
    ['with a status', { error: { message: 'Full.', code: 503 } }, 503, true],
    ['with a status as text', { error: { message: 'Slow.', code: '429' } }, 429, true],
    ['with a code', { error: { message: 'Too long.', code: 'context_length_exceeded' } }, 400, false],
    ['with a type', { error: { message: 'Wait.', type: 'rate_limit_error' } }, 429, true],
    ['that is a text', { error: 'Broken.' }, 500, true],
    ['of vLLM', { object: 'error', message: 'Broken.', type: 'BadRequestError', code: 400 }, 400, false],
    ['inside a choice', { choices: [{ index: 0, error: { message: 'Gone.', code: 502 } }] }, 502, true],
  ])('%s fails with the words of the provider', (_, chunk, status, retryable) => {
    const failure = failureOf(() => readText(`${says('a')}data: ${JSON.stringify(chunk)}\n\n`))
    expect(failure).toMatchObject({ kind: 'reported', status })
    expect(retryOf(failure) !== 'nowhere').toBe(retryable)
    expect(failure.message).toMatch(/^[A-Z][a-z ]+\.$/)
  })

  it('is one by the name of its event', () => {
    expect(failureOf(() => readText('event: error\ndata: {"message":"No."}\n\n'))).toMatchObject({ message: 'No.' })
  })

  it.each([{ code: 'invalid_api_key' }, { type: 'insufficient_quota' }, { code: 401 }])(
    'about our own account %j is not told in its words',
    (members) => {
      const text = `data: ${JSON.stringify({ error: { message: 'Key sk-1 is wrong.', ...members } })}\n\n`
      const failure = failureOf(() => readText(text))
      expect(failure.kind).toBe('secret')
      expect(failure.message).not.toContain('sk-1')
    },
  )

  it('has a bound', () => {
    const text = `data: ${JSON.stringify({ error: { message: 'x'.repeat(100_000) } })}\n\n`
    expect(failureOf(() => readText(text)).message).toHaveLength(1000)
  })

  it.each(['error', 'abort', 'network_error', 'insufficient_system_resource'])(
    'may be the finish reason %s',
    (reason) => {
      expect(failureOf(() => readText(says('a', reason) + DONE))).toMatchObject({ kind: 'closed' })
      expect(failureOf(() => readText(says('a', reason)))).toMatchObject({ kind: 'closed' })
    },
  )

  it('may be data that is not JSON, or a choice with an impossible number', () => {
    for (const data of ['{', '[]', '5', '"x"', '{"choices":[{"index":-1}]}', '{"choices":[{"index":99999}]}']) {
      expect(
        failureOf(() => readText(`data: ${data}\n\n`)),
        data,
      ).toMatchObject({ kind: 'malformed' })
    }
  })
})

it('gives orderly parts for whatever chunks, or fails', () => {
  const chunk = fc.record(
    {
      index: fc.constantFrom(0, 0, 0, 1),
      delta: fc.oneof(someDelta, someDelta, wildObject),
      finish_reason: fc.constantFrom(null, null, 'stop', 'length'),
    },
    { requiredKeys: ['delta'] },
  )
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 9, arbitrary: chunk }, { weight: 1, arbitrary: wildObject }), { maxLength: 8 }),
      (choices) => {
        const reader = new ChatPartReader(callIds())
        const parts: AnswerPart[] = []
        try {
          for (const choice of choices) parts.push(...reader.read(JSON.stringify({ choices: [choice] }), undefined))
          parts.push(...reader.read('[DONE]', undefined))
        } catch (error) {
          if (error instanceof UpstreamFailure) return
          throw error
        }
        expectOrderly(parts)
      },
    ),
    { numRuns: 1000 },
  )
})

/** Deltas as providers send them: text, reasoning and calls whose arguments come in turns. */
const deltas = fc.array(
  fc.oneof(
    fc.record({ content: fc.constantFrom('a', 'é', '🚀', '') }),
    fc.record({ reasoning_content: fc.constantFrom('r', '模') }),
    fc.record({ refusal: fc.constantFrom('n') }),
    fc.record({ index: fc.nat(3), piece: fc.constantFrom('1', '22', '"}"', ' ') }),
  ),
  { maxLength: 30 },
)

it('loses nothing of text, reasoning and calls in any order', () => {
  fc.assert(
    fc.property(deltas, (given) => {
      const sent = { text: '', reasoning: '', refusal: '' }
      const calls = new Map<number, string>()
      const wire: JsonObject[] = given.map((delta) => {
        if (!('piece' in delta)) {
          if ('content' in delta) sent.text += delta.content
          else if ('reasoning_content' in delta) sent.reasoning += delta.reasoning_content
          else sent.refusal += delta.refusal
          return delta
        }
        const { index, piece } = delta
        const begun = calls.get(index)
        calls.set(index, `${begun ?? '['}${begun === undefined ? '' : ','}${piece.trim() || '0'}`)
        const text = (begun === undefined ? '{"x":[' : ',') + (piece.trim() || '0')
        const head = begun === undefined ? { id: `call_${index}` } : {}
        return tool({
          index,
          ...head,
          function: { ...(begun === undefined ? { name: `f${index}` } : {}), arguments: text },
        })
      })
      for (const index of calls.keys()) wire.push(tool({ index, function: { arguments: ']}' } }))
      const folded = foldParts(readDeltas(wire)).choices[0]?.blocks ?? []
      const got = (type: string) => folded.map((one) => (one.block.type === type ? one.text : '')).join('')
      expect({ text: got('text'), reasoning: got('reasoning'), refusal: got('refusal') }).toEqual(sent)
      const made = folded.flatMap(({ block, text }) =>
        block.type === 'tool-call' ? [[block.id, block.name, text]] : [],
      )
      expect(made).toEqual([...calls].map(([index, text]) => [`call_${index}`, `f${index}`, `{"x":${text}]}`]))
    }),
    { numRuns: 500 },
  )
})
