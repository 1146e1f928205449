// What completions of a text say, for passing them on.

import { UpstreamFailure } from '#core/failure.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import type { ChoiceForm } from '#dialect/chat-completions/tap-stream.ts'
import { readUsage } from '#dialect/chat-completions/usage.ts'
import type { AnswerTap } from '#dialect/pass-answer.ts'
import { isRecord } from '#dialect/request-body.ts'

/** Their choices hold a text, streamed or not. */
export const TEXT_CHOICES: ChoiceForm = {
  add(generated, { text }) {
    if (typeof text === 'string') generated.add(text)
  },
  empty: () => ({ text: '' }),
}

export const COMPLETION_ANSWER_TAP: AnswerTap = {
  encoding: 'latin1',
  read({ error, choices, usage }, generated, inWords) {
    if (error !== undefined && error !== null) throw reportedError(inWords()['error'])
    const isCompletion = Array.isArray(choices) && choices.length > 0
    if (!isCompletion || !choices.every((choice) => isRecord(choice) && typeof choice['text'] === 'string')) {
      throw new UpstreamFailure('malformed', 'The provider did not answer with a completion.')
    }
    for (const choice of choices) if (isRecord(choice)) TEXT_CHOICES.add(generated, choice)
    return readUsage(usage)
  },
}
