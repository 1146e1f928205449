// The provider behind both proxies, a process of its own. It must stay much cheaper than what is measured: the answers
// are made beforehand and a few timers serve all streams of a pace.
import { createServer, type ServerResponse } from 'node:http'
import { announce } from './child-side.ts'
import { planOf, streamEvents, WHOLE_ANSWER, type StreamPlan } from './payload.ts'

type Stream = { readonly response: ServerResponse; readonly events: readonly Buffer[]; sent: number }

const WHOLE_HEADERS = { 'content-type': 'application/json', 'content-length': String(WHOLE_ANSWER.length) }
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

/** How many groups the streams of one slow pace are in, evenly spread over its time, because providers do not speak in chorus. */
const CHOIRS = 25
const SLOW_MS = 20

const MAX_PLAN_BYTES = 1024 * 1024

const pacers = new Map<string, Set<Stream>>()
let slowStreams = 0
const prepared = new Map<number, readonly Buffer[]>()

announce(
  createServer((request, response) => {
    if (request.url === '/streams') {
      response.end(String([...pacers.values()].reduce((sum, streams) => sum + streams.size, 0)))
      return
    }
    let parts: Buffer[] = []
    let length = 0
    request.on('data', (part: Buffer) => {
      length += part.length
      // A large conversation carries no plan, and reading it would hold up the answers to others.
      if (length > MAX_PLAN_BYTES) parts = []
      else parts.push(part)
    })
    request.on('end', () => answer(Buffer.concat(parts).toString(), response))
  }),
)

function answer(body: string, response: ServerResponse): void {
  const plan = planOf(body)
  if (plan === undefined) {
    response.writeHead(200, WHOLE_HEADERS).end(WHOLE_ANSWER)
    return
  }
  // The head goes first, and by itself: what follows it is written past the response.
  response.writeHead(200, STREAM_HEADERS).flushHeaders()
  const stream = { response, events: eventsOf(plan), sent: 0 }
  if (!sendNext(stream)) return
  const pacer = pacerOf(plan.everyMs)
  pacer.add(stream)
  response.once('close', () => pacer.delete(stream))
}

/** False when that was the last event. */
function sendNext(stream: Stream): boolean {
  const { response, events } = stream
  const event = events[stream.sent]
  if (event === undefined) {
    response.end()
    return false
  }
  response.socket?.write(event)
  stream.sent += 1
  return true
}

/** All streams of one pace, or of one choir of it, get their next event in the same turn, each by a write of its own. */
function pacerOf(everyMs: number): Set<Stream> {
  const choir = everyMs < SLOW_MS ? 0 : slowStreams++ % CHOIRS
  const name = `${everyMs}/${choir}`
  const known = pacers.get(name)
  if (known !== undefined) return known
  const streams = new Set<Stream>()
  pacers.set(name, streams)
  const turn = () => {
    for (const stream of streams) if (!sendNext(stream)) streams.delete(stream)
  }
  if (everyMs === 0) everyTurn(turn)
  else setTimeout(() => setInterval(turn, everyMs).unref(), (choir / CHOIRS) * everyMs).unref()
  return streams
}

/** As it is on the wire: a response would make each chunk anew, of four pieces. */
function chunkOf(event: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from('\r\n')])
}

function everyTurn(turn: () => void): void {
  turn()
  setImmediate(() => everyTurn(turn))
}

function eventsOf(plan: StreamPlan): readonly Buffer[] {
  const known = prepared.get(plan.contentEvents) ?? streamEvents(plan).map(chunkOf)
  prepared.set(plan.contentEvents, known)
  return known
}
