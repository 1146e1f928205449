// A long body on its way to a provider: made into bytes piece by piece, so that nobody waits until all of it has been.

import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { UploadBody } from '#dialect/form.ts'

/** What is longer is sent in pieces. */
const LONG = 1024 * 1024
const PIECE_LENGTH = 128 * 1024

/** A text, or its bytes where it was written elsewhere, or a form that is not in memory. */
export type Body = string | Uint8Array | UploadBody

export function isLong(body: Body): boolean {
  return isUpload(body) || body.length > LONG
}

function isUpload(body: Body): body is UploadBody {
  return typeof body !== 'string' && 'read' in body
}

/** A text that was put together becomes one piece of memory when it is first looked at. That has a turn of its own. */
export async function settle(text: Body): Promise<void> {
  if (typeof text !== 'string') return
  await nextTurn()
  text.charCodeAt(0)
  await nextTurn()
}

/** What undici takes as the body: itself, or its pieces, which say no length of their own. */
export function bodyOf(body: Body): {
  readonly body: string | Uint8Array | Readable
  readonly headers: Readonly<Record<string, string>>
} {
  if (isUpload(body)) {
    const headers = { 'content-type': body.mediaType, 'content-length': String(body.byteLength) }
    return { body: streamOf(body), headers }
  }
  if (!isLong(body)) return { body, headers: {} }
  return { body: streamOf(body), headers: { 'content-length': String(Buffer.byteLength(body)) } }
}

function streamOf(body: Body): Readable {
  return Readable.from(piecesOf(body), { objectMode: false })
}

/** The bytes of a body, with a turn of the loop between the pieces of one that is in memory. */
export async function* piecesOf(text: Body): AsyncGenerator<Uint8Array> {
  if (isUpload(text)) return yield* text.read()
  if (typeof text !== 'string') return yield* partsOf(text)
  for (let from = 0; from < text.length;) {
    const end = Math.min(text.length, from + PIECE_LENGTH)
    // Both halves of a character that is written as two stay together.
    const to = end < text.length && isFirstHalf(text.charCodeAt(end - 1)) ? end + 1 : end
    yield Buffer.from(text.slice(from, to))
    from = to
    await nextTurn()
  }
}

async function* partsOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE_LENGTH) {
    yield bytes.subarray(from, from + PIECE_LENGTH)
    await nextTurn()
  }
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
