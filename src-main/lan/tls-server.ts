// The server that other machines reach: TLS and nothing else, with a bound on what strangers can make it keep. It only listens; what
// is answered is handed in.

import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { parseAddress } from '#core/address.ts'
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

type Bounds = { readonly total: number; readonly perAddress: number }

const CONNECTION_BOUNDS: Bounds = { total: 4096, perAddress: 256 }
/** A machine that says nothing is sent away after so long. */
const HANDSHAKE_MS = 10_000

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export class TlsServer {
  readonly #identity: Identity
  readonly #bounds: Bounds
  readonly #sockets = new Map<Socket, string>()
  readonly #secured = new Set<Socket>()
  readonly #perAddress = new Map<string, number>()
  #server: Server | undefined

  constructor(identity: Identity, bounds: Bounds = CONNECTION_BOUNDS) {
    this.#identity = identity
    this.#bounds = bounds
  }

  /** Makes the server for a handler of requests; it does not listen yet. */
  readonly make = (handler: Handler, limits: HttpLimits): HttpServer => {
    const server = createServer(
      { ...limits, ...contextOf(this.#identity), handshakeTimeout: HANDSHAKE_MS, ALPNProtocols: ['http/1.1'] },
      handler,
    )
    server.maxConnections = this.#bounds.total
    server.on('connection', (socket: Socket) => this.#admit(socket))
    server.on('secureConnection', (socket: Socket) => {
      this.#secured.add(socket)
      socket.once('close', () => this.#secured.delete(socket))
    })
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
    for (const socket of [...this.#secured, ...this.#sockets.keys()]) socket.destroy()
  }

  /** One machine must not take all the connections there are. */
  #admit(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '')
    const count = (this.#perAddress.get(address) ?? 0) + 1
    if (count > this.#bounds.perAddress) return void socket.destroy()
    this.#perAddress.set(address, count)
    this.#sockets.set(socket, address)
    socket.once('close', () => this.#forget(socket, address))
  }

  #forget(socket: Socket, address: string): void {
    if (!this.#sockets.delete(socket)) return
    const count = (this.#perAddress.get(address) ?? 1) - 1
    if (count > 0) this.#perAddress.set(address, count)
    else this.#perAddress.delete(address)
  }
}

function contextOf({ key, certificate }: Identity) {
  return { key, cert: certificate, minVersion: 'TLSv1.2', honorCipherOrder: true } as const
}

/** A machine has as many IPv6 addresses as it likes, all of which begin alike. */
function networkOf(address: string): string {
  const value = address.includes(':') ? parseAddress(address) : undefined
  return value === undefined ? address : (value >> 64n).toString(16)
}
