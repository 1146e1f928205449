// What the other gateways have charged, for people who look at balances. It counts for no decision.

import type { Sum } from '#fleet/lease-book.ts'
import type { Seat } from '#fleet/seat.ts'

export type ElsewhereOptions = {
  readonly seat: Pick<Seat, 'inTurn' | 'gatewayId'>
  /** Of all keys. */
  readonly keyIds: () => readonly string[]
  readonly monotonicMs: () => number
}

/** After a look the next one comes when so many times as long has passed, and within a bound: it takes long where there are many gateways and keys. */
const REST = 50
const MAX_REST_MS = 10_000
/** So many keys in one question: others are asked between two. */
const AT_ONCE = 10_000

export class Elsewhere {
  readonly #options: ElsewhereOptions
  /** By key, of the last cycle that was heard of, in micro-credits. */
  readonly #charged = new Map<string, { readonly cycle: number; readonly amountMicro: number }>()
  #looked = { beganMs: 0, tookMs: 0 }

  constructor(options: ElsewhereOptions) {
    this.#options = options
  }

  /** In a cycle that is not over. */
  charged(keyId: string, cycle: number): number {
    const known = this.#charged.get(keyId)
    return known?.cycle === cycle ? known.amountMicro : 0
  }

  /** Looks at everything. Rejects with FleetUnreachable, as the others do. */
  async look(): Promise<void> {
    const { seat, keyIds, monotonicMs } = this.#options
    const beganMs = monotonicMs()
    const all = keyIds()
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const some = all.slice(from, from + AT_ONCE)
      this.#found(await seat.inTurn((connection) => connection.chargedElsewhere(seat.gatewayId, some)))
    }
    // How long all of it takes says nothing of what changed.
    this.#looked = { beganMs, tookMs: 0 }
  }

  /** Looks at what has changed since the last look, after a rest. */
  async lookAgain(): Promise<void> {
    const { seat, monotonicMs } = this.#options
    const looked = this.#looked
    if (monotonicMs() - looked.beganMs <= Math.min(REST * looked.tookMs, MAX_REST_MS)) return
    await seat.inTurn(async (connection) => {
      const beganMs = monotonicMs()
      this.#found(await connection.changedElsewhere(seat.gatewayId, beganMs - looked.beganMs))
      this.#looked = { beganMs, tookMs: monotonicMs() - beganMs }
    })
  }

  #found(sums: readonly Sum[]): void {
    for (const [keyId, cycle, amountMicro] of sums) {
      if ((this.#charged.get(keyId)?.cycle ?? cycle) <= cycle) this.#charged.set(keyId, { cycle, amountMicro })
    }
  }
}
