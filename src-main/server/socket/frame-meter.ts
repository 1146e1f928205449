// Follows the frames of a WebSocket (RFC 6455, section 5.2) as their bytes arrive, to say how much of each message is there before the library
// has it whole. Control frames, which may stand between the frames of a message, are no part of one. It checks nothing: what is wrong with a
// frame is the library's to say.

/** Two bytes, an extended length and a mask. */
const MAX_HEAD_BYTES = 14
const FINAL = 0x80
const CONTROL = 0x08
const MASKED = 0x80
const LENGTH_16 = 126
const LENGTH_64 = 127

export type FrameListener = {
  /** So many bytes of a message have arrived, its heads among them. */
  readonly messageBytes: (count: number) => void
  /** The message is there as a whole. */
  readonly messageEnd: () => void
}

export class FrameMeter {
  readonly #listener: FrameListener
  readonly #head = Buffer.alloc(MAX_HEAD_BYTES)
  #headBytes = 0
  /** Of the present frame, once its head is there. */
  #payloadLeft = 0

  constructor(listener: FrameListener) {
    this.#listener = listener
  }

  read(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      const from = at
      at = this.#isHeadWhole() ? at : this.#readHead(chunk, at)
      const payload = this.#isHeadWhole() ? Math.min(this.#payloadLeft, chunk.length - at) : 0
      at += payload
      this.#payloadLeft -= payload
      this.#count(at - from)
    }
  }

  /** Takes what is missing of the head; returns where it ends in the chunk. */
  #readHead(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length && !this.#isHeadWhole()) this.#head[this.#headBytes++] = chunk[at++] ?? 0
    if (this.#isHeadWhole()) this.#payloadLeft = this.#payloadBytes()
    return at
  }

  #isHeadWhole(): boolean {
    return this.#headBytes >= 2 && this.#headBytes >= this.#neededHeadBytes()
  }

  #neededHeadBytes(): number {
    const second = this.#head[1] ?? 0
    const length = second & ~MASKED
    const extended = length === LENGTH_64 ? 8 : length === LENGTH_16 ? 2 : 0
    return 2 + extended + ((second & MASKED) === 0 ? 0 : 4)
  }

  #payloadBytes(): number {
    const length = (this.#head[1] ?? 0) & ~MASKED
    if (length === LENGTH_16) return this.#head.readUInt16BE(2)
    // The library refuses what is larger than can be counted.
    return length === LENGTH_64 ? Number(this.#head.readBigUInt64BE(2)) : length
  }

  #count(bytes: number): void {
    const first = this.#head[0] ?? 0
    const isMessage = (first & CONTROL) === 0
    if (isMessage) this.#listener.messageBytes(bytes)
    if (!this.#isHeadWhole() || this.#payloadLeft > 0) return
    this.#headBytes = 0
    if (isMessage && (first & FINAL) !== 0) this.#listener.messageEnd()
  }
}
