import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { ChatTap } from '#dialect/chat-completions/tap-stream.ts'
import { EventMould } from '#dialect/event-mould.ts'
import { MessagesTap } from '#dialect/messages/tap-stream.ts'
import { PassStream, type StreamTap } from '#dialect/pass-stream.ts'
import { ResponsesTap } from '#dialect/responses/tap-stream.ts'
import { eventData } from '#dialect/sse.ts'
import { cases, isLong } from '../support/cases.ts'

const numRuns = cases(300, 1000, 30_000)

/** An event around a text, a number and a padding. */
type Write = (text: string, number: number, padding: string) => string

const chunk = (delta: object, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'fare',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  ...more,
})
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string; readonly [name: string]: unknown }) =>
  `event: ${value.type}\n${data(value)}`

const CHAT: Readonly<Record<string, Write>> = {
  text: (text) => data(chunk({ content: text }, { usage: null })),
  'text with padding': (text, _number, padding) => data(chunk({ content: text }, { obfuscation: padding })),
  'text and its count': (text, number) => data(chunk({ content: text }, { usage: { completion_tokens: number } })),
  reasoning: (text) => data(chunk({ content: '', reasoning_content: text })),
  'reasoning told twice': (text) => data(chunk({ reasoning: text, reasoning_details: [{ text }] })),
  arguments: (text) => data(chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  'a whole message': (text) => data({ choices: [{ index: 0, message: { role: 'assistant', content: text } }] }),
  'two choices': (text) =>
    data({
      choices: [
        { index: 0, delta: { content: text } },
        { index: 1, delta: {} },
      ],
    }),
  'an end': (text) => data({ choices: [{ index: 0, delta: { content: text }, finish_reason: 'length' }] }),
}
const MESSAGES: Readonly<Record<string, Write>> = {
  start: () => named({ type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 3 } } }),
  'a block that has text': (text, number) =>
    named({ type: 'content_block_start', index: number % 3, content_block: { type: 'text', text } }),
  text: (text, number) =>
    named({ type: 'content_block_delta', index: number % 3, delta: { type: 'text_delta', text } }),
  thinking: (text) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: text } }),
  counts: (text, number) => named({ type: 'message_delta', delta: { text }, usage: { output_tokens: number } }),
}
const RESPONSES: Readonly<Record<string, Write>> = {
  item: (text, number) =>
    named({
      type: 'response.output_item.added',
      sequence_number: number,
      output_index: 0,
      item: { id: 'msg_1', type: 'message', role: text, content: [] },
    }),
  text: (text, number, padding) =>
    named({
      type: 'response.output_text.delta',
      sequence_number: number,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: text,
      logprobs: [],
      obfuscation: padding,
    }),
  'text without a number': (text) => named({ type: 'response.output_text.delta', delta: text }),
  'text with its number behind it': (text, number) =>
    named({ type: 'response.output_text.delta', item_id: 'msg_1', delta: text, sequence_number: number }),
  'all of a text': (text, number) =>
    named({ type: 'response.output_text.done', sequence_number: number, item_id: 'msg_1', text }),
  summary: (text, number) =>
    named({
      type: 'response.reasoning_summary_text.delta',
      sequence_number: number,
      item_id: 'rs_1',
      summary_index: number % 2,
      delta: text,
    }),
  part: (text, number) =>
    named({
      type: 'response.content_part.done',
      sequence_number: number,
      item_id: 'msg_1',
      part: { type: 'output_text', text },
    }),
}
const DIALECTS: Readonly<Record<string, { readonly events: typeof CHAT; readonly newTap: () => StreamTap }>> = {
  'chat completions': { events: CHAT, newTap: () => new ChatTap({ wantsUsage: true }) },
  'chat completions without usage': { events: CHAT, newTap: () => new ChatTap({ wantsUsage: false }) },
  messages: { events: MESSAGES, newTap: () => new MessagesTap() },
  responses: { events: RESPONSES, newTap: () => new ResponsesTap() },
}

const character = fc.constantFrom('a', ' ', '"', '\\', '\n', '\u0001', 'é', '模', '🚀', '{', '}', ':', ',')
const texts = fc.oneof(
  fc.array(character, { maxLength: 30 }).map((parts) => parts.join('')),
  fc.constantFrom('text', 'delta', 'content', 'sequence_number', 'obfuscation', 'text_delta', 'msg_1'),
)
const paddings = fc.constantFrom('', 'x', 'abcdefgh', 'a longer padding than others')
const written = fc.record({
  text: texts,
  number: fc.nat(2000),
  padding: paddings,
  times: fc.integer({ min: 1, max: 4 }),
})

/** What is known of a stream when it is broken off, and what its client has got by then. */
function reading(tap: StreamTap, events: readonly string[]) {
  const reader = new PassStream(tap)
  let sent = ''
  try {
    for (const event of events) sent += String(reader.push(Buffer.from(event)) ?? '')
  } catch (error) {
    return { error }
  }
  const { generated, usage, reported } = reader
  const { isOutputFinal } = reported
  const known = { bytes: generated.bytes, text: generated.text(), usage, isOutputFinal }
  return { ...known, sent, keepAlive: reader.keepAlive(), end: reader.cutShort(UNKNOWN_USAGE) }
}

/** The same events, and no two of them alike. */
function unlike(events: readonly string[]): string[] {
  return events.map((event, index) => event.replace('data: {', `data: ${' '.repeat(index)}{`))
}

describe.each(Object.entries(DIALECTS))('a stream of %s', (_name, { events, newTap }) => {
  const piece = fc.tuple(fc.constantFrom(...Object.values(events)), written)
  const begin = events['start']?.('', 0, '')

  it('is understood the same, whether its events are like one another or not', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const all = pieces.flatMap(([write, { text, number, padding, times }]) =>
          Array.from({ length: times }, (_, time) => write(text + 'b'.repeat(time), number + time, padding)),
        )
        const whole = begin === undefined ? all : [begin, ...all]
        const [alike, apart] = [reading(newTap(), whole), reading(newTap(), unlike(whole))]
        const spaceless = (text: string | undefined) => text?.replaceAll(/data: +\{/g, 'data: {')
        expect(alike).toEqual('sent' in apart ? { ...apart, sent: spaceless(apart.sent) } : apart)
      }),
      { numRuns },
    )
  })
})

describe('an event that fits the mould of another', () => {
  const kinds = fc.constantFrom(
    ...Object.values(CHAT),
    ...Object.values(MESSAGES),
    ...Object.values(RESPONSES),
    (text: string) => data({ text, type: 'text' }),
    (text: string) => `data: {"delta":"${text.length}","delta":${JSON.stringify(text)}}\n\n`,
    (text: string, number: number) => `data: {"sequence_number":${number}.5,"text":${JSON.stringify(text)}}\n\n`,
  )
  const change = fc.record({
    at: fc.nat(400),
    takes: fc.nat(3),
    puts: fc.constantFrom('', '"', '\\', '0', ',', '\n', 'x', '\\u0041'),
  })

  it('differs from it in nothing but its text, its number and its padding', () => {
    let fitted = 0
    fc.assert(
      fc.property(kinds, written, written, fc.option(change), (write, first, second, changed) => {
        const event = write(first.text, first.number, first.padding)
        const says = event !== write(`${first.text}!`, first.number, first.padding)
        if (!says) return
        const hasNumber = event.includes(`"sequence_number":${first.number},`)
        const mould = EventMould.of(event, { text: first.text, sequence: hasNumber ? first.number : undefined })
        const other = write(second.text, second.number, second.padding)
        const at = (changed?.at ?? 0) % other.length
        const cut = changed === null ? other : other.slice(0, at) + changed.puts + other.slice(at + changed.takes)
        if (mould?.fits(cut) !== true) return
        fitted += 1
        const value: unknown = JSON.parse(eventData(cut) ?? '')
        const { obfuscation } = value as { obfuscation?: string }
        expect(value).toEqual(
          JSON.parse(eventData(write(mould.text, mould.sequence ?? first.number, obfuscation ?? '')) ?? ''),
        )
      }),
      { numRuns: isLong ? 150_000 : 5_000 },
    )
    expect(fitted).toBeGreaterThan(100)
  })

  it.each([
    '{"sequence_number":01,"delta":"b"}',
    '{"sequence_number":,"delta":"b"}',
    '{"sequence_number":-1,"delta":"b"}',
    '{"sequence_number":12345678901234567,"delta":"b"}',
    '{"sequence_number":2,"delta":"\t"}',
    '{"sequence_number":2,"delta":"\\x"}',
    '{"sequence_number":2,"delta":"b"}}',
    '{"sequence_number":2,"delta":"b"',
    '{"sequence_number":2,"delta":"b',
  ])('is one that is certain to be JSON: not %j', (text) => {
    const mould = EventMould.of('data: {"sequence_number":1,"delta":"a"}\n\n', { text: 'a', sequence: 1 })
    expect(mould?.fits('data: {"sequence_number":2,"delta":"b\\n"}\n\n')).toBe(true)
    expect(mould).toMatchObject({ text: 'b\n', sequence: 2 })
    expect(mould?.fits(`data: ${text}\n\n`)).toBe(false)
  })
})

it.each([
  ['its text stands in it twice', '{"a":"hi","delta":"hi"}'],
  ['its text is escaped', '{"a":"\\n","delta":"hi"}'],
  ['its number stands in it twice', '{"b":{"sequence_number":1},"sequence_number":1,"delta":"hi"}'],
  ['its number is written in another way', '{"sequence_number":1.0,"delta":"hi"}'],
  ['its padding is no text', '{"sequence_number":1,"delta":"hi","obfuscation":1}'],
  ['it is very long', `{"sequence_number":1,"delta":"hi","more":"${'x'.repeat(5000)}"}`],
])('no mould is made of an event where %s', (_why, text) => {
  expect(EventMould.of(`data: ${text}\n\n`, { text: 'hi', sequence: 1 })).toBeUndefined()
})
