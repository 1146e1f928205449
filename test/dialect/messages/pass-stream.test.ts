import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { refuse } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import { MESSAGES_ANSWER_TAP } from '#dialect/messages/tap-answer.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { MessagesTap } from '#dialect/messages/tap-stream.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { event, messageDelta, messageStart, PING, RECORDED, STOP, TEXT_STREAM, textBlock } from './message-streams.ts'

type Reading = { readonly sent: string; readonly usage: TokenUsage | undefined; readonly textBytes: number }

function bytesOf(written: Buffer | string | undefined): Buffer {
  return typeof written === 'string' ? Buffer.from(written, 'latin1') : (written ?? Buffer.alloc(0))
}

function read(pieces: readonly Buffer[]): Reading {
  const reader = new PassStream(new MessagesTap())
  const early = Buffer.concat(pieces.map((piece) => bytesOf(reader.push(piece))))
  if (early.includes('"message_stop"')) expect.fail('the end was sent before the charge can be on disk')
  reader.end()
  expect(reader.isComplete).toBe(true)
  const sent = Buffer.concat([early, bytesOf(reader.final())]).toString('utf8')
  return { sent, usage: reader.usage, textBytes: reader.generated.textBytes }
}

function failureOf(...pieces: readonly string[]): UpstreamFailure {
  const reader = new PassStream(new MessagesTap())
  try {
    for (const piece of pieces) reader.push(Buffer.from(piece))
    reader.end()
  } catch (error) {
    expect(reader.isComplete).toBe(false)
    if (error instanceof UpstreamFailure) return error
    throw error
  }
  return expect.fail(`this was taken for a whole answer: ${pieces.join('')}`)
}

/** What the client gets of a stream: everything up to its end. */
function whole(text: string): string {
  const end = /event: message_stop\r?\ndata: {"type":"message_stop"}(?:\r\n\r\n|\n\n)?/.exec(text)
  return text.slice(0, (end?.index ?? 0) + (end?.[0].length ?? 0)).trimEnd()
}

describe.each(RECORDED)('a passed stream with $name', ({ text, usage, textBytes }) => {
  const bytes = Buffer.from(text)

  it('goes to the client unchanged, and is understood', () => {
    const reading = read([bytes])
    expect(reading.sent.trimEnd()).toBe(whole(text))
    expect(reading.usage).toEqual(usage === undefined ? undefined : expect.objectContaining(usage))
    expect(reading.textBytes).toBe(textBytes)
  })

  it('reads the same for a cut at every byte, and byte by byte', () => {
    const expected = read([bytes])
    for (let at = 0; at <= bytes.length; at++) {
      const cut = read([bytes.subarray(0, at), bytes.subarray(at)])
      if (cut.sent !== expected.sent) expect(cut, `cut at byte ${at}`).toEqual(expected)
      expect(cut.usage).toEqual(expected.usage)
    }
    expect(read(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))).toEqual(expected)
  })

  it('reads the same in any pieces', () => {
    const expected = read([bytes])
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 8 }), (positions) => {
        const cuts = [0, ...positions.toSorted((left, right) => left - right), bytes.length]
        expect(read(cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end)))).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })

  it('is never taken for whole when it breaks off before its end', () => {
    const needed = Buffer.byteLength(whole(text))
    for (let at = 0; at < needed; at++) {
      const reader = new PassStream(new MessagesTap())
      const pushAndEnd = () => {
        reader.push(bytes.subarray(0, at))
        reader.end()
      }
      expect(pushAndEnd, `cut after ${at} bytes`).toThrow(UpstreamFailure)
    }
  })
})

describe('a stream that is passed through', () => {
  it('gives back the very chunk that consists of whole events', () => {
    const reader = new PassStream(new MessagesTap())
    reader.push(Buffer.from(messageStart()))
    const chunk = Buffer.from(textBlock(0, 'é'))
    expect(reader.push(chunk)).toBe(chunk)
  })

  it('holds pings and comments back that come before the answer', () => {
    const reader = new PassStream(new MessagesTap())
    expect(reader.push(Buffer.from(PING + ': hello\n\n'))).toBeUndefined()
    expect(reader.keepAlive()).toBeUndefined()
    expect(bytesOf(reader.push(Buffer.from(messageStart()))).toString()).toBe(`${PING}: hello\n\n${messageStart()}`)
    expect(reader.keepAlive()).toBe(PING)
    reader.push(Buffer.from('event: pi'))
    expect(reader.keepAlive()).toBeUndefined()
  })

  it('does not know its output where it breaks off before the last delta', () => {
    const reader = new PassStream(new MessagesTap())
    reader.push(Buffer.from(messageStart({ input_tokens: 9, output_tokens: 1 }) + textBlock(0, 'Hello')))
    expect(reader.usage).toMatchObject({ inputTokens: 9, outputTokens: undefined })
    expect(reader.generated.text()).toBe('Hello')
  })

  it.each([
    ['overloaded_error', 529],
    ['rate_limit_error', 429],
    ['invalid_request_error', 400],
    ['api_error', 500],
    ['novel_error', 500],
    ['constructor', 500],
    ['authentication_error', undefined],
    ['permission_error', undefined],
  ])('fails with the words of a reported %s, before its beginning and after', (type, status) => {
    const error = event('error', { error: { type, message: 'Zu voll für 東京' } })
    for (const before of ['', PING, messageStart() + textBlock(0, 'Hi')]) {
      expect(failureOf(before + error)).toMatchObject({ kind: 'reported', status, message: 'Zu voll für 東京' })
    }
  })

  it('bounds the words of an error', () => {
    const failure = failureOf(event('error', { error: { type: 'api_error', message: 'x'.repeat(100_000) } }))
    expect(failure.message.length).toBeLessThan(3000)
    expect(failureOf(event('error')).message).toBe('The provider reported an error.')
    expect(failureOf(event('error', { error: 5 })).kind).toBe('reported')
  })

  it.each([
    ['data that is not JSON', 'event: x\ndata: {"type"\n\n'],
    ['data that is no object', 'data: []\n\n'],
    ['a block before the beginning', textBlock(0, 'Hi')],
    ['an end before the beginning', STOP],
    ['a last delta before the beginning', messageDelta('end_turn')],
  ])('is malformed with %s', (_, text) => {
    expect(failureOf(text).kind).toBe('malformed')
  })

  it.each(['', PING, messageStart(), messageStart() + textBlock(0, 'Hi') + messageDelta('end_turn')])(
    'is closed too early after %j',
    (text) => {
      expect(failureOf(text).kind).toBe('closed')
    },
  )

  it('tells the client of a failure in an event of the format', () => {
    const told = new PassStream(new MessagesTap()).fail(refuse('upstream_error', 'Broken é'), 'req_1').toString('utf8')
    expect(told).toMatch(/^event: error\ndata: .*\n\n$/)
    expect(JSON.parse(told.split('data: ')[1] ?? '')).toMatchObject({
      type: 'error',
      error: { type: 'api_error', message: 'Broken é', code: 502 },
      request_id: 'req_1',
    })
  })

  it('throws nothing but failures, whatever comes', () => {
    const pieces = [
      ...TEXT_STREAM.split(/(?<=\n\n)/),
      PING,
      'data: null\n\n',
      'data: {"type":"content_block_delta"}\n\n',
    ]
    const junk = fc.oneof(
      fc.constantFrom(...pieces),
      fc.json().map((json) => `data: ${json}\n\n`),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(junk), (texts) => {
        const reader = new PassStream(new MessagesTap())
        try {
          for (const text of texts) reader.push(Buffer.from(text))
          reader.end()
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamFailure)
        }
      }),
    )
  })
})

describe('a whole answer that is passed through', () => {
  const readWhole = (value: unknown) => {
    const reader = new PassAnswer(MESSAGES_ANSWER_TAP)
    const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
    reader.push(bytes.subarray(0, 7))
    reader.push(bytes.subarray(7))
    reader.end()
    return { reader, sent: reader.final().toString('utf8') }
  }

  it('stays as it is, and is understood', () => {
    const input = { city: 'Köln' }
    const content = [
      { type: 'thinking', thinking: 'So', signature: 's' },
      { type: 'text', text: 'é' },
      { type: 'tool_use', id: 't', name: 'wx', input },
    ]
    const text = ` ${JSON.stringify({ type: 'message', content, usage: { input_tokens: 3, output_tokens: 4 } })}\n`
    const { reader, sent } = readWhole(text)
    expect(sent).toBe(text)
    expect(reader.usage).toMatchObject({ inputTokens: 3, outputTokens: 4 })
    expect(reader.generated.text()).toBe(`Soéwx${JSON.stringify(input)}`)
    expect(reader.isComplete).toBe(true)
  })

  it('fails with the words of an error that it has instead', () => {
    const error = { type: 'overloaded_error', message: 'Zu voll für 東京' }
    const fails = () => readWhole({ type: 'error', error })
    expect(fails).toThrow(expect.objectContaining({ kind: 'reported', status: 529, message: error.message }) as Error)
  })

  it.each([
    [{ type: 'message' }],
    [{ type: 'message', content: 'Hi' }],
    ['[]'],
    ['<html>'],
    [{ type: 'error', error: { type: 'api_error', message: 'No' } }],
  ])('is no answer where it is %j', (value) => {
    expect(() => readWhole(value)).toThrow(UpstreamFailure)
  })
})
