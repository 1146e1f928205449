// Reads a whole answer in the messages format for passing on: checks that it is one, finds its usage and measures its text.

import { UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { reportedFailure } from '#dialect/messages/errors.ts'
import { addGeneratedBlock } from '#dialect/messages/measure.ts'
import { readMessagesUsage } from '#dialect/messages/usage.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import { WholeAnswer } from '#dialect/whole-answer.ts'

export class MessagesPassAnswer implements AnswerReader {
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
    if (answer['type'] === 'error' || isRecord(answer['error'])) throw reportedFailure(answer, 'latin1')
    const content = answer['content']
    if (!Array.isArray(content)) throw new UpstreamFailure('malformed', 'The provider did not answer with a message.')
    for (const block of content) addGeneratedBlock(this.generated, block)
    this.reported.note(readMessagesUsage(answer['usage']))
    this.reported.noteComplete()
    this.isComplete = true
  }

  final(): Buffer {
    return this.#whole.bytes()
  }
}
