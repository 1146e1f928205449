// The server that other machines reach: TLS and nothing else. It only listens; what is answered, and how many may be connected, is the
// business of whoever is handed the server.

import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Identity } from '#lan/identity.ts'

/** Time limits and sizes of HTTP; the same as for the listener of this machine. */
export type HttpLimits = {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  readonly maxHeaderSize: number
  readonly requireHostHeader: boolean
}

/** A machine that says nothing is sent away after so long. */
const HANDSHAKE_MS = 10_000

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export class TlsServer {
  readonly #identity: Identity
  readonly #sockets = new Set<Socket>()
  readonly #secured = new Set<Socket>()
  #server: Server | undefined

  constructor(identity: Identity) {
    this.#identity = identity
  }

  /** Makes the server for a handler of requests; it does not listen yet. */
  readonly make = (handler: Handler, limits: HttpLimits): HttpServer => {
    const server = createServer(
      { ...limits, ...contextOf(this.#identity), handshakeTimeout: HANDSHAKE_MS, ALPNProtocols: ['http/1.1'] },
      handler,
    )
    server.on('connection', (socket: Socket) => keepWhileOpen(this.#sockets, socket))
    server.on('secureConnection', (socket: Socket) => keepWhileOpen(this.#secured, socket))
    this.#server = server
    return server
  }

  /** Gives the port free at once. Resolves when the last connection has ended. */
  async stop(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }

  /** For connections from now on. */
  useIdentity(identity: Identity): void {
    this.#server?.setSecureContext(contextOf(identity))
  }

  /** Ends each connection once what was written to it has left. */
  endConnections(): void {
    for (const socket of this.#secured) socket.destroySoon()
  }

  /** Cuts every connection, also those that never finished a handshake. */
  cut(): void {
    for (const socket of [...this.#secured, ...this.#sockets]) socket.destroy()
  }
}

function keepWhileOpen(open: Set<Socket>, socket: Socket): void {
  open.add(socket)
  socket.once('close', () => open.delete(socket))
}

function contextOf({ key, certificate }: Identity) {
  return { key, cert: certificate, minVersion: 'TLSv1.2', honorCipherOrder: true } as const
}
