import { describe, expect, it } from 'vitest'
import { refuse } from '#core/refusal.ts'
import type { KeptItem } from '#dialect/dialect.ts'
import type { AnswerPart, Block } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'
import { writeResponsesAnswer } from '#dialect/responses/write-answer.ts'
import type { Sealed } from '#dialect/seal.ts'
import { context, request, streamOf, USAGE } from './requests.ts'
import { readStrictly, readWithSdk } from './strict-reader.ts'

const SEALED_BODY = { include: ['reasoning.encrypted_content'] }
const SHOWN_BODY = { ...SEALED_BODY, reasoning: { summary: 'auto' } }
const SEAL = { origin: 'gemini', value: 'blob' } as const
const CALL: Block = { type: 'tool-call', id: 'c1', name: 'wx', kind: 'function' }
const FINISH = { type: 'finish', choice: 0, reason: 'stop' } as const

function blockOf(block: Block, texts: readonly string[], sealed?: Sealed): AnswerPart[] {
  const deltas = texts.map((text) => ({ type: 'delta', choice: 0, text }) as const)
  return [{ type: 'open', choice: 0, block }, ...deltas, { type: 'close', choice: 0, sealed }]
}

const text = blockOf({ type: 'text' }, ['Hello.'])
const refusal = blockOf({ type: 'refusal' }, ['No.'])
const seal = blockOf({ type: 'reasoning' }, [], SEAL)
const thought = blockOf({ type: 'reasoning' }, ['Hm.'], SEAL)
const signed = blockOf({ type: 'reasoning' }, ['Hm.'], { origin: 'messages', value: 'signature' })
const call = blockOf(CALL, ['{}'])

const CASES: readonly (readonly [string, readonly AnswerPart[], readonly string[]])[] = [
  ['is not the last item behind a text', [...text, ...seal], ['message']],
  ['is not the last item, however many there are', [...text, ...seal, ...seal], ['message']],
  ['is not the last item behind a refusal', [...refusal, ...seal], ['message']],
  ['is not the last item with the text that it signs', [...text, ...signed], ['message']],
  ['is not the last item behind a call and a text', [...call, ...text, ...seal], ['function_call', 'message']],
  ['stays where a call follows it', [...text, ...seal, ...call], ['message', 'reasoning', 'function_call']],
  ['stays where more text follows it', [...text, ...seal, ...text], ['message', 'reasoning', 'message']],
  [
    'stays beside others where a call follows them',
    [...text, ...seal, ...signed, ...call],
    ['message', 'reasoning', 'reasoning', 'function_call'],
  ],
  ['stays behind a call', [...text, ...call, ...seal], ['message', 'function_call', 'reasoning']],
  ['stays in front of everything', [...seal, ...text], ['reasoning', 'message']],
  ['stays where there is nothing else', seal, ['reasoning']],
]

function whole(parts: readonly AnswerPart[], body: typeof SEALED_BODY) {
  const written = parseJson(writeResponsesAnswer([{ type: 'start' }, ...parts, FINISH], USAGE, context(body)))
  return isRecord(written) ? written : {}
}

function typesOf(items: unknown): unknown[] {
  return Array.isArray(items) ? items.map((item: unknown) => (isRecord(item) ? item['type'] : item)) : []
}

describe('reasoning of which nothing is seen', () => {
  it.each(CASES)('%s', async (_name, parts, types) => {
    const reading = streamOf([{ type: 'start' }, ...parts, FINISH], SEALED_BODY)
    expect(typesOf(reading.items)).toEqual(types)
    expect(typesOf(reading.response['output'])).toEqual(types)
    expect(whole(parts, SEALED_BODY)).toEqual(reading.response)
    await readWithSdk(reading)
  })

  it('stays in front of the item that follows it, with the seal that it had', () => {
    const { items } = streamOf([{ type: 'start' }, ...text, ...seal, ...call, FINISH], SEALED_BODY)
    expect(items[1]).toMatchObject({ summary: [], encrypted_content: 'farebox1.gemini.blob' })
  })

  it('stays in front of reasoning that is shown', () => {
    const reading = streamOf([{ type: 'start' }, ...text, ...seal, ...thought, FINISH], SHOWN_BODY)
    expect(reading.items).toMatchObject([
      { type: 'message' },
      { type: 'reasoning', summary: [] },
      { type: 'reasoning', summary: [{ text: 'Hm.' }] },
    ])
  })

  it('is left out where the answer breaks off behind it', () => {
    const writer = new ResponsesStreamWriter(context(SEALED_BODY))
    const parts: readonly AnswerPart[] = [{ type: 'start' }, ...text, ...seal]
    const written = parts.map((part) => writer.write(part)).join('')
    const { items } = readStrictly(written + writer.fail(refuse('upstream_error', 'It broke off.'), 'r'))
    expect(typesOf(items)).toEqual(['message'])
  })
})

describe('what was left out', () => {
  function keptOf(parts: readonly AnswerPart[], body: Readonly<Record<string, unknown>>): readonly KeptItem[] {
    const kept: KeptItem[] = []
    const keep = { keep: (answer: { items(): readonly KeptItem[] }) => void kept.push(...answer.items()) }
    const writer = new ResponsesStreamWriter({ ...context(), request: request(body), ...keep })
    for (const part of parts) writer.write(part)
    writer.end(USAGE)
    return kept
  }

  it('comes back to its provider from a request that goes on from the answer', () => {
    const kept = keptOf([...text, ...seal, ...signed, FINISH], { input: 'Hi', ...SEALED_BODY })
    expect(kept.map(({ text: json }) => parseJson(json))).toMatchObject([
      { type: 'message' },
      { type: 'reasoning', summary: [], encrypted_content: 'farebox1.gemini.blob' },
      { type: 'reasoning', summary: [{ text: 'Hm.' }], encrypted_content: 'farebox1.messages.signature' },
    ])
    expect(new Set(kept.map(({ id }) => id)).size).toBe(3)
  })

  it('is not kept for a client that does not keep seals', () => {
    expect(keptOf([...text, ...seal, FINISH], { input: 'Hi' })).toHaveLength(1)
  })
})
