// The client of an exchange over HTTP. The head waits for the first bytes, so that an answer that is sent as a whole gets a
// content-length; a client that stops reading is cut after a while instead of holding its upstream for ever. Chunks of a stream are
// framed here: Node writes each in four pieces, which cost a third of what passing on a small event costs.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { WireBytes } from '#dialect/answer.ts'
import type { Client, Headers } from '#pipeline/ports.ts'
import { noteStream } from '#server/http/half-closed.ts'
import { SlowReader } from '#server/http/slow-reader.ts'

/** Larger chunks are not worth a copy. */
const MAX_FRAMED_BYTES = 16 * 1024

export class HttpClient implements Client {
  readonly #response: ServerResponse
  readonly #slow: SlowReader
  readonly #onCancel: (() => void)[] = []
  /** What told us to wait, and tells us when to go on. */
  #full: ServerResponse | Socket
  #head: { readonly status: number; readonly headers: Headers } | undefined

  constructor(response: ServerResponse, stuckMs?: number) {
    this.#response = response
    this.#full = response
    this.#slow = new SlowReader(() => this.cut(), stuckMs)
  }

  get isCancelled(): boolean {
    return this.#response.destroyed && !this.#response.writableEnded
  }

  onCancel(callback: () => void): void {
    if (this.isCancelled) return callback()
    // One listener for all: a request that is tried several times has more to call than an emitter likes to hold.
    if (this.#onCancel.length === 0) this.#response.once('close', () => this.#cancel())
    this.#onCancel.push(callback)
  }

  #cancel(): void {
    if (!this.#response.writableEnded) for (const callback of this.#onCancel) callback()
  }

  get hasBegun(): boolean {
    return this.#response.headersSent
  }

  begin(status: number, headers: Headers): void {
    this.#head = { status, headers }
  }

  write(bytes: WireBytes): boolean {
    if (this.#head !== undefined) {
      this.#sendHead(this.#head.headers)
      const hasRoom = this.#response.write(bytes, 'latin1')
      if (this.#response.chunkedEncoding) noteStream(this.#response)
      return hasRoom
    }
    const socket = bytes.length > MAX_FRAMED_BYTES ? undefined : chunkedSocket(this.#response)
    this.#full = socket ?? this.#response
    return socket === undefined ? this.#response.write(bytes, 'latin1') : writeChunk(socket, bytes)
  }

  onDrain(callback: () => void): void {
    // Whoever is gone reads no more.
    if (this.#response.destroyed || this.#response.writableEnded) return
    this.#slow.wait({ full: this.#full, open: this.#response, callback })
  }

  end(bytes: WireBytes = ''): void {
    // A response that has its end says nothing of its buffer any more.
    this.#slow.end()
    if (this.#head !== undefined) {
      this.#sendHead({ ...this.#head.headers, 'content-length': String(bytes.length) })
    }
    this.#response.end(bytes, 'latin1')
    // Nobody waits for the rest of it any more, so that it would stay in memory for as long as the client likes.
    if (this.#response.writableLength > 0) this.#limitTheRest()
  }

  #limitTheRest(): void {
    const response = this.#response
    response.setTimeout(this.#slow.stuckMs, () => response.destroy())
    // The limit is one of the connection, and an answer that has its turn after this one may be silent for longer. Before Node's own
    // listener, which takes the connection away from the response and limits how long it is kept.
    response.prependOnceListener('finish', () => response.setTimeout(0))
  }

  cut(): void {
    this.#response.destroy()
  }

  #sendHead(headers: Headers): void {
    const status = this.#head?.status ?? 500
    this.#head = undefined
    this.#response.writeHead(status, headers)
  }
}

/** Where chunks can be written after the head; undefined where the answer has another form or cannot be written at the moment. */
function chunkedSocket(response: ServerResponse): Socket | undefined {
  const { socket } = response
  if (socket === null || !socket.writable || !response.headersSent || !response.chunkedEncoding) return undefined
  return socket
}

function writeChunk(socket: Socket, bytes: WireBytes): boolean {
  // A chunk of no bytes would be the end of the answer.
  if (bytes.length === 0) return true
  const text = typeof bytes === 'string' ? bytes : bytes.toString('latin1')
  return socket.write(`${text.length.toString(16)}\r\n${text}\r\n`, 'latin1')
}
