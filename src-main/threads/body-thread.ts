// The body thread: reads bodies that are so long that reading them would hold up everybody who is served meanwhile, and writes large
// conversations for their providers. A conversation stays here: what is found out about it goes back, and the bytes that a provider is
// sent. Of other bodies a copy goes back, in parts, each of which is asked for: what is taken over at once would hold others up again.

import { isUtf8 } from 'node:buffer'
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { readNested, readText } from '#dialect/request-body.ts'
import type { BodyAnswer, WrittenBody, WrittenCount } from '#pipeline/body-questions.ts'
import { BodyWork } from '#pipeline/body-work.ts'
import type { BodyAsking, BodyJob, BodyReply } from '#server/bodies/body-jobs.ts'

/** Taken over in some milliseconds. */
const PIECE_LENGTH = 4 * 1024 * 1024

/** Niceness, of at most 19: enough for others to go first, and not so much that a busy machine never comes to it. */
const BEHIND = 5

const port = parentPort
if (port === null) throw new Error('this file runs as a worker thread only')

stepBack()

let parts: Iterator<BodyReply> | undefined
const works = new Map<number, BodyWork>()

port.on('message', (job: BodyJob) => {
  if (job.type === 'forget') return void works.delete(job.id)
  if (job.type === 'ask') return answer(job)
  if (job.type === 'text') parts = partsOf(job)
  const part = parts?.next()
  port.postMessage(part?.done === false ? part.value : ({ type: 'end' } satisfies BodyReply))
})

/**
 * Lets the main thread have a processor first where there are too few: what is done here takes long in any case. On Linux a thread has a
 * priority of its own, by its id; elsewhere there is no way to give it one.
 */
function stepBack(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), BEHIND)
  } catch {
    // A sandbox may forbid it, and everything works without.
  }
}

function answer({ id, kind, bytes, named, question }: BodyAsking): void {
  try {
    const work = works.get(id) ?? read({ kind, bytes })
    if (work === undefined) return post({ type: 'not-utf8', bytes }, [bytes])
    works.set(id, work)
    const found = work.answer(question, named)
    const sent = isWritten(found) ? inBytes(found) : undefined
    post({ type: 'answer', answer: sent ?? found, bytes }, [bytes, sent?.body])
  } catch (error) {
    post({ type: 'fault', error, bytes }, [bytes])
  }
}

/** undefined for what is no UTF-8. */
function read({ kind, bytes }: Pick<BodyAsking, 'kind' | 'bytes'>): BodyWork | undefined {
  if (bytes === undefined) throw new Error('a conversation was asked about that is not known here')
  const text = textOf(bytes)
  return text === undefined ? undefined : new BodyWork(kind, readText(text), bytes.byteLength)
}

function post(reply: BodyReply, transferred: readonly (Uint8Array | undefined)[]): void {
  const buffers = transferred.flatMap((bytes) => (bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : []))
  port?.postMessage(reply, buffers)
}

function isWritten(found: BodyAnswer): found is WrittenBody | WrittenCount {
  return found !== undefined && 'body' in found
}

/** Bytes are handed over as they are; a text would be copied, and made into bytes where others wait for it. */
function inBytes<Written extends WrittenBody | WrittenCount>(written: Written) {
  const { body } = written
  return { ...written, body: typeof body === 'string' ? new TextEncoder().encode(body) : body }
}

function textOf(bytes: Uint8Array): string | undefined {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return isUtf8(body) ? body.toString('utf8') : undefined
}

function* partsOf({ bytes, member }: Extract<BodyJob, { type: 'text' }>): Generator<BodyReply> {
  const all = textOf(bytes)
  if (all === undefined) return yield { type: 'not-utf8' }
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

function* piecesOf(text: string): Generator<BodyReply> {
  for (let from = 0; from < text.length; from += PIECE_LENGTH) {
    yield { type: 'text', piece: text.slice(from, from + PIECE_LENGTH) }
  }
}
