// What was charged on one day or in one month, and beside it what running calls may come to cost. At its end the charges begin anew; what
// is held stays, because those calls are still running. A clock that was wrong can come back to a cycle: its charges count again then.

import { cycleStart, nextCycleStart, type CycleKind } from '#core/cycle.ts'
import type { MicroCredits } from '#core/money.ts'

export type CycleCountOptions = {
  readonly nowMs: () => number
  /** Whose days and months are counted. */
  readonly timeZone: string
}

/** More than this a clock that is wrong for a moment does not come by. */
const MAX_OTHERS = 6

export class CycleCount {
  readonly #options: CycleCountOptions
  readonly #cycle: CycleKind
  #chargedMicro = 0
  #heldMicro = 0
  #startedAtMs: number
  #endsAtMs: number
  /** The cycle whose charges the present one goes on with. */
  #countedInMs: number | undefined
  /** What was charged in other cycles, by their beginnings, the latest last. */
  readonly #others = new Map<number, number>()

  constructor(options: CycleCountOptions, cycle: CycleKind = 'daily') {
    this.#options = options
    this.#cycle = cycle
    this.#startedAtMs = cycleStart(cycle, options.timeZone, options.nowMs())
    this.#endsAtMs = nextCycleStart(cycle, options.timeZone, this.#startedAtMs)
  }

  get chargedMicro(): number {
    this.#turn()
    return this.#chargedMicro
  }

  get heldMicro(): number {
    return this.#heldMicro
  }

  /** With what is held. */
  get takenMicro(): number {
    this.#turn()
    return this.#chargedMicro + this.#heldMicro
  }

  get endsAtMs(): number {
    this.#turn()
    return this.#endsAtMs
  }

  hold(amountMicro: MicroCredits): void {
    this.#heldMicro += amountMicro
  }

  /** Gives back what a call held, and notes what it was charged. */
  close(heldMicro: MicroCredits, chargedMicro: MicroCredits): void {
    this.#turn()
    this.#heldMicro -= heldMicro
    this.#chargedMicro += chargedMicro
  }

  /** What was charged in the present cycle before this start. */
  restore(chargedMicro: number): void {
    this.#turn()
    this.#chargedMicro = chargedMicro
  }

  #turn(): void {
    const { nowMs, timeZone } = this.#options
    const now = nowMs()
    if (now >= this.#startedAtMs && now < this.#endsAtMs) return
    const startedAtMs = cycleStart(this.#cycle, timeZone, now)
    this.#endsAtMs = nextCycleStart(this.#cycle, timeZone, now)
    if (startedAtMs === this.#startedAtMs) return
    const beforeMs = this.#startedAtMs
    const beforeMicro = this.#chargedMicro
    const known = this.#others.get(startedAtMs)
    this.#others.delete(startedAtMs)
    this.#others.set(beforeMs, beforeMicro)
    this.#startedAtMs = startedAtMs
    // Charges of a cycle before all that is known are not known either: those of the present one count in it, and it in that one again.
    const isUnknown = known === undefined && startedAtMs < beforeMs && !this.#isKnownBefore(startedAtMs)
    if (!isUnknown && this.#countedInMs !== startedAtMs) this.#chargedMicro = known ?? 0
    this.#countedInMs = isUnknown ? beforeMs : undefined
    const [oldest] = this.#others.keys()
    if (this.#others.size > MAX_OTHERS && oldest !== undefined) this.#others.delete(oldest)
  }

  #isKnownBefore(startedAtMs: number): boolean {
    return [...this.#others.keys()].some((otherMs) => otherMs <= startedAtMs)
  }
}
