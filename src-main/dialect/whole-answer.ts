// An answer that is sent on only as a whole: collected within a bound, then read as JSON.

import { joinedWithoutMark } from '#core/byte-order-mark.ts'
import { brokenOutput, UpstreamFailure } from '#core/failure.ts'
import { MAX_ANSWER_BYTES } from '#dialect/answer.ts'
import { JsonMeter, type JsonBounds, type JsonExcess } from '#dialect/json-meter.ts'
import { ANSWER_BOUNDS, isRecord, parseMeasured, SHORT_LENGTH } from '#dialect/request-body.ts'

const NOTHING = Buffer.alloc(0)

/** Collects the bytes of an answer that is sent on only as a whole. */
export class WholeAnswer {
  readonly #chunks: Buffer[] = []
  readonly #bounds: JsonBounds
  /** undefined for an answer that is short so far: what it is made of is no work worth bounding. */
  #meter: JsonMeter | undefined
  #length = 0
  #all: Buffer | undefined

  constructor(bounds: JsonBounds = ANSWER_BOUNDS) {
    this.#bounds = bounds
  }

  push(chunk: Buffer): undefined {
    this.#length += chunk.length
    if (this.#length > MAX_ANSWER_BYTES)
      throw new UpstreamFailure('too_large', 'The provider sent too large an answer.')
    this.#chunks.push(chunk)
    if (this.#length > SHORT_LENGTH) this.#measure(chunk)
  }

  #measure(chunk: Buffer): void {
    const excess = this.#meter === undefined ? this.#measureAll() : this.#meter.push(chunk)
    if (excess === 'too-deep') throw brokenOutput('The provider sent JSON that is nested too deeply.')
    if (excess === 'too-many') throw new UpstreamFailure('too_large', 'The provider sent an answer of too many parts.')
  }

  #measureAll(): JsonExcess | undefined {
    this.#meter = new JsonMeter(this.#bounds)
    for (const chunk of this.#chunks) this.#meter.push(chunk)
    return this.#meter.push(NOTHING)
  }

  /**
   * What came, without the byte order mark that some servers write and that JSON has no place for. Asked for when all is there: it is
   * put together once, to be read and to be sent.
   */
  bytes(): Buffer {
    this.#all ??= joinedWithoutMark(this.#chunks)
    return this.#all
  }

  /**
   * The answer as a JSON object; read as latin1, each character of its text is one byte. Throws UpstreamFailure for anything
   * else.
   */
  json(encoding: 'utf8' | 'latin1' = 'utf8'): Readonly<Record<string, unknown>> {
    const value = parseMeasured(this.bytes().toString(encoding))
    if (!isRecord(value)) throw new UpstreamFailure('malformed', 'The provider did not answer with a JSON object.')
    return value
  }
}
