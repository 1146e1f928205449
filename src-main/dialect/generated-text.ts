// What a model generated, kept for as long as its exchange runs: it is counted where a provider reports no usage, or the
// answer broke off before it could. It is never stored.

/** Beyond this many characters only the size is kept; the count of the rest follows from the part that is known. */
const MAX_KEPT = 512 * 1024

/** Pieces that are put together once there are so many: as a string of its own each takes more than its few characters do. */
const PIECES_TOGETHER = 64

export class GeneratedText {
  readonly #encoding: 'latin1' | 'utf8'
  readonly #blocks: string[] = []
  #pieces: string[] = []
  #kept = 0
  /** What was added since it was asked for; undefined while nobody has asked. */
  #fresh: string[] | undefined
  #freshLength = 0
  /** Bytes of all text so far, in UTF-8. */
  bytes = 0
  /** The same without what is not text: no tokenizer says how many tokens that is. */
  textBytes = 0
  /** What was added last. */
  latest = ''

  /** `latin1`: the texts that are added have one character for each byte. */
  constructor(encoding: 'latin1' | 'utf8') {
    this.#encoding = encoding
  }

  add(text: string): void {
    if (text === '') return
    this.latest = text
    const bytes = this.#encoding === 'latin1' ? text.length : Buffer.byteLength(text)
    this.bytes += bytes
    this.textBytes += bytes
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
    return this.#encoding === 'latin1' ? Buffer.from(text, 'latin1').toString('utf8') : text
  }
}
