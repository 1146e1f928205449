// How late timers are: what the event loop does for one call delays all the others by as much. Counted without end instead of
// since the last look, so that several scrapers see the same.

import { Histogram } from '#core/histogram.ts'

const EVERY_MS = 50
const SECOND_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

export class LoopMeter {
  readonly delay = new Histogram(SECOND_BOUNDS)
  readonly #timer: NodeJS.Timeout
  #dueMs: number

  constructor(monotonicMs: () => number) {
    this.#dueMs = monotonicMs() + EVERY_MS
    this.#timer = setInterval(() => {
      const nowMs = monotonicMs()
      this.delay.observe(Math.max(0, nowMs - this.#dueMs) / 1000)
      this.#dueMs = nowMs + EVERY_MS
    }, EVERY_MS)
    this.#timer.unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
