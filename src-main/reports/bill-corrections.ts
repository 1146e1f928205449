// What charges would be corrected by, where a report says what a single call used that we had to estimate.

import { compareBill, type BillCheckRequest } from '#reports/bill-check.ts'
import type { TokenDifference } from '#bills/tokens.ts'
import { iso } from '#catalog/dates.ts'
import { microCredits, ZERO, type MicroCredits } from '#core/money.ts'
import { priceOf } from '#core/pricing.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { usageOfRow, type TokenUsage } from '#core/usage.ts'
import { storedPrice } from '#reports/stored-price.ts'
import type { Db } from '#store/database.ts'
import { readReceipt } from '#store/usage-rows.ts'

export type BillCorrection = {
  readonly callId: string
  readonly keyId: string
  readonly keyName: string
  /** What the key gets, or, below 0, is charged. */
  readonly amountMicro: MicroCredits
  readonly reason: string
}

export function billCorrections(db: Db, request: BillCheckRequest): BillCorrection[] | Refusal {
  const compared = compareBill(db, request)
  if (isRefusal(compared)) return compared
  return compared.bill.tokens.differences.flatMap(
    (difference) => correctionOf(db, request.providerName, difference) ?? [],
  )
}

/** Nobody is charged for what may have been somebody else: one call must be all that the difference can come from. */
function correctionOf(db: Db, provider: string, difference: TokenDifference): BillCorrection | undefined {
  const [cause, ...otherCauses] = difference.causes
  const [callId, ...otherCalls] = difference.calls
  const isOfOne = callId !== undefined && otherCalls.length === 0 && otherCauses.length === 0 && difference.isOurs
  if (!isOfOne || (cause !== 'estimated' && cause !== 'after_disconnect')) return undefined
  const row = readReceipt(db, callId)
  const price = row && storedPrice(row)
  if (row === undefined || price === undefined) return undefined
  const before = usageOfRow(row)
  const used = usedBy(before, difference)
  const amountMicro = microCredits(row.charge_micro - priceOf(used, price))
  if (amountMicro === ZERO) return undefined
  const reason =
    `Bill of ${provider} for ${iso(difference.startMs)}: ${tokensText(used)} in place of ${tokensText(before)} ` +
    `that Farebox counted for ${callId}`
  return { callId, keyId: row.key_id, keyName: row.key_name, amountMicro, reason }
}

function usedBy(before: TokenUsage, { ours, theirs }: TokenDifference): TokenUsage {
  return {
    ...before,
    inputTokens: (before.inputTokens ?? 0) + theirs.input - ours.input,
    cacheReadTokens: (before.cacheReadTokens ?? 0) + theirs.cache_read - ours.cache_read,
    cacheWriteTokens: (before.cacheWriteTokens ?? 0) + theirs.cache_write - ours.cache_write,
    outputTokens: (before.outputTokens ?? 0) + theirs.output - ours.output,
  }
}

function tokensText(usage: TokenUsage): string {
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage
  return `${inputTokens} + ${cacheReadTokens} + ${cacheWriteTokens} + ${outputTokens} tokens`
}
