// Answers what is no request of HTTP, or did not come in time, below the framework.

import type { Socket } from 'node:net'
import { refuse } from '#core/refusal.ts'
import { errorBody } from '#dialect/errors.ts'
import type { ClientConnections } from '#server/http/client-connections.ts'
import { unlessAsked } from '#server/http/late-requests.ts'

type Options = {
  readonly newId: () => string
  readonly scheme: 'http' | 'https'
  readonly clients: Pick<ClientConnections, 'endBehindAnswers'> | undefined
}

/** For `clientError` of Node's servers: ends the connection, with a refusal where one can be read. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket, { newId, scheme, clients }: Options): void {
  // Nobody asked anything: whoever is about to reads an answer as the one to their request.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
    return unlessAsked(socket, () => socket.destroy())
  }
  const isOfHttp = /^(HPE|ERR_HTTP)_/.test(String(error.code))
  // Who does not speak TLS where nothing else is spoken gets no answer.
  if (scheme === 'https' && !isOfHttp) return void socket.destroy()
  // What came before was well asked. What comes now is never read.
  if (isOfHttp && socket.writable && clients?.endBehindAnswers(socket) === true) return void socket.pause()
  refuse400(socket, newId(), 'The request is not valid HTTP.')
}

/** For `connect` of Node's servers: refuses a tunnel. What the client sends into it is never read. */
export function refuseTunnel(socket: Socket, { newId, clients }: Options): void {
  // Node has taken its own listeners away.
  socket.on('error', () => socket.destroy())
  if (clients?.endBehindAnswers(socket) === true) return
  refuse400(socket, newId(), 'This method is not served here.')
  socket.destroySoon()
}

function refuse400(socket: Socket, requestId: string, message: string): void {
  // Where something was answered already, an answer may be under way, and this one would end up in the middle of it.
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy()
  const body = errorBody(refuse('invalid_request', message), requestId)
  const head = `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json\r\n`
  socket.end(`${head}x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
