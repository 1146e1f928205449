// What a call asks of the ledger before it runs, and what it is told.

import { ZERO, type MicroCredits } from '#core/money.ts'
import type { Purse, SpendScope } from '#core/spending.ts'
import type { Account, Balance, OpenHold } from '#ledger/account.ts'

export type HoldRequest = {
  readonly exchangeId: string
  readonly keyId: string
  /** The most that the call can cost. */
  readonly worstMicro: MicroCredits
  /** The most that it can cost with the smallest output that is of any use. */
  readonly leastMicro: MicroCredits
  /** What it spends from beside the balance of its key. */
  readonly purses: readonly Purse[]
  /** A model whose every price is an explicit 0 is admitted whatever is left. */
  readonly isFree: boolean
  readonly modelId: string
  readonly priceVersion: number | undefined
  /** Whether the call would be made in the same way now: it may have waited. */
  readonly isCurrent?: () => boolean
}

/** What the request was made by has changed while it waited. Nothing is held. */
export type Changed = { readonly type: 'changed' }

export type Held = {
  readonly type: 'held'
  readonly hold: OpenHold
  /** What the call may come to cost, whether or not its key has a balance: its worst case, or what it was let in for alone. */
  readonly promisedMicro: MicroCredits
}

export type HoldAnswer =
  | Held
  /** What is left does not pay for the call, even with everything that running calls hold. */
  | { readonly type: 'exhausted'; readonly scope: SpendScope; readonly balance: Balance }
  /** Calls in flight hold what it needs, and waiting for them took too long. */
  | { readonly type: 'held-by-others'; readonly scope: SpendScope; readonly balance: Balance }
  | { readonly type: 'halted' }
  | Changed

/** The hold that an account gives a call; one without a limit promises what it likes and holds nothing. */
export function newHold(
  account: Account,
  request: HoldRequest,
  promisedMicro: MicroCredits,
  createdAtMs: number,
): OpenHold {
  const isUnlimited = account.terms.packageType === 'unlimited'
  return {
    exchangeId: request.exchangeId,
    keyId: request.keyId,
    amountMicro: isUnlimited ? ZERO : promisedMicro,
    grownMicro: ZERO,
    isUnlimited,
    cycleStartedAtMs: account.cycleStartedAtMs,
    modelId: request.modelId,
    priceVersion: request.priceVersion,
    createdAtMs,
  }
}
