// Passes a whole answer on in its own dialect: checks that it is one, finds its usage and measures its text. What the answer says
// tells the dialect's tap.

import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'
import { WholeAnswer } from '#dialect/whole-answer.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What a whole answer of one dialect says. */
export type AnswerTap = {
  /** How the answer is read. As latin1 its texts are measured in bytes, as they are in a stream. */
  readonly encoding: 'latin1' | 'utf8'
  /**
   * Takes note of what the answer holds, and returns its usage. Throws UpstreamFailure for what is no answer of the dialect.
   * `inWords` reads the answer as UTF-8, for words that are meant for the client.
   */
  read(answer: JsonObject, generated: GeneratedText, inWords: () => JsonObject): TokenUsage | undefined
}

export class PassAnswer implements AnswerReader {
  readonly #tap: AnswerTap
  readonly #whole = new WholeAnswer()
  readonly generated: GeneratedText
  readonly reported: ReportedUsage
  isComplete = false

  /** `audioFormat`: in which the request asked for sound. */
  constructor(tap: AnswerTap, audioFormat?: string) {
    this.#tap = tap
    this.generated = new GeneratedText(tap.encoding)
    this.generated.audioFormat = audioFormat
    this.reported = new ReportedUsage(this.generated)
  }

  get usage(): TokenUsage | undefined {
    return this.reported.usage
  }

  push(chunk: Buffer): undefined {
    this.#whole.push(chunk)
  }

  end(): void {
    const answer = this.#whole.json(this.#tap.encoding)
    this.reported.note(this.#tap.read(answer, this.generated, () => this.#whole.json()))
    this.reported.noteComplete()
    this.isComplete = true
  }

  final(): Buffer {
    return this.#whole.bytes()
  }
}
