// What the providers' clocks said, by the `Date` of the answers that they gave anyway: whether this machine's clock is right.

import { isLoopback } from '#core/loopback.ts'
import type { Provider } from '#core/entities.ts'

export type Clocks = { readonly nowMs: () => number; readonly monotonicMs: () => number }

/** Each in milliseconds: what the provider's clock and the two of this machine said at one moment. */
type Reading = { readonly theirsMs: number; readonly nowMs: number; readonly monotonicMs: number }

export type ClockReading = {
  readonly provider: string
  /** By how many seconds this machine's clock is ahead of the provider's; negative where it is behind. */
  readonly aheadS: number
}

/** Servers on this machine have its clock, so that one that says the same says nothing. */
const LOCAL_DRIFT_S = 60

export class ProviderClocks {
  readonly #clocks: Clocks
  /** A provider that is changed is another object, and is forgotten. */
  readonly #readings = new WeakMap<Provider, Reading>()

  constructor(clocks: Clocks) {
    this.#clocks = clocks
  }

  /** Keeps what an answer says of the time. One that comes from a cache on the way is old, and says nothing. */
  note(provider: Provider, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    const { date, age } = headers
    if (typeof date !== 'string' || age !== undefined) return
    const theirsMs = Date.parse(date)
    if (!Number.isFinite(theirsMs)) return
    this.#readings.set(provider, { theirsMs, nowMs: this.#clocks.nowMs(), monotonicMs: this.#clocks.monotonicMs() })
  }

  /** The provider from whose clock this machine's differs least: where one of them is wrong, the others are not. */
  nearest(providers: readonly Provider[]): ClockReading | undefined {
    const readings = providers.flatMap((provider) => {
      const reading = this.#readings.get(provider)
      if (reading === undefined) return []
      const one = { provider: provider.name, aheadS: Math.round(this.#aheadMs(reading) / 1_000) }
      return isLocal(provider) && Math.abs(one.aheadS) < LOCAL_DRIFT_S ? [] : [one]
    })
    return readings.toSorted((one, other) => Math.abs(one.aheadS) - Math.abs(other.aheadS))[0]
  }

  /**
   * As it was then, or as it is now by the time that has passed since, whichever is less: a clock that was put right since is right, and one
   * that stood still while the machine slept is not wrong.
   */
  #aheadMs({ theirsMs, nowMs, monotonicMs }: Reading): number {
    const then = nowMs - theirsMs
    const now = this.#clocks.nowMs() - (theirsMs + this.#clocks.monotonicMs() - monotonicMs)
    return Math.abs(now) < Math.abs(then) ? now : then
  }
}

function isLocal({ baseUrl }: Provider): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''))
}
