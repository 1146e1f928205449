// Writes a whole answer in the Gemini format. A tool call that was cut off is left out, so that nobody runs it.

import type { TokenUsage } from '#core/usage.ts'
import type { AnswerContext } from '#dialect/dialect.ts'
import { answerNames, callPart, EMPTY_PART, grounding, thoughtPart } from '#dialect/gemini/answer-parts.ts'
import { writeFinish } from '#dialect/gemini/finish-reasons.ts'
import { writeGeminiUsage } from '#dialect/gemini/usage.ts'
import { foldParts, type AnswerPart, type FoldedBlock, type FoldedChoice } from '#dialect/part.ts'
import type { JsonObject } from '#dialect/turn.ts'

export function writeGeminiAnswer(parts: readonly AnswerPart[], usage: TokenUsage, context: AnswerContext): string {
  const candidates = foldParts(parts).choices.map(writeCandidate)
  return JSON.stringify({ candidates, usageMetadata: writeGeminiUsage(usage), ...answerNames(context) })
}

function writeCandidate({ blocks, finish }: FoldedChoice, index: number): JsonObject {
  const isCall = ({ block }: FoldedBlock) => block.type === 'tool-call'
  const parts = blocks.flatMap(writeBlock)
  const finishReason = writeFinish({
    finish,
    hasToolCall: blocks.some((block) => isCall(block) && !block.isCut),
    hasCutCall: blocks.some((block) => isCall(block) && block.isCut),
    hasRefusal: blocks.some(({ block }) => block.type === 'refusal'),
  })
  const content = { parts: parts.length === 0 ? [EMPTY_PART] : parts, role: 'model' }
  return { content, finishReason, index, ...grounding(blocks.flatMap(({ citations }) => citations)) }
}

function writeBlock({ block, text, sealed, isCut }: FoldedBlock): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return text === '' ? [] : [{ text }]
    case 'reasoning':
      return text === '' && sealed === undefined ? [] : [thoughtPart(text, sealed)]
    case 'tool-call':
      return isCut ? [] : [callPart(block, text, sealed)]
  }
}
