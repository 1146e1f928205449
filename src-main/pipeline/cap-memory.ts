// Which targets ignore the output cap that they are given, and how far. A whole answer cannot be stopped at its cap: what it costs
// beyond its hold is booked as what it is, and later calls hold what the target has done before.

import type { Target } from '#core/entities.ts'
import { targetKey } from '#core/target-key.ts'
import type { Place } from '#pipeline/routing.ts'

/** An answer that was longer than its cap, in tokens over all its choices. */
export type IgnoredCap = {
  readonly cap: number
  readonly outputTokens: number
  /** UTC epoch milliseconds. */
  readonly atMs: number
}

/** More than any catalogue has; the oldest are forgotten beyond it. */
const MAX_TARGETS = 10_000
/** A target that has kept to its caps so often in a row since has been mended. */
const KEPT_TO_FORGET = 20

type KeptCap = { longest: IgnoredCap; keptSince: number }

export class CapMemory {
  readonly #entries = new Map<string, KeptCap>()

  /** Notes how long an answer was that met its cap or went beyond it, in tokens over all its choices. */
  note(target: Target, answer: IgnoredCap): void {
    const key = targetKey(target)
    const known = this.#entries.get(key)
    if (answer.outputTokens > answer.cap) {
      const longest = known === undefined || known.longest.outputTokens < answer.outputTokens ? answer : known.longest
      const [oldest] = this.#entries.keys()
      if (known === undefined && this.#entries.size >= MAX_TARGETS && oldest !== undefined) this.#entries.delete(oldest)
      this.#entries.set(key, { longest, keptSince: 0 })
    } else if (known !== undefined && answer.outputTokens === answer.cap) {
      known.keptSince += 1
      if (known.keptSince >= KEPT_TO_FORGET) this.#entries.delete(key)
    }
  }

  /** The longest answer of a target that ignores its caps; undefined for one that is not known to. */
  of(target: Target): IgnoredCap | undefined {
    return this.#entries.get(targetKey(target))?.longest
  }

  /** The most output tokens that one of the places has answered with beyond its cap; 0 where none has. */
  mostTokens(places: readonly Place[]): number {
    if (this.#entries.size === 0) return 0
    return places.reduce((most, { target }) => Math.max(most, this.of(target)?.outputTokens ?? 0), 0)
  }

  /** Forgets what was known of a target, because from now on it is another one behind the same name. */
  forget(target: Target): void {
    this.#entries.delete(targetKey(target))
  }
}
