import fc from 'fast-check'
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { describe, expect, it } from 'vitest'
import { refuse } from '#core/refusal.ts'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'
import { readChatAnswer } from '#dialect/chat-completions/read-answer.ts'
import { writeChatAnswer } from '#dialect/chat-completions/write-answer.ts'
import { ChatStreamWriter } from '#dialect/chat-completions/write-stream.ts'
import { foldParts, type AnswerPart, type Block } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { Sealed } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { contextOf, readText } from './support.ts'

const USAGE: TokenUsage = { ...UNKNOWN_USAGE, inputTokens: 6, cacheReadTokens: 4, outputTokens: 5, reasoningTokens: 2 }
const ID = 'chatcmpl-0190b5d100007000800000000000abcd'

type Close = Omit<Extract<AnswerPart, { type: 'close' }>, 'type' | 'choice'>

function block(block: Block, texts: readonly string[], close: Close = {}, choice = 0): AnswerPart[] {
  return [
    { type: 'open', choice, block },
    ...texts.map((text) => ({ type: 'delta', choice, text }) as const),
    { type: 'close', choice, ...close },
  ]
}

function call(
  id: string,
  texts: readonly string[],
  more: Partial<Extract<Block, { type: 'tool-call' }>> = {},
  close: Close = {},
) {
  return block({ type: 'tool-call', id, name: 'f', kind: 'function', ...more }, texts, close)
}

const START: AnswerPart = { type: 'start' }
const STOP: AnswerPart = { type: 'finish', choice: 0, reason: 'stop' }
const CALLED: AnswerPart = { type: 'finish', choice: 0, reason: 'tool-calls' }
const TEXT = block({ type: 'text' }, ['Hi', ' "you"\n'])

function streamed(parts: readonly AnswerPart[], body: JsonObject = {}, usage = USAGE): string {
  const writer = new ChatStreamWriter(contextOf(body))
  return parts.map((part) => writer.write(part)).join('') + writer.end(usage)
}

function chunksOf(text: string): JsonObject[] {
  const events = text.split('\n\n').slice(0, -1)
  expect(events.pop()).toBe('data: [DONE]')
  return events.map((event) => {
    expect(event).toMatch(/^data: \{.*\}$/s)
    const chunk: unknown = JSON.parse(event.slice('data: '.length))
    return isRecord(chunk) ? chunk : expect.fail('no chunk')
  })
}

/** The deltas of one choice, and its finish reason at the end. */
function deltasOf(text: string, index = 0): unknown[] {
  return chunksOf(text)
    .flatMap(({ choices }) => (Array.isArray(choices) ? choices.filter(isRecord) : []))
    .filter((choice) => choice['index'] === index)
    .map(({ delta, finish_reason: finish }) => (finish === null ? delta : finish))
}

const ROLE = { role: 'assistant', content: '', refusal: null }

describe('a stream', () => {
  it('begins with the role and ends with the reason and [DONE], every chunk with the head of the answer', () => {
    const text = streamed([START, ...TEXT, STOP])
    expect(deltasOf(text)).toEqual([ROLE, { content: 'Hi' }, { content: ' "you"\n' }, 'stop'])
    for (const chunk of chunksOf(text)) {
      expect(chunk).toMatchObject({ id: ID, object: 'chat.completion.chunk', created: 1_790_000_000, model: 'm' })
      expect(chunk).not.toHaveProperty('usage')
    }
  })

  it('has usage in a chunk of its own for those who asked, and null in the others', () => {
    const body = { stream: true, stream_options: { include_usage: true } }
    const chunks = chunksOf(streamed([START, ...TEXT, STOP], body))
    expect(chunks.slice(0, -1).map(({ usage }) => usage)).toEqual(chunks.slice(0, -1).map(() => null))
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
  })

  it('has the counts that clients need, whatever is known', () => {
    const body = { stream: true, stream_options: { include_usage: true } }
    const last = chunksOf(streamed([START, STOP], body, UNKNOWN_USAGE)).at(-1)
    expect(last?.['usage']).toEqual({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })
  })

  it('without any part still has a role and an end', () => {
    expect(deltasOf(streamed([]))).toEqual([ROLE, 'stop'])
  })

  it.each([
    ['stop', 'stop'],
    ['stop-sequence', 'stop'],
    ['pause', 'stop'],
    ['length', 'length'],
    ['context-window', 'length'],
    ['tool-calls', 'tool_calls'],
    ['content-filter', 'content_filter'],
  ] as const)('that finished with %s says %s', (reason, expected) => {
    expect(deltasOf(streamed([START, { type: 'finish', choice: 0, reason }])).at(-1)).toBe(expected)
  })

  it('numbers its calls from 0, and gives their head before their arguments', () => {
    const text = streamed([START, ...TEXT, ...call('a', ['{"x"', ':1}']), ...call('b', ['{}']), CALLED])
    const called = { name: 'f', arguments: '' }
    expect(deltasOf(text).slice(3)).toEqual([
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: called }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      { tool_calls: [{ index: 1, id: 'b', type: 'function', function: called }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      'tool_calls',
    ])
  })

  it('gives a call without arguments an empty object, unless it was cut off', () => {
    expect(deltasOf(streamed([START, ...call('a', []), CALLED]))[2]).toEqual({
      tool_calls: [{ index: 0, function: { arguments: '{}' } }],
    })
    expect(deltasOf(streamed([START, ...call('a', [], {}, { isCut: true }), STOP]))).toHaveLength(3)
  })

  it('gives custom tools their text', () => {
    const text = streamed([START, ...call('a', ['free']), ...call('b', ['free'], { kind: 'custom' }), CALLED])
    expect(deltasOf(text).slice(3, 5)).toEqual([
      { tool_calls: [{ index: 1, id: 'b', type: 'custom', custom: { name: 'f', input: '' } }] },
      { tool_calls: [{ index: 1, custom: { input: 'free' } }] },
    ])
  })

  it('gives the signature of Gemini with the call, or when it comes', () => {
    const sealed: Sealed = { origin: 'gemini', value: 's' }
    const extra = { extra_content: { google: { thought_signature: 'farebox1.gemini.s' } } }
    expect(deltasOf(streamed([START, ...call('a', ['{}'], { sealed }), CALLED]))[1]).toMatchObject({
      tool_calls: [extra],
    })
    expect(deltasOf(streamed([START, ...call('a', ['{}'], {}, { sealed }), CALLED]))[3]).toEqual({
      tool_calls: [{ index: 0, function: { arguments: '' }, ...extra }],
    })
  })

  it('shows reasoning, and gives what was sealed with its text at the end of the block', () => {
    const seal: Sealed = { origin: 'messages', value: 's' }
    const text = streamed([
      START,
      ...block({ type: 'reasoning' }, ['So', '!'], { sealed: seal }),
      ...block({ type: 'reasoning' }, [], { sealed: { origin: 'messages-redacted', value: 'r' } }),
      ...block({ type: 'reasoning' }, ['Then']),
      STOP,
    ])
    expect(deltasOf(text).slice(1)).toEqual([
      { reasoning_content: 'So' },
      { reasoning_content: '!' },
      { reasoning_details: [{ type: 'reasoning.text', text: 'So!', signature: 'farebox1.messages.s', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'farebox1.messages-redacted.r', index: 1 }] },
      { reasoning_content: 'Then' },
      'stop',
    ])
  })

  it('tells refusals and sources', () => {
    const [open, ...rest] = TEXT
    const cited: AnswerPart = { type: 'citation', choice: 0, url: 'https://a.b', title: undefined }
    const refusal = block({ type: 'refusal' }, ['No.'])
    const text = streamed([START, ...(open === undefined ? [] : [open]), cited, ...rest, ...refusal, STOP])
    expect(deltasOf(text)).toContainEqual({ refusal: 'No.' })
    const citation = { url: 'https://a.b', title: '', start_index: 0, end_index: 0 }
    expect(deltasOf(text)).toContainEqual({ annotations: [{ type: 'url_citation', url_citation: citation }] })
  })

  it('gives each of several answers its own role and end', () => {
    const text = streamed([
      START,
      ...TEXT,
      ...block({ type: 'text' }, ['B'], {}, 1),
      STOP,
      { type: 'finish', choice: 1, reason: 'length' },
    ])
    expect(deltasOf(text, 1)).toEqual([ROLE, { content: 'B' }, 'length'])
    expect(deltasOf(text, 0)).toHaveLength(4)
  })

  it('speaks of functions to those who know nothing else, and of one call', () => {
    const body = { functions: [{ name: 'f' }] }
    const text = streamed([START, ...call('a', ['{"x":1}']), ...call('b', ['{}']), CALLED], body)
    expect(deltasOf(text)).toEqual([
      ROLE,
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{"x":1}' } },
      'function_call',
    ])
  })

  it('breaks off with an error, before and after its begin', () => {
    const writer = new ChatStreamWriter(contextOf())
    const text = writer.fail(refuse('upstream_error', 'Gone.'), 'req_1')
    expect(text).toMatch(/^data: \{"error":\{"message":"Gone\.".*"request_id":"req_1"\}\}\n\n$/)
    expect(writer.keepAlive()).toBe(': keep-alive\n\n')
  })
})

describe('a whole answer', () => {
  const whole = (parts: readonly AnswerPart[], body: JsonObject = {}): JsonObject => {
    const value: unknown = JSON.parse(writeChatAnswer(parts, USAGE, contextOf(body)))
    return isRecord(value) ? value : expect.fail('no answer')
  }
  const messageOf = (parts: readonly AnswerPart[], body: JsonObject = {}): unknown => {
    const { choices } = whole(parts, body)
    const first: unknown = Array.isArray(choices) ? choices[0] : undefined
    return isRecord(first) ? first['message'] : undefined
  }

  it('has what the contract asks for', () => {
    expect(whole([START, ...TEXT, STOP])).toMatchObject({
      id: ID,
      object: 'chat.completion',
      created: 1_790_000_000,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi "you"\n', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
  })

  it('has null for content where there are only calls or a refusal, and a text where there is nothing', () => {
    expect(messageOf([START, ...call('a', []), CALLED])).toMatchObject({
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    })
    expect(messageOf([START, ...block({ type: 'refusal' }, ['No.']), STOP])).toMatchObject({
      content: null,
      refusal: 'No.',
    })
    expect(messageOf([START, STOP])).toEqual({ role: 'assistant', content: '', refusal: null })
  })

  it('leaves out a call that was cut off', () => {
    const parts: AnswerPart[] = [...call('a', ['{}']), ...call('b', ['{"x'], {}, { isCut: true })]
    expect(messageOf([START, ...parts, STOP])).toMatchObject({ tool_calls: [{ id: 'a' }] })
    expect(messageOf([START, ...call('b', ['{"x'], {}, { isCut: true }), STOP])).not.toHaveProperty('tool_calls')
  })

  it('speaks of functions to those who know nothing else', () => {
    const message = messageOf([START, ...call('a', ['{}']), CALLED], { functions: [{ name: 'f' }] })
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      refusal: null,
      function_call: { name: 'f', arguments: '{}' },
    })
  })
})

const sealed = fc.constantFrom<Sealed | undefined>(
  undefined,
  { origin: 'messages', value: 'sig' },
  { origin: 'responses', value: 'a.b' },
  { origin: 'chat-completions', value: '{"type":"reasoning.text","signature":"s"}' },
)
const texts = fc.array(fc.string({ minLength: 1, maxLength: 5, unit: 'binary' }), { minLength: 1, maxLength: 4 })
const plainBlock = fc.tuple(fc.constantFrom('text', 'refusal'), texts).map(([type, words]) => block({ type }, words))
const reasoningBlock = fc
  .tuple(texts, sealed)
  .map(([words, seal]) => block({ type: 'reasoning' }, words, { sealed: seal }))
const callBlock = fc
  .tuple(fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 5 }), { maxKeys: 3 }), fc.uuid())
  .map(([value, id]) => call(id, JSON.stringify(value).match(/[^]{1,7}/gu) ?? []))
/** Blocks as a model gives them. Two of the same plain type in a row are one in this format. */
const answer = fc
  .array(fc.oneof(plainBlock, reasoningBlock, callBlock), { maxLength: 8 })
  .map((blocks) =>
    blocks.filter(
      (one, index) => index === 0 || typeOf(one) === 'tool-call' || typeOf(one) !== typeOf(blocks[index - 1]),
    ),
  )

function typeOf(parts: readonly AnswerPart[] | undefined): string | undefined {
  const first = parts?.[0]
  return first?.type === 'open' ? first.block.type : undefined
}

function whole(blocks: readonly AnswerPart[][]): AnswerPart[] {
  const hasCalls = blocks.some((one) => typeOf(one) === 'tool-call')
  return [START, ...blocks.flat(), hasCalls ? CALLED : STOP]
}

it('writes streams that its own reader reads as the same answer', () => {
  fc.assert(
    fc.property(answer, (blocks) => {
      const parts = whole(blocks)
      expect(foldParts(readText(streamed(parts))).choices).toEqual(foldParts(parts).choices)
    }),
    { numRuns: 500 },
  )
})

it("writes streams that OpenAI's SDK adds up to the whole answer", async () => {
  await fc.assert(
    fc.asyncProperty(answer, async (blocks) => {
      const parts = whole(blocks)
      const lines = chunksOf(streamed(parts)).map((chunk) => `${JSON.stringify(chunk)}\n`)
      const stream = new ReadableStream({
        start(controller) {
          for (const line of lines) controller.enqueue(new TextEncoder().encode(line))
          controller.close()
        },
      })
      const added = await ChatCompletionStream.fromReadableStream(stream).finalChatCompletion()
      const [choice] = added.choices
      const calls = choice?.message.tool_calls?.map((one) =>
        one.type === 'function' ? [one.id, one.function.name, one.function.arguments] : [one.id],
      )
      const [wanted] = foldParts(parts).choices
      const blocksOfType = (type: string) => (wanted?.blocks ?? []).filter(({ block: { type: own } }) => own === type)
      const textOf = (type: string) =>
        blocksOfType(type)
          .map(({ text }) => text)
          .join('')
      expect(choice?.finish_reason).toBe(wanted?.finish === 'tool-calls' ? 'tool_calls' : 'stop')
      expect(choice?.message.content ?? '').toBe(textOf('text'))
      expect(choice?.message.refusal ?? '').toBe(textOf('refusal'))
      expect(calls ?? []).toEqual(
        blocksOfType('tool-call').map(({ block, text }) =>
          block.type === 'tool-call' ? [block.id, block.name, text] : [],
        ),
      )
    }),
    { numRuns: 100 },
  )
})

it('writes whole answers that say what the stream says', () => {
  fc.assert(
    fc.property(answer, (blocks) => {
      const parts = whole(blocks)
      const value: unknown = JSON.parse(writeChatAnswer(parts, USAGE, contextOf()))
      const again = readChatAnswer(isRecord(value) ? value : {}, () => 'made')
      const said = (given: readonly AnswerPart[], type: string) =>
        foldParts(given).choices[0]?.blocks.flatMap(({ block, text }) => (block.type === type ? [text] : []))
      expect(said(again, 'tool-call')).toEqual(said(parts, 'tool-call'))
      for (const type of ['text', 'refusal', 'reasoning']) {
        expect(said(again, type)?.join('')).toBe(said(parts, type)?.join(''))
      }
    }),
  )
})
