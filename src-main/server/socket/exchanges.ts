// The exchanges of one connection, one at a time and in the order of their messages. Each goes the way of every other call.

import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { isValueOf } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { AskedInPath } from '#dialect/dialect.ts'
import { callerOfKey, type Caller } from '#pipeline/authenticate.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import { replyRefusal } from '#pipeline/reply.ts'
import { runCall, type RunDeps } from '#pipeline/run.ts'
import { Reading } from '#server/bodies/body-reader.ts'
import type { MemoryGuard } from '#server/bodies/memory-guard.ts'
import type { CallGuard } from '#server/gateway/call-guard.ts'
import { MAX_BODY_BYTES } from '#server/gateway/gateway.ts'
import { callOf, type ReceivingDeps } from '#server/gateway/received-call.ts'
import { internalRefusal } from '#server/http/refusals.ts'
import type { Line } from '#server/socket/line.ts'
import { SocketClient } from '#server/socket/socket-client.ts'
import type { Sockets } from '#server/socket/sockets.ts'
import type { ObserveRequest } from '#server/watch/observed-requests.ts'

export type ExchangeDeps = RunDeps &
  ReceivingDeps & {
    readonly sockets: Pick<Sockets, 'answers'>
    readonly callGuard: CallGuard
    readonly memory: Pick<MemoryGuard, 'bodies'>
    readonly newId: () => string
    readonly observe: ObserveRequest | undefined
  }

/** Whose connection it is, and what its messages ask. */
export type Asking = {
  /** Also under which its answers are remembered. */
  readonly id: string
  readonly path: string
  readonly caller: Caller
  readonly headers: IncomingHttpHeaders
  readonly endpoint: EndpointName
  readonly asked: AskedInPath
}

type Ways = {
  readonly line: Line
  /** Called after each exchange. */
  readonly next: () => void
}

/** A message, or why it is none. `given` gives back what it takes of memory while it waits. */
type Message = { readonly body: Buffer | Refusal; readonly given: () => void }
type Read = { readonly body: Buffer | Refusal; readonly parts: number; readonly forget: () => void }

/** A message goes in pieces of this size to whoever measures it, so that a long one takes several turns of the loop. */
const PIECE_BYTES = 64 * 1024
/** Codes of errors are texts for everybody who speaks this. */
const QUIRKS = { errorCode: 'text' } as const

export class Exchanges {
  readonly #asking: Asking
  readonly #ways: Ways
  readonly #deps: ExchangeDeps
  /** More than one only where several came in one piece. */
  #waiting: Message[] = []
  #client: SocketClient | undefined
  /** Goes on though the client does not read. */
  #wake: () => void = () => undefined

  constructor(asking: Asking, ways: Ways, deps: ExchangeDeps) {
    this.#asking = asking
    this.#ways = ways
    this.#deps = deps
  }

  get isBusy(): boolean {
    return this.#client !== undefined
  }

  /** Whether a message waits for its turn. */
  get isFull(): boolean {
    return this.#waiting.length > 0
  }

  add(message: Message): void {
    this.#waiting.push(message)
    if (!this.isBusy) void this.#run()
  }

  /** Nobody waits for an answer any more. */
  leave(): void {
    for (const { given } of this.#waiting) given()
    this.#waiting = []
    this.#client?.leave()
    this.#wake()
  }

  /** Why nothing more may be asked over the connection. */
  problem(): Refusal | undefined {
    const caller = this.#callerNow()
    return isRefusal(caller) ? caller : undefined
  }

  /** Tells something that is the answer to no message. */
  tell(refusal: Refusal): void {
    this.#refuse(this.#deps.newId(), new SocketClient(this.#ways.line), refusal)
  }

  async #run(): Promise<void> {
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      const client = new SocketClient(this.#ways.line)
      this.#client = client
      // Whoever reads it now counts it again.
      message.given()
      await this.#serve(message.body, client)
      await this.#hasRead()
      this.#client = undefined
      this.#ways.next()
    }
  }

  /** Whoever does not read what came is not served any further. */
  async #hasRead(): Promise<void> {
    const { line } = this.#ways
    if (!line.isFull) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    line.onDrain(resolve)
    await promise
  }

  async #serve(message: Message['body'], client: SocketClient): Promise<void> {
    const { newId, clock, reportFault, observe } = this.#deps
    const { path: route, caller } = this.#asking
    const id = newId()
    const sinceMs = clock.monotonicMs()
    try {
      const refusal = isRefusal(message) ? message : await this.#call(id, message, client)
      if (refusal !== undefined) this.#turnAway(id, client, refusal)
    } catch (error) {
      reportFault(error, id)
      if (client.hasBegun) client.cut()
      else this.#refuse(id, client, internalRefusal())
    }
    const { status, isComplete } = client
    const durationMs = clock.monotonicMs() - sinceMs
    observe?.({ id, method: 'GET', route, status, isComplete, keyId: caller.key.id, durationMs })
  }

  /** Serves one call to its end. Answers why it could not begin. */
  async #call(id: string, message: Buffer, client: SocketClient): Promise<Refusal | undefined> {
    const { callGuard, sockets } = this.#deps
    const { endpoint, asked, headers } = this.#asking
    const caller = this.#callerNow()
    if (isRefusal(caller)) return caller
    const late = callGuard.draining() ?? callGuard.room({ headers: {} })
    if (late !== undefined) return late
    const { body, parts: bodyParts, forget } = await this.#read(message)
    try {
      if (isRefusal(body)) return body
      const connection = { answers: sockets.answers, id: this.#asking.id }
      const received = { id, endpoint, asked, isCount: false, caller, headers, body, bodyParts, client, connection }
      const call = await callOf(received, this.#deps)
      if (isRefusal(call)) return call
      await runCall({ ...call, quirks: QUIRKS }, this.#deps).finally(call.forget)
      return undefined
    } finally {
      forget()
    }
  }

  /** Measures and counts a message as the body of a request. */
  #read(message: Buffer): Promise<Read> {
    const { promise, resolve } = Promise.withResolvers<Read>()
    const reading = new Reading({
      bodies: this.#deps.memory.bodies,
      mostBytes: MAX_BODY_BYTES,
      announced: message.length,
      isOfCall: true,
      done: (body, parts) => resolve({ body, parts, forget: () => reading.forget() }),
    })
    reading.read(Readable.from(piecesOf(message)), undefined)
    return promise
  }

  /** The key and its package may have changed since the connection was opened. */
  #callerNow(): Caller | Refusal {
    const { catalog, clock } = this.#deps
    const { id, hash } = this.#asking.caller.key
    const key = catalog.key(id)
    const nowMs = clock.nowMs()
    if (key === undefined || !isValueOf(key, hash, nowMs)) {
      return refuse('key_not_usable', 'The key of this connection is not valid any more.')
    }
    return callerOfKey(key, { catalog, nowMs: clock.nowMs })
  }

  #turnAway(requestId: string, client: SocketClient, refusal: Refusal): void {
    const { endpoint, caller } = this.#asking
    this.#deps.refused.note({ requestId, keyId: caller.key.id, endpoint, model: undefined, refusal })
    this.#refuse(requestId, client, refusal)
  }

  #refuse(requestId: string, client: SocketClient, refusal: Refusal): void {
    replyRefusal({ requestId, client, endpoint: this.#asking.endpoint, quirks: QUIRKS }, refusal, {})
  }
}

function* piecesOf(message: Buffer): Generator<Buffer> {
  for (let from = 0; from < message.length; from += PIECE_BYTES) yield message.subarray(from, from + PIECE_BYTES)
}
