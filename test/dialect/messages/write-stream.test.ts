import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refuse } from '#core/refusal.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { BlockSequencer } from '#dialect/blocks.ts'
import { readMessagesAnswer } from '#dialect/messages/read-answer.ts'
import { MessagesPartReader } from '#dialect/messages/read-stream.ts'
import { writeMessagesAnswer } from '#dialect/messages/write-answer.ts'
import { MessagesStreamWriter } from '#dialect/messages/write-stream.ts'
import { foldParts, type AnswerPart, type Block } from '#dialect/part.ts'
import type { Sealed } from '#dialect/seal.ts'
import { eventData, eventName, EventSplitter } from '#dialect/sse.ts'
import { contextOf, type Members } from './requests.ts'
import { readStrictly } from './strict-client.ts'

const USAGE = { inputTokens: 790, cacheReadTokens: 22, cacheWriteTokens: 3, outputTokens: 41, reasoningTokens: 9 }
const THINKING = { thinking: { type: 'adaptive' } }
const START: AnswerPart = { type: 'start' }

function blockOf(
  block: Block,
  texts: readonly string[],
  close: { sealed?: Sealed; isCut?: boolean } = {},
): AnswerPart[] {
  return [
    { type: 'open', choice: 0, block },
    ...texts.map((text): AnswerPart => ({ type: 'delta', choice: 0, text })),
    { type: 'close', choice: 0, ...close },
  ]
}

const text = (...texts: string[]) => blockOf({ type: 'text' }, texts)
const reasoning = (texts: string[], sealed?: Sealed) =>
  blockOf({ type: 'reasoning' }, texts, sealed === undefined ? {} : { sealed })
const tool = (id: string, texts: string[], more: { isCut?: boolean; sealed?: Sealed } = {}) =>
  blockOf({ type: 'tool-call', id, name: 'wx', kind: 'function', sealed: more.sealed }, texts, {
    isCut: more.isCut === true,
  })
const finish = (reason: Extract<AnswerPart, { type: 'finish' }>['reason'], stopSequence?: string): AnswerPart[] => [
  { type: 'finish', choice: 0, reason, stopSequence },
]

function streamed(parts: readonly AnswerPart[], members: Members = {}, usage = USAGE): string {
  const writer = new MessagesStreamWriter(contextOf(members))
  return parts.map((part) => writer.write(part)).join('') + writer.end(usage)
}

const stream = (parts: readonly AnswerPart[], members?: Members) => readStrictly(streamed([START, ...parts], members))
const whole = (parts: readonly AnswerPart[], members: Members = {}) =>
  JSON.parse(writeMessagesAnswer([START, ...parts], USAGE, contextOf(members))) as Members

describe('a stream', () => {
  it('has the events and members of the contract, in their order', () => {
    const written = streamed([START, ...text('Hi', ' there'), ...finish('stop')])
    const events = written
      .split('\n\n')
      .filter(Boolean)
      .map((one) => JSON.parse(one.split('\ndata: ')[1] ?? '') as Members)
    expect(events).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_01890a5dac96774bbcceb302099a8057',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          stop_details: null,
          usage: { input_tokens: 812, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' there' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: {
          input_tokens: 790,
          cache_creation_input_tokens: 3,
          cache_read_input_tokens: 22,
          output_tokens: 41,
          output_tokens_details: { thinking_tokens: 9 },
        },
      },
      { type: 'message_stop' },
    ])
  })

  it('is whole without any block, and even without a start', () => {
    expect(stream(finish('stop'))).toMatchObject({ content: [], delta: { stop_reason: 'end_turn' } })
    expect(readStrictly(streamed([]))).toMatchObject({ content: [], message: { role: 'assistant' } })
    expect(readStrictly(streamed([], {}, { ...USAGE, ...UNKNOWN_USAGE } as never)).usage).toMatchObject({
      output_tokens: 0,
    })
  })

  it('has thinking, text and tools as blocks of their own, also again and again', () => {
    const parts = [
      ...reasoning(['a', 'b']),
      ...text('c'),
      ...reasoning(['d']),
      ...tool('t', ['{"q"', ':1}']),
      ...reasoning(['e']),
    ]
    expect(stream([...parts, ...finish('tool-calls')], THINKING)).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'ab', signature: '' },
        { type: 'text', text: 'c' },
        { type: 'thinking', thinking: 'd', signature: '' },
        { type: 'tool_use', id: 't', name: 'wx', input: {}, json: '{"q":1}' },
        { type: 'thinking', thinking: 'e', signature: '' },
      ],
      delta: { stop_reason: 'tool_use' },
    })
  })

  it('has no signature delta for thinking that nobody signed', () => {
    expect(streamed([START, ...reasoning(['a']), ...finish('stop')], THINKING)).not.toContain('signature_delta')
  })

  it('has one signature, whole, of its own kind as it is and of others wrapped', () => {
    const parts = [
      ...reasoning(['a'], { origin: 'messages', value: 'own' }),
      ...reasoning([], { origin: 'messages', value: 'hidden' }),
      ...reasoning([], { origin: 'messages-redacted', value: 'red' }),
      ...reasoning(['b'], { origin: 'responses', value: 'blob' }),
    ]
    const content = [
      { type: 'thinking', thinking: 'a', signature: 'own' },
      { type: 'redacted_thinking', data: 'farebox1.messages.hidden' },
      { type: 'redacted_thinking', data: 'red' },
      { type: 'thinking', thinking: 'b', signature: 'farebox1.responses.blob' },
    ]
    expect(stream(parts, THINKING).content).toEqual(content)
    expect(whole(parts, THINKING)['content']).toEqual(content)
  })

  it("carries a call's seal before the call, to clients that asked for thinking", () => {
    const parts = tool('t', ['{}'], { sealed: { origin: 'gemini', value: 'sig' } })
    const seal = { type: 'redacted_thinking', data: 'farebox1.gemini.call:sig' }
    expect(stream(parts, THINKING).content).toMatchObject([seal, { type: 'tool_use' }])
    expect(whole(parts, THINKING)['content']).toMatchObject([seal, { type: 'tool_use' }])
    expect(stream(parts).content).toMatchObject([{ type: 'tool_use' }])
    expect(whole(parts)['content']).toMatchObject([{ type: 'tool_use' }])
  })

  it("puts a call's seal on the thinking right before it, which some clients keep only with a text", () => {
    const call = tool('t', ['{}'], { sealed: { origin: 'gemini', value: 'sig' } })
    const signed = { type: 'thinking', thinking: 'a', signature: 'farebox1.gemini.call:sig' }
    const unsigned = { ...signed, signature: '' }
    const seal = { type: 'redacted_thinking', data: 'farebox1.gemini.call:sig' }
    for (const [parts, content] of [
      [
        [...reasoning(['a']), ...call, ...tool('u', ['{}'])],
        [signed, { type: 'tool_use' }, { type: 'tool_use' }],
      ],
      [
        [...reasoning(['a']), ...text('b'), ...call],
        [unsigned, { type: 'text' }, seal, { type: 'tool_use' }],
      ],
      [
        [...reasoning(['a']), ...tool('u', ['{}'])],
        [unsigned, { type: 'tool_use' }],
      ],
      [reasoning(['a']), [unsigned]],
    ] as const) {
      expect(stream(parts, THINKING).content).toMatchObject(content)
      expect(whole(parts, THINKING)['content']).toMatchObject(content)
    }
  })

  it('opens nothing before there is something in it', () => {
    const parts: AnswerPart[] = [...text(), ...text(''), ...reasoning([]), ...text('a')]
    expect(stream(parts).content).toEqual([{ type: 'text', text: 'a' }])
    expect(whole(parts)['content']).toEqual([{ type: 'text', text: 'a' }])
  })

  it('has the sources of its texts', () => {
    const citation: AnswerPart = { type: 'citation', choice: 0, url: 'https://x.test', title: 'T' }
    const parts = text('a').toSpliced(2, 0, citation)
    const content = [
      {
        type: 'text',
        text: 'a',
        citations: [{ type: 'web_search_result_location', url: 'https://x.test', title: 'T' }],
      },
    ]
    expect(stream(parts).content).toMatchObject(content)
    expect(whole(parts)['content']).toMatchObject(content)
    expect(stream([...tool('t', []).toSpliced(1, 0, citation), citation]).content).toHaveLength(1)
  })

  it('leaves out other choices than the first', () => {
    const other = text('b').map((part) => ({ ...part, choice: 1 }) as AnswerPart)
    expect(stream([...text('a'), ...other]).content).toEqual([{ type: 'text', text: 'a' }])
  })

  it('breaks off with an error event, before its start and after', () => {
    const refusal = refuse('overloaded', 'Busy', { retryAfterSeconds: 5 })
    for (const parts of [[], [START, ...text('a')]]) {
      const writer = new MessagesStreamWriter(contextOf())
      for (const part of parts) writer.write(part)
      const told = writer.fail(refusal, 'req_1')
      expect(told).toMatch(/^event: error\ndata: .*\n\n$/)
      expect(JSON.parse(told.split('data: ')[1] ?? '')).toMatchObject({
        type: 'error',
        error: { type: 'overloaded_error', message: 'Busy', code: 503 },
        request_id: 'req_1',
      })
    }
  })

  it('is kept alive by pings once it has begun, also inside a block', () => {
    const writer = new MessagesStreamWriter(contextOf())
    expect(writer.keepAlive()).toBe('')
    const written =
      writer.write(START) +
      writer.keepAlive() +
      text('a')
        .map((part) => writer.write(part) + writer.keepAlive())
        .join('')
    expect(readStrictly(written + writer.end(USAGE))).toMatchObject({ pings: 4, content: [{ text: 'a' }] })
  })

  it('closes what was left open, as cut off', () => {
    const open = tool('t', ['{"q":']).slice(0, -1)
    expect(stream([...open, ...finish('length')])).toMatchObject({
      content: [{ json: '{"q":' }],
      delta: { stop_reason: 'max_tokens' },
    })
    expect(stream([...open, ...text('a')]).content).toHaveLength(2)
  })
})

describe('the stop reason', () => {
  const refusalBlock = blockOf({ type: 'refusal' }, ['No.'])

  it.each([
    ['end_turn', [...text('a'), ...finish('stop')]],
    ['end_turn', [...text('a'), ...finish('tool-calls')]],
    ['end_turn', text('a')],
    ['stop_sequence', [...text('a'), ...finish('stop-sequence', 'END')]],
    ['max_tokens', [...text('a'), ...finish('length')]],
    ['max_tokens', [...text('a'), ...finish('context-window')]],
    ['refusal', [...text('a'), ...finish('content-filter')]],
    ['refusal', finish('content-filter')],
    ['refusal', [...refusalBlock, ...finish('stop')]],
    ['pause_turn', [...text('a'), ...finish('pause')]],
    ['tool_use', [...tool('t', ['{}']), ...finish('tool-calls')]],
    ['tool_use', [...tool('t', ['{}']), ...finish('stop')]],
    ['tool_use', tool('t', [])],
    ['tool_use', [...tool('t', ['{}']), ...tool('u', ['{"q'], { isCut: true }), ...finish('tool-calls')]],
    ['max_tokens', [...tool('t', ['{}']), ...tool('u', ['{"q'], { isCut: true }), ...finish('length')]],
    ['max_tokens', [...tool('u', ['{"q'], { isCut: true }), ...finish('tool-calls')]],
  ] satisfies [string, AnswerPart[]][])('is %s, streamed and whole: %j', (reason, parts) => {
    const sequence = reason === 'stop_sequence' ? 'END' : null
    expect(stream(parts).delta).toMatchObject({ stop_reason: reason, stop_sequence: sequence })
    const details = reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null
    expect(whole(parts)).toMatchObject({ stop_reason: reason, stop_sequence: sequence, stop_details: details })
    expect(stream(parts).delta['stop_details']).toEqual(details ?? undefined)
  })

  it('comes with the refusal as text', () => {
    expect(stream(refusalBlock).content).toEqual([{ type: 'text', text: 'No.' }])
    expect(whole(refusalBlock)['content']).toEqual([{ type: 'text', text: 'No.' }])
  })
})

describe('a whole answer', () => {
  it('has the members of the contract', () => {
    expect(whole([...text('Hi'), ...finish('stop')])).toEqual({
      id: 'msg_01890a5dac96774bbcceb302099a8057',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 790,
        cache_creation_input_tokens: 3,
        cache_read_input_tokens: 22,
        output_tokens: 41,
        output_tokens_details: { thinking_tokens: 9 },
      },
    })
  })

  it.each([
    ['', {}],
    ['{"q":"é"}', { q: 'é' }],
    ['[1]', { _raw: '[1]' }],
    ['{"q":', { _raw: '{"q":' }],
  ])('has the arguments %j as an object', (args, input) => {
    expect(whole(tool('t', args === '' ? [] : [args]))['content']).toEqual([
      { type: 'tool_use', id: 't', name: 'wx', input },
    ])
  })

  it('has the arguments as text where they are nested deeper than they could be written again', () => {
    const deep = `{"q":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    expect(whole(tool('t', [deep]))['content']).toMatchObject([{ input: { _raw: deep } }])
  })

  it('leaves out a call that was cut off', () => {
    const parts = [...text('a'), ...tool('t', ['{"q'], { isCut: true }), ...finish('length')]
    expect(whole(parts)).toMatchObject({ content: [{ type: 'text', text: 'a' }], stop_reason: 'max_tokens' })
  })

  it('is whole without any content', () => {
    expect(JSON.parse(writeMessagesAnswer([], USAGE, contextOf()))).toMatchObject({
      content: [],
      stop_reason: 'end_turn',
    })
  })
})

/** What the chunks of a chat completion stream do to a sequencer: text, reasoning and tool calls in any mixture. */
const chatStep = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'reasoning', 'refusal'), text: fc.string() }),
  fc.record({
    type: fc.constant('tool'),
    key: fc.constantFrom('0', '1', '2'),
    text: fc.constantFrom('{', '"a":1', '}', '{}', ''),
  }),
)

function partsOf(steps: readonly { type: string; text: string; key?: string }[]): AnswerPart[] {
  const sequencer = new BlockSequencer(0, () => 'call')
  const parts = steps.flatMap(({ type, text: piece, key }) => {
    if (key !== undefined) return sequencer.tool({ key, id: `id_${key}`, name: 'wx', arguments: piece })
    return type === 'text' || type === 'reasoning' || type === 'refusal' ? sequencer.plain(type, piece) : []
  })
  return [START, ...parts, ...sequencer.end({ isCut: true }), ...finish('length')]
}

describe('whatever chat completions are translated', () => {
  it('strict clients read all of it, and the provider side reads it back', () => {
    fc.assert(
      fc.property(fc.array(chatStep), (steps) => {
        const parts = partsOf(steps)
        const written = streamed(parts, THINKING)
        const { content } = readStrictly(written)
        const textsOf = (type: string) =>
          steps
            .filter((step) => step.type === type || (type === 'text' && step.type === 'refusal'))
            .map((step) => step.text)
            .join('')
        const joined = (type: string, member: string) =>
          content
            .filter((block) => block['type'] === type)
            .map((block) => block[member])
            .join('')
        expect(joined('text', 'text')).toBe(textsOf('text'))
        expect(joined('thinking', 'thinking')).toBe(textsOf('reasoning'))
        const reader = new MessagesPartReader(() => 'call')
        const read = new EventSplitter()
          .push(written)
          .flatMap((one) => [...reader.read(eventData(one) ?? '', eventName(one))])
        const shape = (folded: ReturnType<typeof foldParts>) =>
          folded.choices[0]?.blocks.map(({ block, text: all }) => [block.type.replace('refusal', 'text'), all]) ?? []
        expect(shape(foldParts(read))).toEqual(shape(foldParts(parts)))
      }),
      { numRuns: 300 },
    )
  })

  it('whole answers are read back too', () => {
    const parts = [
      ...reasoning(['a'], { origin: 'messages', value: 's' }),
      ...text('b'),
      ...tool('t', ['{"q":1}']),
      ...finish('tool-calls'),
    ]
    const written = JSON.parse(writeMessagesAnswer([START, ...parts], USAGE, contextOf(THINKING))) as Members
    const read = foldParts(readMessagesAnswer(written, () => 'call'))
    expect(read.usage).toEqual(USAGE)
    expect(read.choices).toMatchObject(
      foldParts(parts).choices.map(({ blocks, finish: reason }) => ({
        finish: reason,
        blocks: blocks.map(({ text: all, sealed }) => ({ text: all, sealed })),
      })),
    )
  })
})
