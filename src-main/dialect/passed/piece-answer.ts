// Passes a whole answer on as it comes, for those that are too large to be kept or are no JSON: images, sound and plain text. Its last piece waits until its
// charge is on disk.

import { brokenOutput, UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage, Units } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { GeneratedText } from '#dialect/generated-text.ts'
import { ReportedUsage } from '#dialect/reported-usage.ts'

/** What such an answer says. Methods throw UpstreamFailure for what is none. */
export type PieceTap = {
  /** `generated` takes what of it is text. */
  push?(chunk: Buffer, generated: GeneratedText): void
  /** What the whole of it came to. */
  end(): TokenUsage | undefined
  /** What the whole of it lets one conclude where nobody counted. */
  likelyUnits?(): Units | undefined
}

/** Ten images of the largest size and quality, as text. */
const MAX_BYTES = 512 * 1024 * 1024
/** So much is kept before the client gets any of it: a short answer can still fail as a whole. */
const EARLY_BYTES = 16 * 1024

export class PieceAnswer implements AnswerReader {
  readonly #tap: PieceTap
  #held: Buffer[] = []
  #length = 0
  readonly generated = new GeneratedText('latin1')
  readonly reported = new ReportedUsage(this.generated)
  isComplete = false

  constructor(tap: PieceTap) {
    this.#tap = tap
  }

  get usage(): TokenUsage | undefined {
    return this.reported.usage
  }

  get likelyUnits(): Units | undefined {
    return this.isComplete ? this.#tap.likelyUnits?.() : undefined
  }

  push(chunk: Buffer): Buffer | undefined {
    this.#length += chunk.length
    if (this.#length > MAX_BYTES) throw new UpstreamFailure('too_large', 'The provider sent too large an answer.')
    this.#tap.push?.(chunk, this.generated)
    const before = this.#held
    if (this.#length <= EARLY_BYTES || before.length === 0) {
      before.push(chunk)
      return undefined
    }
    this.#held = [chunk]
    return joined(before)
  }

  end(): void {
    if (this.#length === 0) throw brokenOutput('The provider sent an empty answer.')
    this.reported.note(this.#tap.end())
    this.reported.noteComplete()
    this.isComplete = true
  }

  final(): Buffer {
    return joined(this.#held)
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}
