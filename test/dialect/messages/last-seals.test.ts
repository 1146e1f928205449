import { describe, expect, it } from 'vitest'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { writeMessagesAnswer } from '#dialect/messages/write-answer.ts'
import { MessagesStreamWriter } from '#dialect/messages/write-stream.ts'
import type { AnswerPart, Block } from '#dialect/part.ts'
import type { Sealed } from '#dialect/seal.ts'
import { contextOf } from './requests.ts'
import { readStrictly } from './strict-client.ts'

const CONTEXT = contextOf({ thinking: { type: 'adaptive', display: 'omitted' } })
const SEALED = { origin: 'gemini', value: 'blob' } as const
const FINISH = { type: 'finish', choice: 0, reason: 'stop' } as const

function blockOf(block: Block, texts: readonly string[], sealed?: Sealed): AnswerPart[] {
  const deltas = texts.map((text) => ({ type: 'delta', choice: 0, text }) as const)
  return [{ type: 'open', choice: 0, block }, ...deltas, { type: 'close', choice: 0, sealed }]
}

const text = blockOf({ type: 'text' }, ['Hello.'])
const seal = blockOf({ type: 'reasoning' }, [], SEALED)
const thought = blockOf({ type: 'reasoning' }, ['Hm.'], SEALED)
const call = blockOf({ type: 'tool-call', id: 'toolu_1', name: 'wx', kind: 'function' }, ['{}'])

const cutCall: AnswerPart[] = call.map((part) => (part.type === 'close' ? { ...part, isCut: true } : part))
const SEVERAL = ['text', 'tool_use', 'redacted_thinking', 'tool_use', 'redacted_thinking', 'redacted_thinking']

function typesOf(content: readonly unknown[]): unknown[] {
  return content.map((block) => (typeof block === 'object' && block !== null && 'type' in block ? block.type : block))
}

function streamedTypes(parts: readonly AnswerPart[]): unknown[] {
  const writer = new MessagesStreamWriter(CONTEXT)
  const all: readonly AnswerPart[] = [{ type: 'start' }, ...parts, FINISH]
  const written = all.map((part) => writer.write(part)).join('') + writer.end(UNKNOWN_USAGE)
  return typesOf(readStrictly(written).content)
}

function wholeTypes(parts: readonly AnswerPart[]): unknown[] {
  const written = writeMessagesAnswer([{ type: 'start' }, ...parts, FINISH], UNKNOWN_USAGE, CONTEXT)
  const { content } = JSON.parse(written) as { readonly content: readonly unknown[] }
  return typesOf(content)
}

describe('a seal without text', () => {
  it.each([
    ['is not the last block behind a text', [...text, ...seal, ...seal], ['text']],
    ['stays where a call follows it', [...text, ...seal, ...call], ['text', 'redacted_thinking', 'tool_use']],
    ['stays where more text follows it', [...text, ...seal, ...text], ['text', 'redacted_thinking', 'text']],
    ['stays in front of everything', [...seal, ...text], ['redacted_thinking', 'text']],
    ['stays where there is nothing else', seal, ['redacted_thinking']],
    ['stays behind a call', [...call, ...seal], ['tool_use', 'redacted_thinking']],
    ['stays behind the last of several calls', [...text, ...call, ...seal, ...call, ...seal, ...seal], SEVERAL],
    ['is not the last block behind a call and a text', [...call, ...text, ...seal], ['tool_use', 'text']],
    ['is not mistaken for reasoning with text', [...text, ...thought], ['text', 'thinking']],
  ])('%s', (_name, parts, types) => {
    expect(streamedTypes(parts)).toEqual(types)
    expect(wholeTypes(parts)).toEqual(types)
  })

  it('is left out behind a call that was cut off, which has no whole form', () => {
    const parts = [...text, ...cutCall, ...seal]
    expect(streamedTypes(parts)).toEqual(['text', 'tool_use'])
    expect(wholeTypes(parts)).toEqual(['text'])
  })
})
