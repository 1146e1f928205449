// What becomes of a call in the books: its usage record.

import { holdTotal, type OpenHold } from '#ledger/account.ts'
import type { UsageRecord } from '#ledger/rows.ts'

/** What is known at the end of an exchange, apart from what the ledger fills in itself. */
export type Settlement = Omit<UsageRecord, 'id' | 'keyId' | 'modelId' | 'priceVersion' | 'holdMicro' | 'isOverrun'>

export function recordOf(hold: OpenHold, settlement: Settlement): UsageRecord {
  return {
    ...settlement,
    id: hold.exchangeId,
    keyId: hold.keyId,
    modelId: hold.modelId,
    priceVersion: hold.priceVersion,
    holdMicro: holdTotal(hold),
    isOverrun: settlement.chargeMicro > holdTotal(hold) && !hold.isUnlimited,
  }
}
