// One WebSocket of a client of the responses format. Each message is a call of its own, with its admission, hold and charge; they are served
// one after another, and what each asked and was answered is remembered until the connection ends.

import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { BodyShare } from '#server/bodies/body-budget.ts'
import { Exchanges, type Asking, type ExchangeDeps } from '#server/socket/exchanges.ts'
import { FrameMeter } from '#server/socket/frame-meter.ts'
import { Line } from '#server/socket/line.ts'
import type { OpenSocket, Sockets } from '#server/socket/sockets.ts'

const SOCKET_LIMITS = {
  /** As long as OpenAI's. */
  lifeMs: 60 * 60_000,
  /** Without a message. */
  idleMs: 15 * 60_000,
  /** A message has to be whole after so long. */
  messageMs: 120_000,
  pingMs: 30_000,
} as const

/** Codes with which a WebSocket is closed (RFC 6455 and its registry). */
const CLOSE = { done: 1000, goingAway: 1001, policy: 1008, tryAgainLater: 1013 } as const

export type ConnectionDeps = ExchangeDeps & { readonly sockets: Sockets }

/** `socket`: the connection below it. */
export type Welcomed = Asking & { readonly socket: Duplex }

/** Why a connection is to end, once nothing runs on it. */
type Ending = { readonly code: number; readonly text: string; readonly told?: Refusal | undefined }

export class Connection implements OpenSocket {
  readonly keyId: string
  readonly #webSocket: WebSocket
  readonly #opened: Welcomed
  readonly #deps: ConnectionDeps
  readonly #exchanges: Exchanges
  readonly #line: Line
  /** What of the next message has arrived. */
  #arriving: { readonly share: BodyShare; readonly sinceMs: number } | undefined
  /** Of the messages that have arrived as a whole, until the library hands them over. */
  readonly #arrived: BodyShare[] = []
  readonly #openedAtMs: number
  #usedAtMs: number
  #pingedAtMs: number
  #hasPong = true
  #ending: Ending | undefined

  constructor(webSocket: WebSocket, opened: Welcomed, deps: ConnectionDeps) {
    this.keyId = opened.caller.key.id
    this.#webSocket = webSocket
    this.#opened = opened
    this.#deps = deps
    this.#line = new Line(webSocket, opened.socket)
    const nowMs = this.#nowMs()
    this.#openedAtMs = nowMs
    this.#usedAtMs = nowMs
    this.#pingedAtMs = nowMs
    const next = () => this.#next()
    this.#exchanges = new Exchanges(opened, { line: this.#line, next }, deps)
    this.#listen()
  }

  look(): void {
    const nowMs = this.#nowMs()
    if (this.#arriving !== undefined && nowMs - this.#arriving.sinceMs > SOCKET_LIMITS.messageMs) {
      return this.#webSocket.close(CLOSE.policy, 'The message took too long to arrive.')
    }
    this.#ping(nowMs)
    if (this.#exchanges.problem() !== undefined) return this.endBlocked()
    if (nowMs - this.#openedAtMs > SOCKET_LIMITS.lifeMs) this.#end(TOO_OLD)
    if (!this.#exchanges.isBusy && nowMs - this.#usedAtMs > SOCKET_LIMITS.idleMs) {
      this.#end({ code: CLOSE.done, text: 'The connection was not used.' })
    }
  }

  endBlocked(): void {
    this.#end({
      code: CLOSE.policy,
      text: 'The key of this connection may not be used.',
      told: this.#exchanges.problem(),
    })
  }

  /** Ends the connection once what runs on it has ended. */
  endWhenIdle(): void {
    this.#end({ code: CLOSE.goingAway, text: 'Farebox is shutting down.' })
  }

  #nowMs(): number {
    return this.#deps.clock.monotonicMs()
  }

  #listen(): void {
    const webSocket = this.#webSocket
    // What is wrong with its frames ends the connection, and the library says so to the client.
    webSocket.on('error', () => undefined)
    webSocket.on('message', (data, isBinary) => this.#take(data, isBinary))
    webSocket.on('ping', (data) => {
      // Whoever asks and does not read would fill the memory with answers.
      if (!this.#line.isFull) webSocket.pong(data)
    })
    webSocket.on('pong', () => (this.#hasPong = true))
    webSocket.once('close', () => this.#closed())
    const frames = new FrameMeter({
      messageBytes: (count) => this.#messageBytes(count),
      messageEnd: () => this.#messageEnd(),
    })
    // Before the library has a whole message of it.
    this.#opened.socket.prependListener('data', (chunk: Buffer) => frames.read(chunk))
  }

  /** Counts a message among the bodies of all calls, from its first byte on. */
  #messageBytes(count: number): void {
    const giveUp = () => this.#webSocket.close(CLOSE.tryAgainLater, 'Farebox has too little memory left.')
    this.#arriving ??= { share: this.#deps.memory.bodies.open(giveUp), sinceMs: this.#nowMs() }
    if (!this.#arriving.share.add(count)) giveUp()
  }

  #messageEnd(): void {
    if (this.#arriving !== undefined) this.#arrived.push(this.#arriving.share)
    this.#arriving = undefined
  }

  #forgetArriving(): void {
    this.#arriving?.share.end()
    this.#arriving = undefined
    for (const share of this.#arrived.splice(0)) share.end()
  }

  #take(data: RawData, isBinary: boolean): void {
    const share = this.#arrived.shift()
    const given = () => share?.end()
    this.#usedAtMs = this.#nowMs()
    // What still comes on a connection that is being closed is nobody's.
    if (this.#ending !== undefined || !this.#line.isOpen || !Buffer.isBuffer(data)) return given()
    share?.complete()
    const body = isBinary ? refuse('invalid_request', 'A message must be a text of JSON.') : data
    // It counts for as long as it waits for its turn.
    this.#exchanges.add({ body, given })
    // Beyond one that waits for its turn, messages wait where they are and slow down whoever sends them. Without one that waits the
    // connection is read, because nothing else tells that its client has left.
    if (this.#exchanges.isFull) this.#webSocket.pause()
  }

  /** An exchange has ended. */
  #next(): void {
    this.#usedAtMs = this.#nowMs()
    if (this.#ending !== undefined) this.#close(this.#ending)
    else if (!this.#exchanges.isFull) this.#webSocket.resume()
  }

  #end(ending: Ending): void {
    this.#ending ??= ending
    if (!this.#exchanges.isBusy) this.#close(this.#ending)
  }

  #close({ code, text, told }: Ending): void {
    if (!this.#line.isOpen) return
    if (told !== undefined) this.#exchanges.tell(told)
    this.#exchanges.leave()
    this.#webSocket.resume()
    this.#webSocket.close(code, text)
  }

  #ping(nowMs: number): void {
    if (nowMs - this.#pingedAtMs < SOCKET_LIMITS.pingMs || this.#webSocket.isPaused) return
    if (!this.#hasPong) return this.#line.cut()
    this.#pingedAtMs = nowMs
    this.#hasPong = false
    this.#webSocket.ping()
  }

  #closed(): void {
    this.#forgetArriving()
    this.#exchanges.leave()
    this.#deps.sockets.answers.forget(this.#opened.id)
    this.#deps.sockets.remove(this)
  }
}

const TOO_OLD: Ending = {
  code: CLOSE.done,
  text: 'The connection was open for an hour.',
  told: refuse('invalid_request', 'A connection is open for an hour at most. Open another one.', {
    details: { code: 'websocket_connection_limit_reached' },
  }),
}
