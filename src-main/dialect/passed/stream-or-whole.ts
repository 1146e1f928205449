// An answer that was asked for as a stream and may come as a whole: some models do not stream, and answer as if nobody had asked.

import type { Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { AnswerReader, WireBytes } from '#dialect/answer.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import type { ReportedUsage } from '#dialect/reported-usage.ts'

const NOTHING = Buffer.alloc(0)
const BRACE = 0x7b
const MAX_SPACE = 0x20

export class StreamOrWhole implements AnswerReader {
  #reader: AnswerReader
  /** Takes over where the first thing that comes is an object. */
  #whole: (() => AnswerReader) | undefined

  constructor(stream: AnswerReader, whole: () => AnswerReader) {
    this.#reader = stream
    this.#whole = whole
  }

  get usage(): TokenUsage | undefined {
    return this.#reader.usage
  }

  get reported(): ReportedUsage {
    return this.#reader.reported
  }

  get generated(): GeneratedText {
    return this.#reader.generated
  }

  get isComplete(): boolean {
    return this.#reader.isComplete
  }

  push(chunk: Buffer): WireBytes | undefined {
    const first = this.#whole === undefined ? undefined : chunk.find((byte) => byte > MAX_SPACE)
    if (first === BRACE) this.#reader = this.#whole?.() ?? this.#reader
    if (first !== undefined) this.#whole = undefined
    // Space before the first thing means nothing in either.
    return this.#whole === undefined ? this.#reader.push(chunk) : undefined
  }

  end(): void {
    this.#reader.end()
  }

  final(usage: TokenUsage): WireBytes {
    return this.#reader.final(usage)
  }

  fail(refusal: Refusal, requestId: string): WireBytes {
    return this.#reader.fail?.(refusal, requestId) ?? NOTHING
  }

  cutShort(usage: TokenUsage): WireBytes {
    return this.#reader.cutShort?.(usage) ?? NOTHING
  }

  keepAlive(): WireBytes | undefined {
    return this.#whole === undefined ? this.#reader.keepAlive?.() : undefined
  }
}
