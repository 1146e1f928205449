// Answers what is no request of HTTP, or did not come in time, below the framework.

import type { Socket } from 'node:net'
import { refuse } from '#core/refusal.ts'
import { errorBody } from '#dialect/errors.ts'
import { unlessAsked } from '#server/http/late-requests.ts'

type Options = { readonly newId: () => string; readonly scheme: 'http' | 'https' }

/** For `clientError` of Node's servers: ends the connection, with a refusal where one can be read. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket, { newId, scheme }: Options): void {
  // Nobody asked anything: whoever is about to reads an answer as the one to their request.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
    return unlessAsked(socket, () => socket.destroy())
  }
  // Who does not speak TLS where nothing else is spoken gets no answer.
  if (scheme === 'https' && !/^(HPE|ERR_HTTP)_/.test(String(error.code))) return void socket.destroy()
  // Where something was answered already, an answer may be under way, and this one would end up in the middle of it.
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy()
  const requestId = newId()
  const body = errorBody(refuse('invalid_request', 'The request is not valid HTTP.'), requestId)
  const head = `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json\r\n`
  socket.end(`${head}x-request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
