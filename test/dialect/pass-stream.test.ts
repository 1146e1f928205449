import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import { ChatTap } from '#dialect/chat-completions/tap-stream.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { chunk, DONE, RECORDED, says, USAGE_CHUNK } from './chat-streams.ts'

const STOP = chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])

type Reading = { readonly sent: string; readonly usage: TokenUsage | undefined; readonly textBytes: number }
type Asking = { readonly wantsUsage: boolean }

function bytesOf(written: Buffer | string | undefined): Buffer {
  return typeof written === 'string' ? Buffer.from(written, 'latin1') : (written ?? Buffer.alloc(0))
}

function endOf(reader: PassStream): Buffer {
  reader.end()
  return bytesOf(reader.final())
}

/** Reads a stream in pieces; `sent` is what the client gets, checked to hold its end back until `end`. */
function read(pieces: readonly Buffer[], asking: Asking = { wantsUsage: true }): Reading {
  const reader = new PassStream(new ChatTap(asking))
  const early = Buffer.concat(pieces.map((piece) => bytesOf(reader.push(piece))))
  if (early.includes('[DONE]')) expect.fail('the end was sent before the charge can be on disk')
  const sent = Buffer.concat([early, endOf(reader)]).toString('utf8')
  expect(reader.isComplete).toBe(true)
  return { sent, usage: reader.usage, textBytes: reader.generated.bytes }
}

function readText(text: string, asking?: Asking): Reading {
  return read([Buffer.from(text)], asking)
}

function failureOf(text: string): UpstreamFailure {
  const reader = new PassStream(new ChatTap({ wantsUsage: true }))
  try {
    reader.push(Buffer.from(text))
    reader.end()
  } catch (error) {
    expect(reader.isComplete).toBe(false)
    if (error instanceof UpstreamFailure) return error
    throw error
  }
  return expect.fail(`this was taken for a whole answer: ${text}`)
}

function known(counts: Partial<TokenUsage> | undefined) {
  return counts === undefined ? undefined : (expect.objectContaining(counts) as TokenUsage)
}

/** [DONE] and what some streams leave out around it, for those that lack it. */
function ended(text: string): string {
  if (/\[DONE\][\r\n]{2,}/.test(text)) return text.slice(0, (/\[DONE\](\r\n\r\n|\n\n|\r\r)/.exec(text)?.index ?? 0) + 6)
  return text.endsWith('[DONE]') ? text : `${text.trimEnd()}\n\ndata: [DONE]`
}

it('that is cut short ends under the name of the answer, and not of a chunk before it that has none', () => {
  const before = { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] }
  const reader = new PassStream(new ChatTap({ wantsUsage: false }))
  reader.push(Buffer.from(`data: ${JSON.stringify(before)}\n\n${says('Hi')}${says(' there')}`))
  const { id, object, created, model } = JSON.parse(says('Hi').slice('data: '.length)) as Record<string, unknown>
  expect(reader.cutShort(UNKNOWN_USAGE)).toBe(
    `data: ${JSON.stringify({ id, object, created, model, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'length' }] })}\n\n${DONE}`,
  )
})

describe.each(RECORDED)('a stream with $name', ({ text, usage, textBytes }) => {
  const bytes = Buffer.from(text)

  it('passes unchanged to a client that wants usage, and is understood', () => {
    const reading = readText(text)
    expect(reading.sent.trimEnd()).toBe(ended(text))
    expect(reading.usage).toEqual(known(usage))
    expect(reading.textBytes).toBe(textBytes)
  })

  it.each([{ wantsUsage: true }, { wantsUsage: false }])('reads the same for a cut at every byte: %j', (asking) => {
    const whole = read([bytes], asking)
    for (let at = 0; at <= bytes.length; at++) {
      const cut = read([bytes.subarray(0, at), bytes.subarray(at)], asking)
      if (cut.sent !== whole.sent || cut.textBytes !== whole.textBytes) expect(cut, `cut at byte ${at}`).toEqual(whole)
      expect(cut.usage).toEqual(whole.usage)
    }
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
    expect(read(single, asking)).toEqual(whole)
  })

  it('reads the same in any pieces', () => {
    const whole = read([bytes])
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length }), { maxLength: 10 }), (positions) => {
        const cuts = [0, ...positions.toSorted((left, right) => left - right), bytes.length]
        expect(read(cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end)))).toEqual(whole)
      }),
      { numRuns: 50 },
    )
  })

  it('is never taken for whole when it breaks off before its last finish reason', () => {
    const events = text.split(/(?<=\n\n|\r\n\r\n|\r\r(?!\n))/)
    const lastFinish = events.findLastIndex((event) => /"finish_reason":"/.test(event) && !event.includes('ignored'))
    const needed = Buffer.byteLength(
      events
        .slice(0, lastFinish + 1)
        .join('')
        .trimEnd(),
    )
    for (let at = 0; at < needed; at++) {
      const reader = new PassStream(new ChatTap({ wantsUsage: true }))
      const pushAndEnd = () => {
        reader.push(bytes.subarray(0, at))
        reader.end()
      }
      expect(pushAndEnd, `cut after ${at} bytes`).toThrow(UpstreamFailure)
    }
  })
})

describe('a client that did not ask for usage', () => {
  const silent = { wantsUsage: false }

  it('gets neither the chunk that holds nothing else nor the empty members', () => {
    const nulls = says('Hi').replace('}\n\n', ',"usage":null}\n\n') + STOP.replace('}\n\n', ',"usage":null}\n\n')
    const reading = readText(nulls + USAGE_CHUNK + DONE, silent)
    expect(reading.sent).toBe(says('Hi') + STOP + DONE)
    expect(reading.usage).toMatchObject({ inputTokens: 19, outputTokens: 10 })
  })

  it('gets what comes beside the usage, and not the usage', () => {
    const last = { index: 0, delta: { content: '!' }, finish_reason: 'stop' }
    const reading = readText(
      says('Hi') + chunk([last], { usage: { prompt_tokens: 1, completion_tokens: 2 } }) + DONE,
      silent,
    )
    expect(reading.sent).toBe(says('Hi') + chunk([last]) + DONE)
    expect(reading.usage).toMatchObject({ inputTokens: 1, outputTokens: 2 })
  })

  it.each([
    [
      'first',
      '{"usage":{"prompt_tokens":1},"choices":[{"index":0,"finish_reason":"stop"}]}',
      '{"choices":[{"index":0,"finish_reason":"stop"}]}',
    ],
    [
      'with spaces',
      '{ "choices": [{"finish_reason":"stop"}], "usage": {"prompt_tokens":1} }',
      '{ "choices": [{"finish_reason":"stop"}] }',
    ],
    [
      'as null and with spaces',
      '{"choices": [{"finish_reason": "stop"}], "usage": null}',
      '{"choices": [{"finish_reason": "stop"}]}',
    ],
  ])('gets no usage wherever it stands: %s', (_, written, sent) => {
    expect(readText(`data: ${written}\n\n${DONE}`, silent).sent).toBe(`data: ${sent}\n\n${DONE}`)
  })

  it('gets a first chunk without choices whose usage is null', () => {
    const first = 'data: {"choices":[],"prompt_filter_results":[{"a":1}],"usage":null}\n\n'
    expect(readText(first + says('Hi') + STOP + DONE, silent).sent).toBe(
      `data: {"choices":[],"prompt_filter_results":[{"a":1}]}\n\n${says('Hi')}${STOP}${DONE}`,
    )
  })

  it('gets text that only looks like usage as it was written', () => {
    const tricky = says(',"usage":null}') + STOP
    expect(readText(tricky + DONE, silent).sent).toBe(tricky + DONE)
  })
})

describe('a stream that breaks', () => {
  it.each([
    ['with nothing at all', '', 'closed'],
    ['after white space', '\n\n', 'closed'],
    ['after a comment', ': hello\n\n', 'closed'],
    ['after its first chunks', says('Hi') + says(' there'), 'closed'],
    ['inside a chunk', says('Hi') + says(' there').slice(0, -20), 'malformed'],
    ['with one of two choices unfinished', says('Hi') + chunk([{ index: 1, delta: {} }]) + STOP, 'closed'],
    ['with usage but without a finish', says('Hi') + USAGE_CHUNK, 'closed'],
    ['in the middle of [DONE]', says('Hi') + STOP + 'data: [DO', 'malformed'],
    ['with HTML', '<html><body>502</body></html>', 'closed'],
    ['with an event that is not JSON', `${says('Hi')}data: oops\n\n${STOP}${DONE}`, 'malformed'],
    ['with an event that is no object', `data: 5\n\n${STOP}${DONE}`, 'malformed'],
    ['with an event without data', `data:\n\n${STOP}${DONE}`, 'malformed'],
    ['with an error event', `${says('Hi')}data: {"error":{"message":"overloaded"}}\n\n`, 'reported'],
    ['with an error event before [DONE]', `${says('Hi')}${STOP}data: {"error":"oops"}\n\n${DONE}`, 'reported'],
    ['with an error first', 'data: {"error":{"code":429}}\n\n', 'reported'],
  ])('is a failure: %s', (_, text, kind) => {
    expect(failureOf(text).kind).toBe(kind)
  })

  it('does not repeat what the provider said about our account, nor what is no event', () => {
    const error = { message: 'secret words', type: 'authentication_error' }
    expect(failureOf(`data: ${JSON.stringify({ error })}\n\n`).message).not.toContain('secret words')
    expect(failureOf('data: secret words\n\n').message).not.toContain('secret words')
  })

  it('is told in the words of the provider, whose status decides what the client gets', () => {
    const failure = failureOf('data: {"error":{"message":"Zu viel – später","type":"overloaded_error"}}\n\n')
    expect(failure).toMatchObject({ kind: 'reported', message: 'Zu viel – später', status: 503 })
  })

  it('is no failure for a member `error` that is null', () => {
    expect(readText(says('Hi', { error: null }) + STOP + DONE).textBytes).toBe(2)
  })

  it('is too large when it goes on beyond the bound', () => {
    const reader = new PassStream(new ChatTap({ wantsUsage: true }))
    const piece = Buffer.from(says('x'.repeat(500_000)))
    expect(() => {
      for (let count = 0; count < 200; count++) reader.push(piece)
    }).toThrow(expect.objectContaining({ kind: 'too_large' }) as Error)
  })
})

describe('[DONE]', () => {
  it('completes the answer as soon as it was read, and is sent last', () => {
    const reader = new PassStream(new ChatTap({ wantsUsage: true }))
    expect(bytesOf(reader.push(Buffer.from(says('Hi') + STOP))).toString()).toBe(says('Hi') + STOP)
    expect(reader.isComplete).toBe(false)
    expect(reader.push(Buffer.from(DONE))).toBeUndefined()
    expect(reader.isComplete).toBe(true)
    expect(reader.push(Buffer.from(says('more')))).toBeUndefined()
    reader.end()
    expect(reader.final()).toBe(DONE)
    expect(reader.generated.bytes).toBe(2)
  })

  it('ends the answer with spaces around it too', () => {
    expect(readText(`${says('Hi') + STOP}data:  [DONE] \n\n`).sent).toBe(`${says('Hi') + STOP}data:  [DONE] \n\n`)
  })

  it('is believed even where no choice has finished', () => {
    expect(readText(says('Hi') + DONE).sent).toBe(says('Hi') + DONE)
  })

  it('hands on whole chunks as the bytes that came, without copying them', () => {
    const reader = new PassStream(new ChatTap({ wantsUsage: true }))
    const bytes = Buffer.from(says('Hi'))
    expect(reader.push(bytes)).toBe(bytes)
  })
})
