// What the calls of this gateway were like in the last minute, which it tells the others beside its sign of life.

import { latencyClass, latencyPercentile } from '#core/latency.ts'

export type RecentFigures = {
  /** That have ended in the last minute. */
  readonly calls: number
  /** From admission to the first byte of the provider, in milliseconds; null where no call had one. */
  readonly p50: number | null
  readonly p95: number | null
}

type Ended = { readonly firstByteMs?: number | undefined }
type Second = { readonly second: number; calls: number; readonly counts: Map<number, number> }

const SECONDS = 60

export class RecentCalls {
  readonly #monotonicMs: () => number
  /** Oldest first; none without a call. */
  #seconds: Second[] = []

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  recorded(calls: readonly Ended[]): void {
    const { counts } = this.#present(calls.length)
    for (const { firstByteMs } of calls) {
      if (firstByteMs === undefined) continue
      const found = latencyClass(firstByteMs)
      counts.set(found, (counts.get(found) ?? 0) + 1)
    }
  }

  get figures(): RecentFigures {
    this.#forget()
    const counts = new Map<number, number>()
    for (const second of this.#seconds) {
      for (const [found, calls] of second.counts) counts.set(found, (counts.get(found) ?? 0) + calls)
    }
    const inOrder = [...counts].toSorted(([left], [right]) => left - right)
    const classes = inOrder.map(([found, calls]) => ({ latencyClass: found, calls }))
    const time = (percent: number) => (classes.length === 0 ? null : (latencyPercentile(classes, percent) ?? null))
    return { calls: this.#seconds.reduce((sum, { calls }) => sum + calls, 0), p50: time(50), p95: time(95) }
  }

  #present(more: number): Second {
    this.#forget()
    const second = this.#second
    const last = this.#seconds.at(-1)
    const present = last?.second === second ? last : { second, calls: 0, counts: new Map<number, number>() }
    if (present !== last) this.#seconds.push(present)
    present.calls += more
    return present
  }

  #forget(): void {
    const oldest = this.#second - SECONDS
    while ((this.#seconds[0]?.second ?? oldest + 1) <= oldest) this.#seconds.shift()
  }

  get #second(): number {
    return Math.floor(this.#monotonicMs() / 1000)
  }
}
