// Calls as they end on other gateways, for whoever looks: they are told while somebody does, in notices that nobody keeps, and no more than can be looked at.

import type { CallElsewhere } from '#fleet/membership.ts'
import type { Seat } from '#fleet/seat.ts'

type OnCalls = (calls: readonly CallElsewhere[]) => void

export type SharedCallsOptions<Call> = {
  readonly seat: Pick<Seat, 'inTurn' | 'say' | 'gatewayId'>
  readonly monotonicMs: () => number
  /** What the others are to show of a call of this gateway. */
  readonly shown: (call: Call) => CallElsewhere
}

/** Whoever looks says so again and again, and is told for a while longer, should it be slow to say it. */
const LOOKS_EVERY_MS = 5000
const TOLD_FOR_MS = 15_000
/** PostgreSQL takes notices of fewer than 8,000 bytes. */
const MAX_NOTICE_BYTES = 7500

export class SharedCalls<Call> {
  readonly #options: SharedCallsOptions<Call>
  readonly #listeners = new Set<OnCalls>()
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #isLookedForUntilMs = Number.NEGATIVE_INFINITY
  /** The latest that were not told, as texts, the oldest first; not more than one notice has room for. */
  #untold: string[] = []
  #untoldBytes = 0

  constructor(options: SharedCallsOptions<Call>) {
    this.#options = options
  }

  /** Has the others tell of their calls until the function that is returned is called. */
  listen(listener: OnCalls): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  recorded(calls: readonly Call[]): void {
    const { monotonicMs, shown } = this.#options
    if (monotonicMs() >= this.#isLookedForUntilMs) return
    for (const call of calls) {
      const text = JSON.stringify(shown(call))
      this.#untold.push(text)
      this.#untoldBytes += Buffer.byteLength(text) + 1
    }
    while (this.#untoldBytes > MAX_NOTICE_BYTES) this.#untoldBytes -= Buffer.byteLength(this.#untold.shift() ?? '') + 1
  }

  /** To be called again and again: says that somebody looks, and tells what came since the last time. Rejects with FleetUnreachable. */
  async tell(): Promise<void> {
    const { seat, monotonicMs } = this.#options
    if (this.#listeners.size > 0 && monotonicMs() - this.#lookedAtMs >= LOOKS_EVERY_MS) {
      await seat.inTurn(() => seat.say('look_at_calls', []))
      this.#lookedAtMs = monotonicMs()
    }
    if (this.#untold.length === 0) return
    const texts = this.#untold
    this.#untold = []
    this.#untoldBytes = 0
    await seat.inTurn(() => seat.say('show_calls', [`[${texts.join()}]`]))
  }

  /** A gateway says that somebody looks there. */
  lookedAt(gatewayId: string): void {
    const { seat, monotonicMs } = this.#options
    if (gatewayId !== seat.gatewayId) this.#isLookedForUntilMs = monotonicMs() + TOLD_FOR_MS
  }

  /** A gateway tells of its calls: the name of the gateway, and after a space what its `tell` made. */
  heard(text: string, failed: (error: unknown) => void): void {
    const end = text.indexOf(' ')
    if (this.#listeners.size === 0 || text.slice(0, end) === this.#options.seat.gatewayId) return
    try {
      const calls = JSON.parse(text.slice(end + 1)) as readonly CallElsewhere[]
      for (const listener of this.#listeners) listener(calls)
    } catch (error) {
      failed(error)
    }
  }
}
