// How the chunks of a stream stand one behind the other: as server-sent events, or as the items of one JSON array, for clients that did not
// ask for events.

import type { Refusal } from '#core/refusal.ts'
import { geminiErrorBody } from '#dialect/gemini/errors.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'

export class StreamFrame {
  readonly isArray: boolean
  #hasBegun = false

  constructor(streamType: string | undefined) {
    this.isArray = streamType !== undefined
  }

  /** A chunk, which is JSON text. */
  chunk(json: string): string {
    if (!this.isArray) return `data: ${json}\n\n`
    const before = this.#hasBegun ? ',\r\n' : '['
    this.#hasBegun = true
    return before + json
  }

  /** What stands behind the last chunk. */
  end(): string {
    if (!this.isArray) return ''
    return this.#hasBegun ? ']' : '[]'
  }

  /** The error with which a stream ends that broke: Google's SDKs look for it in each chunk, and throw. */
  fail(refusal: Refusal, requestId: string): string {
    return this.chunk(geminiErrorBody(refusal, requestId)) + this.end()
  }

  /** Space between chunks. Google's SDK for Python takes a comment for a broken answer, so that there is none. */
  keepAlive(): string {
    return this.isArray ? '\n' : '\n\n'
  }
}

/** An error in place of a stream that would have been an array: it comes in one, too. What is no object stays as a provider sent it. */
export function inArray(body: Buffer): Buffer {
  const text = body.toString('utf8')
  return isRecord(parseJson(text)) ? Buffer.from(`[${text}]`) : body
}
