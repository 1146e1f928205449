// Where an answer is complete only once its charge is in PostgreSQL: answers wait for that at their end, all that wait by one batch, and for a bounded time.

import type { Soon } from '#core/soon.ts'
import type { After } from '#core/wait-queue.ts'
import type { SharedKeeping } from '#pipeline/leases.ts'

export type KeepingOptions = {
  /** Tells PostgreSQL everything that this gateway has charged by now. Rejects where it cannot be reached. */
  readonly tell: () => Promise<void>
  /** Whether PostgreSQL can be asked. */
  readonly isReachable: () => boolean
  readonly failed: (error: unknown) => void
  readonly monotonicMs: () => number
  readonly after: After
  /** How long an answer waits at most, in milliseconds. */
  readonly patienceMs: () => number
}

type WaitingAnswer = { readonly untilMs: number; readonly resolve: (is: boolean) => void }

/** So often it is looked whether PostgreSQL is back, and whose patience is over. */
const LOOK_EVERY_MS = 50
/** After this a batch is told again that was not taken. */
const TRY_AGAIN_MS = 100

export class Keeping implements SharedKeeping {
  readonly #options: KeepingOptions
  /** Of answers that have no charge yet. */
  #knocking: WaitingAnswer[] = []
  /** Of charges that the next batch brings, and of those that are on their way. */
  #gathering: WaitingAnswer[] = []
  #sent: WaitingAnswer[] = []
  #isSending = false
  #isLooking = false

  constructor(options: KeepingOptions) {
    this.#options = options
  }

  canKeep(): Soon<boolean> {
    if (this.#options.isReachable()) return true
    return new Promise((resolve) => {
      this.#knocking.push(this.#waiter(resolve))
      this.#look()
    })
  }

  isKept(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#gathering.push(this.#waiter(resolve))
      this.#look()
      if (!this.#isSending) void this.#send()
    })
  }

  #waiter(resolve: WaitingAnswer['resolve']): WaitingAnswer {
    const { monotonicMs, patienceMs } = this.#options
    return { untilMs: monotonicMs() + patienceMs(), resolve }
  }

  /** While a batch is on its way the next one gathers: what it brings was charged before it was read. */
  async #send(): Promise<void> {
    const { tell, failed } = this.#options
    this.#isSending = true
    while (this.#gathering.length > 0) {
      this.#sent = this.#gathering
      this.#gathering = []
      try {
        await tell()
        for (const { resolve } of this.#sent) resolve(true)
        this.#sent = []
      } catch (error) {
        failed(error)
        this.#gathering = [...this.#sent, ...this.#gathering]
        this.#sent = []
        await new Promise<void>((resolve) => void this.#options.after(TRY_AGAIN_MS, resolve))
      }
    }
    this.#isSending = false
  }

  #look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#options.after(LOOK_EVERY_MS, () => {
      this.#isLooking = false
      const { isReachable, monotonicMs } = this.#options
      if (isReachable()) {
        for (const { resolve } of this.#knocking) resolve(true)
        this.#knocking = []
      }
      const nowMs = monotonicMs()
      this.#knocking = patient(this.#knocking, nowMs)
      this.#gathering = patient(this.#gathering, nowMs)
      this.#sent = patient(this.#sent, nowMs)
      if (this.#knocking.length + this.#gathering.length + this.#sent.length > 0) this.#look()
    })
  }
}

/** Tells those whose time is over, and returns the others. */
function patient(waiters: readonly WaitingAnswer[], nowMs: number): WaitingAnswer[] {
  return waiters.filter(({ untilMs, resolve }) => {
    const isOver = nowMs >= untilMs
    if (isOver) resolve(false)
    return !isOver
  })
}
