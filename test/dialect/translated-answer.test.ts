import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { refuse } from '#core/refusal.ts'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import { MAX_ANSWER_BYTES } from '#dialect/answer.ts'
import type { AnswerContext, ClientRequest, PartReader, StreamWriter } from '#dialect/dialect.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { AnswerCallIds } from '#dialect/answer-call-ids.ts'
import { AnswerRestorer, ToolNames } from '#dialect/tools.ts'
import { TranslatedStream, TranslatedWhole, type Translation } from '#dialect/translated-answer.ts'
import type { Tool } from '#dialect/turn.ts'
import { isLong } from '../support/cases.ts'

const numRuns = isLong ? 20_000 : 300

// The fake provider's stream: `say` and `think` are texts, `call` is a whole tool call, `usage` a count, `end` the end. A
// whole answer is {"events":[...]} of the same.

type Event = Readonly<Record<string, unknown>>

class FakeReader implements PartReader {
  readonly #newCallId: () => string
  readonly #generated: GeneratedText
  readonly events: (string | undefined)[] = []
  isComplete = false

  constructor(newCallId: () => string, generated = new GeneratedText('utf8')) {
    this.#newCallId = newCallId
    this.#generated = generated
  }

  get hasEnded(): boolean {
    return this.isComplete
  }

  read(data: string, event?: string): readonly AnswerPart[] {
    this.events.push(event)
    const value = parseJson(data)
    if (!isRecord(value)) throw new UpstreamFailure('malformed', 'The provider sent something that is not JSON.')
    if (value['end'] === true) this.isComplete = true
    return partsOf(value, this.#newCallId, this.#generated)
  }

  end(): readonly AnswerPart[] {
    if (!this.isComplete) throw new UpstreamFailure('closed', 'The provider ended its stream too early.')
    return [{ type: 'finish', choice: 0, reason: 'stop' }]
  }
}

function partsOf(value: Event, newCallId: () => string, generated: GeneratedText): readonly AnswerPart[] {
  const { say, think, call, usage } = value
  for (const text of [say, think, call]) if (typeof text === 'string') generated.add(text)
  if (typeof call === 'string') generated.add('{"input":"é"}')
  if (typeof say === 'string') return block({ type: 'text' }, say)
  if (typeof think === 'string') return block({ type: 'reasoning' }, think)
  if (typeof call === 'string')
    return block({ type: 'tool-call', id: newCallId(), name: call, kind: 'function' }, '{"input":"é"}')
  return typeof usage === 'number' ? [{ type: 'usage', usage: usageOf(usage) }] : []
}

function block(opened: Extract<AnswerPart, { type: 'open' }>['block'], text: string): readonly AnswerPart[] {
  return [
    { type: 'open', choice: 0, block: opened },
    { type: 'delta', choice: 0, text },
    { type: 'close', choice: 0 },
  ]
}

function usageOf(outputTokens: number): TokenUsage {
  return { ...UNKNOWN_USAGE, outputTokens }
}

const provider: Translation['provider'] = {
  newPartReader: (newCallId, generated) => new FakeReader(newCallId, generated),
  readAnswer: (answer, newCallId, generated) => {
    const events = answer['events']
    if (!Array.isArray(events)) throw new UpstreamFailure('malformed', 'This is no answer.')
    return events.filter(isRecord).flatMap((event) => partsOf(event, newCallId, generated))
  },
}

// The fake client's stream: a line of JSON for each part, and `end <output tokens>`.

class FakeWriter implements StreamWriter {
  write(part: AnswerPart): string {
    return part.type === 'finish' || part.type === 'usage' ? '' : `${JSON.stringify(part)}\n`
  }

  end(usage: TokenUsage): string {
    return `end ${usage.outputTokens}\n`
  }

  fail(refusal: { readonly message: string }, requestId: string): string {
    return `failed ${requestId}: ${refusal.message}\n`
  }

  keepAlive(): string {
    return 'alive\n'
  }
}

const client: Translation['client'] = {
  newStreamWriter: () => new FakeWriter(),
  writeAnswer: (parts, usage, { exchangeId }) => JSON.stringify({ parts, output: usage.outputTokens, exchangeId }),
}

const request: ClientRequest = {
  model: 'm',
  isStream: true,
  outputCap: undefined,
  outputCapName: 'max_tokens',
  choices: 1,
  wantsUsage: true,
  body: {
    text: '{}',
    scan: { members: new Map(), closingBrace: 1, mediaLength: 0, mediaParts: 0 },
    value: {},
    size: { textBytes: 2, mediaParts: 0 },
    byteLength: 2,
  },
}

const context: AnswerContext = {
  request,
  exchangeId: '01990000-0000-7abc-8def-0123456789ab',
  createdAtS: 1_790_000_000,
  likelyInputTokens: 10,
}

const patch: Tool = {
  name: 'apply_patch',
  kind: 'custom',
  description: undefined,
  parameters: undefined,
  isStrict: undefined,
}

function translation(more: Partial<Translation> & { readonly showsReasoning?: boolean } = {}): Translation {
  const { showsReasoning = true, ...rest } = more
  return {
    client,
    provider,
    context,
    restorer: new AnswerRestorer(new ToolNames([patch]), {
      showsReasoning,
      callIds: new AnswerCallIds((rest.context ?? context).exchangeId, []),
    }),
    ...rest,
  }
}

function event(value: Event): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

const END = event({ end: true })
const SPOKEN = event({ say: 'Grüße 東京 🚀\u2028' }) + event({ call: 'apply_patch' }) + event({ usage: 7 }) + END

type Reading = { readonly early: string; readonly sent: string; readonly bytes: number; readonly usage: unknown }

function read(pieces: readonly Buffer[], given = translation()): Reading {
  const reader = new TranslatedStream(given)
  const early = pieces.map((piece) => String(reader.push(piece) ?? '')).join('')
  reader.end()
  const usage = reader.usage
  const sent = early + reader.final(usage ?? UNKNOWN_USAGE).toString('utf8')
  return { early, sent, bytes: reader.generated.bytes, usage }
}

function readText(text: string, given?: Translation): Reading {
  return read([Buffer.from(text)], given)
}

function linesOf(text: string): readonly unknown[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => parseJson(line) ?? line)
}

function deltasOf({ sent }: Reading): readonly unknown[] {
  return linesOf(sent).flatMap((line) => (isRecord(line) && line['type'] === 'delta' ? [line['text']] : []))
}

describe('a translated stream', () => {
  const whole = readText(SPOKEN)

  it('is written part by part, with the tools of the client', () => {
    expect(deltasOf(whole)).toEqual(['Grüße 東京 🚀\u2028', 'é'])
    expect(whole.sent).toContain('"kind":"custom"')
    expect(whole.sent.endsWith('end 7\n')).toBe(true)
  })

  it('reads the same cut at every byte and one byte at a time (musistudio/claude-code-router#1672)', () => {
    for (const text of [SPOKEN, SPOKEN.replaceAll('\n', '\r\n')]) {
      const bytes = Buffer.from(text)
      for (let at = 0; at <= bytes.length; at++) {
        const cut = read([bytes.subarray(0, at), bytes.subarray(at)])
        if (cut.sent !== whole.sent || cut.bytes !== whole.bytes) expect(cut, `cut at byte ${at}`).toEqual(whole)
      }
      expect(read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))).sent).toBe(whole.sent)
    }
  })

  it('reads the same in any pieces and with any line ends (lobehub/lobehub#18640)', () => {
    const events = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), { maxLength: 6 })
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
    fc.assert(
      fc.property(events, lineEnd, fc.array(fc.nat(), { maxLength: 10 }), (texts, end, positions) => {
        const text = (texts.map((say) => event({ say })).join('') + END).replaceAll('\n', end)
        const bytes = Buffer.from(text)
        const sorted = positions.map((at) => at % (bytes.length + 1)).toSorted((left, right) => left - right)
        const cuts = [0, ...sorted, bytes.length]
        const reading = read(cuts.slice(1).map((to, index) => bytes.subarray(cuts[index], to)))
        expect(deltasOf(reading)).toEqual(texts)
        expect(reading.bytes).toBe(Buffer.byteLength(texts.join('')))
      }),
      { numRuns },
    )
  })

  it('holds its end back until the charge is known', () => {
    expect(whole.early).not.toContain('end')
    const reader = new TranslatedStream(translation())
    reader.push(Buffer.from(SPOKEN))
    reader.end()
    expect(reader.final(usageOf(99)).toString()).toBe('end 99\n')
  })

  it('takes a last event without its blank line, and sends it before the end', () => {
    for (const cut of [END.trimEnd(), END.slice(0, -1), END.trimEnd() + '\r\n']) {
      expect(deltasOf(readText(event({ say: 'Hi' }) + cut))).toEqual(['Hi'])
    }
  })

  it('does not take the half of a last event for a whole one', () => {
    const reader = new TranslatedStream(translation())
    reader.push(Buffer.from(`${event({ say: 'Hi' })}data: {"end":tr`))
    expect(() => reader.end()).toThrow(expect.objectContaining({ kind: 'malformed' }) as Error)
  })

  it('is never complete without its terminal event', () => {
    for (const text of ['', ': hello\n\n', event({ say: 'Hi' }), event({ say: 'Hi' }) + '\n\n', '\n']) {
      const reader = new TranslatedStream(translation())
      reader.push(Buffer.from(text))
      expect(() => reader.end(), text).toThrow(expect.objectContaining({ kind: 'closed' }) as Error)
      expect(reader.isComplete).toBe(false)
    }
  })

  it('is complete with its terminal event, and reads nothing behind it', () => {
    const reader = new TranslatedStream(translation())
    const sent = reader.push(Buffer.from(event({ say: 'Hi' }) + END + event({ say: 'more' }) + 'data: {'))
    expect(sent?.toString()).not.toContain('more')
    expect(reader.isComplete).toBe(true)
    expect(reader.push(Buffer.from(event({ say: 'more' })))).toBeUndefined()
    reader.end()
    expect(reader.final(UNKNOWN_USAGE).toString()).toBe('end undefined\n')
    expect(reader.generated.text()).toBe('Hi')
  })

  it('counts what the client does not see', () => {
    const reading = readText(
      event({ think: 'hmmm' }) + event({ say: 'Hi' }) + END,
      translation({ showsReasoning: false }),
    )
    expect(deltasOf(reading)).toEqual(['Hi'])
    expect(reading.bytes).toBe(6)
  })

  it('keeps the last usage, and says where there is none', () => {
    expect(readText(event({ usage: 1 }) + event({ usage: 2 }) + END).usage).toEqual(usageOf(2))
    expect(readText(END).usage).toBeUndefined()
  })

  it('passes over comments, events without data and a byte order mark', () => {
    const text = `\uFEFF: hi\n\nevent: ping\n\nid: 1\n\n${event({ say: 'Hi' })}${END}`
    expect(deltasOf(readText(text))).toEqual(['Hi'])
  })

  it('says the name of an event, wherever it stands', () => {
    const reader = new FakeReader(() => 'i')
    const named = translation({ provider: { ...provider, newPartReader: () => reader } })
    readText(`event: a\ndata: {}\n\ndata: {}\nevent:b\n\n:c\r\nevent: c\r\ndata: {}\r\n\r\n${END}`, named)
    expect(reader.events).toEqual(['a', 'b', 'c', undefined])
  })

  it('takes no words of an answer for the name of an event', () => {
    const reader = new FakeReader(() => 'i')
    const named = translation({ provider: { ...provider, newPartReader: () => reader } })
    readText(`data:{"say":"\u2028event: end"}\n\n${END}`, named)
    expect(reader.events).toEqual([undefined, undefined])
  })

  it('gives calls without an id ids that differ, and are the same for the same exchange', () => {
    const calls = Array.from({ length: 50 }, () => event({ call: 'x' })).join('') + END
    const ids = [...readText(calls).sent.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(50)
    for (const id of ids) expect(id).toMatch(/^call_[a-z0-9]{1,40}$/)
    expect(readText(calls).sent).toBe(readText(calls).sent)
    const other = translation({ context: { ...context, exchangeId: '01990000-0000-7abc-8def-0123456789ac' } })
    expect(readText(calls, other).sent).not.toContain(ids[0])
  })

  it('is too large beyond the bound, also where nothing of it is sent on', () => {
    const reader = new TranslatedStream(translation())
    const piece = Buffer.from(`: ${'x'.repeat(1_000_000)}\n\n`)
    let length = 0
    expect(() => {
      for (; length <= MAX_ANSWER_BYTES + piece.length; length += piece.length) reader.push(piece)
    }).toThrow(expect.objectContaining({ kind: 'too_large' }) as Error)
    expect(length).toBeGreaterThan(MAX_ANSWER_BYTES - piece.length)
  })

  it('may have one large event in very many pieces', { timeout: 10_000 }, () => {
    const reader = new TranslatedStream(translation())
    const say = 'x'.repeat(4_000_000)
    const bytes = Buffer.from(event({ say }) + END)
    let sent = 0
    for (let at = 0; at < bytes.length; at += 64) sent += reader.push(bytes.subarray(at, at + 64))?.length ?? 0
    expect(sent).toBeGreaterThan(say.length)
    expect(reader.isComplete).toBe(true)
  })

  it('tells its client that it broke off, and that it is alive', () => {
    const reader = new TranslatedStream(translation())
    expect(reader.keepAlive().toString()).toBe('alive\n')
    expect(reader.fail(refuse('upstream_error', 'It broke.'), 'r1').toString()).toBe('failed r1: It broke.\n')
  })

  it('damages no other character where bytes are no UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('data: {"say":"a'), Buffer.from([0xff]), Buffer.from(`é"}\n\n${END}`)])
    expect(deltasOf(read([bytes]))).toEqual(['a\uFFFDé'])
  })
})

describe('a translated whole answer', () => {
  function readWhole(pieces: readonly Buffer[], given = translation()) {
    const reader = new TranslatedWhole(given)
    for (const piece of pieces) expect(reader.push(piece)).toBeUndefined()
    expect(reader.isComplete).toBe(false)
    reader.end()
    const answer = parseJson(reader.final(usageOf(5)).toString('utf8'))
    return { reader, answer: isRecord(answer) ? answer : {} }
  }

  const events = [{ think: 'hm' }, { say: 'Grüße 🚀' }, { call: 'apply_patch' }, { usage: 3 }]
  const bytes = Buffer.from(JSON.stringify({ events }))

  it('is written with the tools of the client and what it is charged for', () => {
    const { reader, answer } = readWhole([bytes], translation({ showsReasoning: false }))
    expect(answer).toMatchObject({ output: 5, exchangeId: context.exchangeId })
    expect(JSON.stringify(answer)).toContain('"kind":"custom"')
    expect(JSON.stringify(answer)).not.toContain('hm')
    expect(reader.usage).toEqual(usageOf(3))
    expect(reader.generated.text()).toBe('hmGrüße 🚀apply_patch{"input":"é"}')
    expect(reader.isComplete).toBe(true)
  })

  it('reads the same one byte at a time', () => {
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    expect(readWhole(single).answer).toEqual(readWhole([bytes]).answer)
  })

  it.each([
    ['', 'malformed'],
    ['[]', 'malformed'],
    ['{"events":[]', 'malformed'],
    ['{"error":{"message":"no"}}', 'malformed'],
    ['{}', 'malformed'],
  ])('is refused where it is %j', (text, kind) => {
    const reader = new TranslatedWhole(translation())
    reader.push(Buffer.from(text))
    expect(() => reader.end()).toThrow(expect.objectContaining({ kind }) as Error)
    expect(reader.isComplete).toBe(false)
  })

  it('is too large beyond the bound', () => {
    const reader = new TranslatedWhole(translation())
    const piece = Buffer.alloc(8 * 1024 * 1024, 0x20)
    expect(() => {
      for (let count = 0; count < 10; count++) reader.push(piece)
    }).toThrow(expect.objectContaining({ kind: 'too_large' }) as Error)
  })
})
