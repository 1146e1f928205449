// Whether new calls are taken. A pause lives in memory only: whoever starts Farebox wants it to run.

import { refuse, type Refusal } from '#core/refusal.ts'

export class Pause {
  readonly #nowMs: () => number
  #pause: { readonly fromMs: number; readonly untilMs: number } | undefined

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** When new calls are taken again; undefined while they are. */
  get untilMs(): number | undefined {
    if (this.#pause === undefined) return undefined
    const { fromMs, untilMs } = this.#pause
    const nowMs = this.#nowMs()
    // A clock that was set back would make the pause longer than anybody asked for.
    if (nowMs >= untilMs || nowMs < fromMs) this.#pause = undefined
    return this.#pause?.untilMs
  }

  /** Calls that run go on; a pause that is there is replaced. */
  begin(forMs: number): void {
    const fromMs = this.#nowMs()
    this.#pause = { fromMs, untilMs: fromMs + forMs }
  }

  end(): void {
    this.#pause = undefined
  }

  /** What a new call is told. */
  refusal(): Refusal | undefined {
    const { untilMs } = this
    if (untilMs === undefined) return undefined
    const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - this.#nowMs()) / 1000))
    const minutes = Math.ceil(retryAfterSeconds / 60)
    const time = minutes === 1 ? 'a minute' : `${minutes} minutes`
    const message = `Farebox is paused and takes calls again in ${time}, or when it is resumed on its machine.`
    return refuse('overloaded', message, { retryAfterSeconds })
  }
}
