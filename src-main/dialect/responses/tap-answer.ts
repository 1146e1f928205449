// What a whole response says, for passing it on.

import type { AnswerTap } from '#dialect/pass-answer.ts'
import { addGeneratedOutput } from '#dialect/responses/measure.ts'
import { wholeOutput } from '#dialect/responses/read-answer.ts'
import { readResponsesUsage } from '#dialect/responses/usage.ts'

export const RESPONSES_ANSWER_TAP: AnswerTap = {
  encoding: 'utf8',
  read(response, generated) {
    addGeneratedOutput(generated, wholeOutput(response))
    return readResponsesUsage(response['usage'])
  },
}
