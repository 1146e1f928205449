// What a request only names is put into it: as if the client had sent it, and no more than that.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import type { ClientRequest, KeepAnswer, KeptAnswer, KeptAnswers } from '#dialect/dialect.ts'
import type { AnswerPart, Block } from '#dialect/part.ts'
import { askedIn, recallResponses } from '#dialect/responses/recall.ts'
import { readResponsesConversation } from '#dialect/responses/read-turns.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'
import { writeResponsesAnswer } from '#dialect/responses/write-answer.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { surveyInput } from '#dialect/input-survey.ts'
import { context, EXCHANGE, request, USAGE } from './requests.ts'

const STEM = EXCHANGE.replaceAll('-', '')
const choice = 0
/** No provider knows what is named. */
const NOBODY = () => false

function memoryOf(answers: readonly KeptAnswer[]): KeptAnswers {
  return {
    answer: (id) => answers.find((answer) => answer.id === id),
    withItem: (id) => answers.find(({ itemIds }) => itemIds.includes(id)),
  }
}

/** Adds an answer to others with what its request asked, as the pipeline does. */
function keeper(answers: KeptAnswer[], asked: ClientRequest): KeepAnswer {
  return (answer) => void answers.push({ ...answer, asked: askedIn(asked) })
}

/** The answer that is kept of these parts, and what the client was told. */
function told(parts: readonly AnswerPart[], asked: JsonObject | ClientRequest = {}, exchangeId = EXCHANGE) {
  const answers: KeptAnswer[] = []
  const isRequest = (given: object): given is ClientRequest => 'body' in given && 'outputCapName' in given
  const own = isRequest(asked) ? asked : request(asked)
  const written = { ...context(), request: own, exchangeId, keep: keeper(answers, own) }
  const answer = JSON.parse(writeResponsesAnswer(parts, USAGE, written)) as JsonObject & {
    readonly output: JsonObject[]
  }
  return { kept: answers[0], answer }
}

function block(of: Block, text: string, close: Partial<Extract<AnswerPart, { type: 'close' }>> = {}): AnswerPart[] {
  return [
    { type: 'open', choice, block: of },
    { type: 'delta', choice, text },
    { type: 'close', choice, ...close },
  ]
}

const say = (text: string) => block({ type: 'text' }, text)
const FINISH: AnswerPart = { type: 'finish', choice, reason: 'stop' }

function recalled(body: JsonObject, answers: readonly KeptAnswer[]): ClientRequest {
  const made = recallResponses(request(body), memoryOf(answers), NOBODY)
  return isRefusal(made) ? expect.fail(made.message) : made
}

function keptOf(
  parts: readonly AnswerPart[],
  asked: JsonObject | ClientRequest = {},
  exchangeId = EXCHANGE,
): KeptAnswer {
  return told(parts, asked, exchangeId).kept ?? expect.fail('nothing was kept')
}

describe('an answer', () => {
  it('is kept with its items as they were told, and with what was asked', () => {
    const { kept, answer } = told([...say('Good day.'), FINISH], { input: 'Hi' })
    expect(kept).toMatchObject({ id: answer['id'], previousId: undefined, asked: '{"role":"user","content":"Hi"}' })
    expect(kept?.items().map(({ text }) => JSON.parse(text) as unknown)).toEqual(answer.output)
  })

  it('is not kept where the client says so, or when it breaks off', () => {
    expect(told([...say('Hi'), FINISH], { store: false }).kept).toBeUndefined()
    const answers: KeptAnswer[] = []
    const writer = new ResponsesStreamWriter({ ...context(), keep: keeper(answers, request({})) })
    for (const part of say('Good d')) writer.write(part)
    writer.fail({ type: 'refusal', code: 'upstream_error', message: 'It broke.' }, 'r')
    expect(answers).toEqual([])
  })

  it('is kept with seals that the client was not told', () => {
    const sealed = { origin: 'messages', value: 'sig' } as const
    const parts = [
      ...block({ type: 'reasoning' }, 'I think.', { sealed }),
      ...block(
        {
          type: 'tool-call',
          id: 'c',
          name: 'f',
          kind: 'function',
          namespace: undefined,
          sealed: { origin: 'gemini', value: 'tho' },
        },
        '{}',
      ),
      FINISH,
    ]
    const { kept, answer } = told(parts, { reasoning: { summary: 'auto' } })
    expect(JSON.stringify(answer)).not.toContain('farebox1')
    expect(kept?.items().map(({ text }) => (JSON.parse(text) as JsonObject)['type'])).toEqual([
      'reasoning',
      'reasoning',
      'function_call',
    ])
    expect(kept?.items()[0]?.text).toContain('farebox1.messages.sig')
    expect(kept?.items()[1]?.text).toContain('tho')
  })
})

describe('an item that is named', () => {
  const kept = keptOf([...say('Good day.'), FINISH])
  const id = `msg_${STEM}_0`
  const item = JSON.parse(kept.items()[0]?.text ?? '') as unknown

  it.each<[string, JsonObject]>([
    ['by its type', { type: 'item_reference', id }],
    ['without one', { id }],
    ['with none', { type: null, id }],
  ])('is put in its place: %s', (_how, name) => {
    const made = recalled(
      { input: [{ role: 'user', content: 'Hi' }, name, { role: 'user', content: 'And?' }], big: 1 },
      [kept],
    )
    expect(made.body.value['input']).toEqual([{ role: 'user', content: 'Hi' }, item, { role: 'user', content: 'And?' }])
    expect(JSON.parse(made.body.text)).toEqual(made.body.value)
    expect(made.body.byteLength).toBe(Buffer.byteLength(made.body.text))
    expect(surveyInput({ model: 'm', input: made.body.value['input'] }).references).toEqual([])
  })

  it('leaves all else as it was written', () => {
    const text = `{"model":"m","seed":12345678901234567890,"input":[ {"type":"item_reference","id":"${id}"} ],"x":1e2}`
    const asked = { ...request(), body: { ...request().body, ...bodyOf(text) } }
    const made = recallResponses(asked, memoryOf([kept]), NOBODY)
    expect(isRefusal(made) ? made.message : made.body.text).toBe(
      `{"model":"m","seed":12345678901234567890,"input":[${kept.items()[0]?.text}],"x":1e2}`,
    )
  })

  it.each<[string, unknown]>([
    ['another id', `msg_${STEM}_1`],
    ['an id changed by a character', id.replace(/.$/, '1')],
    ['an id with more behind it', `${id} `],
    ['a very long id', id.repeat(100_000)],
    ['an id that is no text', 5],
    ['no id', undefined],
    ['a name that objects have', '__proto__'],
  ])('stays a name with %s, for its provider to know', (_what, other) => {
    const asked = request({ input: [{ type: 'item_reference', id: other }] })
    expect(recallResponses(asked, memoryOf([kept]), NOBODY)).toBe(asked)
  })

  it('is refused where it stands twice', () => {
    const name = { type: 'item_reference', id }
    expect(recallResponses(request({ input: [name, name] }), memoryOf([kept]), NOBODY)).toMatchObject({
      code: 'invalid_request',
      param: 'input',
      message: expect.stringMatching(/^Duplicate item found with id/),
    })
  })

  it('is refused where all that is named is longer than anybody reads', () => {
    const long = { ...kept, items: () => [{ id, text: `"${'x'.repeat(5_000_000)}"` }] }
    const name = { type: 'item_reference', id }
    expect(recallResponses(request({ input: [name] }), memoryOf([long]), NOBODY)).toMatchObject({
      code: 'request_too_large',
    })
    const next = { previous_response_id: long.id }
    expect(recallResponses(request(next), memoryOf([long]), NOBODY)).toMatchObject({ code: 'request_too_large' })
  })
})

describe('an answer of many items', () => {
  const itemIds = ['msg_0', 'msg_1', 'msg_2', 'msg_3', 'msg_4']
  const input = itemIds.map((id) => ({ type: 'item_reference', id }))

  function counted(text: string) {
    const calls = { items: 0, names: 0 }
    const items = () => {
      calls.items += 1
      return itemIds.map((id) => ({ id, text }))
    }
    const answer: KeptAnswer = { id: 'resp_1', itemIds, items, length: 10, asked: '"Hi"', previousId: undefined }
    const memory = memoryOf([answer])
    const withItem = (id: string) => {
      calls.names += 1
      return memory.withItem(id)
    }
    return { calls, kept: { ...memory, withItem } }
  }

  it('is read once for a request, however many of them it names', () => {
    const { calls, kept } = counted('{"role":"user","content":"x"}')
    const made = recallResponses(request({ input, previous_response_id: 'resp_1' }), kept, NOBODY)
    expect(isRefusal(made)).toBe(false)
    expect(calls.items).toBe(1)
  })

  it('is put in no further than is read', () => {
    const { calls, kept } = counted(JSON.stringify('x'.repeat(3_000_000)))
    expect(recallResponses(request({ input }), kept, NOBODY)).toMatchObject({ code: 'request_too_large' })
    expect(calls.names).toBe(2)
  })
})

function bodyOf(text: string) {
  const read = request(JSON.parse(text) as JsonObject)
  const members = new Map<string, { start: number; end: number }>()
  for (const name of ['model', 'seed', 'input', 'x']) {
    const start = text.indexOf(`"${name}":`) + name.length + 3
    members.set(name, {
      start,
      end: name === 'input' ? text.indexOf('],') + 1 : text.slice(start).search(/[,}]/) + start,
    })
  }
  return { ...read.body, text, scan: { ...read.body.scan, members, closingBrace: text.length - 1 } }
}

describe('an answer that a request goes on from', () => {
  const first = keptOf([...say('Good day.'), FINISH], { input: 'Hi', instructions: 'Be short.' })

  it('comes with what was asked for it, and without its instructions', () => {
    const made = recalled({ input: 'And?', previous_response_id: first.id }, [first])
    expect(made.body.value['input']).toEqual([
      { role: 'user', content: 'Hi' },
      JSON.parse(first.items()[0]?.text ?? ''),
      { role: 'user', content: 'And?' },
    ])
    expect(made.body.text).not.toContain('Be short.')
    expect(made.body.value['previous_response_id']).toBeNull()
    const conversation = readResponsesConversation(made)
    expect(isRefusal(conversation) ? conversation : conversation.turns).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Good day.' }] },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ])
  })

  it('is named in the answer that goes on from it, as OpenAI does', () => {
    const made = recalled({ input: 'And?', previous_response_id: first.id }, [first])
    const { answer, kept } = told([...say('No.'), FINISH], made, '01985d1e-2f3a-7b4c-8d5e-6f7081920a1c')
    expect(answer['previous_response_id']).toBe(first.id)
    expect(kept).toMatchObject({ previousId: first.id, asked: '{"role":"user","content":"And?"}' })
  })

  it('is not found where what it went on from comes back to it', () => {
    const circle = [
      { ...first, id: 'resp_1', previousId: 'resp_2' },
      { ...first, id: 'resp_2', previousId: 'resp_1' },
    ]
    for (const id of ['resp_1', 'resp_2']) {
      const asked = request({ previous_response_id: id })
      expect(recallResponses(asked, memoryOf(circle), NOBODY)).toBe(asked)
    }
  })

  it('comes without what is left out, and leaves no gap', () => {
    const thought: KeptAnswer = { ...first, id: 'resp_t', itemIds: ['rs_1'], items: () => [], asked: '' }
    const named = [{ type: 'item_reference', id: 'rs_1' }]
    const others = JSON.parse(`[${first.asked},${first.items()[0]?.text}]`) as unknown
    const both = [first, thought]
    expect(recalled({ input: named, previous_response_id: first.id }, both).body.value['input']).toEqual(others)
    const after = [first, { ...thought, previousId: first.id }]
    expect(recalled({ input: 'And?', previous_response_id: 'resp_t' }, after).body.value['input']).toEqual([
      ...(others as unknown[]),
      { role: 'user', content: 'And?' },
    ])
    expect(recalled({ input: named, previous_response_id: 'resp_t' }, both).body.value['input']).toEqual([])
  })

  it('is not found where a part of the conversation is not known any more', () => {
    const broken = { ...first, id: 'resp_2', previousId: 'resp_gone' }
    for (const id of ['resp_2', 'resp_gone', `${first.id}x`, 'x'.repeat(1_000_000)]) {
      const asked = request({ previous_response_id: id })
      expect(recallResponses(asked, memoryOf([broken]), NOBODY)).toBe(asked)
    }
    const unasked = { ...first, asked: undefined }
    const asked = request({ previous_response_id: first.id })
    expect(recallResponses(asked, memoryOf([unasked]), NOBODY)).toBe(asked)
  })
})

const words = fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }).map((text) => text.toWellFormed())
const origin = fc.constantFrom('messages', 'responses', 'gemini', 'chat-completions')
const sealed = fc.option(fc.record({ origin, value: fc.stringMatching(/^[a-z]{1,8}$/) }), { nil: undefined })
const textBlock = words.map((text) => say(text))
const reasoningBlock = fc
  .tuple(words, sealed)
  .map(([text, seal]) => block({ type: 'reasoning' }, text, seal === undefined ? {} : { sealed: seal }))
const callBlock = fc
  .tuple(fc.dictionary(words, words, { maxKeys: 2 }), fc.uuid())
  .map(([args, id]) =>
    block({ type: 'tool-call', id, name: 'f', kind: 'function', namespace: undefined }, JSON.stringify(args)),
  )
const answerParts = fc
  .array(fc.oneof(textBlock, reasoningBlock, callBlock), { minLength: 1, maxLength: 5 })
  .map((blocks) => [...blocks.flat(), FINISH])

describe('any conversation', () => {
  /** What a client tells that keeps everything itself, seals too. */
  const KEEPING = { reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] }

  it('reads the same whether its answers are sent, or named by their items, or by the last one', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(words, answerParts), { minLength: 1, maxLength: 4 }), (turns) => {
        const kept: KeptAnswer[] = []
        const sent: unknown[] = []
        const named: unknown[] = []
        let previous: string | undefined
        for (const [index, [text, parts]] of turns.entries()) {
          const asked = { role: 'user', content: text }
          sent.push(asked)
          named.push(asked)
          const exchangeId = EXCHANGE.replace(/.$/, String(index))
          const body = {
            ...KEEPING,
            input: [asked],
            ...(previous === undefined ? {} : { previous_response_id: previous }),
          }
          const { kept: own, answer } = told(parts, recalled(body, kept), exchangeId)
          if (own === undefined) return expect.fail('nothing was kept')
          kept.push(own)
          for (const item of answer.output) {
            sent.push(item)
            named.push({ type: 'item_reference', id: item['id'] })
          }
          previous = own.id
        }
        const last = { role: 'user', content: 'And?' }
        const whole = readResponsesConversation(request({ ...KEEPING, input: [...sent, last] }))
        const byItems = readResponsesConversation(recalled({ ...KEEPING, input: [...named, last] }, kept))
        const byAnswer = recalled({ ...KEEPING, input: [last], previous_response_id: previous }, kept)
        expect(byItems).toEqual(whole)
        expect(readResponsesConversation(byAnswer)).toEqual(whole)
      }),
    )
  })
})
