import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '#core/failure.ts'
import { foldParts, type AnswerPart } from '#dialect/part.ts'
import { readResponsesAnswer } from '#dialect/responses/read-answer.ts'
import { ResponsesPartReader } from '#dialect/responses/read-stream.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'
import { eventData, eventName, EventSplitter } from '#dialect/sse.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { context, USAGE as TOKENS } from './requests.ts'
import {
  added,
  calls,
  completed,
  CREATED,
  delta,
  done,
  failed,
  functionCall,
  IN_PROGRESS,
  incomplete,
  message,
  reasoning,
  RESPONSE,
  RICH,
  says,
  stream,
  thinks,
  USAGE,
} from './streams.ts'

function newIds(): () => string {
  let count = 0
  return () => `made_${count++}`
}

function partsOf(text: string): AnswerPart[] {
  const reader = new ResponsesPartReader(newIds())
  const parts = new EventSplitter().push(text).flatMap((event) => {
    const data = eventData(event)
    return data === undefined ? [] : reader.read(data, eventName(event))
  })
  return [...parts, ...reader.end()]
}

function checked(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  expect(parts.filter((part) => part.type === 'start')).toHaveLength(1)
  expect(parts[0]?.type).toBe('start')
  expect(parts.filter((part) => part.type === 'finish')).toHaveLength(1)
  let isOpen = false
  for (const part of parts) {
    if (part.type === 'open') {
      if (isOpen) expect.fail('two blocks were open at once')
      isOpen = true
    } else if (part.type === 'close') {
      if (!isOpen) expect.fail('a block was closed that was not open')
      isOpen = false
    } else if (part.type === 'delta' && !isOpen) expect.fail('a delta came outside of a block')
  }
  expect(isOpen).toBe(false)
  return parts
}

function fold(...events: readonly JsonObject[]) {
  const { choices, usage } = foldParts(checked(partsOf(stream(...events))))
  const [choice] = choices
  return { ...(choice ?? expect.fail('there is no answer')), usage }
}

function blocks(...events: readonly JsonObject[]) {
  return fold(...events).blocks.map(({ block, text, sealed, isCut }) => ({ type: block.type, text, sealed, isCut }))
}

const plain = { sealed: undefined, isCut: false }

describe('a stream', () => {
  it('is read into blocks, a finish and usage', () => {
    const { choices, usage } = foldParts(checked(partsOf(RICH)))
    expect(choices[0]).toMatchObject({
      finish: 'tool-calls',
      blocks: [
        { block: { type: 'reasoning' }, text: 'Größe\n\nzählt', sealed: { origin: 'responses', value: 'blob' } },
        { block: { type: 'text' }, text: 'Grüße aus 東京 🚀' },
        { block: { type: 'tool-call', id: 'call_1', name: 'wx', kind: 'function' }, text: '{"q":"Zürich"}' },
      ],
    })
    expect(usage).toMatchObject({ inputTokens: 6, cacheReadTokens: 4, outputTokens: 6, reasoningTokens: 2 })
  })

  it('is built of its items, not of what the terminal event repeats', () => {
    expect(blocks(CREATED, ...says(0, 'Hi'), completed([message('other')]))).toEqual([
      { type: 'text', text: 'Hi', ...plain },
    ])
    expect(blocks(CREATED, ...says(0, 'Hi'), completed([]))).toEqual([{ type: 'text', text: 'Hi', ...plain }])
  })

  it('is read from the terminal event where no item came before it', () => {
    expect(blocks(CREATED, completed([message('Hi')]))).toEqual([{ type: 'text', text: 'Hi', ...plain }])
  })

  it('starts with its first content, so that it may fail before', () => {
    const reader = new ResponsesPartReader(newIds())
    const quiet = [CREATED, IN_PROGRESS, added(0, message('')), { type: 'keepalive' }, { type: 'response.shiny' }]
    for (const event of quiet) expect(reader.read(JSON.stringify(event), undefined)).toEqual([])
    expect(reader.read(JSON.stringify(delta('output_text', 0, 'Hi')), undefined)[0]).toEqual({ type: 'start' })
  })

  it('takes the name of an event whose data has no type', () => {
    const reader = new ResponsesPartReader(newIds())
    const { type, ...rest } = delta('output_text', 0, 'Hi')
    expect(reader.read(JSON.stringify(rest), String(type))).toHaveLength(3)
  })

  it('keeps two messages apart', () => {
    expect(blocks(CREATED, ...says(0, 'One'), ...says(1, 'Two'), completed()).map(({ text }) => text)).toEqual([
      'One',
      'Two',
    ])
  })

  it('keeps items apart whose ends never come', () => {
    const events = [delta('output_text', 0, 'One'), delta('output_text', 1, 'Two')]
    expect(blocks(CREATED, ...events, completed()).map(({ text }) => text)).toEqual(['One', 'Two'])
  })

  it('reads texts that come only as a whole', () => {
    const events = [
      { type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 0, text: 'So' },
      { type: 'response.output_text.done', output_index: 1, content_index: 0, text: 'Hi' },
      { type: 'response.refusal.done', output_index: 2, content_index: 0, refusal: 'No' },
      done(3, message('Yo')),
      done(4, reasoning(['a', 'b'])),
    ]
    expect(blocks(CREATED, ...events, completed())).toMatchObject([
      { type: 'reasoning', text: 'So' },
      { type: 'text', text: 'Hi' },
      { type: 'refusal', text: 'No' },
      { type: 'text', text: 'Yo' },
      { type: 'reasoning', text: 'a\n\nb' },
    ])
  })

  it('shows reasoning once where a provider sends it and a summary of it', () => {
    const events = [
      delta('reasoning_text', 0, 'raw', { content_index: 0 }),
      delta('reasoning_summary_text', 0, 'short', { summary_index: 0 }),
      done(0, { ...reasoning(['short']), content: [{ type: 'reasoning_text', text: 'raw' }] }),
    ]
    expect(blocks(CREATED, ...events, completed())).toEqual([{ type: 'reasoning', text: 'raw', ...plain }])
  })

  it('keeps sealed reasoning that has nothing to show, also behind a call', () => {
    const sealed = { origin: 'responses', value: 'blob' }
    const events = [...thinks(0, [], 'blob'), ...calls(1, 'a', '{}'), ...thinks(2, [], 'blob'), ...says(3, 'Hi')]
    expect(blocks(CREATED, ...events, completed())).toMatchObject([
      { type: 'reasoning', text: '', sealed },
      { type: 'tool-call', text: '{}' },
      { type: 'reasoning', text: '', sealed },
      { type: 'text' },
    ])
  })

  it('reads sources, as they come or with the whole text', () => {
    const annotation = { type: 'url_citation', url: 'https://a.example', title: 'A' }
    const whole = fold(
      CREATED,
      done(0, message('Hi', { annotations: [annotation, { type: 'file_path' }] })),
      completed(),
    )
    expect(whole.blocks[0]?.citations).toEqual([{ url: 'https://a.example', title: 'A' }])
    const event = { type: 'response.output_text.annotation.added', output_index: 0, annotation }
    const streamed = fold(
      CREATED,
      delta('output_text', 0, 'Hi'),
      event,
      done(0, message('Hi', { annotations: [annotation] })),
      completed(),
    )
    expect(streamed.blocks[0]?.citations).toEqual([{ url: 'https://a.example', title: 'A' }])
  })
})

describe('tool calls', () => {
  it('that come in turns are put one after the other', () => {
    const events = [
      added(0, functionCall('a', '')),
      added(1, functionCall('b', '')),
      delta('function_call_arguments', 0, '{"x":'),
      delta('function_call_arguments', 1, '{"y":'),
      delta('function_call_arguments', 0, '1}'),
      delta('function_call_arguments', 1, '2}'),
      done(1, functionCall('b', '{"y":2}')),
      done(0, functionCall('a', '{"x":1}')),
    ]
    expect(blocks(CREATED, ...events, completed()).map(({ text }) => text)).toEqual(['{"x":1}', '{"y":2}'])
  })

  it.each([
    ['only in the end of their item', [added(0, functionCall('a', '')), done(0, functionCall('a', '{"x":1}'))]],
    ['only in an item without a begin', [done(0, functionCall('a', '{"x":1}'))]],
    [
      'only as a whole',
      [
        added(0, functionCall('a', '')),
        { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"x":1}' },
      ],
    ],
    ['before their name', [delta('function_call_arguments', 0, '{"x":1}'), done(0, functionCall('a', '{"x":1}'))]],
    [
      'twice, at the begin and in pieces',
      [added(0, functionCall('a', '{"x":1}')), delta('function_call_arguments', 0, '{"x":1}')],
    ],
    [
      'under ids that change',
      [
        added(0, { ...functionCall('a', ''), id: 'x' }),
        { ...delta('function_call_arguments', 0, '{"x":1}'), item_id: 'y' },
        done(0, { ...functionCall('a', '{"x":1}'), id: 'z' }),
      ],
    ],
    ['with an end that comes twice', [...calls(0, 'a', '{"x":1}'), done(0, functionCall('a', '{"x":1}'))]],
  ])('have their arguments once when those come %s', (_, events) => {
    expect(fold(CREATED, ...events, completed())).toMatchObject({
      finish: 'tool-calls',
      blocks: [{ block: { id: 'a', name: 'wx' }, text: '{"x":1}', isCut: false }],
    })
  })

  it('without arguments have an empty object', () => {
    expect(blocks(CREATED, ...calls(0, 'a'), ...says(1, 'Hi'), completed())).toMatchObject([
      { text: '{}' },
      { text: 'Hi' },
    ])
  })

  it('without an id get one', () => {
    expect(
      fold(CREATED, done(0, { type: 'function_call', name: 'wx', arguments: '{}' }), completed()).blocks,
    ).toMatchObject([{ block: { id: 'made_0' } }])
  })

  it('without a name are no answer', () => {
    const reading = () => fold(CREATED, done(0, { type: 'function_call', call_id: 'a', arguments: '{}' }), completed())
    expect(reading).toThrow(expect.objectContaining({ kind: 'malformed' }) as Error)
  })

  it('that were cut off by the length are told to be', () => {
    const events = [...says(0, 'Hi'), added(1, functionCall('a', '')), delta('function_call_arguments', 1, '{"x":')]
    expect(fold(CREATED, ...events, incomplete())).toMatchObject({
      finish: 'length',
      blocks: [{ isCut: false }, { text: '{"x":', isCut: true }],
    })
    expect(fold(CREATED, ...events, done(1, functionCall('a', '{"x":')), incomplete())).toMatchObject({
      blocks: [{ isCut: false }, { isCut: true }],
    })
  })

  it('of tools that take free text are made into JSON', () => {
    const item = { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: 'a "b"\n🚀' }
    const pieces = ['a "', 'b"\n\ud83d', '\ude80'].map((text) => delta('custom_tool_call_input', 0, text))
    const streamed = blocks(CREATED, added(0, { ...item, input: '' }), ...pieces, done(0, item), completed())
    const whole = blocks(CREATED, done(0, item), completed())
    for (const [block] of [streamed, whole]) expect(JSON.parse(block?.text ?? '')).toEqual({ input: 'a "b"\n🚀' })
  })
})

describe('the end', () => {
  it.each([
    [completed(), 'stop'],
    [incomplete(), 'length'],
    [incomplete('content_filter'), 'content-filter'],
    [incomplete('shiny'), 'length'],
    [{ type: 'response.incomplete', response: {} }, 'length'],
  ])('%j means %s', (event, reason) => {
    expect(fold(CREATED, ...says(0, 'Hi'), event).finish).toBe(reason)
  })

  it.each([
    ['nothing', '', 'closed'],
    ['no terminal event', stream(CREATED, ...says(0, 'Hi')), 'closed'],
    ['[DONE] alone', `${stream(CREATED)}data: [DONE]\n\n`, 'closed'],
    ['data that is not JSON', 'data: oops\n\n', 'malformed'],
    ['data that is no object', 'data: []\n\n', 'malformed'],
    ['a terminal event without a response', stream({ type: 'response.completed' }), 'malformed'],
    ['response.failed', stream(CREATED, ...says(0, 'Hi'), failed({ code: 'x', message: 'No.' })), 'reported'],
    ['an error event', stream({ type: 'error', error: { message: 'No.' } }), 'reported'],
    ['an error without a type', 'data: {"error":{"message":"No."}}\n\n', 'reported'],
  ])('is a failure with %s', (_, text, kind) => {
    expect(() => partsOf(text)).toThrow(expect.objectContaining({ kind }) as Error)
  })

  it('is final', () => {
    const reader = new ResponsesPartReader(newIds())
    reader.read(JSON.stringify(completed()), undefined)
    expect(reader.isComplete).toBe(true)
    expect(reader.read(JSON.stringify(delta('output_text', 0, 'more')), undefined)).toEqual([])
    expect(reader.end()).toEqual([])
  })
})

describe('a whole response', () => {
  const ANSWER = { ...RESPONSE, status: 'completed', error: null, usage: USAGE }
  const output = [reasoning(['a', 'b'], 'blob'), message('Hi'), functionCall('c1', '{"x":1}')]

  it('has the same parts as its stream', () => {
    const streamed = partsOf(stream(CREATED, ...output.map((item, index) => done(index, item)), completed()))
    expect(readResponsesAnswer({ ...ANSWER, output }, newIds())).toEqual(streamed)
  })

  it.each([
    [{ ...ANSWER, output, status: 'failed', error: { code: 'server_error', message: 'No.' } }, 'reported'],
    [{ ...ANSWER, output, status: 'failed' }, 'reported'],
    [{ ...ANSWER, output, status: 'queued' }, 'malformed'],
    [{ ...ANSWER, output: {} }, 'malformed'],
  ])('that is none is a failure: %j', (answer, kind) => {
    expect(() => readResponsesAnswer(answer, newIds())).toThrow(expect.objectContaining({ kind }) as Error)
  })
})

describe('any events', () => {
  const anyIndex = fc.option(fc.nat({ max: 2 }), { nil: undefined })
  const anyText = fc.constantFrom<unknown>('', 'a', '{"x":1}', '{"y"', '"', 5, null)
  const anyItem = fc.record({
    type: fc.constantFrom<unknown>('message', 'reasoning', 'function_call', 'custom_tool_call', 'web_search_call', 7),
    call_id: anyText,
    name: fc.constantFrom<unknown>('wx', '', undefined),
    arguments: anyText,
    input: anyText,
    encrypted_content: anyText,
    content: fc.constantFrom<unknown>(undefined, [null], [{ type: 'output_text', text: 'z' }], [{ type: 'refusal' }]),
    summary: fc.constantFrom<unknown>(undefined, {}, [{ text: 's' }, { text: 't' }]),
  })
  const anyKind = fc.constantFrom(
    'output_text',
    'refusal',
    'reasoning_text',
    'reasoning_summary_text',
    'function_call_arguments',
    'custom_tool_call_input',
    'output_text.annotation',
    'output_item',
  )
  const anyEvent = fc.record({
    type: fc
      .tuple(anyKind, fc.constantFrom('added', 'delta', 'done'))
      .map(([kind, phase]) => `response.${kind}.${phase}`),
    output_index: anyIndex,
    content_index: anyIndex,
    summary_index: anyIndex,
    delta: anyText,
    text: anyText,
    refusal: anyText,
    arguments: anyText,
    annotation: fc.constantFrom<unknown>(null, { type: 'url_citation', url: 'https://a.example' }),
    item: fc.oneof(anyItem, fc.constant(null)),
  })

  it('give parts that keep the promises of parts, or a failure', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), fc.boolean(), (events, isCut) => {
        try {
          checked(partsOf(stream(...events, isCut ? incomplete() : completed())))
        } catch (error) {
          if (!(error instanceof UpstreamFailure)) throw error
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('what our own writer wrote', () => {
  it('is read as the same answer', () => {
    const body = { include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } }
    const anyBlock = fc.record({
      type: fc.constantFrom('text', 'refusal', 'reasoning', 'tool-call'),
      texts: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }), { minLength: 1 }),
    })
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 5 }), (given) => {
        const parts: AnswerPart[] = given.flatMap(({ type, texts }, index): AnswerPart[] => {
          const isCall = type === 'tool-call'
          const block = isCall ? { type, id: `c${index}`, name: 'n', kind: 'function' } : { type }
          const pieces = isCall ? ['{"a":', `${JSON.stringify(texts.join(''))}}`] : texts
          const deltas = pieces.map((text): AnswerPart => ({ type: 'delta', choice: 0, text }))
          return [{ type: 'open', choice: 0, block } as AnswerPart, ...deltas, { type: 'close', choice: 0 }]
        })
        const reason = given.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
        const all: AnswerPart[] = [{ type: 'start' }, ...parts, { type: 'finish', choice: 0, reason }]
        const writer = new ResponsesStreamWriter(context(body))
        const text = all.map((part) => writer.write(part)).join('') + writer.end(TOKENS)
        expect(foldParts(checked(partsOf(text))).choices).toEqual(foldParts(all).choices)
      }),
    )
  })
})
