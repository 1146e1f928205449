// The guard of calls. It decides from the head of a request, before its body is read: Farebox must not be about to end, and there must be
// memory for the body. It also slows down whoever guesses keys.

import type { FastifyRequest } from 'fastify'
import { refuse, type Refusal } from '#core/refusal.ts'
import { announcedBytes } from '#server/bodies/body-reader.ts'
import { GuessThrottle } from '#server/gateway/guess-throttle.ts'
import type { MemoryGuard } from '#server/bodies/memory-guard.ts'
import type { Readiness } from '#server/watch/readiness.ts'

export type CallGuardDeps = {
  readonly readiness: Pick<Readiness, 'isDraining'>
  readonly memory: MemoryGuard
  readonly monotonicMs: () => number
}

export class CallGuard {
  readonly #deps: CallGuardDeps
  readonly #guesses: GuessThrottle

  constructor(deps: CallGuardDeps) {
    this.#deps = deps
    this.#guesses = new GuessThrottle(deps.monotonicMs)
  }

  /** For every route that is not for everybody. */
  draining(): Refusal | undefined {
    if (!this.#deps.readiness.isDraining) return undefined
    return refuse('overloaded', 'Farebox is shutting down.', { retryAfterSeconds: 5 })
  }

  /** What to answer where a key was refused; only a key that is none counts, and only there anybody is slowed down. */
  refused({ ip }: Pick<FastifyRequest, 'ip'>, refusal: Refusal): Refusal {
    const tooMany = refusal.code === 'unauthenticated' ? this.#guesses.wrong(ip) : undefined
    return tooMany ?? refusal
  }

  /** For a call with a good key. */
  room(request: FastifyRequest): Refusal | undefined {
    return this.#deps.memory.refusal(announcedBytes(request) ?? 0)
  }
}
