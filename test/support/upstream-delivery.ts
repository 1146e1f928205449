// Sends a reply the way its behaviour says: in which writes, with which silences, and where the connection breaks.
// Every wait ends when the peer leaves or the provider is closed, so that no test leaves a timer behind.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { BodyPosition, Chunking, Transport } from './upstream-behaviour.ts'
import type { Reply } from './upstream-reply.ts'

export type Delivery = {
  readonly response: ServerResponse
  readonly reply: Reply
  readonly transport: Transport
  /** Aborted when the connection is gone. */
  readonly signal: AbortSignal
}

/** A reset discards what the peer's kernel has not yet handed over; this gives it the time to read. */
const SETTLE_BEFORE_RESET_MS = 20
const FOREVER_MS = 2 ** 31 - 1

/** Resolves when the reply is out, the connection was cut on purpose, or the peer left. */
export async function deliver(delivery: Delivery): Promise<void> {
  try {
    await deliverAll(delivery)
  } catch (error) {
    // Waiting and writing both throw when the peer has left, which is an ordinary end here.
    if (!delivery.signal.aborted && !isPeerGone(error)) throw error
  }
}

/** A write can fail before the connection's end is known. */
function isPeerGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ECANCELED' || code === 'ERR_STREAM_DESTROYED'
}

async function deliverAll(delivery: Delivery): Promise<void> {
  const { response, reply, transport } = delivery
  mustBeCuttable(delivery)
  await turn(delivery)
  await wait(transport.headersAfterMs ?? 0, delivery.signal)
  if (transport.cut?.at === 'before-headers') return cutNow(delivery)
  response.writeHead(reply.status, { ...lengthHeader(delivery), ...reply.headers })
  if (isSentAtOnce(delivery)) return void response.end(reply.parts[0])
  response.flushHeaders()
  if (transport.cut?.at === 'after-headers') return cutNow(delivery)
  if (await deliverBody(delivery)) return cutNow(delivery)
  while (reply.endlessly !== undefined) await write(delivery, reply.endlessly)
  response.end()
}

/**
 * A response has no connection while an earlier one of the same connection is unfinished, be it only because that one waits
 * after its last byte. Until then there is nothing to cut, and a silence would be over before the client could notice it.
 */
async function turn({ response, signal }: Delivery): Promise<void> {
  if (response.socket === null) await once(response, 'socket', { signal })
}

/** True when the place to cut the connection was reached. */
async function deliverBody(delivery: Delivery): Promise<boolean> {
  const { reply, transport, signal } = delivery
  const body = Buffer.concat(reply.parts)
  const cutAt = byteOf(transport.cut?.at, reply)
  const stallAt = byteOf(transport.stall?.at, reply)
  const ends = writeEnds(reply.parts, transport.chunking ?? 'per-event', [cutAt, stallAt])
  let start = 0
  for (const end of ends) {
    if (start === stallAt) await wait(transport.stall?.ms ?? 0, signal)
    if (start === cutAt) return true
    await write(delivery, body.subarray(start, end))
    start = end
  }
  return cutAt !== undefined && cutAt >= body.length
}

async function write({ response, transport, signal }: Delivery, bytes: Buffer): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    response.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
  // Without a turn of the loop two writes could leave in one packet, and chunking would promise what it cannot keep.
  await (transport.delayMs ? wait(transport.delayMs, signal) : nextTurn(undefined, { signal }))
}

async function cutNow({ response, transport, signal }: Delivery): Promise<void> {
  const { socket } = response
  // Without a cut the client would wait for ever, for an answer that ends nowhere.
  if (socket === null) throw new Error('a response lost its connection before it was cut')
  if (transport.cut?.how === 'close') {
    socket.destroySoon()
    return
  }
  await wait(SETTLE_BEFORE_RESET_MS, signal)
  socket.resetAndDestroy()
}

/** Where each write ends, in ascending order, with the positions something happens at among them. */
function writeEnds(parts: readonly Buffer[], chunking: Chunking, extra: readonly (number | undefined)[]): number[] {
  const body = Buffer.concat(parts)
  const wanted = [...chunkEnds(parts, body, chunking), ...extra, body.length]
  const inside = wanted.filter((end) => end !== undefined).filter((end) => end > 0 && end <= body.length)
  return [...new Set(inside)].sort((left, right) => left - right)
}

function chunkEnds(parts: readonly Buffer[], body: Buffer, chunking: Chunking): number[] {
  if (typeof chunking === 'object') return [...chunking.offsets]
  switch (chunking) {
    case 'whole':
      return []
    case 'per-event':
      return partEnds(parts)
    case 'byte-by-byte':
      return Array.from(body, (_, index) => index + 1)
    case 'inside-characters':
      return Array.from(body, (byte, index) => (byte >= FIRST_LEAD_BYTE ? index + 1 : 0))
  }
}

/** The lowest byte that opens a multi-byte UTF-8 character. */
const FIRST_LEAD_BYTE = 0xc0

function partEnds(parts: readonly Buffer[]): number[] {
  let end = 0
  return parts.map((part) => (end += part.length))
}

function byteOf(position: 'before-headers' | 'after-headers' | BodyPosition | undefined, reply: Reply) {
  if (typeof position !== 'object') return undefined
  if ('byte' in position) return position.byte
  const index = 'insideEvent' in position ? position.insideEvent : position.afterEvent
  const part = reply.parts[index]
  if (part === undefined) throw new RangeError(`the reply has no event ${index}`)
  return (partEnds(reply.parts)[index] ?? 0) - ('insideEvent' in position ? Math.ceil(part.length / 2) : 0)
}

function isSentAtOnce({ reply, transport }: Delivery): boolean {
  return !reply.isStream && !transport.cut && !transport.stall && !transport.chunking && !transport.delayMs
}

/**
 * No length for an answer that is cut at its end or behind it. With one its last byte would end it for the client, and the cut
 * would break the next call of the connection. Without one there is still the end of the body to be cut off.
 */
function lengthHeader({ reply, transport }: Delivery): Record<string, string> {
  if (reply.isStream || transport.withoutLength) return {}
  const { length } = Buffer.concat(reply.parts)
  const cutAt = transport.cut?.at === 'after-headers' ? 0 : byteOf(transport.cut?.at, reply)
  return cutAt !== undefined && cutAt >= length ? {} : { 'content-length': String(length) }
}

/** Such an answer is complete with its headers: the next call of its connection would be cut instead. */
function mustBeCuttable({ response, reply, transport }: Delivery): void {
  const isWithoutBody = response.req.method === 'HEAD' || reply.status === 204 || reply.status === 304
  if (!isWithoutBody || transport.cut === undefined || transport.cut.at === 'before-headers') return
  throw new RangeError('an answer that has no body can only be cut before its headers')
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(Math.min(ms, FOREVER_MS), undefined, { signal })
}
