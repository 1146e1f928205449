// The connections from clients to one listener, with a bound. Where it is reached, the connection that has done nothing for longest
// makes room: whoever opens thousands and says nothing only takes from themselves, and nobody else is locked out.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** More than a team and its tools need, and far fewer than the descriptors of a process. */
const MOST = 4096

export class ClientConnections {
  readonly #most: number
  readonly #open = new Set<Socket>()
  /** Without a request under way; the one that has been so for longest comes first. */
  readonly #idle = new Set<Socket>()

  constructor(most: number = MOST) {
    this.#most = most
  }

  get size(): number {
    return this.#open.size
  }

  /** To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#opened(socket))
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#idle.delete(socket)
      response.once('close', () => {
        if (this.#open.has(socket)) this.#idle.add(socket)
      })
    })
  }

  /** Ends each once what was written to it has left. */
  end(): void {
    for (const socket of this.#open) socket.destroySoon()
  }

  #opened(socket: Socket): void {
    this.#open.add(socket)
    this.#idle.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#idle.delete(socket)
    })
    if (this.#open.size <= this.#most) return
    // Where all are busy, this is the one that came too late: it is idle too.
    const [longest = socket] = this.#idle
    this.#open.delete(longest)
    this.#idle.delete(longest)
    longest.destroy()
  }
}
