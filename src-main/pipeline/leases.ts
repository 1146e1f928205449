// What admission asks of the books that several gateways share: a part of a key's balance that is this gateway's alone for a while.

import type { MicroCredits } from '#core/money.ts'
import type { Soon } from '#core/soon.ts'
import type { Purse } from '#core/spending.ts'
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

export interface Leases {
  /** False while the shared books have not been heard of for too long: nothing may be spent then. */
  readonly isServing: boolean
  /** undefined where the disk of the gateway suffices. */
  readonly keeping: SharedKeeping | undefined
  /** The lease of a key, of which nothing is held so far; undefined for a key without a limit. */
  share(keyId: string): HeldShare | undefined
  /** Whether calls of a key wait in `hold`, before which no other call of it goes. */
  hasLine(keyId: string): boolean
  /** Holds for a call whose lease does not carry it yet, once it does. Waits for a bounded time, first come first served. */
  hold(request: HoldRequest, cancellation: Cancellation): Promise<LeaseAnswer>
}

/** `unavailable`: the shared books cannot be asked. */
export type LeaseAnswer = HoldAnswer | { readonly type: 'unavailable' }
