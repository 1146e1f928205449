// Credits that were added or taken by hand, several at once: as one change of each account.

import type { MicroCredits } from '#core/money.ts'
import { adjust, type Account } from '#ledger/account.ts'
import type { AccountChange } from '#ledger/account-change.ts'

export type Adjustment = {
  readonly keyId: string
  readonly amountMicro: MicroCredits
  readonly reason: string
  readonly id: string
}

type Adjusting = {
  /** The account as it is now. Throws where there is none. */
  readonly accountOf: (keyId: string) => Account
  /** Whether that was made before. */
  readonly isMade: (keyId: string, id: string) => boolean
  readonly nowMs: number
}

/** What is to be changed, in their order; the same id twice counts once. */
export function adjusting(all: readonly Adjustment[], { accountOf, isMade, nowMs }: Adjusting): AccountChange[] {
  const untold = all.filter(({ keyId, id }) => !isMade(keyId, id))
  return [...Map.groupBy(untold, ({ keyId }) => keyId)].map(([keyId, some]) => ({
    account: accountOf(keyId),
    change(present) {
      const first = new Map(some.toReversed().map((one) => [one.id, one]))
      // Somebody else may have asked for the same meanwhile.
      return some.flatMap((one) => {
        if (first.get(one.id) !== one || isMade(keyId, one.id)) return []
        const { amountMicro, reason, id } = one
        return [adjust(present, { amountMicro, reason, idempotencyId: id }, nowMs)]
      })
    },
  }))
}
