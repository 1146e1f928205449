// The guard of calls. It decides from the head of a request, before its body is read: Farebox must not be about to end, and there must be
// memory for the body. It also slows down whoever guesses keys.

import type { FastifyRequest } from 'fastify'
import { refuse, type Refusal } from '#core/refusal.ts'
import { announcedBytes, bringsForm } from '#server/bodies/body-reader.ts'
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

  /** Refuses what arrives while Farebox shuts down, on every route that is not public. */
  draining(): Refusal | undefined {
    if (!this.#deps.readiness.isDraining) return undefined
    return refuse('overloaded', 'Farebox is shutting down.', { retryAfterSeconds: 5 })
  }

  /** The answer to a refused key. Only a key that does not exist counts as a guess, and only guesses are slowed down. */
  refused({ ip }: Pick<FastifyRequest, 'ip'>, refusal: Refusal): Refusal {
    const tooMany = refusal.code === 'unauthenticated' ? this.#guesses.wrong(ip) : undefined
    return tooMany ?? refusal
  }

  /** Refuses a call with a good key when there is no memory for its body. */
  room(request: Pick<FastifyRequest, 'headers'>): Refusal | undefined {
    // The files of a form are not kept in memory.
    return this.#deps.memory.refusal(bringsForm(request) ? 0 : (announcedBytes(request) ?? 0))
  }
}
