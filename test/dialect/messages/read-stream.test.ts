import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { readMessagesAnswer } from '#dialect/messages/read-answer.ts'
import { MessagesPartReader } from '#dialect/messages/read-stream.ts'
import { foldParts, type AnswerPart } from '#dialect/part.ts'
import { eventData, eventName, EventSplitter } from '#dialect/sse.ts'
import { checkPartOrder } from '../part-order.ts'
import {
  block,
  event,
  messageDelta,
  messageStart,
  PING,
  RECORDED,
  STOP,
  textBlock,
  thinkingBlock,
  toolBlock,
} from './message-streams.ts'

const newCallId = () => 'call_new'

function readEvents(reader: MessagesPartReader, events: readonly string[]): AnswerPart[] {
  return events.flatMap((text) => {
    const data = eventData(text)
    return data === undefined ? [] : [...reader.read(data, eventName(text))]
  })
}

function read(text: string): AnswerPart[] {
  const splitter = new EventSplitter()
  const reader = new MessagesPartReader(newCallId)
  const events = splitter.push(text)
  if (splitter.rest.trim() !== '') events.push(`${splitter.rest}\n\n`)
  const parts = [...readEvents(reader, events), ...reader.end()]
  expect(reader.isComplete).toBe(true)
  checkPartOrder(parts)
  return parts
}

function failureOf(run: () => unknown): UpstreamFailure {
  try {
    run()
  } catch (error) {
    if (error instanceof UpstreamFailure) return error
    throw error
  }
  return expect.fail('this was taken for a whole answer')
}

const answerOf = (text: string) => foldParts(read(text)).choices[0]
const blocksOf = (text: string) => answerOf(text)?.blocks.map(({ block: { type }, text: written }) => [type, written])
const stream = (...middle: readonly string[]) => messageStart() + middle.join('') + messageDelta('end_turn') + STOP

describe.each(RECORDED)('a stream with $name', ({ text, usage }) => {
  it('has the usage that it tells', () => {
    const read_ = foldParts(read(text)).usage
    expect(read_).toMatchObject(usage ?? { inputTokens: undefined, outputTokens: undefined })
  })

  it('is never taken for whole when it breaks off before its stop reason', () => {
    const splitter = new EventSplitter()
    const events = splitter.push(`${text}\n\n`)
    const last = events.findIndex((one) => one.includes('"message_delta"'))
    for (let count = 0; count <= last; count++) {
      const reader = new MessagesPartReader(newCallId)
      readEvents(reader, events.slice(0, count))
      expect(failureOf(() => reader.end()).kind).toBe('closed')
    }
  })
})

describe('a stream is read', () => {
  it('block by block, with what the provider sealed', () => {
    const text =
      messageStart() +
      thinkingBlock(0, 'Hm', 'sig') +
      block(1, { type: 'redacted_thinking', data: 'red' }) +
      thinkingBlock(2, '', 'hidden') +
      textBlock(3, 'a', 'b') +
      toolBlock(4, 'toolu_1', 'wx', '', '{"q"', ':1}') +
      messageDelta('tool_use') +
      STOP
    expect(answerOf(text)).toMatchObject({
      finish: 'tool-calls',
      blocks: [
        { block: { type: 'reasoning' }, text: 'Hm', sealed: { origin: 'messages', value: 'sig' } },
        { block: { type: 'reasoning' }, text: '', sealed: { origin: 'messages-redacted', value: 'red' } },
        { block: { type: 'reasoning' }, text: '', sealed: { origin: 'messages', value: 'hidden' } },
        { block: { type: 'text' }, text: 'ab' },
        { block: { type: 'tool-call', id: 'toolu_1', name: 'wx' }, text: '{"q":1}', isCut: false },
      ],
    })
  })

  it('without empty blocks', () => {
    const empty = block(0, { type: 'text', text: '' }) + block(1, { type: 'thinking', thinking: '', signature: '' })
    expect(blocksOf(stream(empty, textBlock(2, '', 'x')))).toEqual([['text', 'x']])
    expect(blocksOf(stream())).toEqual([])
  })

  it('with text and inputs that stand on the first event of a block', () => {
    const input = { q: 1 }
    const tool = { type: 'tool_use', id: 'a', name: 'wx', input }
    expect(blocksOf(stream(block(0, { type: 'text', text: 'x' }), block(1, tool)))).toEqual([
      ['text', 'x'],
      ['tool-call', '{"q":1}'],
    ])
    const both = block(0, tool, { type: 'input_json_delta', partial_json: '{"q":2}' })
    expect(blocksOf(stream(both))).toEqual([['tool-call', '{"q":2}']])
  })

  it('with thinking in a block that was begun as text, as its own block', () => {
    const mixed = block(
      0,
      { type: 'text', text: '' },
      { type: 'thinking_delta', thinking: 'a' },
      { type: 'text_delta', text: 'b' },
      { type: 'thinking_delta', thinking: 'c' },
    )
    expect(blocksOf(stream(mixed))).toEqual([
      ['reasoning', 'a'],
      ['text', 'b'],
      ['reasoning', 'c'],
    ])
  })

  it('with blocks that were never ended', () => {
    const start = event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    const delta = event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'a' } })
    expect(blocksOf(stream(start, delta, toolBlock(1, 'a', 'wx', '{}')))).toEqual([
      ['text', 'a'],
      ['tool-call', '{}'],
    ])
    expect(blocksOf(stream(start, delta))).toEqual([['text', 'a']])
  })

  it('without the tools that the provider ran itself, but with their sources', () => {
    const citation = { type: 'web_search_result_location', url: 'https://x.test', title: 'T', cited_text: 'c' }
    const text = stream(
      block(
        0,
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'input_json_delta', partial_json: '{' },
      ),
      block(1, { type: 'web_search_tool_result', tool_use_id: 's', content: [] }),
      block(2, { type: 'text', text: '' }, { type: 'citations_delta', citation }, { type: 'text_delta', text: 'a' }),
      block(3, { type: 'text', text: '' }, { type: 'citations_delta', citation: { type: 'char_location' } }),
    )
    expect(answerOf(text)).toMatchObject({
      finish: 'stop',
      blocks: [{ text: 'a', citations: [{ url: 'https://x.test', title: 'T' }] }],
    })
  })

  it('with one start, however often the provider sends it', () => {
    expect(blocksOf(stream(messageStart(), textBlock(0, 'a'), messageStart()))).toEqual([['text', 'a']])
    const other = stream(messageStart({}, 'msg_2'))
    expect(failureOf(() => read(other)).kind).toBe('malformed')
  })

  it('with an id of ours for a call that has none', () => {
    expect(answerOf(stream(toolBlock(0, '', 'wx', '{}')))?.blocks[0]?.block).toMatchObject({ id: 'call_new' })
  })

  it('by its data alone where a server writes no event lines, or [DONE] in the end', () => {
    const text = `${stream(textBlock(0, 'a')).replaceAll(/^event: .*\n/gm, '')}data: [DONE]\n\n`
    expect(blocksOf(text)).toEqual([['text', 'a']])
  })

  it('as whole when only its very last event is missing', () => {
    expect(blocksOf(messageStart() + textBlock(0, 'a') + messageDelta('end_turn'))).toEqual([['text', 'a']])
  })
})

describe('the end of an answer', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop-sequence'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'context-window'],
    ['refusal', 'content-filter'],
    ['pause_turn', 'pause'],
    ['compaction', 'stop'],
    ['novel', 'stop'],
  ])('%s is %s', (reason, finish) => {
    expect(answerOf(messageStart() + messageDelta(reason) + STOP)?.finish).toBe(finish)
  })

  it('tells the stop sequence', () => {
    const text = messageStart() + messageDelta('stop_sequence', {}, { stop_sequence: 'END' }) + STOP
    expect(answerOf(text)).toMatchObject({ finish: 'stop-sequence', stopSequence: 'END' })
  })

  it('is tool calls where there are any and the server says end_turn, or nothing', () => {
    const tool = messageStart() + toolBlock(0, 'a', 'wx', '{}')
    expect(answerOf(tool + messageDelta('end_turn') + STOP)?.finish).toBe('tool-calls')
    expect(answerOf(tool + messageDelta(null) + STOP)?.finish).toBe('tool-calls')
  })

  it('keeps its reason when a later delta has none', () => {
    const text = messageStart() + messageDelta('max_tokens') + messageDelta(null, { output_tokens: 7 }) + STOP
    expect(answerOf(text)?.finish).toBe('length')
    expect(foldParts(read(text)).usage.outputTokens).toBe(7)
  })

  it('marks a call that it cut off', () => {
    const cut = (reason: string, ...pieces: string[]) =>
      answerOf(messageStart() + toolBlock(0, 'a', 'wx', ...pieces) + messageDelta(reason) + STOP)?.blocks[0]?.isCut
    expect(cut('max_tokens', '{"q":"')).toBe(true)
    expect(cut('tool_use', '{"q":"')).toBe(true)
    expect(cut('max_tokens', '')).toBe(true)
    expect(cut('max_tokens', '{"q":"}"}')).toBe(false)
    expect(cut('tool_use', '')).toBe(false)
    expect(cut('tool_use')).toBe(false)
    expect(cut('tool_use', '{}')).toBe(false)
  })

  it('does not take a call without arguments for cut when another block followed', () => {
    const text =
      messageStart() + toolBlock(0, 'a', 'now', '') + toolBlock(1, 'b', 'now', '') + messageDelta('max_tokens') + STOP
    expect(answerOf(text)?.blocks.map((one) => one.isCut)).toEqual([false, true])
  })
})

describe('blocks that are open side by side', () => {
  const start = (index: number, content: object) => event('content_block_start', { index, content_block: content })
  const piece = (index: number, delta: object) => event('content_block_delta', { index, delta })
  const stop = (index: number) => event('content_block_stop', { index })
  const thinking = { type: 'thinking', thinking: '', signature: '' }
  const text = { type: 'text', text: '' }
  const thinks = (words: string) => ({ type: 'thinking_delta', thinking: words })
  const says = (words: string) => ({ type: 'text_delta', text: words })
  const told = (...events: readonly string[]) => {
    const parts = read(stream(...events))
    checkPartOrder(parts)
    return foldParts(parts).choices[0]?.blocks.map((one) => [one.block.type, one.text, one.sealed?.value])
  }

  it('are told one after the other, with a late seal in a block of its own', () => {
    const late = piece(0, { type: 'signature_delta', signature: 'sig' })
    const events = [start(0, thinking), piece(0, thinks('Hm')), start(1, text), piece(1, says('a')), late]
    expect(told(...events, stop(0), piece(1, says('b')), stop(1))).toEqual([
      ['reasoning', 'Hm', undefined],
      ['text', 'ab', undefined],
      ['reasoning', '', 'sig'],
    ])
  })

  it('do not keep text waiting for the end of the thinking', () => {
    const reader = new MessagesPartReader(newCallId)
    const events = [messageStart(), start(0, thinking), piece(0, thinks('Hm')), start(1, text), piece(1, says('a'))]
    const parts = events.flatMap((one) => reader.read(eventData(one) ?? '', undefined))
    expect(parts.at(-1)).toEqual({ type: 'delta', choice: 0, text: 'a' })
  })

  it('keep two texts apart', () => {
    const events = [start(0, text), start(1, text), piece(1, says('b')), piece(0, says('a')), piece(1, says('d'))]
    expect(told(...events, piece(0, says('c')), stop(1), stop(0))).toEqual([
      ['text', 'ac', undefined],
      ['text', 'bd', undefined],
    ])
  })

  it('lose no text whose block was never begun, or has ended', () => {
    expect(told(piece(7, says('a')), stop(7), textBlock(0, 'b'), piece(0, says('c')))).toEqual([
      ['text', 'a', undefined],
      ['text', 'b', undefined],
      ['text', 'c', undefined],
    ])
  })

  it('are not missed by pieces that say nothing without them, which are counted', () => {
    const reader = new MessagesPartReader(newCallId)
    const lost = [piece(7, { type: 'input_json_delta', partial_json: '{}' }), piece(7, { type: 'citations_delta' })]
    const events = [messageStart(), ...lost, textBlock(0, 'a'), messageDelta('end_turn'), STOP]
    for (const one of new EventSplitter().push(events.join(''))) reader.read(eventData(one) ?? '', undefined)
    expect([reader.isComplete, reader.droppedPieces]).toEqual([true, 2])
  })
})

describe('a stream fails', () => {
  it.each([
    [
      'with an error before its beginning',
      PING + event('error', { error: { type: 'overloaded_error', message: 'Full' } }),
    ],
    ['with an error inside', messageStart() + event('error', { error: { type: 'overloaded_error', message: 'Full' } })],
    [
      'with an error whose type only the event line says',
      'event: error\ndata: {"error":{"type":"overloaded_error","message":"Full"}}\n\n',
    ],
  ])('%s', (_, text) => {
    expect(failureOf(() => read(text))).toMatchObject({ kind: 'reported', status: 529, message: 'Full' })
  })

  it.each([
    ['data that is not JSON', messageStart() + 'data: {\n\n'],
    ['data that is no object', 'data: 5\n\n'],
    ['a block before the beginning', textBlock(0, 'a')],
    ['an end before the beginning', STOP],
    ['a delta before the beginning', messageDelta('end_turn')],
  ])('as malformed with %s', (_, text) => {
    expect(failureOf(() => read(text)).kind).toBe('malformed')
  })

  it('as malformed with a call without a name', () => {
    expect(failureOf(() => read(stream(toolBlock(0, 'a', '', '{}')))).kind).toBe('malformed')
  })

  it('only by failures, and keeps its promises, whatever comes in whichever order', () => {
    const events = [
      ...[messageStart(), textBlock(0, 'a'), thinkingBlock(1, 'b', 's'), toolBlock(2, 'c', 'd', '{"x":', '1}'), PING]
        .join('')
        .split(/(?<=\n\n)/),
      event('content_block_delta', { index: 0, delta: { type: 'citations_delta', citation: { url: 'u' } } }),
      event('content_block_start', { index: 0, content_block: null }),
      event('content_block_stop', {}),
      messageDelta('max_tokens'),
      messageDelta(null, {}),
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 30 }), fc.boolean(), (middle, ends) => {
        try {
          read(messageStart() + middle.filter(Boolean).join('') + (ends ? STOP : ''))
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamFailure)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('a whole answer', () => {
  const usage = { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 9 }
  const message = (content: unknown, more: object = {}) => ({
    id: 'msg_1',
    type: 'message',
    content,
    usage,
    stop_reason: 'end_turn',
    ...more,
  })

  it('is the same as its stream', () => {
    const streamed =
      messageStart({ input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 1 }) +
      thinkingBlock(0, 'Hm', 'sig') +
      textBlock(1, 'a', 'b') +
      toolBlock(2, 'toolu_1', 'wx', '{"q":', '1}') +
      messageDelta('tool_use', { output_tokens: 9 }) +
      STOP
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'sig' },
      { type: 'text', text: 'ab', citations: null },
      { type: 'tool_use', id: 'toolu_1', name: 'wx', input: { q: 1 } },
    ]
    const parts = readMessagesAnswer(message(content, { stop_reason: 'tool_use' }), newCallId)
    checkPartOrder(parts)
    expect(foldParts(parts)).toEqual(foldParts(read(streamed)))
  })

  it('leaves calls uncut unless its length ended it there', () => {
    const tool = { type: 'tool_use', id: 'a', name: 'wx', input: {} }
    const cuts = (reason: string) =>
      foldParts(readMessagesAnswer(message([tool, tool], { stop_reason: reason }), newCallId)).choices[0]?.blocks.map(
        (one) => one.isCut,
      )
    expect(cuts('tool_use')).toEqual([false, false])
    expect(cuts('max_tokens')).toEqual([false, true])
  })

  it('fails where a call is nested deeper than it could be written again', () => {
    const input: unknown = JSON.parse(`{"q":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)
    const content = [{ type: 'tool_use', id: 'a', name: 'wx', input }]
    expect(failureOf(() => readMessagesAnswer(message(content), newCallId)).kind).toBe('malformed')
  })

  it('keeps the sources of its texts', () => {
    const citations = [{ type: 'web_search_result_location', url: 'https://x.test', title: null }]
    const folded = foldParts(readMessagesAnswer(message([{ type: 'text', text: 'a', citations }]), newCallId))
    expect(folded.choices[0]?.blocks[0]?.citations).toEqual([{ url: 'https://x.test', title: undefined }])
  })

  it.each([{}, { content: 'Hi' }, { type: 'error', error: { message: 'No' } }, { content: [{ type: 'tool_use' }] }])(
    'is none where it is %j',
    (answer) => {
      expect(failureOf(() => readMessagesAnswer(answer, newCallId)).kind).toMatch(/malformed|reported/)
    },
  )
})
