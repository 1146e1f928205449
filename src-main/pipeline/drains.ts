// Answers that are read on to their end although their clients left, because the provider reports what it bills only there.
// They serve nobody who waits, so they are bounded in number, time and bytes, and end at once with the program.

/** What an answer may still take once its client left. */
export type DrainLimits = { readonly count: number; readonly timeMs: number; readonly bytes: number }

const DEFAULT_LIMITS: DrainLimits = { count: 16, timeMs: 60_000, bytes: 16 * 1024 * 1024 }

/** One answer that is read on. */
export class Drain {
  readonly #leave: () => void
  readonly #timer: NodeJS.Timeout
  #bytesLeft: number

  constructor(limits: DrainLimits, giveUp: () => void, leave: () => void) {
    this.#leave = leave
    this.#bytesLeft = limits.bytes
    this.#timer = setTimeout(giveUp, limits.timeMs)
  }

  /** Counts what arrived; false once that is more than a drain may read. */
  take(bytes: number): boolean {
    this.#bytesLeft -= bytes
    return this.#bytesLeft >= 0
  }

  /** To be called at the end, whatever it was. */
  close(): void {
    clearTimeout(this.#timer)
    this.#leave()
  }
}

export class Drains {
  readonly #limits: DrainLimits
  readonly #giveUps = new Set<() => void>()
  #isClosed = false

  constructor(limits: DrainLimits = DEFAULT_LIMITS) {
    this.#limits = limits
  }

  get size(): number {
    return this.#giveUps.size
  }

  /** Begins a drain; undefined when there are too many, or the program ends. `giveUp` is called when its time is up. */
  begin(giveUp: () => void): Drain | undefined {
    if (this.#isClosed || this.#giveUps.size >= this.#limits.count) return undefined
    this.#giveUps.add(giveUp)
    return new Drain(this.#limits, giveUp, () => this.#giveUps.delete(giveUp))
  }

  /** Ends all drains; none begins any more. */
  close(): void {
    this.#isClosed = true
    for (const giveUp of this.#giveUps) giveUp()
  }
}
