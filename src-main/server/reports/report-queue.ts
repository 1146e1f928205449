// Reports wait for each other on one thread. A member, or the holder of a key, who asks for more than a few at a time is told to wait,
// so that a page that is reloaded over and over cannot pile up work that nobody reads any more. The owner's scripts and commands ask
// for as many as there is room for, and some of the room is theirs alone.

import { viewerId, type Viewer } from '#core/member.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

const MAX_OF_MEMBER = 8
const MAX_OF_MEMBERS = 48
const MAX_OF_ALL = 64

export class ReportQueue {
  readonly #waiting = new Map<string, number>()
  #all = 0

  /** Does some work for a viewer, or refuses to while there is too much of it. */
  async run<Result>(viewer: Viewer, work: () => Promise<Result>): Promise<Result | Refusal> {
    const id = viewerId(viewer)
    if (id !== undefined && this.#of(id) >= MAX_OF_MEMBER) {
      return refuse('rate_limited', 'Several reports are being made for you already. Ask again in a moment.', SOON)
    }
    if (this.#all >= (id === undefined ? MAX_OF_ALL : MAX_OF_MEMBERS)) {
      return refuse('overloaded', 'Too many reports are being made at the moment.', SOON)
    }
    this.#count(id, 1)
    try {
      return await work()
    } finally {
      this.#count(id, -1)
    }
  }

  #of(id: string): number {
    return this.#waiting.get(id) ?? 0
  }

  #count(id: string | undefined, change: 1 | -1): void {
    this.#all += change
    if (id === undefined) return
    const count = this.#of(id) + change
    if (count > 0) this.#waiting.set(id, count)
    else this.#waiting.delete(id)
  }
}

const SOON = { retryAfterSeconds: 1 }
