import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryOf } from '#core/retry.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { readGeminiAnswer } from '#dialect/gemini/read-answer.ts'
import { GeminiPartReader } from '#dialect/gemini/read-stream.ts'
import { foldParts, type AnswerPart } from '#dialect/part.ts'
import { eventData, EventSplitter } from '#dialect/sse.ts'
import { chunk, events, short, STREAMS } from './gemini-streams.ts'

function ids(): () => string {
  let count = 0
  return () => `call_${count++}`
}

/** What is read from bytes that arrive in the given pieces. */
function readPieces(pieces: readonly Buffer[]): AnswerPart[] {
  const reader = new GeminiPartReader(ids())
  const splitter = new EventSplitter()
  const decoder = new TextDecoder()
  const parts: AnswerPart[] = []
  for (const piece of pieces) {
    for (const event of splitter.push(decoder.decode(piece, { stream: true }))) {
      const data = eventData(event)
      if (data !== undefined) parts.push(...reader.read(data))
      expect(reader.isComplete).toBe(false)
    }
  }
  const last = splitter.rest === '' ? undefined : eventData(`${splitter.rest}\n\n`)
  if (last !== undefined) parts.push(...reader.read(last))
  parts.push(...reader.end())
  expect(reader.isComplete).toBe(true)
  return parts
}

function readText(text: string): AnswerPart[] {
  return readPieces([Buffer.from(text)])
}

/** Holds parts against what readers promise to writers. */
function expectSound(parts: readonly AnswerPart[]): void {
  const open = new Set<number>()
  const finished = new Set<number>()
  for (const [index, part] of parts.entries()) {
    expect(part.type === 'start').toBe(index === 0)
    if (part.type === 'start' || part.type === 'usage') continue
    expect(finished.has(part.choice)).toBe(false)
    if (part.type === 'open') expect(open.has(part.choice)).toBe(false)
    if (part.type === 'delta' || part.type === 'close') expect(open.has(part.choice)).toBe(true)
    if (part.type === 'delta') expect(part.text).not.toBe('')
    if (part.type === 'open') open.add(part.choice)
    if (part.type === 'close') open.delete(part.choice)
    if (part.type === 'finish') expect(open.has(part.choice)).toBe(false)
    if (part.type === 'finish') finished.add(part.choice)
  }
  expect(open.size).toBe(0)
  expect(finished.size).toBeGreaterThan(0)
}

function failureOf(action: () => unknown): UpstreamFailure {
  try {
    action()
  } catch (error) {
    if (error instanceof UpstreamFailure) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe.each(STREAMS)('a stream with $name', ({ chunks, blocks, finish, usage }) => {
  it('is read into its blocks', () => {
    const parts = readText(events(chunks))
    expectSound(parts)
    const folded = foldParts(parts)
    expect(folded.choices.map((choice) => choice.blocks.map(short))).toEqual([blocks])
    expect(folded.choices[0]?.finish).toBe(finish)
    expect(folded.usage).toMatchObject(usage ?? { inputTokens: undefined, outputTokens: undefined })
  })

  it.each(['\n', '\r\n', '\r'])('is the same byte by byte, with lines that end in %j', (lineEnd) => {
    const text = events(chunks, lineEnd)
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]))
    expect(readPieces(bytes)).toEqual(readText(events(chunks, '\n')))
  })

  it('is the same without the blank line at its end, and with a last event [DONE]', () => {
    const text = events(chunks, '\n')
    expect(readText(text.slice(0, -2))).toEqual(readText(text))
    expect(readText(`${text}data: [DONE]\n\n`)).toEqual(readText(text))
  })

  it('is not complete before its last event', () => {
    for (let count = 0; count < chunks.length; count++) {
      const failure = failureOf(() => readText(events(chunks.slice(0, count))))
      expect(failure).toMatchObject({ kind: 'closed' })
    }
  })

  it('has the same in it as the whole answer', () => {
    const parts = chunks.flatMap((one) => candidateOf(one)?.['content'] ?? []).flatMap((content) => partsOf(content))
    const last = candidateOf(chunks.at(-1) ?? {})
    if (last === undefined) return
    const { finishReason } = last
    const whole = { candidates: [{ content: { parts }, finishReason }] }
    const folded = foldParts(readGeminiAnswer(whole, ids()))
    const uncited = blocks.map((block) => block.replace(/(?: <[^>]*>)+/, ''))
    expect(folded.choices[0]?.blocks.map(short)).toEqual(uncited)
    expect(folded.choices[0]?.finish).toBe(finish)
  })
})

type Json = Readonly<Record<string, unknown>>

function candidateOf({ candidates }: Json): Json | undefined {
  return Array.isArray(candidates) ? candidates[0] : undefined
}

function partsOf(content: unknown): readonly unknown[] {
  const parts = (content as Json)['parts']
  return Array.isArray(parts) ? parts : []
}

describe('several candidates', () => {
  const first = {
    candidates: [
      { index: 1, content: { parts: [{ text: 'B' }] } },
      { index: 0, content: { parts: [{ text: 'A' }] } },
    ],
  }

  it('are told apart by their index, and finish in order', () => {
    const parts = readText(
      events([
        first,
        {
          candidates: [
            { index: 1, finishReason: 'MAX_TOKENS' },
            { index: 0, finishReason: 'STOP' },
          ],
        },
      ]),
    )
    expectSound(parts)
    const { choices } = foldParts(parts)
    expect(choices.map(({ blocks, finish }) => [blocks.map(short), finish])).toEqual([
      [['text: A'], 'stop'],
      [['text: B'], 'length'],
    ])
    expect(parts.filter(({ type }) => type === 'finish')).toMatchObject([{ choice: 0 }, { choice: 1 }])
  })

  it('all have to finish', () => {
    const failure = failureOf(() => readText(events([first, { candidates: [{ index: 0, finishReason: 'STOP' }] }])))
    expect(failure.kind).toBe('closed')
  })

  it('are told apart by their place where they have no index', () => {
    const answer = { candidates: [{ content: { parts: [{ text: 'A' }] } }, { content: { parts: [{ text: 'B' }] } }] }
    expect(foldParts(readGeminiAnswer(answer, ids())).choices.map(({ blocks }) => blocks.map(short))).toEqual([
      ['text: A'],
      ['text: B'],
    ])
  })

  it('are bounded in number', () => {
    const failure = failureOf(() => readText(events([{ candidates: [{ index: 4_000_000 }] }])))
    expect(failure.kind).toBe('too_large')
  })
})

describe('an error inside a stream', () => {
  const error = {
    code: 429,
    message: 'You exceeded your quota.',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }],
  }

  it.each([
    ['as an object', { error }],
    ['as an array', [{ error }]],
  ])('fails %s, with the words, the status and the delay of the provider', (_name, body) => {
    const failure = failureOf(() => readText(events([chunk([{ text: 'Hi' }]), body])))
    expect(failure).toMatchObject({
      kind: 'reported',
      message: 'You exceeded your quota.',
      status: 429,
      retryAfterSeconds: 35,
    })
  })

  it('comes before any part where it is the first event', () => {
    const reader = new GeminiPartReader(ids())
    expect(failureOf(() => reader.read(JSON.stringify({ error: {} }))).kind).toBe('reported')
  })
})

describe('a model that breaks off', () => {
  it.each([
    ['MALFORMED_FUNCTION_CALL', 'malformed', true],
    ['UNEXPECTED_TOOL_CALL', 'malformed', true],
    ['MALFORMED_RESPONSE', 'malformed', true],
    ['MISSING_THOUGHT_SIGNATURE', 'reported', false],
  ])('with %s fails as %s', (finishReason, kind, retryable) => {
    const candidate = chunk([], { finishReason, finishMessage: 'Malformed function call: print(secret)' })
    const failure = failureOf(() => readText(events([candidate])))
    expect(failure).toMatchObject({ kind })
    expect(retryOf(failure) !== 'nowhere').toBe(retryable)
    expect(failure.message).toContain(finishReason)
    expect(failure.message).not.toContain('secret')
    expect(failureOf(() => readGeminiAnswer(candidate, ids()))).toMatchObject({ kind })
  })
})

describe('what is not of the dialect', () => {
  it.each(['not json', '7', '"x"', 'null', '[]', '[7]'])('fails for the data %s', (data) => {
    expect(failureOf(() => new GeminiPartReader(ids()).read(data)).kind).toBe('malformed')
  })

  it.each([
    ['a call without a name', [{ functionCall: { args: {} } }]],
    ['a call that goes on before it began', [{ functionCall: { willContinue: true } }]],
    ['arguments that are a list', [{ functionCall: { name: 'f', args: [1] } }]],
    ['arguments that are no JSON', [{ functionCall: { name: 'f', args: '{"a"' } }]],
    ['a path that is none', [{ functionCall: { name: 'f', partialArgs: [{ jsonPath: 'a' }] } }]],
    ['a path to nothing', [{ functionCall: { name: 'f', partialArgs: [{ jsonPath: '$' }] } }]],
    ['a path with a filter', [{ functionCall: { name: 'f', partialArgs: [{ jsonPath: '$.a[?(@.b)]' }] } }]],
    ['a list at the top', [{ functionCall: { name: 'f', partialArgs: [{ jsonPath: '$[0]', stringValue: 'x' }] } }]],
    ['a place far behind the end of a list', [{ functionCall: { name: 'f', partialArgs: [{ jsonPath: '$.a[9]' }] } }]],
    ['a path of too many steps', [{ functionCall: { name: 'f', partialArgs: [{ jsonPath: `$${'.a'.repeat(65)}` }] } }]],
  ])('fails for %s', (_name, parts) => {
    expect(failureOf(() => readText(events([chunk(parts, { finishReason: 'STOP' })]))).kind).toBe('malformed')
  })

  it('fails for a whole answer without candidates', () => {
    expect(failureOf(() => readGeminiAnswer({}, ids())).kind).toBe('malformed')
    expect(failureOf(() => readGeminiAnswer({ candidates: [] }, ids())).kind).toBe('malformed')
    expect(failureOf(() => readGeminiAnswer({ error: { code: 503, message: 'M' } }, ids()))).toMatchObject({
      status: 503,
    })
  })

  it('keeps arguments named like members of every object where they belong', () => {
    const partialArgs = [
      { jsonPath: '$.__proto__.polluted', stringValue: 'x' },
      { jsonPath: '$.constructor', boolValue: true },
    ]
    const parts = readText(events([chunk([{ functionCall: { name: 'f', partialArgs } }], { finishReason: 'STOP' })]))
    expect(foldParts(parts).choices[0]?.blocks[0]?.text).toBe('{"__proto__":{"polluted":"x"},"constructor":true}')
    expect({}).not.toHaveProperty('polluted')
  })

  it('never throws anything but a failure, and never breaks what writers rely on', () => {
    const scalar = fc.constantFrom<unknown>('x', '', 7, null, true, [], {}, 'STOP')
    const part = fc.record(
      {
        text: scalar,
        thought: fc.boolean(),
        thoughtSignature: scalar,
        functionCall: fc.oneof(
          scalar,
          fc.record(
            {
              name: scalar,
              id: scalar,
              args: scalar,
              willContinue: fc.boolean(),
              partialArgs: fc.oneof(
                scalar,
                fc.array(
                  fc.record({ jsonPath: fc.constantFrom<unknown>('$.a', '$.a.b', '$.a[0]', 7), stringValue: scalar }),
                ),
              ),
            },
            { requiredKeys: [] },
          ),
        ),
        inlineData: fc.oneof(scalar, fc.record({ mimeType: scalar })),
      },
      { requiredKeys: [] },
    )
    const candidate = fc.record(
      {
        index: fc.constantFrom<unknown>(0, 1, -1, 'x', undefined),
        content: fc.oneof(
          scalar,
          fc.record({ parts: fc.oneof(scalar, fc.array(fc.oneof(part, scalar), { maxLength: 4 })) }),
        ),
        finishReason: fc.constantFrom<unknown>('STOP', 'MAX_TOKENS', '', 7, undefined, undefined),
        groundingMetadata: fc.oneof(
          scalar,
          fc.record({
            groundingChunks: fc.array(
              fc.oneof(scalar, fc.record({ web: fc.record({ uri: fc.constant('https://a') }) })),
            ),
          }),
        ),
      },
      { requiredKeys: [] },
    )
    const anyChunk = fc.record(
      {
        candidates: fc.oneof(scalar, fc.array(fc.oneof(candidate, candidate, scalar), { maxLength: 3 })),
        promptFeedback: fc.oneof(scalar, fc.record({ blockReason: scalar })),
        usageMetadata: fc.oneof(scalar, fc.record({ promptTokenCount: scalar, candidatesTokenCount: scalar })),
      },
      { requiredKeys: [] },
    )
    let complete = 0
    fc.assert(
      fc.property(fc.array(anyChunk, { maxLength: 5 }), (chunks) => {
        try {
          expectSound(readText(events(chunks)))
          complete += 1
        } catch (error) {
          if (!(error instanceof UpstreamFailure)) throw error
        }
      }),
      { numRuns: 3000 },
    )
    expect(complete).toBeGreaterThan(100)
  })
})
