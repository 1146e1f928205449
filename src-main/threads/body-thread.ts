// The body thread: reads bodies that are so long that reading them would hold up everybody who is served meanwhile. What it found goes
// back as a copy, which takes a fraction of the time, and in parts, each of which is asked for: what is taken over at once would hold
// others up again.

import { isUtf8 } from 'node:buffer'
import { parentPort } from 'node:worker_threads'
import { readNested, readText } from '#dialect/request-body.ts'
import type { BodyJob, BodyPart } from '#server/bodies/large-bodies.ts'

/** Taken over in some milliseconds. */
const PIECE_LENGTH = 4 * 1024 * 1024

const port = parentPort
if (port === null) throw new Error('this file runs as a worker thread only')

let parts: Iterator<BodyPart> | undefined
port.on('message', (message: BodyJob | 'next') => {
  if (message !== 'next') parts = partsOf(message)
  const part = parts?.next()
  port.postMessage(part?.done === false ? part.value : ({ type: 'end' } satisfies BodyPart))
})

function* partsOf({ bytes, member }: BodyJob): Generator<BodyPart> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!isUtf8(body)) return yield { type: 'not-utf8' }
  const all = body.toString('utf8')
  if (member === undefined) {
    const { text, scan, value } = readText(all)
    yield { type: 'read', scan, value }
    yield* piecesOf(text)
    return
  }
  const { value, inner } = readNested(all, member)
  const byteLength = Buffer.byteLength(inner?.text ?? '')
  yield { type: 'nested', outer: value, byteLength, inner: inner && { scan: inner.scan, value: inner.value } }
  yield* piecesOf(inner?.text ?? '')
}

function* piecesOf(text: string): Generator<BodyPart> {
  for (let from = 0; from < text.length; from += PIECE_LENGTH) {
    yield { type: 'text', piece: text.slice(from, from + PIECE_LENGTH) }
  }
}
