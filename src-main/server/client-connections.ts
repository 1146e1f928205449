// The connections from clients to one listener, with a bound. Where it is reached, the connection that has done nothing for longest
// makes room: whoever opens thousands and says nothing only takes from themselves, and nobody else is locked out. A connection on which
// no further answer can come is ended here.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** More than a team and its tools need, and far fewer than the descriptors of a process. */
const MOST = 4096

export class ClientConnections {
  readonly #most: number
  /** With the answers that are under way on each; more than one where a client asks on before it has its answer. */
  readonly #open = new Map<Socket, Set<ServerResponse>>()
  /** Without a request under way; the one that has been so for longest comes first. */
  readonly #idle = new Set<Socket>()
  #isEnding = false

  constructor(most: number = MOST) {
    this.#most = most
  }

  get size(): number {
    return this.#open.size
  }

  /** To be called before the server listens. `opening` is the event that brings the sockets on which requests come. */
  watch(server: Server, opening: 'connection' | 'secureConnection' = 'connection'): void {
    server.on(opening, (socket: Socket) => this.#opened(socket))
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#idle.delete(socket)
      this.#open.get(socket)?.add(response)
      response.once('close', () => this.#answered(socket, response))
    })
  }

  /** Ends each once what was written to it has left. */
  end(): void {
    for (const socket of this.#open.keys()) socket.destroySoon()
  }

  /**
   * Ends each that has no request under way, and the others once they have none. A server that is closed ends neither those that
   * never had a request nor those whose answer ends later, and the next request on them would reach a server that is gone.
   */
  endWhenIdle(): void {
    this.#isEnding = true
    for (const [socket, answers] of this.#open) {
      const last = Array.from(answers).at(-1)
      if (last === undefined) socket.destroySoon()
      // Whoever is told sends no other request, which would be lost.
      else if (!last.headersSent) last.setHeader('connection', 'close')
    }
  }

  #opened(socket: Socket): void {
    this.#open.set(socket, new Set())
    this.#idle.add(socket)
    socket.once('close', () => this.#forget(socket))
    if (this.#isEnding) return socket.destroySoon()
    if (this.#open.size <= this.#most) return
    // Where all are busy, this is the one that came too late: it is idle too.
    const [longest = socket] = this.#idle
    this.#forget(longest)
    longest.destroy()
  }

  #answered(socket: Socket, response: ServerResponse): void {
    if (!response.writableFinished) endAfterEarlierAnswers(socket, response)
    const answers = this.#open.get(socket)
    answers?.delete(response)
    if (answers?.size !== 0) return
    this.#idle.add(socket)
    if (this.#isEnding) socket.destroySoon()
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket)
    this.#idle.delete(socket)
  }
}

/**
 * For an answer that was given up. Where answers to earlier requests of the connection come before it, Node gives it no socket to
 * destroy, and later gives the socket to it all the same: no answer comes on this connection after that.
 */
function endAfterEarlierAnswers(socket: Socket, response: ServerResponse): void {
  if (response.socket === null) response.once('socket', () => socket.destroySoon())
  else socket.destroySoon()
}
