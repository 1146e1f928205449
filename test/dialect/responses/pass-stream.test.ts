import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { refuse } from '#core/refusal.ts'
import { ResponsesTap } from '#dialect/responses/tap-stream.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { eventData } from '#dialect/sse.ts'
import {
  added,
  calls,
  completed,
  CREATED,
  delta,
  failed,
  IN_PROGRESS,
  incomplete,
  RICH,
  says,
  stream,
} from './streams.ts'

const DONE = 'data: [DONE]\n\n'
const NO_USAGE = {
  inputTokens: undefined,
  cacheReadTokens: undefined,
  cacheWriteTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}

function bytesOf(written: Buffer | string | undefined): Buffer {
  return typeof written === 'string' ? Buffer.from(written, 'latin1') : (written ?? Buffer.alloc(0))
}

function read(pieces: readonly Buffer[]) {
  const reader = new PassStream(new ResponsesTap())
  const early = Buffer.concat(pieces.map((piece) => bytesOf(reader.push(piece))))
  if (/"type":"response\.(completed|incomplete|failed)"/.test(early.toString())) {
    expect.fail('the end was sent before the charge can be on disk')
  }
  reader.end()
  const sent = Buffer.concat([early, bytesOf(reader.final())]).toString('utf8')
  expect(reader.isComplete).toBe(true)
  return { sent, usage: reader.usage, text: reader.generated.text() }
}

function readText(text: string) {
  return read([Buffer.from(text)])
}

function failureOf(text: string): UpstreamFailure {
  const reader = new PassStream(new ResponsesTap())
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

describe('a stream', () => {
  const whole = readText(RICH)

  it('passes unchanged but for the [DONE] that the contract promises, and is understood', () => {
    expect(whole.sent).toBe(RICH + DONE)
    expect(whole.usage).toEqual({
      ...NO_USAGE,
      inputTokens: 6,
      cacheReadTokens: 4,
      outputTokens: 6,
      reasoningTokens: 2,
    })
    expect(whole.text).toBe('GrößezähltGrüße aus 東京 🚀wx{"q":"Zürich"}')
  })

  it('reads the same for a cut at every byte, and byte by byte', () => {
    const bytes = Buffer.from(RICH)
    for (let at = 0; at <= bytes.length; at++) {
      const cut = read([bytes.subarray(0, at), bytes.subarray(at)])
      if (cut.sent !== whole.sent) expect(cut, `cut at byte ${at}`).toEqual(whole)
    }
    expect(read(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))).toEqual(whole)
  })

  it.each(['\r\n', '\r'])('reads the same with other line ends: %j', (lineEnd) => {
    const other = RICH.replaceAll('\n', lineEnd)
    const bytes = Buffer.from(other)
    const reading = read(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))
    expect(reading.usage).toEqual(whole.usage)
    expect(reading.text).toBe(whole.text)
    expect(reading.sent.replaceAll(lineEnd, '\n').trimEnd()).toBe((RICH + DONE).trimEnd())
  })

  it('is never taken for whole when it breaks off before its terminal event', () => {
    const bytes = Buffer.from(RICH)
    const needed = bytes.lastIndexOf('}')
    for (let at = 0; at < needed; at++) {
      const reader = new PassStream(new ResponsesTap())
      const pushAndEnd = () => {
        reader.push(bytes.subarray(0, at))
        reader.end()
      }
      expect(pushAndEnd, `cut after ${at} bytes`).toThrow(UpstreamFailure)
    }
  })

  it('has one [DONE], also where the provider sends it', () => {
    expect(readText(RICH + DONE).sent).toBe(RICH + DONE)
  })

  it('needs no blank line behind its last event', () => {
    expect(readText(RICH.trimEnd()).sent).toBe(RICH + DONE)
  })

  it('hands on whole chunks as the bytes that came, without copying them', () => {
    const reader = new PassStream(new ResponsesTap())
    reader.push(Buffer.from(stream(CREATED, ...says(0, 'Hi'))))
    const bytes = Buffer.from(stream(...says(1, 'Yo')))
    expect(reader.push(bytes)).toBe(bytes)
  })

  it('is complete with an answer that has no content', () => {
    const text = stream(CREATED, completed())
    expect(readText(text).sent).toBe(text + DONE)
  })

  it('passes events that nobody knows', () => {
    const text = stream(CREATED, { type: 'response.shiny', x: 1 }, ...says(0, 'Hi'), completed())
    expect(readText(text).sent).toBe(text + DONE)
  })

  it('takes the usage of an answer that is incomplete', () => {
    expect(readText(stream(CREATED, ...says(0, 'Hi'), incomplete())).usage).toMatchObject({ outputTokens: 6 })
  })
})

describe('an answer that fails', () => {
  const overloaded = { code: 'server_is_overloaded', message: 'Über­lastet.' }

  it.each([
    ['in response.failed', stream(CREATED, IN_PROGRESS, failed(overloaded)), 503],
    ['in an error event', stream(CREATED, { type: 'error', error: overloaded }), 503],
    ['in a flat error event', stream({ type: 'error', ...overloaded }), 503],
    ['in the form of chat completions', `data: ${JSON.stringify({ error: overloaded })}\n\n`, 503],
    ['by a rate limit', stream(CREATED, failed({ ...overloaded, code: 'rate_limit_exceeded' })), 429],
    ['by a full context', stream(CREATED, failed({ ...overloaded, code: 'context_length_exceeded' })), 400],
    ['by an empty account', stream(CREATED, failed({ ...overloaded, code: 'insufficient_quota' })), undefined],
    ['by something new', stream(CREATED, failed({ ...overloaded, code: 'shiny' })), 500],
  ])('before its content is a failure in the words of the provider: %s', (_, text, status) => {
    expect(failureOf(text)).toMatchObject({ kind: 'reported', message: 'Über­lastet.', status })
  })

  it.each([
    ['without a message', failed({})],
    ['without an error', { type: 'response.failed' }],
  ])('is a failure %s', (_, event) => {
    expect(failureOf(stream(CREATED, event))).toMatchObject({ kind: 'reported', status: 500 })
  })

  it.each(['completed', 'incomplete', 'failed'])('by an end of type %s without a response is a failure', (name) => {
    for (const response of [undefined, null, []]) {
      const text = stream(CREATED, ...says(0, 'Hi'), { type: `response.${name}`, response })
      expect(failureOf(text)).toMatchObject({ kind: 'malformed' })
    }
  })

  it('sends nothing to the client before its content, so that another target may answer', () => {
    const reader = new PassStream(new ResponsesTap())
    expect(reader.push(Buffer.from(`: hello\n\n${stream(CREATED, IN_PROGRESS)}`))).toBeUndefined()
    expect(bytesOf(reader.push(Buffer.from(stream(added(0, {}))))).toString()).toMatch(
      /^: hello\n\nevent: response.created/,
    )
  })

  it('after its content passes as it is, and its usage counts', () => {
    const text = stream(CREATED, ...says(0, 'Hi'), failed(overloaded))
    const reading = readText(text)
    expect(reading.sent).toBe(text + DONE)
    expect(reading.usage).toMatchObject({ outputTokens: 6 })
  })

  it('is told in the words of the provider where nothing follows an error event', () => {
    const text = stream(CREATED, ...says(0, 'Hi'), { type: 'error', error: overloaded })
    expect(failureOf(text)).toMatchObject({ kind: 'reported', message: 'Über­lastet.' })
  })

  it.each([
    ['with nothing at all', '', 'closed'],
    ['after a comment', ': hello\n\n', 'closed'],
    ['after its items', stream(CREATED, ...says(0, 'Hi')), 'closed'],
    ['with [DONE] alone', stream(CREATED, ...says(0, 'Hi')) + DONE, 'closed'],
    ['with HTML', '<html><body>502</body></html>', 'closed'],
    ['with an event that is not JSON', `${stream(CREATED)}data: oops\n\n${stream(completed())}`, 'malformed'],
    ['with an event that is no object', 'data: 5\n\n', 'malformed'],
  ])('is a failure: %s', (_, text, kind) => {
    expect(failureOf(text).kind).toBe(kind)
  })

  it('is too large when it goes on beyond the bound', () => {
    const reader = new PassStream(new ResponsesTap())
    const piece = Buffer.from(stream(...says(0, 'x'.repeat(100_000))))
    expect(() => {
      for (let count = 0; count < 1000; count++) reader.push(piece)
    }).toThrow(expect.objectContaining({ kind: 'too_large' }) as Error)
  })
})

describe('a stream that Farebox breaks off', () => {
  function lastEvent(text: string): unknown {
    const reader = new PassStream(new ResponsesTap())
    reader.push(Buffer.from(text))
    const event = reader.fail(refuse('rate_limited', 'Zu schnell.', { retryAfterSeconds: 3 }), 'req1').toString()
    return JSON.parse(eventData(event) ?? '')
  }

  it('ends in response.failed with the id and the number that come next', () => {
    expect(lastEvent(stream(CREATED, IN_PROGRESS, ...calls(0, 'c', '{}')))).toMatchObject({
      type: 'response.failed',
      sequence_number: 6,
      response: {
        id: 'resp_1',
        model: 'm',
        created_at: 1_790_000_000,
        status: 'failed',
        error: { code: 'rate_limit_exceeded', message: 'Zu schnell. Please try again in 3s.' },
      },
    })
  })

  it('repeats what was asked for where the provider did not, and has every member that clients want', () => {
    const reader = new PassStream(
      new ResponsesTap({ model: 'größe', body: { value: { temperature: 0.5, instructions: 'Ü' } } }),
    )
    reader.push(Buffer.from(stream(...says(0, 'Hi'))))
    const last = reader.fail(refuse('upstream_error', 'Weg.'), 'req1').toString('utf8').split('\n\n').at(-2) ?? ''
    const { response } = JSON.parse(eventData(`${last}\n\n`) ?? '') as { response: object }
    expect(response).toMatchObject({ model: 'größe', temperature: 0.5, instructions: 'Ü', error: { message: 'Weg.' } })
    const members = 'created_at incomplete_details metadata parallel_tool_calls tool_choice tools top_p output'.split(
      ' ',
    )
    for (const name of members) expect(response).toHaveProperty(name)
  })

  it.each([
    [
      'a message',
      says(0, 'Grüße').slice(0, -3),
      { type: 'message', content: [{ type: 'output_text', text: 'Grüße' }] },
    ],
    ['a call', calls(0, 'c', '{"a":1}').slice(0, 2), { type: 'function_call', arguments: '{"a":1}' }],
    ['a call without arguments yet', calls(0, 'c', '').slice(0, 1), { type: 'function_call', arguments: '' }],
    [
      'reasoning',
      [
        added(0, { id: 'rs_1', type: 'reasoning', summary: [] }),
        delta('reasoning_summary_text', 0, 'Hm', { summary_index: 0 }),
      ],
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
    ],
  ])('ends %s that was begun, and has it in its output', (_, events, item) => {
    for (const withIndex of [true, false]) {
      // Some servers give neither indexes nor anything else by which events belong to their item.
      const sent = withIndex ? events : events.map(({ output_index: _index, ...event }) => event)
      const reader = new PassStream(new ResponsesTap())
      const before = bytesOf(reader.push(Buffer.from(stream(CREATED, ...sent))))
      const text = Buffer.concat([before, reader.fail(refuse('upstream_error', 'Weg.'), 'req1')]).toString('utf8')
      const read = text
        .split('\n\n')
        .flatMap((event) => (event === '' ? [] : [JSON.parse(eventData(`${event}\n\n`) ?? '')]))
      const ended = read as { type: string; sequence_number: number; item?: object; response?: { output: object[] } }[]
      expect(ended.map(({ sequence_number: number }) => number)).toEqual(ended.map((__, index) => index))
      expect(ended.at(-2)).toMatchObject({ type: 'response.output_item.done', output_index: 0, item })
      expect(ended.at(-2)?.item).toMatchObject({ status: 'incomplete' })
      expect(ended.at(-1)?.response?.output).toEqual([ended.at(-2)?.item])
    }
  })

  it('is not told again where it was very long', () => {
    const reader = new PassStream(new ResponsesTap())
    reader.push(Buffer.from(stream(CREATED, ...says(0, 'x'.repeat(5_000_000)).slice(0, 3))))
    const last = reader.fail(refuse('upstream_error', 'Weg.'), 'req1')
    expect(last.length).toBeLessThan(5000)
    expect(JSON.parse(eventData(last.toString()) ?? '')).toMatchObject({ response: { status: 'failed', output: [] } })
  })

  it('has an id also where the provider gave none', () => {
    expect(lastEvent(stream(...says(0, 'Hi')))).toMatchObject({ response: { id: 'resp_req1' } })
  })
})

describe('a keep-alive', () => {
  it('is an event, which Codex counts, and releases what was held back', () => {
    const reader = new PassStream(new ResponsesTap())
    expect(reader.keepAlive()).toBeUndefined()
    reader.push(Buffer.from(stream(CREATED, IN_PROGRESS)))
    const event = 'event: keepalive\ndata: {"type":"keepalive","sequence_number":1}\n\n'
    expect(reader.keepAlive()).toBe(stream(CREATED, IN_PROGRESS) + event)
    expect(reader.keepAlive()).toBe(event)
    const rest = stream(...says(0, 'Hi'))
    expect(bytesOf(reader.push(Buffer.from(rest))).toString()).toBe(rest)
  })

  it('never comes in the middle of an event or after the end', () => {
    const reader = new PassStream(new ResponsesTap())
    reader.push(Buffer.from(`${stream(CREATED, ...says(0, 'Hi'))}event: resp`))
    expect(reader.keepAlive()).toBeUndefined()
    reader.push(Buffer.from(`onse.completed\ndata: ${JSON.stringify(completed())}\n\n`))
    expect(reader.isComplete).toBe(true)
    expect(reader.keepAlive()).toBeUndefined()
  })
})
