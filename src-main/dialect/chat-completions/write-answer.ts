// Writes a whole chat completion: what the stream of the same parts adds up to, but for tool calls that were cut off, which
// are left out.

import type { TokenUsage } from '#core/usage.ts'
import { answerHead, wantsFunctionCall } from '#dialect/chat-completions/answer-head.ts'
import { writeFinish } from '#dialect/chat-completions/finish-reasons.ts'
import { writeGoogleSeal } from '#dialect/chat-completions/google-seal.ts'
import { writeReasoningDetails } from '#dialect/chat-completions/reasoning-details.ts'
import { writeUsage } from '#dialect/chat-completions/usage.ts'
import { citation } from '#dialect/chat-completions/write-stream.ts'
import type { AnswerContext } from '#dialect/dialect.ts'
import { foldParts, type AnswerPart, type FoldedBlock, type FoldedChoice } from '#dialect/part.ts'
import type { JsonObject } from '#dialect/turn.ts'

export function writeChatAnswer(parts: readonly AnswerPart[], usage: TokenUsage, context: AnswerContext): string {
  const isOldForm = wantsFunctionCall(context)
  const { id, created, model } = answerHead(context)
  const choices = foldParts(parts).choices.map((choice, index) => writeChoice(choice, index, isOldForm))
  return JSON.stringify({ id, object: 'chat.completion', created, model, choices, usage: writeUsage(usage) })
}

function writeChoice({ blocks, finish }: FoldedChoice, index: number, isOldForm: boolean): JsonObject {
  const calls = blocks.filter(({ block, isCut }) => block.type === 'tool-call' && !isCut)
  const reason = finish === 'tool-calls' && isOldForm ? 'function_call' : writeFinish(finish)
  const message = { role: 'assistant', ...writeTexts(blocks, calls.length > 0), ...writeCalls(calls, isOldForm) }
  return { index, message, logprobs: null, finish_reason: reason }
}

function writeTexts(blocks: readonly FoldedBlock[], hasCalls: boolean): JsonObject {
  const text = textOf(blocks, 'text')
  const refusal = textOf(blocks, 'refusal')
  const reasoning = textOf(blocks, 'reasoning')
  const sealed = blocks.filter(({ block }) => block.type === 'reasoning')
  const details = sealed.flatMap((block) => (block.sealed === undefined ? [] : [{ ...block, sealed: block.sealed }]))
  const citations = blocks.flatMap((block) => block.citations)
  return {
    content: text === '' && (hasCalls || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0
      ? {}
      : { reasoning_details: details.flatMap((detail, at) => writeReasoningDetails(detail.text, detail.sealed, at)) }),
    ...(citations.length === 0 ? {} : citation(citations)),
  }
}

function textOf(blocks: readonly FoldedBlock[], type: 'text' | 'refusal' | 'reasoning'): string {
  return blocks.map((folded) => (folded.block.type === type ? folded.text : '')).join('')
}

function writeCalls(calls: readonly FoldedBlock[], isOldForm: boolean): JsonObject {
  const written = calls.flatMap((folded) => writeCall(folded, isOldForm))
  const [first] = written
  if (first === undefined) return {}
  return isOldForm ? { function_call: first } : { tool_calls: written }
}

function writeCall({ block, text, sealed }: FoldedBlock, isOldForm: boolean): JsonObject[] {
  if (block.type !== 'tool-call') return []
  const { id, name } = block
  const called = { name, arguments: text === '' ? '{}' : text }
  if (isOldForm) return [called]
  const call =
    block.kind === 'custom'
      ? { id, type: 'custom', custom: { name, input: text } }
      : { id, type: 'function', function: called }
  return [{ ...call, ...writeGoogleSeal(sealed) }]
}
