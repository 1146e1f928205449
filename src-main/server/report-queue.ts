// Reports wait for each other on one thread. Whoever asks for more than a few at a time is told to wait, so that a page that is
// reloaded over and over cannot pile up work that nobody reads any more.

import type { Viewer } from '#core/member.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

const MOST_OF_ONE = 8
const MOST_OF_ALL = 64

export class ReportQueue {
  readonly #waiting = new Map<string, number>()
  #all = 0

  /** Does some work for a viewer, or refuses to while there is too much of it. */
  async run<Result>(viewer: Viewer, work: () => Promise<Result>): Promise<Result | Refusal> {
    const name = viewer.type === 'owner' ? 'owner' : viewer.member.id
    const own = this.#waiting.get(name) ?? 0
    if (own >= MOST_OF_ONE) {
      return refuse('rate_limited', 'Several reports are being made for you already. Ask again in a moment.', SOON)
    }
    if (this.#all >= MOST_OF_ALL) return refuse('overloaded', 'Too many reports are being made at the moment.', SOON)
    this.#waiting.set(name, own + 1)
    this.#all += 1
    try {
      return await work()
    } finally {
      this.#all -= 1
      const left = (this.#waiting.get(name) ?? 1) - 1
      if (left > 0) this.#waiting.set(name, left)
      else this.#waiting.delete(name)
    }
  }
}

const SOON = { retryAfterSeconds: 1 }
