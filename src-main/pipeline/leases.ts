// What admission asks of the books that several gateways share: a part of a key's balance that is this gateway's alone for a while.

import type { MicroCredits } from '#core/money.ts'
import type { Soon } from '#core/soon.ts'
import type { Purse, PurseScope, Wish } from '#core/spending.ts'
import type { Cancellation } from '#core/wait-queue.ts'
import type { HoldAnswer, HoldRequest } from '#ledger/hold-request.ts'

/** A purse of which one call holds a part. */
export interface HeldShare extends Purse {
  /** What the call holds; undefined where nothing bounds it at the moment. */
  readonly ownMicro: MicroCredits | undefined
  /** Gives back what the call holds, and notes what it was charged. To be called once. */
  close(chargedMicro: MicroCredits): void
}

/** Where an answer is complete only once its charge is in the shared books. Both wait for a bounded time until it is so. */
export interface SharedKeeping {
  /** Whether the shared books can be asked. */
  canKeep(): Soon<boolean>
  /** Whether the shared books have all that this gateway has charged by now. */
  isKept(): Promise<boolean>
}

/** Days and months of members and projects of which no set of gateways lets through more than there is. */
export interface SharedBudgets {
  /** What one call holds of the day and the month of somebody, nothing so far; of everything that calls are charged, whether or not it is bounded. */
  shares(scope: PurseScope, owner: string): readonly HeldShare[]
  /** Whether calls wait in `reserve` for any of them, before which no other call goes. */
  hasLine(shares: readonly HeldShare[]): boolean
  /** Has at hand what a call may come to cost of all of them, in their order. Waits for a bounded time, first come first served. */
  reserve(shares: readonly HeldShare[], wish: Wish, cancellation: Cancellation): Promise<Reserved>
  /** Gives back what is at hand for a call that is not let in. */
  giveUp(shares: readonly HeldShare[]): void
}

/** `unavailable`: the shared books cannot be asked. */
export type Reserved =
  | { readonly type: 'reserved' }
  | { readonly type: 'exhausted' | 'held-by-others'; readonly scope: PurseScope }
  | { readonly type: 'unavailable' }

export interface Leases {
  /** False while the shared books have not been heard of for too long: nothing may be spent then. */
  readonly isServing: boolean
  /** undefined where the disk of the gateway suffices. */
  readonly keeping: SharedKeeping | undefined
  /** undefined where each gateway holds to its part of days and months. */
  readonly budgets?: SharedBudgets | undefined
  /** The lease of a key, of which nothing is held so far; undefined for a key without a limit. */
  share(keyId: string): HeldShare | undefined
  /** Whether calls of a key wait in `hold`, before which no other call of it goes. */
  hasLine(keyId: string): boolean
  /** Holds for a call whose lease does not carry it yet, once it does. Waits for a bounded time, first come first served. */
  hold(request: HoldRequest, cancellation: Cancellation): Promise<LeaseAnswer>
}

/** `unavailable`: the shared books cannot be asked. */
export type LeaseAnswer = HoldAnswer | { readonly type: 'unavailable' }
