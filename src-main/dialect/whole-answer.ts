// An answer that is sent on only as a whole: collected within a bound, then read as JSON.

import { UpstreamFailure } from '#core/failure.ts'
import { MAX_ANSWER_BYTES } from '#dialect/answer.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'

/** Collects the bytes of an answer that is sent on only as a whole. */
export class WholeAnswer {
  readonly #chunks: Buffer[] = []
  #length = 0

  push(chunk: Buffer): undefined {
    this.#length += chunk.length
    if (this.#length > MAX_ANSWER_BYTES)
      throw new UpstreamFailure('too_large', 'The provider sent too large an answer.')
    this.#chunks.push(chunk)
  }

  bytes(): Buffer {
    const [first] = this.#chunks
    return this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks)
  }

  /**
   * The answer as a JSON object; read as latin1, each character of its text is one byte. Throws UpstreamFailure for anything
   * else.
   */
  json(encoding: 'utf8' | 'latin1' = 'utf8'): Readonly<Record<string, unknown>> {
    const value = parseJson(this.bytes().toString(encoding))
    if (!isRecord(value)) throw new UpstreamFailure('malformed', 'The provider did not answer with a JSON object.')
    return value
  }
}
