// How many changes members may ask for.

import type { FastifyRequest } from 'fastify'
import { roleOf, viewerId, type Viewer } from '#core/member.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

const MINUTE_MS = 60_000
const MAX_CHANGES = 120

/**
 * How many changes a member, or the holder of a key, may ask for within a minute: enough for any hand, too few to wash the audit log
 * out.
 */
export class ChangeLimiter {
  readonly #monotonicMs: () => number
  readonly #changes = new Map<string, number>()
  #startedAtMs = 0

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  check({ method }: FastifyRequest, viewer: Viewer): Refusal | undefined {
    const id = viewerId(viewer)
    if (method === 'GET' || id === undefined || roleOf(viewer) === 'administrator') return undefined
    if (!this.isOver(id)) return undefined
    return refuse('rate_limited', 'These are too many changes at once.', { retryAfterSeconds: MINUTE_MS / 1000 })
  }

  /** Counts one more, and says whether it is too many. */
  isOver(id: string): boolean {
    const nowMs = this.#monotonicMs()
    if (nowMs >= this.#startedAtMs + MINUTE_MS) {
      this.#startedAtMs = nowMs
      this.#changes.clear()
    }
    const count = (this.#changes.get(id) ?? 0) + 1
    this.#changes.set(id, count)
    return count > MAX_CHANGES
  }
}
