import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventData, eventName, EventSplitter, isDone } from '#dialect/sse.ts'
import { isLong } from '../support/cases.ts'

const numRuns = isLong ? 30_000 : 1000

type Line = { readonly text: string; readonly data: readonly string[] }
type LineEnd = '\n' | '\r\n' | '\r'
/** One event as written, with what its data lines say; undefined for an event without data. */
type WrittenEvent = { readonly text: string; readonly data: string | undefined }

const lineEnd = fc.constantFrom<LineEnd>('\n', '\r\n', '\r')
const character = fc.constantFrom('a', '{', '"', ':', ' ', 'é', '模', '🚀', '\\', '0', '\u2028')
const words = fc.array(character, { maxLength: 8 }).map((parts) => parts.join(''))
const line: fc.Arbitrary<Line> = fc.oneof(
  { weight: 5, arbitrary: words.map((text) => ({ text: `data: ${text}`, data: [text] })) },
  { weight: 1, arbitrary: words.map((text) => ({ text: `data:x${text}`, data: [`x${text}`] })) },
  { weight: 1, arbitrary: fc.constant({ text: 'data', data: [''] }) },
  { weight: 1, arbitrary: words.map((text) => ({ text: `: ${text}`, data: [] })) },
  { weight: 1, arbitrary: words.map((text) => ({ text: `event: ${text}`, data: [] })) },
  { weight: 1, arbitrary: fc.constant({ text: 'database: x', data: [] }) },
)
const event = fc.tuple(fc.array(fc.tuple(line, lineEnd), { minLength: 1, maxLength: 4 }), lineEnd).map(writeEvent)
const streams = fc.array(event, { maxLength: 8 })

function writeEvent([lines, blank]: [[Line, LineEnd][], LineEnd]): WrittenEvent {
  const data = lines.flatMap(([{ data: said }]) => said)
  const body = lines.map(([{ text }, end]) => text + end).join('')
  // A line feed behind a carriage return would be one line end and no blank line; and a blank line that mixes CR with CR LF
  // cannot be told from one that ended a character earlier, without keeping back every event of a stream that uses CR.
  const end = body.endsWith('\r') ? '\r' : blank
  return { text: body + end, data: data.length === 0 ? undefined : data.join('\n') }
}

function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8')
}

function dataOf(written: string): string | undefined {
  const data = eventData(written)
  return data === undefined ? undefined : utf8(data)
}

function splitAt(bytes: string, positions: readonly number[]): string[] {
  const sorted = positions.map((position) => position % (bytes.length + 1)).toSorted((left, right) => left - right)
  const cuts = [0, ...sorted, bytes.length]
  return cuts.slice(1).map((end, index) => bytes.slice(cuts[index], end))
}

function readPieces(pieces: readonly string[]): { events: string[]; rest: string } {
  const splitter = new EventSplitter()
  const events = pieces.flatMap((piece) => splitter.push(piece))
  return { events, rest: splitter.rest }
}

describe('a stream of events', () => {
  it('gives the same events however it is cut, and loses no byte', () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(), { maxLength: 12 }), (written, positions) => {
        const bytes = latin1(written.map(({ text }) => text).join(''))
        const whole = readPieces([bytes])
        const cut = readPieces(splitAt(bytes, positions))
        expect(cut).toEqual(whole)
        expect(whole.events.join('') + whole.rest).toBe(bytes)
      }),
      { numRuns },
    )
  })

  it('gives the same events byte by byte', () => {
    fc.assert(
      fc.property(streams, (written) => {
        const bytes = latin1(written.map(({ text }) => text).join(''))
        expect(readPieces(bytes.split(''))).toEqual(readPieces([bytes]))
      }),
      { numRuns },
    )
  })

  it('gives the events that were written, in any mixture of line ends', () => {
    fc.assert(
      fc.property(streams, (written) => {
        const { events, rest } = readPieces([latin1(written.map(({ text }) => text).join(''))])
        // A carriage return at the very end may be half of a line end, so the last event can still be waiting.
        const all = rest === '' ? events : [...events, rest]
        expect(all.map(utf8)).toEqual(written.map(({ text }) => text))
        expect(all.map(dataOf)).toEqual(written.map(({ data }) => data))
      }),
      { numRuns },
    )
  })

  it('gives the same events for a cut at each byte of an ordinary stream', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const bytes = latin1(
        `: hello${end}${end}data: Grüße 🚀${end}${end}data: a${end}data: b${end}${end}data: [DONE]${end}${end}`,
      )
      const whole = readPieces([bytes])
      for (let at = 0; at <= bytes.length; at++) {
        expect(readPieces([bytes.slice(0, at), bytes.slice(at)])).toEqual(whole)
      }
    }
  })

  it('hands over an event as soon as its blank line is there', () => {
    expect(readPieces(['data: a\n\n']).events).toEqual(['data: a\n\n'])
    expect(readPieces(['data: a\r\n\r\n']).events).toEqual(['data: a\r\n\r\n'])
    expect(readPieces(['data: a\r\n\r', '\n']).events).toEqual(['data: a\r\n\r\n'])
    expect(readPieces(['data: a\r\rd']).events).toEqual(['data: a\r\r'])
  })

  it('keeps what has not ended', () => {
    expect(readPieces(['data: a\n\ndata: b\n'])).toEqual({ events: ['data: a\n\n'], rest: 'data: b\n' })
  })

  it('is refused when one event never ends', () => {
    const splitter = new EventSplitter()
    const piece = 'x'.repeat(1024 * 1024)
    expect(() => {
      for (let count = 0; count < 20; count++) splitter.push(piece)
    }).toThrow(expect.objectContaining({ kind: 'too_large' }) as Error)
  })

  it('may be as long as it likes when its events are not', () => {
    const splitter = new EventSplitter()
    const piece = `data: ${'x'.repeat(100_000)}\n\n`
    for (let count = 0; count < 100; count++) expect(splitter.push(piece)).toEqual([piece])
  })
})

describe('the data of an event', () => {
  it.each([
    ['data: a\n\n', 'a'],
    ['data:a\n\n', 'a'],
    ['data:  a \n\n', ' a '],
    ['data: \n\n', ''],
    ['data\n\n', ''],
    ['data: a\ndata: b\n\n', 'a\nb'],
    ['data: a\r\ndata: b\r\n\r\n', 'a\nb'],
    ['data: a\rdata: b\r\r', 'a\nb'],
    ['event: x\nid: 1\ndata: a\nretry: 5\n\n', 'a'],
    [': comment\ndata: a\n\n', 'a'],
    ['data: a\n: comment\n\n', 'a'],
    [': comment\n\n', undefined],
    ['event: ping\n\n', undefined],
    ['\n\n', undefined],
    ['Data: a\n\n', undefined],
    [' data: a\n\n', undefined],
    ['data: a:b: c\n\n', 'a:b: c'],
  ])('of %j is %j', (text, data) => {
    expect(eventData(text)).toBe(data)
  })
})

describe('the name of an event', () => {
  it.each([
    ['event: a\ndata: x\n\n', 'a'],
    ['event:a\r\ndata: x\r\n\r\n', 'a'],
    ['event: a\rdata: x\r\r', 'a'],
    ['data: x\nevent: a\n\n', 'a'],
    ['id: 1\n: c\nevent: a \ndata: x\n\n', 'a'],
    ['event: a\nevent: b\ndata: x\n\n', 'b'],
    ['event:\ndata: x\n\n', ''],
    ['data: event: a\n\n', undefined],
    ['data:x\u2028event: a\n\n', undefined],
    ['Event: a\ndata: x\n\n', undefined],
    ['data: x\n\n', undefined],
  ])('of %j is %j', (text, name) => {
    expect(eventName(text)).toBe(name)
  })
})

describe('a byte order mark', () => {
  const MARK = '\u00ef\u00bb\u00bf'

  it.each([
    ['data: x\n\n', undefined],
    ['event: hello\ndata: x\n\n', 'hello'],
    ['data:x\r\n\r\n', undefined],
  ])('before %j is no part of it', (event, name) => {
    expect(eventData(MARK + event)).toBe('x')
    expect(eventName(MARK + event)).toBe(name)
  })

  it('anywhere else is', () => {
    expect(eventData(`id: 1\n${MARK}data: x\n\n`)).toBeUndefined()
    expect(eventData(`data: ${MARK}\n\n`)).toBe(MARK)
  })
})

it.each([
  ['[DONE]', true],
  [' [DONE] \r', true],
  ['[DONE', false],
  ['"[DONE]"', false],
  ['{"a":"[DONE]"}', false],
])('%j ends a stream: %s', (data, ends) => {
  expect(isDone(data)).toBe(ends)
})
