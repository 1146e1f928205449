// The last request of a connection. Behind an upgrade that is declined, and behind HTTP/1.0 with a transfer coding (RFC 9112, section 6.1),
// client and server may disagree about where the next request begins; Node even drops what came in one segment with an upgrade, and parses
// the rest as if nothing was missing. So the answer to such a request closes its connection, and nothing behind it is served.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { announcedBytes } from '#server/bodies/body-reader.ts'

/** Connections whose last request was seen. */
const ending = new WeakSet<Socket>()

/** To be asked once for each request, before it is served. False for a request behind the last one of its connection. */
export function mayServe(request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request
  if (ending.has(socket)) return false
  if (!isLast(request)) return true
  ending.add(socket)
  response.shouldKeepAlive = false
  if (announcedBytes(request) === null) stopParsing(socket)
  else request.once('end', () => stopParsing(socket))
  return true
}

function isLast({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.upgrade !== undefined || (headers['transfer-encoding'] !== undefined && httpVersion !== '1.1')
}

/**
 * Takes a connection away from Node's parser, which would read without end and without an error. Nothing more is read once the client
 * sends more; until then its end is seen.
 */
function stopParsing(socket: Socket): void {
  const stop = () => void socket.pause()
  // With a listener for data the parser reads through one too.
  socket.on('data', stop)
  for (const listener of socket.listeners('data')) if (listener !== stop) socket.off('data', listener as () => void)
}
