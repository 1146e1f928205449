// All WebSockets that are open, over every listener: how many there may be, what their answers may take of memory, and the clock by which
// each of them is looked at.

import { AnswerMemory } from '#pipeline/answer-memory.ts'

/** A tool has one for each of its conversations. */
export const MAX_SOCKETS_PER_KEY = 128

export interface OpenSocket {
  readonly keyId: string
  /** Called every second. */
  look(): void
  /** Its key may not be used any more. */
  endBlocked(): void
}

export type SocketsOptions = {
  /** Whether there are any. */
  readonly isOn: boolean
  /** Of all keys together. */
  readonly most: number
  readonly monotonicMs: () => number
}

export class Sockets {
  readonly isOn: boolean
  /** What the conversations of connections consist of, for as long as these are open. */
  readonly answers: AnswerMemory
  readonly #byKey = new Map<string, Set<OpenSocket>>()
  readonly #most: number
  #size = 0

  constructor({ isOn, most, monotonicMs }: SocketsOptions) {
    this.isOn = isOn
    this.#most = most
    this.answers = new AnswerMemory({ monotonicMs, keptMs: Number.POSITIVE_INFINITY })
  }

  get size(): number {
    return this.#size
  }

  hasRoomFor(keyId: string): boolean {
    return this.#size < this.#most && (this.#byKey.get(keyId)?.size ?? 0) < MAX_SOCKETS_PER_KEY
  }

  add(socket: OpenSocket): void {
    const own = this.#byKey.get(socket.keyId) ?? new Set()
    this.#byKey.set(socket.keyId, own.add(socket))
    this.#size += 1
  }

  remove(socket: OpenSocket): void {
    const own = this.#byKey.get(socket.keyId)
    if (own?.delete(socket) !== true) return
    this.#size -= 1
    if (own.size === 0) this.#byKey.delete(socket.keyId)
  }

  look(): void {
    for (const own of this.#byKey.values()) for (const socket of own) socket.look()
  }

  /** Ends those of a key that may no longer be used; what runs on them is ended by others. */
  keyBlocked(keyId: string): void {
    for (const socket of this.#byKey.get(keyId) ?? []) socket.endBlocked()
  }
}
