// Reads a whole answer of Converse: as the message that it would be.

import { UpstreamFailure } from '#core/failure.ts'
import { reportedFailure } from '#dialect/bedrock-converse/errors.ts'
import { messagesToolUse } from '#dialect/bedrock-converse/tool-use.ts'
import { messagesStopReason, messagesUsage } from '#dialect/bedrock-converse/usage.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import { readMessagesAnswer } from '#dialect/messages/read-answer.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The parts of the answer. Throws UpstreamFailure for what is none, and for an exception. */
export function readConverseAnswer(
  answer: JsonObject,
  newCallId: () => string,
  generated?: GeneratedText,
): readonly AnswerPart[] {
  const exception = answer['__type']
  if (typeof exception === 'string') throw reportedFailure(exception, answer)
  const { content } = recordOf(recordOf(answer['output'])['message'])
  if (!Array.isArray(content)) throw new UpstreamFailure('malformed', 'The provider did not answer with a message.')
  const message = {
    content: content.map((block) => messagesBlock(recordOf(block))),
    stop_reason: messagesStopReason(answer['stopReason']),
    usage: messagesUsage(answer['usage']),
  }
  return readMessagesAnswer(message, newCallId, generated)
}

/** A content block in the words of messages; one of no known type for what is newer than this code. */
function messagesBlock(block: JsonObject): JsonObject {
  const { text, toolUse, reasoningContent, citationsContent } = block
  if (typeof text === 'string') return { type: 'text', text }
  if (isRecord(toolUse)) return messagesToolUse(toolUse)
  if (isRecord(reasoningContent)) {
    const { reasoningText, redactedContent } = reasoningContent
    if (typeof redactedContent === 'string') return { type: 'redacted_thinking', data: redactedContent }
    const { text: thinking, signature } = recordOf(reasoningText)
    return { type: 'thinking', thinking, signature }
  }
  const { content } = recordOf(citationsContent)
  const texts = Array.isArray(content) ? content.map((piece) => recordOf(piece)['text']) : []
  return texts.length === 0
    ? { ...block, type: 'other' }
    : { type: 'text', text: texts.filter((piece) => typeof piece === 'string').join('') }
}
