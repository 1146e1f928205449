// Reads a provider's whole answer in the messages format into parts: as the stream that it would be.

import { UpstreamFailure } from '#core/failure.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import { reportedFailure } from '#dialect/messages/errors.ts'
import { MessagesPartReader } from '#dialect/messages/read-stream.ts'
import type { AnswerPart } from '#dialect/part.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The parts of the answer. Throws UpstreamFailure for what is no message. */
export function readMessagesAnswer(
  answer: JsonObject,
  newCallId: () => string,
  generated?: GeneratedText,
): readonly AnswerPart[] {
  if (answer['type'] === 'error' || isRecord(answer['error'])) throw reportedFailure(answer, 'utf8')
  const { content, stop_reason: stopReason, stop_sequence: stopSequence, usage } = answer
  if (!Array.isArray(content)) throw new UpstreamFailure('malformed', 'The provider did not answer with a message.')
  const reader = new MessagesPartReader(newCallId, generated)
  const events: JsonObject[] = [
    { type: 'message_start', message: answer },
    ...content.flatMap((block: unknown, index): JsonObject[] => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: stopSequence }, usage },
    { type: 'message_stop' },
  ]
  return events.flatMap((event) => reader.readEvent(event))
}
