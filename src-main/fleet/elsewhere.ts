// What the other gateways have charged, and how often they have used each key, for balances as they are shown. It counts for no decision.

import type { KeyUse } from '#fleet/connection.ts'
import type { Sum } from '#fleet/lease-book.ts'
import type { Seat } from '#fleet/seat.ts'
import type { OtherGateways } from '#ledger/other-gateways.ts'

export type ElsewhereOptions = {
  readonly seat: Pick<Seat, 'inTurn' | 'gatewayId'>
  /** Of all keys. */
  readonly keyIds: () => readonly string[]
  readonly monotonicMs: () => number
}

/** After a look the next one comes when so many times as long has passed, and within a bound: it takes long where there are many gateways and keys. */
const REST = 50
const MAX_REST_MS = 10_000
/** What has changed for longer than this is looked up key by key: it may be very much, and one question. */
const MAX_BACK_MS = 60_000
/** So many keys in one question: others are asked between two. */
const AT_ONCE = 10_000

export class Elsewhere implements OtherGateways {
  readonly #options: ElsewhereOptions
  /** By key, of the last cycle that was heard of, in micro-credits. */
  readonly #charged = new Map<string, { readonly cycle: number; readonly amountMicro: number }>()
  readonly #used = new Map<string, { readonly requestCount: number; readonly lastUsedAtMs: number }>()
  /** undefined where everything is to be looked at. */
  #looked: { readonly beganMs: number; readonly tookMs: number } | undefined

  constructor(options: ElsewhereOptions) {
    this.#options = options
  }

  /** In a cycle that is not over. */
  charged(keyId: string, cycle: number): number {
    const known = this.#charged.get(keyId)
    return known?.cycle === cycle ? known.amountMicro : 0
  }

  use(keyId: string): { readonly requestCount: number; readonly lastUsedAtMs: number } | undefined {
    return this.#used.get(keyId)
  }

  /** What was seen may not hold any more: PostgreSQL may have fallen over to a standby. */
  joined(): void {
    this.#looked = undefined
  }

  /** Looks at everything. Rejects with FleetUnreachable, as the others do. */
  async look(): Promise<void> {
    const { seat, keyIds, monotonicMs } = this.#options
    const beganMs = monotonicMs()
    const all = keyIds()
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const some = all.slice(from, from + AT_ONCE)
      await seat.inTurn(async (connection) => {
        this.#found(await connection.chargedElsewhere(seat.gatewayId, some))
        this.#foundUse(await connection.useElsewhere(seat.gatewayId, some))
      })
    }
    // How long all of it takes says nothing of what changed.
    this.#looked = { beganMs, tookMs: 0 }
  }

  /** Looks at what has changed since the last look, after a rest; at everything where that was long ago. */
  async lookAgain(): Promise<void> {
    const { seat, monotonicMs } = this.#options
    const looked = this.#looked
    if (looked === undefined || monotonicMs() - looked.beganMs > MAX_BACK_MS) return this.look()
    if (monotonicMs() - looked.beganMs <= Math.min(REST * looked.tookMs, MAX_REST_MS)) return
    await seat.inTurn(async (connection) => {
      const beganMs = monotonicMs()
      const sinceMs = beganMs - looked.beganMs
      this.#found(await connection.changedElsewhere(seat.gatewayId, sinceMs))
      this.#foundUse(await connection.changedUse(seat.gatewayId, sinceMs))
      this.#looked = { beganMs, tookMs: monotonicMs() - beganMs }
    })
  }

  #found(sums: readonly Sum[]): void {
    for (const [keyId, cycle, amountMicro] of sums) {
      if ((this.#charged.get(keyId)?.cycle ?? cycle) <= cycle) this.#charged.set(keyId, { cycle, amountMicro })
    }
  }

  #foundUse(uses: readonly KeyUse[]): void {
    for (const [keyId, requestCount, lastUsedAtMs] of uses) this.#used.set(keyId, { requestCount, lastUsedAtMs })
  }
}
