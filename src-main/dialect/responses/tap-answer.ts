// What a whole response says, for passing it on.

import type { AnswerTap } from '#dialect/pass-answer.ts'
import type { PassKeeper } from '#dialect/responses/kept-pass.ts'
import { addGeneratedOutput } from '#dialect/responses/measure.ts'
import { wholeOutput } from '#dialect/responses/read-answer.ts'
import { readResponsesUsage } from '#dialect/responses/usage.ts'

export const RESPONSES_ANSWER_TAP: AnswerTap = {
  encoding: 'utf8',
  read(response, generated) {
    addGeneratedOutput(generated, wholeOutput(response))
    return readResponsesUsage(response['usage'], response)
  },
}

/** The same for an answer that may be named later. */
export function keepingTap(keep: PassKeeper | undefined): AnswerTap {
  if (keep === undefined) return RESPONSES_ANSWER_TAP
  return {
    ...RESPONSES_ANSWER_TAP,
    read(response, generated, inWords) {
      const usage = RESPONSES_ANSWER_TAP.read(response, generated, inWords)
      keep(response, wholeOutput(response))
      return usage
    },
  }
}
