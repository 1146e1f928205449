// Sends the number of calls of each key to the other gateways, so that all of them show the same counts. It sends whole counts, so sending one twice changes
// nothing.

import type { Seat } from '#fleet/seat.ts'
import type { Ledger } from '#ledger/ledger.ts'

/** So many keys are looked at for one message. */
const AT_ONCE = 2000

export type OwnKeyUseOptions = {
  readonly seat: Pick<Seat, 'inTurn' | 'say'>
  readonly ledger: Pick<Ledger, 'ownUse'>
}

export class OwnKeyUse {
  readonly #options: OwnKeyUseOptions
  #untold = new Set<string>()

  constructor(options: OwnKeyUseOptions) {
    this.#options = options
  }

  used(keyId: string): void {
    this.#untold.add(keyId)
  }

  /** PostgreSQL may lack what was sent before. */
  joined(keyIds: readonly string[]): void {
    for (const keyId of keyIds) this.#untold.add(keyId)
  }

  /** Rejects with FleetUnreachable; the counts are then sent again. */
  async tell(): Promise<void> {
    while (this.#untold.size > 0) {
      const keyIds = [...this.#untold].slice(0, AT_ONCE)
      for (const keyId of keyIds) this.#untold.delete(keyId)
      try {
        await this.#tellOf(keyIds)
      } catch (error) {
        for (const keyId of keyIds) this.#untold.add(keyId)
        throw error
      }
    }
  }

  async #tellOf(keyIds: readonly string[]): Promise<void> {
    const { seat, ledger } = this.#options
    const uses = keyIds.flatMap((keyId) => {
      const { requestCount, lastUsedAtMs } = ledger.ownUse(keyId)
      return lastUsedAtMs === undefined ? [] : [[keyId, requestCount, lastUsedAtMs]]
    })
    if (uses.length > 0) await seat.inTurn(() => seat.say('tell_key_use', [JSON.stringify(uses)]))
  }
}
