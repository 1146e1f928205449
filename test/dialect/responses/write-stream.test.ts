import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { refuse, type RefusalCode } from '#core/refusal.ts'
import type { AnswerPart, Block, FinishReason } from '#dialect/part.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'
import { writeResponsesAnswer } from '#dialect/responses/write-answer.ts'
import type { Sealed } from '#dialect/seal.ts'
import type { ToolKind } from '#dialect/turn.ts'
import { context, streamOf, USAGE } from './requests.ts'
import { codexItems, readStrictly, readWithSdk } from './strict-reader.ts'

const choice = 0
const START: AnswerPart = { type: 'start' }
const SEALED_BODY = { include: ['reasoning.encrypted_content'] }
const SHOWN_BODY = { reasoning: { summary: 'auto' } }
const FULL_BODY = { ...SEALED_BODY, ...SHOWN_BODY }

function block(of: Block, texts: readonly string[], close: Partial<Extract<AnswerPart, { type: 'close' }>> = {}) {
  return [
    { type: 'open', choice, block: of },
    ...texts.map((text): AnswerPart => ({ type: 'delta', choice, text })),
    { type: 'close', choice, ...close },
  ] as const satisfies AnswerPart[]
}

function call(id: string, name: string, kind: ToolKind = 'function', namespace?: string): Block {
  return { type: 'tool-call', id, name, kind, namespace }
}

function finish(reason: FinishReason): AnswerPart {
  return { type: 'finish', choice, reason }
}

const text = (...texts: string[]) => block({ type: 'text' }, texts)
const SIGNATURE: Sealed = { origin: 'messages', value: 'sig' }
const BLOB: Sealed = { origin: 'responses', value: 'blob' }

describe('a text', () => {
  it('is sent as the events that OpenAI sends, in their order', () => {
    const reading = streamOf([START, ...text('Hi', ' there'), finish('stop')])
    expect(reading.types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(reading.response).toMatchObject({
      id: 'resp_01985d1e2f3a7b4c8d5e6f7081920a1b',
      created_at: 1_790_000_000,
      status: 'completed',
      model: 'm',
      store: false,
      usage: {
        input_tokens: 9,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 14,
      },
    })
    expect(reading.items).toMatchObject([{ type: 'message', content: [{ type: 'output_text', text: 'Hi there' }] }])
  })

  it('takes in a source that comes after it was closed', () => {
    const cite: AnswerPart = { type: 'citation', choice, url: 'https://a.example/', title: undefined }
    const reading = streamOf([START, ...text('Hi'), cite, cite, ...text('Yo'), finish('stop')])
    const mark = {
      type: 'url_citation',
      url: 'https://a.example/',
      title: 'https://a.example/',
      start_index: 2,
      end_index: 2,
    }
    expect(reading.items).toMatchObject([
      { content: [{ text: 'Hi', annotations: [mark, mark] }] },
      { content: [{ text: 'Yo', annotations: [] }] },
    ])
  })

  it('is never begun for an answer that has none', () => {
    expect(streamOf([START, finish('stop')]).types).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ])
  })
})

describe('a refusal', () => {
  const parts = [START, ...block({ type: 'refusal' }, ['No', '.']), finish('stop')]

  it('is a part of its own', () => {
    expect(streamOf(parts).items).toMatchObject([{ content: [{ type: 'refusal', refusal: 'No.' }] }])
  })

  it('is text for Codex, which loses messages with other parts', () => {
    const reading = streamOf(parts, { client_metadata: { 'x-codex-installation-id': 'a' } })
    expect(codexItems(reading)).toMatchObject([{ content: [{ type: 'output_text', text: 'No.' }] }])
  })
})

describe('reasoning', () => {
  const shown = block({ type: 'reasoning' }, ['So', ' so'], { sealed: SIGNATURE })

  it('is a summary where one was asked for', () => {
    const reading = streamOf([START, ...shown, ...text('Hi'), finish('stop')], SHOWN_BODY)
    expect(reading.items[0]).toEqual({
      id: 'rs_01985d1e2f3a7b4c8d5e6f7081920a1b_0',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'So so' }],
    })
  })

  it('brings what the provider sealed where that was asked for too', () => {
    const reading = streamOf([START, ...shown, ...text('Hi'), finish('stop')], FULL_BODY)
    expect(reading.items[0]).toMatchObject({ encrypted_content: 'farebox1.messages.sig' })
  })

  it.each([
    ['with neither asked for', {}, shown],
    ['with a seal that was not asked for', {}, block({ type: 'reasoning' }, [], { sealed: BLOB })],
    [
      'with nothing but a seal for a reader of summaries',
      SHOWN_BODY,
      block({ type: 'reasoning' }, [], { sealed: BLOB }),
    ],
    ['with no seal where only that was asked for', SEALED_BODY, block({ type: 'reasoning' }, ['So'])],
  ])('takes no place in the output: %s', (_, body, parts) => {
    const reading = streamOf([START, ...parts, ...text('Hi'), finish('stop')], body)
    expect(reading.items).toMatchObject([{ type: 'message' }])
  })

  it('keeps its text to itself where only the seal was asked for', () => {
    const parts = [START, ...block({ type: 'reasoning' }, ['So'], { sealed: BLOB }), ...text('Hi'), finish('stop')]
    expect(streamOf(parts, SEALED_BODY).items[0]).toMatchObject({ summary: [], encrypted_content: 'blob' })
  })

  it('shows a text that is signed, since the signature is worth nothing without it', () => {
    const reading = streamOf([START, ...shown, ...text('Hi'), finish('stop')], SEALED_BODY)
    expect(reading.items[0]).toMatchObject({
      summary: [{ text: 'So so' }],
      encrypted_content: 'farebox1.messages.sig',
    })
  })
})

describe('a tool call', () => {
  it('is done before the answer is, with its namespace apart from its name', () => {
    const parts = [START, ...block(call('c1', 'wx', 'function', 'ns'), ['{"q"', ':1}']), finish('tool-calls')]
    const reading = streamOf(parts)
    expect(reading.items).toEqual([
      {
        id: 'fc_01985d1e2f3a7b4c8d5e6f7081920a1b_0',
        type: 'function_call',
        status: 'completed',
        call_id: 'c1',
        name: 'wx',
        namespace: 'ns',
        arguments: '{"q":1}',
      },
    ])
    expect(reading.response['status']).toBe('completed')
  })

  it('has an empty object for arguments that never came', () => {
    expect(streamOf([START, ...block(call('c1', 'now'), []), finish('tool-calls')]).items).toMatchObject([
      { arguments: '{}' },
    ])
  })

  it('is done as soon as it is closed, not with what follows', () => {
    const writer = new ResponsesStreamWriter(context())
    const written = [START, ...block(call('c1', 'wx'), ['{}'])].map((part) => writer.write(part))
    expect(written.at(-1)).toContain('event: response.output_item.done')
  })

  it('gives the text itself to a custom tool', () => {
    const parts = [START, ...block(call('c1', 'apply_patch', 'custom'), ['*** Begin\n']), finish('tool-calls')]
    expect(streamOf(parts).items).toMatchObject([
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin\n' },
    ])
  })

  it('gives an object to the search for tools', () => {
    const parts = [START, ...block(call('c1', 'tool_search', 'tool-search'), ['{"query":"x"}']), finish('tool-calls')]
    expect(streamOf(parts).items).toMatchObject([
      { type: 'tool_search_call', execution: 'client', call_id: 'c1', arguments: { query: 'x' } },
    ])
  })

  it.each([
    [
      '{"command":["ls","-l"],"timeout_ms":5,"env":{"A":"b","C":1}}',
      { command: ['ls', '-l'], timeout_ms: 5, env: { A: 'b' } },
    ],
    ['{"command":"ls -l"}', { command: ['bash', '-lc', 'ls -l'], env: {} }],
    ['{}', { command: [], env: {} }],
    ['oops', { command: [], env: {} }],
  ])('gives a command to the shell: %s', (written, action) => {
    const parts = [START, ...block(call('c1', 'local_shell', 'local-shell'), [written]), finish('tool-calls')]
    expect(streamOf(parts).items).toEqual([expect.objectContaining({ action: { type: 'exec', ...action } })])
  })

  it('is never done when it was cut off, and makes the answer incomplete', () => {
    const cut = block(call('c1', 'wx'), ['{"q":'], { isCut: true })
    const reading = streamOf([START, ...text('Hi'), ...cut, finish('length')])
    expect(reading.items).toMatchObject([{ type: 'message' }])
    expect(reading.response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })

  it('gets another id where the provider gave one twice, or none', () => {
    const parts = [call('c', 'a'), call('c', 'b'), call('', 'c'), call('', 'd')].flatMap((one) => block(one, ['{}']))
    const ids = streamOf([START, ...parts, finish('tool-calls')]).items.map((item) => item['call_id'])
    expect(new Set(ids).size).toBe(4)
  })

  it('carries its seal in a reasoning item before it, where the client keeps those', () => {
    const sealed: Sealed = { origin: 'gemini', value: 'sig' }
    const parts = [START, ...block({ ...call('c1', 'wx'), sealed } as Block, ['{}']), finish('tool-calls')]
    expect(streamOf(parts, SEALED_BODY).items).toMatchObject([
      { type: 'reasoning', summary: [], encrypted_content: 'farebox1.gemini.call:sig' },
      { type: 'function_call' },
    ])
    expect(streamOf(parts).items).toMatchObject([{ type: 'function_call' }])
  })
})

describe('the end', () => {
  it.each([
    ['stop', 'completed', null],
    ['stop-sequence', 'completed', null],
    ['tool-calls', 'completed', null],
    ['pause', 'completed', null],
    ['length', 'incomplete', { reason: 'max_output_tokens' }],
    ['context-window', 'incomplete', { reason: 'max_output_tokens' }],
    ['content-filter', 'incomplete', { reason: 'content_filter' }],
  ] as const)('of an answer that ended by %s is %s', (reason, status, details) => {
    const { response } = streamOf([START, ...text('Hi'), finish(reason)])
    expect(response).toMatchObject({ status, incomplete_details: details })
  })

  it('has whole numbers even where nobody counted', () => {
    const writer = new ResponsesStreamWriter(context())
    const { response } = readStrictly(writer.write(START) + writer.end(UNKNOWN_USAGE))
    expect(response['usage']).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 })
  })

  it('repeats what was asked for, and what the API takes where nothing was', () => {
    const tools = [{ type: 'function', name: 'wx', parameters: {} }]
    const asked = { tools, tool_choice: 'required', temperature: 0.5, instructions: 'Be brief.', metadata: { a: 'b' } }
    expect(streamOf([START, finish('stop')], asked).response).toMatchObject(asked)
    expect(streamOf([START, finish('stop')], { text: { verbosity: 'low' }, reasoning: null }).response).toMatchObject({
      tools: [],
      tool_choice: 'auto',
      temperature: 1,
      top_p: 1,
      instructions: null,
      parallel_tool_calls: true,
      text: { format: { type: 'text' }, verbosity: 'low' },
      reasoning: { effort: null, summary: null },
      truncation: 'disabled',
      previous_response_id: null,
    })
  })
})

describe('a stream that fails', () => {
  it.each([
    ['a text', text('Hi').slice(0, 2), { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
    [
      'a call',
      block(call('a', 'wx'), ['{"q', '":1']).slice(0, 3),
      { type: 'function_call', call_id: 'a', arguments: '{"q":1' },
    ],
    [
      'a call without arguments yet',
      block(call('a', 'wx'), ['{}']).slice(0, 1),
      { type: 'function_call', arguments: '' },
    ],
  ])('ends %s that was begun as it is, so that nobody can take it for a whole one', (_, parts, item) => {
    const writer = new ResponsesStreamWriter(context())
    const before = [START, ...parts].map((part) => writer.write(part)).join('')
    const reading = readStrictly(before + writer.fail(refuse('upstream_error', 'It broke.'), 'req_1'))
    expect(reading.items).toMatchObject([{ ...item, status: 'incomplete' }])
    expect(reading.response['output']).toEqual(reading.items)
  })

  it.each([[[]], [[START]], [[START, ...text('Hi')]], [[START, ...text('Hi').slice(0, 2)]]])(
    'ends in one event, after any part: %j',
    (parts) => {
      const writer = new ResponsesStreamWriter(context())
      const before = parts.map((part) => writer.write(part)).join('')
      const reading = readStrictly(before + writer.fail(refuse('upstream_error', 'It broke.'), 'req_1'))
      expect(reading.response).toMatchObject({
        status: 'failed',
        error: { code: 'server_error', message: 'It broke.' },
      })
    },
  )

  it.each([
    ['rate_limited', 'rate_limit_exceeded', 'Slow. Please try again in 7s.'],
    ['credits_exhausted', 'insufficient_quota', 'Slow.'],
    ['overloaded', 'server_error', 'Slow.'],
    ['upstream_timeout', 'server_error', 'Slow.'],
    ['key_not_usable', 'invalid_prompt', 'Slow.'],
  ] satisfies [RefusalCode, string, string][])(
    'tells Codex by a code whether to ask again: %s',
    (code, told, message) => {
      const writer = new ResponsesStreamWriter(context())
      const failed = writer.fail(refuse(code, 'Slow.', { retryAfterSeconds: 7 }), 'req_1')
      expect(readStrictly(failed).response['error']).toEqual({ code: told, message })
    },
  )

  it('tells a context that is full by the one code that Codex acts on', () => {
    const words = "This model's maximum context length is 8192 tokens."
    for (const refusal of [
      refuse('invalid_request', words),
      refuse('invalid_request', 'Full.', { details: { code: 'context_length_exceeded' } }),
    ]) {
      const { response } = readStrictly(new ResponsesStreamWriter(context()).fail(refusal, 'req_1'))
      expect(response['error']).toMatchObject({ code: 'context_length_exceeded' })
    }
  })
})

describe('a keep-alive', () => {
  it('is an event with a number of its own, wherever it comes', () => {
    const writer = new ResponsesStreamWriter(context())
    const parts = [START, ...text('Hi'), ...block(call('c1', 'wx'), ['{}']), finish('tool-calls')]
    const written = writer.keepAlive() + parts.map((part) => writer.write(part) + writer.keepAlive()).join('')
    const reading = readStrictly(written + writer.end(USAGE))
    expect(reading.types.filter((type) => type === 'keepalive')).toHaveLength(parts.length + 1)
  })
})

const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
const anySealed = fc.option(
  fc.record({
    origin: fc.constantFrom('messages', 'messages-redacted', 'responses', 'gemini', 'chat-completions'),
    value: fc.string({ minLength: 1, maxLength: 5 }),
  }) as fc.Arbitrary<Sealed>,
  { nil: undefined },
)
const anyBlock: fc.Arbitrary<readonly AnswerPart[]> = fc.oneof(
  fc
    .record({ type: fc.constantFrom('text', 'refusal'), texts: fc.array(anyText, { minLength: 1 }) })
    .map(({ type, texts }) => block({ type } as Block, texts)),
  fc
    .record({ texts: fc.array(anyText), sealed: anySealed })
    .map(({ texts, sealed }) => block({ type: 'reasoning' }, texts, { sealed })),
  fc
    .record({
      id: fc.string({ maxLength: 3 }),
      kind: fc.constantFrom<ToolKind>('function', 'custom', 'tool-search', 'local-shell'),
      sealed: anySealed,
      texts: fc.array(anyText),
    })
    .map(({ id, kind, sealed, texts }) => block({ type: 'tool-call', id, name: 'n', kind, sealed }, texts)),
  fc.constant([{ type: 'citation', choice, url: 'https://a.example', title: 'A' }] as const),
)
const anyBody = fc.constantFrom({}, SEALED_BODY, SHOWN_BODY, FULL_BODY, { client_metadata: {} })

describe('any answer', () => {
  it("is taken by the strict readers and by OpenAI's own accumulator", async () => {
    const anyAnswer = fc.array(anyBlock, { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(anyAnswer, anyBody, fc.boolean(), async (blocks, body, isCut) => {
        const cut = isCut ? block(call('cut', 'n'), ['{"a'], { isCut: true }) : []
        const parts = [START, ...blocks.flat(), ...cut, finish(isCut ? 'length' : 'stop')]
        const reading = streamOf(parts, body)
        expect(await readWithSdk(reading)).toMatchObject({ status: reading.response['status'], output: reading.items })
        const whole: unknown = JSON.parse(writeResponsesAnswer(parts, USAGE, context(body)))
        expect(whole).toEqual(reading.response)
      }),
      { numRuns: 150 },
    )
  })

  it('takes no part of a second choice', () => {
    const parts: AnswerPart[] = [
      { type: 'open', choice: 1, block: { type: 'text' } },
      { type: 'delta', choice: 1, text: 'x' },
    ]
    expect(streamOf([START, ...parts, ...text('Hi'), finish('stop')]).items).toHaveLength(1)
  })
})
