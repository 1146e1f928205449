// What was charged on one day, and beside it what running calls may come to cost. At midnight the charges begin anew; what is held
// stays, because those calls are still running.

import { nextCycleStart } from '#core/cycle.ts'
import type { MicroCredits } from '#core/money.ts'

export type DayCountOptions = {
  readonly nowMs: () => number
  /** Whose days are counted. */
  readonly timeZone: string
}

export class DayCount {
  readonly #options: DayCountOptions
  #chargedMicro = 0
  #heldMicro = 0
  #endsAtMs: number

  constructor(options: DayCountOptions) {
    this.#options = options
    this.#endsAtMs = nextCycleStart('daily', options.timeZone, options.nowMs())
  }

  get chargedMicro(): number {
    this.#turn()
    return this.#chargedMicro
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

  /** What was charged on this day before this start. */
  restore(chargedMicro: number): void {
    this.#turn()
    this.#chargedMicro = chargedMicro
  }

  #turn(): void {
    const { nowMs, timeZone } = this.#options
    if (nowMs() < this.#endsAtMs) return
    this.#chargedMicro = 0
    this.#endsAtMs = nextCycleStart('daily', timeZone, nowMs())
  }
}
