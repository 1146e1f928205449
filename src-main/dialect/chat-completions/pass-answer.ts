// Reads a whole chat completion for passing on: checks that it is one, finds its usage and measures its text.

import { UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { addGenerated } from '#dialect/chat-completions/measure.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import { readUsage } from '#dialect/chat-completions/usage.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import { WholeAnswer } from '#dialect/whole-answer.ts'

export class ChatPassAnswer implements AnswerReader {
  readonly #whole = new WholeAnswer()
  readonly generated = new GeneratedText('latin1')
  readonly reported = new ReportedUsage(this.generated)
  isComplete = false

  get usage(): TokenUsage | undefined {
    return this.reported.usage
  }

  push(chunk: Buffer): undefined {
    this.#whole.push(chunk)
  }

  end(): void {
    // Text is measured in bytes, as it is in a stream.
    const answer = this.#whole.json('latin1')
    if (answer['error'] !== undefined && answer['error'] !== null) throw this.#reported()
    const choices = answer['choices']
    if (!Array.isArray(choices) || choices.length === 0)
      throw new UpstreamFailure('malformed', 'The provider did not answer with a chat completion.')
    for (const choice of choices) if (isRecord(choice)) addGenerated(this.generated, choice['message'])
    this.reported.note(readUsage(answer['usage']))
    this.reported.noteComplete()
    this.isComplete = true
  }

  /** The words of an error are for the client, so they are read as text this time. */
  #reported(): UpstreamFailure {
    return reportedError(this.#whole.json()['error'])
  }

  final(): Buffer {
    return this.#whole.bytes()
  }
}
