// Everything that one running call is spent from: the balance of its key, the day of the key's member, the day of its provider. What
// it holds can grow while it runs, in all of them or in none.

import { microCredits } from '#core/money.ts'
import type { OpenHold } from '#ledger/account.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { Share } from '#pipeline/member-budgets.ts'
import type { ProviderGate, Slot } from '#pipeline/provider-gate.ts'

export type Spent = {
  readonly ledger: Pick<Ledger, 'extend' | 'growthLeft'>
  readonly hold: OpenHold
  readonly share: Share | undefined
  readonly gate: Pick<ProviderGate, 'grow' | 'growthLeft'>
  readonly slot: Slot
}

export class CallSpending {
  readonly #spent: Spent

  constructor(spent: Spent) {
    this.#spent = spent
  }

  /** What the call may cost as things are, in micro-credits: the least that it holds of anything. */
  get heldMicro(): number {
    const { hold, share, slot } = this.#spent
    const ofKey = hold.isUnlimited ? Number.POSITIVE_INFINITY : hold.amountMicro + hold.grownMicro
    return Math.min(ofKey, share?.ownMicro ?? Number.POSITIVE_INFINITY, slot.heldMicro)
  }

  /** By how much that can grow; Infinity where nothing is bounded. */
  get growthLeftMicro(): number {
    const { ledger, hold, share, gate, slot } = this.#spent
    const ofMember = Math.max(0, share?.availableMicro ?? Number.POSITIVE_INFINITY)
    return Math.min(ledger.growthLeft(hold), ofMember, gate.growthLeft(slot))
  }

  /** Lets it grow by an amount that is at most what is left to grow by. */
  grow(moreMicro: number): void {
    const { ledger, hold, share, gate, slot } = this.#spent
    const gotMicro = ledger.extend(hold, microCredits(moreMicro))
    share?.hold(gotMicro)
    gate.grow(slot, gotMicro)
  }
}
