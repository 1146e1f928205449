// What a model generated, kept for as long as its exchange runs: it is counted where a provider reports no usage, or the
// answer broke off before it could. It is never stored. Text is counted by a tokenizer; output of any other form by its size.

import { estimateOutputTokens } from '#core/estimate.ts'
import { addedMedia, otherOutput, type MediaTokens, type OtherOutput } from '#dialect/other-output.ts'
import type { OutputSink } from '#dialect/output-rules.ts'

/** Beyond this many characters only the size is kept; the count of the rest follows from the part that is known. */
const MAX_KEPT = 512 * 1024

/** Pieces that are put together once there are so many: as a string of its own each takes more than its few characters do. */
const PIECES_TOGETHER = 64

export class GeneratedText implements OutputSink {
  readonly encoding: 'latin1' | 'utf8'
  readonly #blocks: string[] = []
  #pieces: string[] = []
  #kept = 0
  /** What was added since it was asked for; undefined while nobody has asked. */
  #fresh: string[] | undefined
  #freshLength = 0
  audioFormat: string | undefined
  /** Bytes of all output so far, in UTF-8. Output that is no text has as many as a text of as many tokens. */
  bytes = 0
  /** The part of `bytes` that is no text. */
  otherBytes = 0
  /** Tokens of images and sound; undefined where there are none. */
  media: MediaTokens | undefined
  /** What was added last; empty where that is no text. */
  latest = ''

  /** `latin1`: the texts that are added have one character for each byte. */
  constructor(encoding: 'latin1' | 'utf8') {
    this.encoding = encoding
  }

  get textBytes(): number {
    return this.bytes - this.otherBytes
  }

  /** Tokens of the output that is no text. */
  get otherTokens(): number {
    return estimateOutputTokens(this.otherBytes)
  }

  add(text: string): void {
    if (text === '') return
    this.latest = text
    this.bytes += this.encoding === 'latin1' ? text.length : Buffer.byteLength(text)
    if (this.#fresh !== undefined && this.#freshLength < MAX_KEPT) {
      this.#fresh.push(text)
      this.#freshLength += text.length
    }
    if (this.#kept >= MAX_KEPT) return
    this.#kept += text.length
    if (this.#pieces.push(text) < PIECES_TOGETHER) return
    this.#blocks.push(this.#pieces.join(''))
    this.#pieces = []
  }

  addOther({ bytes, media }: OtherOutput): void {
    if (bytes <= 0) return
    this.latest = ''
    this.bytes += bytes
    this.otherBytes += bytes
    if (media !== undefined) this.media = addedMedia(this.media, media)
  }

  addValue(value: unknown): void {
    this.addOther(otherOutput(value, this.encoding))
  }

  /** The text that was kept: all of it, or its beginning. */
  text(): string {
    return this.#decoded(this.#blocks.join('') + this.#pieces.join(''))
  }

  /** The text since this was asked the last time, the first time all that was kept. Of very much, only the beginning. */
  takeNew(): string {
    const text = this.#fresh === undefined ? this.text() : this.#decoded(this.#fresh.join(''))
    this.#fresh = []
    this.#freshLength = 0
    return text
  }

  #decoded(text: string): string {
    return this.encoding === 'latin1' ? Buffer.from(text, 'latin1').toString('utf8') : text
  }
}
