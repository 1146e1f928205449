// What a call took of everything that bounds it: its turn at the rate limits, its part of the budgets of its project and member, its hold on the credits of
// its key, and, while it is asked, its place at a provider. All of it is given back by one `close`, whichever way the call ended.

import { microCredits, ZERO } from '#core/money.ts'
import { isLater, type Soon } from '#core/soon.ts'
import type { Gate, Ticket } from '#pipeline/gate.ts'
import type { HeldShare } from '#pipeline/leases.ts'
import type { ProviderGate, Slot } from '#pipeline/provider-gate.ts'
import type { OpenHold } from '#ledger/account.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { Settlement } from '#ledger/settlement.ts'

/** What admission took. */
export type Taken = {
  readonly ticket: Ticket
  /** Of the budgets of its project and of the member whose key it is. */
  readonly shares: readonly HeldShare[]
  readonly hold: OpenHold
}

/** Whom it was taken from. */
export type Lenders = {
  readonly gate: Gate
  readonly ledger: Ledger
  readonly routing: { readonly gate: ProviderGate }
}

/** What a call is charged. */
export type Bill = {
  readonly settlement: Settlement
  /** What is recorded in its place where the disk refuses it and the client got nothing. */
  readonly undelivered?: Settlement | undefined
}

/** How a call ended, as far as it matters to what it took. */
export type Outcome = {
  /** Of its input and output, as far as it is known at once. */
  readonly usedTokens: number
  /** Comes later than the end where tokens have to be counted. Never rejects. */
  readonly bill: Soon<Bill>
}

export class Reservation {
  readonly hold: OpenHold
  readonly #ticket: Ticket
  readonly #shares: readonly HeldShare[]
  readonly #from: Lenders
  /** The place of the attempt that is not paid for yet. */
  #slot: Slot | undefined

  constructor({ ticket, shares, hold }: Taken, from: Lenders) {
    this.hold = hold
    this.#ticket = ticket
    this.#shares = shares
    this.#from = from
  }

  /** Notes the place of an attempt that begins. */
  arrive(slot: Slot): void {
    this.#slot = slot
  }

  /** The attempt is over, and its place is free. What it may have cost stays held until it is known. */
  depart(): void {
    if (this.#slot !== undefined) this.#from.routing.gate.leave(this.#slot)
  }

  /** The attempt that is over cost nothing, because another one follows. */
  waive(): void {
    this.#pay(ZERO, 0)
  }

  /**
   * Gives everything back, and resolves when the charge is on disk. The turn at the rate limits is free at once, because counting
   * tokens may take a moment; what budgets and the provider's day hold is known when the charge is.
   * Rejects with JournalHalted where the disk refuses the charge; everything is given back all the same.
   */
  async close({ usedTokens, bill }: Outcome): Promise<void> {
    const { gate, ledger } = this.#from
    gate.leave(this.#ticket, usedTokens)
    const { settlement, undelivered } = isLater(bill) ? await bill : bill
    try {
      await ledger.resolve(this.hold, settlement, undelivered)
    } finally {
      this.#pay(settlement.chargeMicro, usedTokens)
      for (const share of this.#shares) share.close(settlement.chargeMicro)
    }
  }

  /** What the call may cost as things are, in micro-credits: the least that it holds of anything. */
  get heldMicro(): number {
    const { amountMicro, grownMicro, isUnlimited } = this.hold
    const ofKey = isUnlimited ? Number.POSITIVE_INFINITY : amountMicro + grownMicro
    const ofBudgets = leastOf(this.#shares, ({ ownMicro }) => ownMicro ?? Number.POSITIVE_INFINITY)
    return Math.min(ofKey, ofBudgets, this.#slot?.heldMicro ?? 0)
  }

  /** By how much that can grow; Infinity where nothing is bounded. */
  get growthLeftMicro(): number {
    const { ledger, routing } = this.#from
    const ofBudgets = Math.max(
      0,
      leastOf(this.#shares, ({ availableMicro }) => availableMicro),
    )
    const ofProvider = this.#slot === undefined ? 0 : routing.gate.growthLeft(this.#slot)
    return Math.min(ledger.growthLeft(this.hold), ofBudgets, ofProvider)
  }

  /** Lets it grow, in all of them, by an amount that is at most what is left to grow by. */
  grow(moreMicro: number): void {
    const { ledger, routing } = this.#from
    const gotMicro = ledger.extend(this.hold, microCredits(moreMicro))
    for (const share of this.#shares) share.hold(gotMicro)
    if (this.#slot !== undefined) routing.gate.grow(this.#slot, gotMicro)
  }

  #pay(chargeMicro: Settlement['chargeMicro'], usedTokens: number): void {
    const slot = this.#slot
    this.#slot = undefined
    if (slot !== undefined) this.#from.routing.gate.charge(slot, chargeMicro, usedTokens)
  }
}

/** Infinity where there are none. */
function leastOf(shares: readonly HeldShare[], amountOf: (share: HeldShare) => number): number {
  return shares.reduce((least, share) => Math.min(least, amountOf(share)), Number.POSITIVE_INFINITY)
}
