// Which targets ignore the output cap that they are given, and how far. A whole answer cannot be stopped at its cap: what it costs
// beyond its hold is booked as what it is, and later calls hold what the target has done before. It is forgotten after a while, since
// whole calls that are refused because of it cannot show that the target was mended.

import type { Target } from '#core/entities.ts'
import { targetKey } from '#core/target-key.ts'
import { mostTokensAt } from '#pipeline/credit-guard.ts'
import type { Clock } from '#pipeline/ports.ts'
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
/** How long a target is taken to ignore its caps after it last did. */
export const IGNORED_CAP_KEPT_MS = 15 * 60_000
/** A shorter answer says little about a tokenizer. */
const MIN_COUNTED_TOKENS = 32

type KeptCap = { longest: IgnoredCap; keptSince: number; untilMs: number }

export class CapMemory {
  readonly #clock: Clock
  readonly #entries = new Map<string, KeptCap>()
  /** The most bytes of text that each target has reported a token for. */
  readonly #bytesPerToken = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes how long an answer was that met its cap or went beyond it, in tokens over all its choices. */
  note(target: Target, answer: Omit<IgnoredCap, 'atMs'>): void {
    const { cap, outputTokens } = answer
    if (outputTokens < cap) return
    const key = targetKey(target)
    const known = this.#known(key)
    // A provider that counts a little more than its cap keeps to it.
    if (outputTokens <= mostTokensAt(cap) && (known !== undefined || outputTokens === cap)) {
      if (known !== undefined && ++known.keptSince >= KEPT_TO_FORGET) this.#entries.delete(key)
      return
    }
    const longest = { ...answer, atMs: this.#clock.nowMs() }
    const isLonger = known === undefined || known.longest.outputTokens < outputTokens
    makeRoom(this.#entries, key)
    this.#entries.set(key, {
      longest: isLonger ? longest : known.longest,
      keptSince: 0,
      untilMs: this.#clock.monotonicMs() + IGNORED_CAP_KEPT_MS,
    })
  }

  /** Notes how many tokens a target reported for a text. */
  noteCount(target: Target, { textBytes, outputTokens }: { textBytes: number; outputTokens: number }): void {
    if (outputTokens < MIN_COUNTED_TOKENS) return
    const key = targetKey(target)
    const bytesPerToken = textBytes / outputTokens
    if (bytesPerToken <= (this.#bytesPerToken.get(key) ?? 0)) return
    makeRoom(this.#bytesPerToken, key)
    this.#bytesPerToken.set(key, bytesPerToken)
  }

  /** The longest answer of a target that ignores its caps; undefined for one that is not known to. */
  of(target: Target): IgnoredCap | undefined {
    return this.#entries.size === 0 ? undefined : this.#known(targetKey(target))?.longest
  }

  /** How a target counts that goes far beyond its caps; undefined for one that is not known to. */
  ignoring(target: Target): { readonly bytesPerToken: number } | undefined {
    const longest = this.of(target)
    if (longest === undefined || longest.outputTokens <= mostTokensAt(longest.cap)) return undefined
    return { bytesPerToken: this.#bytesPerToken.get(targetKey(target)) ?? 0 }
  }

  /** The longest answer that one of the places has given beyond its cap, and when it is forgotten; undefined where none has. */
  longest(places: readonly Place[]): (IgnoredCap & { readonly forgottenAtMs: number }) | undefined {
    if (this.#entries.size === 0) return undefined
    const kept = places.map(({ target }) => this.#known(targetKey(target))).filter((entry) => entry !== undefined)
    const [first, ...others] = kept
    if (first === undefined) return undefined
    const most = others.reduce(
      (one, other) => (other.longest.outputTokens > one.longest.outputTokens ? other : one),
      first,
    )
    return { ...most.longest, forgottenAtMs: this.#clock.nowMs() + most.untilMs - this.#clock.monotonicMs() }
  }

  /** Forgets what was known of a target, because from now on it is another one behind the same name. */
  forget(target: Target): void {
    this.#entries.delete(targetKey(target))
    this.#bytesPerToken.delete(targetKey(target))
  }

  #known(key: string): KeptCap | undefined {
    const known = this.#entries.get(key)
    if (known === undefined || known.untilMs > this.#clock.monotonicMs()) return known
    this.#entries.delete(key)
    return undefined
  }
}

function makeRoom(map: Map<string, unknown>, key: string): void {
  const [oldest] = map.keys()
  if (map.size >= MAX_TARGETS && !map.has(key) && oldest !== undefined) map.delete(oldest)
}
