// A whole answer that was asked for as a stream: some servers compute a whole answer to its end when its client leaves, and stop only
// streams. What comes is added up to the whole answer and read as one, so that nobody behind this knows.

import { UpstreamFailure } from '#core/failure.ts'
import type { TokenUsage } from '#core/usage.ts'
import { MAX_ANSWER_BYTES, type AnswerReader, type WireBytes } from '#dialect/answer.ts'
import type { GeneratedText } from '#dialect/generated-text.ts'
import type { ReportedUsage } from '#dialect/reported-usage.ts'
import { eventData, eventName, EventSplitter } from '#dialect/sse.ts'
import { StreamText } from '#dialect/stream-text.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Adds the events of a dialect's stream up. Methods throw UpstreamFailure for what is not of the dialect. */
export interface StreamFold {
  read(data: string, event: string | undefined): void
  /** What the provider would have sent as a whole. */
  whole(): JsonObject
  /** True once the dialect's terminal event was read. */
  readonly isComplete: boolean
}

export class FoldedAnswer implements AnswerReader {
  readonly #inner: AnswerReader
  readonly #fold: StreamFold
  readonly #text = new StreamText()
  readonly #splitter = new EventSplitter()
  #length = 0

  /** `inner` reads the whole answer of the same dialect. */
  constructor(inner: AnswerReader, fold: StreamFold) {
    this.#inner = inner
    this.#fold = fold
  }

  get isComplete(): boolean {
    return this.#fold.isComplete
  }

  get usage(): TokenUsage | undefined {
    return this.#inner.usage
  }

  get reported(): ReportedUsage {
    return this.#inner.reported
  }

  get generated(): GeneratedText {
    return this.#inner.generated
  }

  push(chunk: Buffer): undefined {
    if (this.isComplete) return
    this.#length += chunk.length
    if (this.#length > MAX_ANSWER_BYTES) throw new UpstreamFailure('too_large', 'The provider sent too long a stream.')
    for (const event of this.#splitter.push(this.#text.decode(chunk))) this.#read(event)
  }

  end(): void {
    // Some servers leave out the blank line behind their last event.
    if (this.#splitter.rest.trim() !== '') this.#read(`${this.#splitter.rest}\n\n`)
    this.#inner.push(Buffer.from(JSON.stringify(this.#fold.whole())))
    this.#inner.end()
  }

  final(usage: TokenUsage): WireBytes {
    return this.#inner.final(usage)
  }

  #read(event: string): void {
    const data = this.isComplete ? undefined : eventData(event)
    if (data !== undefined) this.#fold.read(data, eventName(event))
  }
}
