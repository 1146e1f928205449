// What is left of a JSON text without its long strings: an answer of many megabytes says in them what it brings, and around them what
// it came to. Only that is kept while the text passes by.

import { joinedWithoutMark } from '#core/byte-order-mark.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** A longer string reads as an empty one. */
const MAX_STRING_BYTES = 4096
const MAX_BYTES = 256 * 1024

export class JsonSkeleton {
  #kept: Buffer[] = []
  #length = 0
  #isInString = false
  /** Of the string that is being read, while it is not too long. */
  #string: Buffer[] = []
  #stringLength = 0
  /** Whether the last byte of a string takes the meaning of the next one. */
  #escapes = false

  /** Throws UpstreamFailure for a text of which too much would be kept. */
  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;)
      at = this.#isInString ? this.#readString(chunk, at) : this.#readBetween(chunk, at)
  }

  /** What the text says, as far as it was kept; undefined where it is no JSON object. */
  value(): Readonly<Record<string, unknown>> | undefined {
    const value = parseJson(joinedWithoutMark(this.#kept).toString('utf8'))
    return isRecord(value) ? value : undefined
  }

  /** Keeps what stands up to the next string, with its first quote. */
  #readBetween(chunk: Buffer, from: number): number {
    const quote = chunk.indexOf(QUOTE, from)
    const to = quote === -1 ? chunk.length : quote + 1
    this.#keep(chunk.subarray(from, to))
    this.#isInString = quote !== -1
    return to
  }

  #readString(chunk: Buffer, from: number): number {
    const quote = chunk.indexOf(QUOTE, from)
    const to = quote === -1 ? chunk.length : quote
    this.#escapes = endsInEscape(chunk, { from, to }, this.#escapes)
    if (quote === -1 || this.#escapes) {
      const end = quote === -1 ? to : to + 1
      this.#addToString(chunk.subarray(from, end))
      if (quote !== -1) this.#escapes = false
      return end
    }
    this.#addToString(chunk.subarray(from, to))
    this.#endString()
    return to + 1
  }

  #addToString(bytes: Buffer): void {
    this.#stringLength += bytes.length
    // A view of the chunk would hold all of it in memory.
    if (this.#stringLength <= MAX_STRING_BYTES) this.#string.push(Buffer.from(bytes))
    else this.#string = []
  }

  #endString(): void {
    for (const bytes of this.#string) this.#keep(bytes)
    this.#keep(Buffer.of(QUOTE))
    this.#string = []
    this.#stringLength = 0
    this.#isInString = false
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length > MAX_BYTES)
      throw new UpstreamFailure('too_large', 'The provider sent an answer of too many parts.')
    this.#kept.push(Buffer.from(bytes))
  }
}

/** Whether an odd number of backslashes ends a part of a string; `escapes` is the same of what came before it. */
function endsInEscape(chunk: Buffer, { from, to }: { from: number; to: number }, escapes: boolean): boolean {
  let at = to
  while (at > from && chunk[at - 1] === BACKSLASH) at -= 1
  const isOdd = (to - at) % 2 === 1
  return at === from && escapes ? !isOdd : isOdd
}
