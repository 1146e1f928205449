// What a gateway that shares its books does again and again while it has joined.

export const EVERY = { beatMs: 1000, shipMs: 250, aheadMs: 250, usageMs: 1000, callsMs: 500 } as const

type RoundsOptions = {
  readonly isOn: () => boolean
  readonly failed: (error: unknown) => void
}

export class Rounds {
  readonly #options: RoundsOptions
  readonly #timers: NodeJS.Timeout[] = []

  constructor(options: RoundsOptions) {
    this.#options = options
  }

  /** Where it takes longer than that, the next time is when it is done. */
  every(ms: number, work: () => Promise<void>): void {
    let isRunning = false
    const timer = setInterval(() => {
      if (isRunning || !this.#options.isOn()) return
      isRunning = true
      void work()
        .catch((error: unknown) => this.#options.failed(error))
        .finally(() => (isRunning = false))
    }, ms)
    this.#timers.push(timer)
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }
}
