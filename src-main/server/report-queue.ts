// Reports wait for each other on one thread. A member who asks for more than a few at a time is told to wait, so that a page that is
// reloaded over and over cannot pile up work that nobody reads any more. The owner's scripts and commands ask for as many as there
// is room for, and some of the room is theirs alone.

import type { Viewer } from '#core/member.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

const MOST_OF_MEMBER = 8
const MOST_OF_MEMBERS = 48
const MOST_OF_ALL = 64

export class ReportQueue {
  readonly #waiting = new Map<string, number>()
  #all = 0

  /** Does some work for a viewer, or refuses to while there is too much of it. */
  async run<Result>(viewer: Viewer, work: () => Promise<Result>): Promise<Result | Refusal> {
    const memberId = viewer.type === 'owner' ? undefined : viewer.member.id
    if (memberId !== undefined && this.#of(memberId) >= MOST_OF_MEMBER) {
      return refuse('rate_limited', 'Several reports are being made for you already. Ask again in a moment.', SOON)
    }
    if (this.#all >= (memberId === undefined ? MOST_OF_ALL : MOST_OF_MEMBERS)) {
      return refuse('overloaded', 'Too many reports are being made at the moment.', SOON)
    }
    this.#count(memberId, 1)
    try {
      return await work()
    } finally {
      this.#count(memberId, -1)
    }
  }

  #of(memberId: string): number {
    return this.#waiting.get(memberId) ?? 0
  }

  #count(memberId: string | undefined, change: 1 | -1): void {
    this.#all += change
    if (memberId === undefined) return
    const count = this.#of(memberId) + change
    if (count > 0) this.#waiting.set(memberId, count)
    else this.#waiting.delete(memberId)
  }
}

const SOON = { retryAfterSeconds: 1 }
