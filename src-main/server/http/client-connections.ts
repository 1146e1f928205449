// The connection limiter of one listener, with a limit for all listeners together. At the limit the connection that has been idle for longest
// closes, on the listener with the most connections: a client that opens thousands of idle connections locks out no other client.
// Unauthenticated connections close before authenticated ones, and have a limit per source if one is set. A connection that can carry no further
// answer is closed.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CurrentList, type Place } from '#core/current-list.ts'
import { sourceOf } from '#core/source.ts'
import { keepHalfClosed } from '#server/http/half-closed.ts'
import { unlessAsked } from '#server/http/late-requests.ts'

/** The listeners that share one bound. */
export class Listeners {
  readonly most: number
  readonly #listeners = new Set<ClientConnections>()
  /** Told of connections that the system could not hand over. */
  readonly acceptFailed: (error: unknown) => void

  constructor(most: number, acceptFailed: (error: unknown) => void = () => undefined) {
    this.most = most
    this.acceptFailed = acceptFailed
  }

  get size(): number {
    let size = 0
    for (const listener of this.#listeners) size += listener.size
    return size
  }

  add(listener: ClientConnections): void {
    this.#listeners.add(listener)
  }

  remove(listener: ClientConnections): void {
    this.#listeners.delete(listener)
  }

  /** Ends so many connections without a request under way; returns how many there were. */
  shed(count: number): number {
    let ended = 0
    while (ended < count && this.#shedOne()) ended += 1
    return ended
  }

  #shedOne(): boolean {
    const largestFirst = [...this.#listeners].sort((one, other) => other.size - one.size)
    return largestFirst.some((listener) => listener.shedIdlest())
  }
}

export type ClientBounds = {
  /** Unauthenticated connections from one source. On this machine all come from one address. */
  readonly strangers?: number
}

export const OVER_LAN: ClientBounds = { strangers: 256 }

type Client = {
  readonly source: string
  /** Those that are under way; more than one where a client asks on before it has its answer. */
  readonly answers: ServerResponse[]
  isKnown: boolean
  /** Whether the last answer on it was that of an error. */
  wasRefused: boolean
  /** Where it stands while it has no request under way. */
  idle: Place<Socket> | undefined
}

export class ClientConnections {
  readonly listeners: Listeners
  readonly #maxStrangers: number
  readonly #open = new Map<Socket, Client>()
  /** Without a request under way; the one that has been so for longest comes first. */
  readonly #idle = { strangers: new CurrentList<Socket>(), known: new CurrentList<Socket>() }
  /** Of each source, how many of its connections are strangers'. */
  readonly #strangers = new Map<string, number>()
  /** Those whose handshake has not ended, by where they come from. */
  readonly #handshakes = new Map<string, Socket>()
  #isEnding = false

  constructor(listeners: Listeners, { strangers = Number.POSITIVE_INFINITY }: ClientBounds = {}) {
    this.listeners = listeners
    this.#maxStrangers = strangers
    listeners.add(this)
  }

  get size(): number {
    return this.#open.size
  }

  /** To be called before the server listens. Over TLS a connection counts from before its handshake, which may never end. */
  watch(server: Server, kind: 'plain' | 'tls' = 'plain'): void {
    server.on('connection', (socket: Socket) => {
      this.#opened(socket)
      if (kind === 'tls') this.#handshakeBegan(socket)
    })
    if (kind === 'tls') server.on('secureConnection', (socket: Socket) => this.#handshakeEnded(socket))
    else keepHalfClosed(server, (socket) => this.#open.get(socket)?.answers[0])
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const client = this.#open.get(socket)
      client?.idle?.leave()
      client?.answers.push(response)
      response.once('close', () => this.#answered(socket, response))
    })
    server.on('timeout', (socket: Socket) => this.#wasIdleTooLong(socket))
    // Before the server listens, the error goes to its starter. Afterwards it concerns one connection, and without a handler it would end the process.
    server.on('error', (error) => {
      if (server.listening) this.listeners.acceptFailed(error)
    })
  }

  /** Whoever asks over it has shown who they are. */
  known(socket: Socket): void {
    const client = this.#open.get(socket)
    if (client === undefined || client.isKnown) return
    client.isKnown = true
    this.#countStranger(client.source, -1)
  }

  /** Whether the last request on it was refused, or failed. */
  wasRefused(socket: Socket): boolean {
    return this.#open.get(socket)?.wasRefused ?? false
  }

  /** Whether a request on it has no whole answer yet. */
  isAnswering(socket: Socket): boolean {
    return (this.#open.get(socket)?.answers.length ?? 0) > 0
  }

  /** It is no connection of HTTP any more, and somebody else's to end. */
  handedOver(socket: Socket): void {
    this.#forget(socket)
  }

  /**
   * Ends a connection on which nothing more can be read, behind the answers to what had come whole. False where there are none: then
   * whoever asks ends it.
   */
  endBehindAnswers(socket: Socket): boolean {
    const last = this.#open.get(socket)?.answers.findLast(({ req }) => req.complete)
    last?.once('close', () => socket.destroySoon())
    return last !== undefined
  }

  /** Ends the connection that has had no request under way for longest. False where each has one. */
  shedIdlest(): boolean {
    const idlest = this.#idle.strangers.first ?? this.#idle.known.first
    if (idlest !== undefined) this.#sendAway(idlest)
    return idlest !== undefined
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
    for (const [socket, { answers }] of this.#open) {
      const last = answers.at(-1)
      if (last === undefined) socket.destroySoon()
      // Whoever is told sends no other request, which would be lost.
      else if (!last.headersSent) last.setHeader('connection', 'close')
    }
    this.#leaveWhenEmpty()
  }

  #opened(socket: Socket): void {
    const source = sourceOf(socket.remoteAddress ?? '')
    this.#add(socket, { source, answers: [], isKnown: false, wasRefused: false, idle: undefined })
    this.#countStranger(source, 1)
    if (this.#isEnding) return socket.destroySoon()
    if ((this.#strangers.get(source) ?? 0) > this.#maxStrangers) this.#sendAway(this.#idlestOf(source) ?? socket)
    // Where all are busy, this is the one that came too late: it is idle too.
    if (this.listeners.size > this.listeners.most) this.listeners.shed(1)
  }

  #add(socket: Socket, client: Client): void {
    this.#open.set(socket, client)
    this.#nowIdle(socket, client)
    socket.once('close', () => this.#forget(socket))
  }

  #handshakeBegan(socket: Socket): void {
    const peer = peerOf(socket)
    this.#handshakes.set(peer, socket)
    socket.once('close', () => {
      if (this.#handshakes.get(peer) === socket) this.#handshakes.delete(peer)
    })
  }

  /** The socket on which requests come takes the place of the one below it. */
  #handshakeEnded(socket: Socket): void {
    const below = this.#handshakes.get(peerOf(socket))
    const client = below && this.#open.get(below)
    if (below === undefined || client === undefined) return void socket.destroy()
    this.#handshakes.delete(peerOf(socket))
    client.idle?.leave()
    this.#open.delete(below)
    this.#add(socket, client)
  }

  /** Those that wait for an answer have times of their own. Node leaves it to whoever listens to end a connection. */
  #wasIdleTooLong(socket: Socket): void {
    const client = this.#open.get(socket)
    if (client === undefined) socket.destroy()
    else if (client.answers.length === 0) unlessAsked(socket, () => socket.destroy())
  }

  #idlestOf(source: string): Socket | undefined {
    for (const socket of this.#idle.strangers) if (this.#open.get(socket)?.source === source) return socket
    return undefined
  }

  #sendAway(socket: Socket): void {
    this.#forget(socket)
    socket.destroy()
  }

  #answered(socket: Socket, response: ServerResponse): void {
    if (!response.writableFinished) endAfterEarlierAnswers(socket, response)
    const client = this.#open.get(socket)
    if (client === undefined) return
    client.wasRefused = response.statusCode >= 400
    remove(client.answers, response)
    if (client.answers.length > 0) return
    this.#nowIdle(socket, client)
    if (this.#isEnding) socket.destroySoon()
  }

  #nowIdle(socket: Socket, client: Client): void {
    client.idle?.leave()
    client.idle = this.#idle[client.isKnown ? 'known' : 'strangers'].add(socket)
  }

  #countStranger(source: string, by: 1 | -1): void {
    const count = (this.#strangers.get(source) ?? 0) + by
    if (count > 0) this.#strangers.set(source, count)
    else this.#strangers.delete(source)
  }

  #forget(socket: Socket): void {
    const client = this.#open.get(socket)
    if (client === undefined) return
    this.#open.delete(socket)
    client.idle?.leave()
    if (!client.isKnown) this.#countStranger(client.source, -1)
    this.#leaveWhenEmpty()
  }

  #leaveWhenEmpty(): void {
    if (this.#isEnding && this.#open.size === 0) this.listeners.remove(this)
  }
}

/** They end in the order in which they began, and most often there is but one. */
function remove(answers: ServerResponse[], response: ServerResponse): void {
  const at = answers.indexOf(response)
  if (at === 0) answers.shift()
  else if (at > 0) answers.splice(at, 1)
}

/** No two connections to one listener have the same at a time. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

/**
 * For an answer that was given up. Where answers to earlier requests of the connection come before it, Node gives it no socket to
 * destroy, and later gives the socket to it all the same: no answer comes on this connection after that.
 */
function endAfterEarlierAnswers(socket: Socket, response: ServerResponse): void {
  if (response.socket === null) response.once('socket', () => socket.destroySoon())
  else socket.destroySoon()
}
