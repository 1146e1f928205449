// The way out of a WebSocket: whole messages, one behind the other, and no more than its client reads.

import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { SlowReader } from '#server/http/slow-reader.ts'

const TEXT = { binary: false }

export class Line {
  readonly #webSocket: WebSocket
  /** The connection below it, whose buffer is what is not sent yet. */
  readonly #socket: Duplex
  readonly #slow: SlowReader

  constructor(webSocket: WebSocket, socket: Duplex, stuckMs?: number) {
    this.#webSocket = webSocket
    this.#socket = socket
    this.#slow = new SlowReader(() => this.cut(), stuckMs)
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === this.#webSocket.OPEN
  }

  /** Whether the client has to read before more is sent. */
  get isFull(): boolean {
    return this.isOpen && this.#socket.writableNeedDrain
  }

  /** Sends texts. False when the client reads too slowly to take more now; `onDrain` tells when it can. */
  send(messages: readonly Buffer[]): boolean {
    if (!this.isOpen) return true
    // In one write, as far as they came together.
    this.#socket.cork()
    for (const message of messages) this.#webSocket.send(message, TEXT)
    this.#socket.uncork()
    return !this.isFull
  }

  onDrain(callback: () => void): void {
    // Whoever is gone reads no more.
    if (this.#socket.destroyed) return
    this.#slow.wait({ full: this.#socket, open: this.#socket, callback })
  }

  /** Breaks the connection, so that the client sees that its answer is not complete. */
  cut(): void {
    this.#webSocket.terminate()
  }
}
