// What a whole chat completion says, for passing it on.

import { addBeside, addGenerated } from '#dialect/chat-completions/measure.ts'
import { noChoices } from '#dialect/chat-completions/read-answer.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import { readAnswerUsage } from '#dialect/chat-completions/usage.ts'
import { AsideMembers } from '#dialect/output-rules.ts'
import type { AnswerTap } from '#dialect/pass-answer.ts'
import { isRecord } from '#dialect/request-body.ts'

export const CHAT_ANSWER_TAP: AnswerTap = {
  encoding: 'latin1',
  read(answer, generated, inWords) {
    const { error, choices } = answer
    if (error !== undefined && error !== null) throw reportedError(inWords()['error'])
    if (!Array.isArray(choices) || choices.length === 0) throw noChoices(answer)
    for (const choice of choices) if (isRecord(choice)) addGenerated(generated, choice['message'])
    addBeside(new AsideMembers(generated), answer)
    return readAnswerUsage(answer)
  },
}
