// Clients that say with their request that they send nothing more, as netcat and some proxies do, and read their answer all the same. What
// arrives of them is what arrives of a client that is gone. So they are sent what means nothing: of whoever is gone the system answers that
// nobody is there, which the write behind it is told.

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The waits between looks, the first of which goes with the end of what a client sends; the last wait is repeated. On this machine who is gone is found out
 * by the second, in the next turn of the loop. Those behind it are for whatever passes a connection on and is told late itself, and for whoever leaves later.
 */
const WAITS_MS = [0, 80, 140, 1000] as const
const LAST_LOOK = 3
/** An interim answer, of which every client expects any number. */
const GO_ON = 'HTTP/1.1 100 Continue\r\n\r\n'
/** Before the length of the next chunk, which may begin with it, or of the last one. */
const ZERO = '0'

/** Answers whose chunks are written one by one, each as a whole. */
const streams = new WeakSet<ServerResponse>()

/** To be called once the head of an answer in chunks was sent. */
export function noteStream(response: ServerResponse): void {
  streams.add(response)
}

/** Answers them. `answerOn` says which answer is the next on a connection, while there is one. */
export function keepHalfClosed(server: Server, answerOn: (socket: Socket) => ServerResponse | undefined): void {
  // Not in Node's documentation, and as old as its server: without it the end of the one side is answered with that of the other.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket: Socket) => socket.once('end', () => probe(socket, answerOn, 0)))
}

function probe(socket: Socket, answerOn: (socket: Socket) => ServerResponse | undefined, look: number): void {
  const answer = answerOn(socket)
  if (answer === undefined || socket.destroyed) return
  const text = probeFor(answer)
  // What is whole only has to leave. All else that nothing can be found out about has had its time, and ends as Node ends it.
  if (text === undefined && look >= LAST_LOOK && !answer.writableEnded) return void socket.end()
  // Whoever does not read is cut after a while by other means.
  if (text !== undefined && !socket.writableNeedDrain) socket.write(text)
  const lookAgain = () => probe(socket, answerOn, look + 1)
  const waitMs = WAITS_MS[look] ?? WAITS_MS.at(-1)
  if (waitMs === 0) setImmediate(lookAgain)
  else setTimeout(lookAgain, waitMs).unref()
}

/** undefined where nothing can be sent that means nothing. */
function probeFor(answer: ServerResponse): string | undefined {
  if (answer.headersSent) return streams.has(answer) && !answer.writableEnded ? ZERO : undefined
  return answer.req.httpVersion === '1.1' ? GO_ON : undefined
}
