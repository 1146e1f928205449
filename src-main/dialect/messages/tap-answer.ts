// What a whole answer in the messages format says, for passing it on.

import { UpstreamFailure } from '#core/failure.ts'
import { reportedFailure } from '#dialect/messages/errors.ts'
import { addGeneratedBlock } from '#dialect/messages/measure.ts'
import { readMessagesUsage } from '#dialect/messages/usage.ts'
import type { AnswerTap } from '#dialect/pass-answer.ts'
import { isRecord } from '#dialect/request-body.ts'

export const MESSAGES_ANSWER_TAP: AnswerTap = {
  encoding: 'latin1',
  read(answer, generated) {
    const { type, error, content, usage } = answer
    if (type === 'error' || isRecord(error)) throw reportedFailure(answer, 'latin1')
    if (!Array.isArray(content)) throw new UpstreamFailure('malformed', 'The provider did not answer with a message.')
    for (const block of content) addGeneratedBlock(generated, block)
    return readMessagesUsage(usage)
  },
}
