// Reads a whole chat completion for passing on: checks that it is one, finds its usage and measures its text.

import { UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { measureText } from '#dialect/chat-completions/measure.ts'
import { readUsage } from '#dialect/chat-completions/usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import { WholeAnswer } from '#dialect/whole-answer.ts'

export class ChatAnswerReader implements AnswerReader {
  readonly #whole = new WholeAnswer()
  usage: TokenUsage | undefined
  textBytes = 0
  isComplete = false

  push(chunk: Buffer): undefined {
    this.#whole.push(chunk)
  }

  end(): Buffer {
    // Text is measured in bytes, as it is in a stream.
    const answer = this.#whole.json('latin1')
    const choices = answer['choices']
    if (!Array.isArray(choices))
      throw new UpstreamFailure('malformed', 'The provider did not answer with a chat completion.')
    for (const choice of choices) if (isRecord(choice)) this.textBytes += measureText(choice['message'])
    this.usage = readUsage(answer['usage'])
    this.isComplete = true
    return this.#whole.bytes()
  }
}
