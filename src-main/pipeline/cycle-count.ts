// What was charged on one day or in one month, and beside it what running calls may come to cost. At its end the charges begin anew; what
// is held stays, because those calls are still running.

import { nextCycleStart, type CycleKind } from '#core/cycle.ts'
import type { MicroCredits } from '#core/money.ts'

export type CycleCountOptions = {
  readonly nowMs: () => number
  /** Whose days and months are counted. */
  readonly timeZone: string
}

export class CycleCount {
  readonly #options: CycleCountOptions
  readonly #cycle: CycleKind
  #chargedMicro = 0
  #heldMicro = 0
  #endsAtMs: number

  constructor(options: CycleCountOptions, cycle: CycleKind = 'daily') {
    this.#options = options
    this.#cycle = cycle
    this.#endsAtMs = nextCycleStart(cycle, options.timeZone, options.nowMs())
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
    if (nowMs() < this.#endsAtMs) return
    this.#chargedMicro = 0
    this.#endsAtMs = nextCycleStart(this.#cycle, timeZone, nowMs())
  }
}
