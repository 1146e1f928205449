// The way in of WebSockets at one listener. A request to open one is let through only when its head has passed whatever the head of a call
// has to pass; every other one goes the way of all requests and is refused there.

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { WebSocketServer } from 'ws'
import { isRefusal } from '#core/refusal.ts'
import type { AskedInPath } from '#dialect/dialect.ts'
import { ENDPOINTS } from '#dialect/dialects.ts'
import { authenticate, type Caller } from '#pipeline/authenticate.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import { announcedBytes } from '#server/bodies/body-reader.ts'
import { credentialsOf } from '#server/gateway/credentials.ts'
import { MAX_BODY_BYTES } from '#server/gateway/gateway.ts'
import type { ClientConnections } from '#server/http/client-connections.ts'
import { guard, type GuardOptions } from '#server/http/guard.ts'
import { servedUrl } from '#server/http/paths.ts'
import { Connection, type ConnectionDeps, type Welcomed } from '#server/socket/connection.ts'
import type { OpenSocket } from '#server/socket/sockets.ts'

export type DoorDeps = ConnectionDeps & { readonly hashKey: (key: string) => string }
export type DoorOptions = GuardOptions & {
  readonly clients: Pick<ClientConnections, 'handedOver' | 'isAnswering'> | undefined
}

/** What is spoken at a path. */
type Spoken = { readonly path: string; readonly endpoint: EndpointName; readonly asked: AskedInPath }
type Admitted = Omit<Welcomed, 'socket'>

/** What a client has to answer to be gone properly, and how long it may take. */
const CLOSE_MS = 2000
/** Of one message, in frames. No client cuts one into so many. */
const MAX_FRAGMENTS = 1024

/** Lets WebSockets in; to be called once the server has its routes. */
export function serveSockets(app: FastifyInstance, deps: DoorDeps, options: DoorOptions): void {
  // A Node that asks nobody would take every request for an upgrade, also those of clients that only offer one.
  if (!deps.sockets.isOn || !('shouldUpgradeCallback' in app.server)) return
  const door = new Door(deps, options)
  door.open(app.server)
  app.addHook('preClose', (done) => {
    door.close()
    done()
  })
}

class Door {
  readonly #deps: DoorDeps
  readonly #options: DoorOptions
  readonly #places = new Map<string, Spoken>()
  /** Those that are between their request and the answer to it. */
  readonly #admitted = new WeakMap<IncomingMessage, Admitted>()
  readonly #open = new Set<Connection>()
  #webSockets: Promise<WebSocketServer> | undefined
  #isClosed = false

  constructor(deps: DoorDeps, options: DoorOptions) {
    this.#deps = deps
    this.#options = options
    for (const [endpoint, { paths, webSocket: asked }] of ENDPOINTS) {
      if (asked !== undefined) for (const path of paths) this.#places.set(path, { path, endpoint, asked })
    }
  }

  open(server: Server): void {
    Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => this.#admits(request) })
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const admitted = this.#admitted.get(request)
      if (admitted === undefined) return void socket.destroy()
      void this.#welcome(request, { ...admitted, socket }, head)
    })
  }

  /** What runs may end; nothing else is begun. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#open) connection.endWhenIdle()
  }

  #admits(request: IncomingMessage): boolean {
    const { method, headers, url = '' } = request
    const place = this.#places.get(servedUrl(url).replace(/\?.*$/s, ''))
    if (place === undefined || method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false
    if (this.#isClosed || !isHandshake(request) || this.#options.clients?.isAnswering(request.socket) === true)
      return false
    if (guard(request, this.#options) !== undefined) return false
    const caller = this.#callerOf(request)
    if (caller === undefined || !this.#deps.sockets.hasRoomFor(caller.key.id)) return false
    // What the header says is meant for us.
    const { 'openai-beta': _, ...others } = headers
    this.#admitted.set(request, { ...place, id: this.#deps.newId(), caller, headers: others })
    return true
  }

  #callerOf(request: IncomingMessage): Caller | undefined {
    const { callGuard, catalog, hashKey, clock } = this.#deps
    if (callGuard.draining() !== undefined || callGuard.room(request) !== undefined) return undefined
    const caller = authenticate(credentialsOf(request), { catalog, hashKey, nowMs: clock.nowMs })
    return isRefusal(caller) ? undefined : caller
  }

  async #welcome(request: IncomingMessage, opened: Welcomed, head: Buffer): Promise<void> {
    const { sockets, reportFault } = this.#deps
    const { socket, id, caller } = opened
    this.#options.clients?.handedOver(request.socket)
    const guest: OpenSocket = { keyId: caller.key.id, look: () => undefined, endBlocked: () => socket.destroy() }
    const forget = () => sockets.remove(guest)
    sockets.add(guest)
    socket.once('close', forget).on('error', () => socket.destroy())
    try {
      const webSockets = await (this.#webSockets ??= newWebSockets())
      if (this.#isClosed) return void socket.destroy()
      webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        forget()
        const connection = new Connection(webSocket, opened, this.#deps)
        sockets.add(connection)
        this.#open.add(connection)
        webSocket.once('close', () => this.#open.delete(connection))
      })
    } catch (error) {
      reportFault(error, id)
      socket.destroy()
    }
  }
}

/**
 * The library checks the rest of a handshake, and would refuse it with its own error. Bytes behind an unread body would be taken for
 * frames.
 */
function isHandshake(request: IncomingMessage): boolean {
  const { 'sec-websocket-version': version, 'sec-websocket-key': key = '' } = request.headers
  return version === '13' && announcedBytes(request) === null && /^[+/0-9A-Za-z]{22}==$/.test(key)
}

/** Loaded by the first one: most gateways never have any. */
async function newWebSockets(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws')
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MAX_BODY_BYTES,
    // Nobody asks for one here, and the first that is offered would be taken.
    handleProtocols: () => false,
    ...BOUNDS,
  })
}

/** Newer than the types of the library. */
const BOUNDS = { closeTimeout: CLOSE_MS, maxFragments: MAX_FRAGMENTS }
