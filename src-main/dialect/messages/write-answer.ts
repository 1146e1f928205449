// Writes a whole answer in the messages format.

import { append } from '#core/append.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerContext } from '#dialect/dialect.ts'
import {
  callSealBlock,
  callSealSignature,
  messageHead,
  takesThinking,
  thinkingBlock,
  webCitation,
} from '#dialect/messages/answer-blocks.ts'
import { stopMembers, writeFinish } from '#dialect/messages/finish-reasons.ts'
import { readInput } from '#dialect/tool-input.ts'
import { writeMessagesUsage } from '#dialect/messages/usage.ts'
import { foldParts, type AnswerPart, type FoldedBlock } from '#dialect/part.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The answer as JSON text. The format has one choice; a tool call that was cut off is left out, so that nobody runs it. */
export function writeMessagesAnswer(parts: readonly AnswerPart[], usage: TokenUsage, context: AnswerContext): string {
  const [choice] = foldParts(parts).choices
  const blocks = choice?.blocks ?? []
  const isCall = (block: FoldedBlock) => block.block.type === 'tool-call'
  const reason = writeFinish({
    finish: choice?.finish,
    hasToolCall: blocks.some((block) => isCall(block) && !block.isCut),
    hasCutCall: blocks.some((block) => isCall(block) && block.isCut),
    hasRefusal: blocks.some((block) => block.block.type === 'refusal'),
  })
  const carriesSeals = takesThinking(context)
  return JSON.stringify({
    ...messageHead(context),
    content: withoutLastSeals(writeBlocks(blocks, carriesSeals)),
    ...stopMembers(reason, choice?.stopSequence),
    usage: writeMessagesUsage(usage),
  })
}

/**
 * Clients take a last block for the answer, so that an empty one never ends it behind a text: Claude Code would print nothing. Behind
 * a call a seal may be the call's, and nobody takes what is there for an answer.
 */
function withoutLastSeals(content: readonly JsonObject[]): readonly JsonObject[] {
  const last = content.findLastIndex(({ type, thinking }) => type !== 'redacted_thinking' && thinking !== '')
  return last === -1 || content[last]?.['type'] === 'tool_use' ? content : content.slice(0, last + 1)
}

function writeBlocks(blocks: readonly FoldedBlock[], carriesSeals: boolean): readonly JsonObject[] {
  const content: JsonObject[] = []
  for (const folded of blocks) {
    const { block, sealed } = folded
    if (block.type === 'tool-call' && sealed !== undefined && carriesSeals && !folded.isCut) {
      const last = content.at(-1)
      if (last?.['type'] === 'thinking' && last['signature'] === '') {
        content[content.length - 1] = { ...last, signature: callSealSignature(sealed) }
      } else content.push(callSealBlock(sealed))
    }
    append(content, writeBlock(folded))
  }
  return content
}

function writeBlock(folded: FoldedBlock): readonly JsonObject[] {
  const { block, text, sealed, citations } = folded
  switch (block.type) {
    case 'text':
    case 'refusal': {
      if (text === '') return []
      if (citations.length === 0) return [{ type: 'text', text }]
      return [{ type: 'text', text, citations: citations.map(({ url, title }) => webCitation(url, title)) }]
    }
    case 'reasoning':
      return text === '' && sealed === undefined ? [] : [thinkingBlock(text, sealed)]
    case 'tool-call': {
      if (folded.isCut) return []
      // Broken arguments must not become an empty input, which a tool could run with.
      return [{ type: 'tool_use', id: block.id, name: block.name, input: readInput(text) ?? { _raw: text } }]
    }
  }
}
