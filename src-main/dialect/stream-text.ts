// The bytes of a stream as text, whatever pieces they come in: a character that is cut in two comes with the piece that ends it.

/** What any byte of a character that takes more than one has set. */
const NO_ASCII = 0x80
const IN_PIECES = { stream: true }

export class StreamText {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: false })
  /** Whether the stream has begun, and nothing of a character is held back. */
  #isEven = false

  /** Bytes that are not UTF-8 become U+FFFD; a byte order mark at the begin is left out. */
  decode(bytes: Buffer): string {
    const isWhole = (bytes[bytes.length - 1] ?? NO_ASCII) < NO_ASCII
    // Nearly every piece ends with an event. Read at once, plain text takes a byte for each character in memory; the decoder takes two.
    if (this.#isEven && isWhole) return bytes.toString('utf8')
    const text = this.#decoder.decode(bytes, IN_PIECES)
    this.#isEven = isWhole
    return text
  }
}
