// What happens to an account when the terms of its package change, or when its key gets another package. Other credits act
// at once and leave what was used; another kind of package ends the cycle. Pure, like the rules of account.ts.

import { cycleStart, nextCycleStart } from '#core/cycle.ts'
import { microCredits } from '#core/money.ts'
import { adjust, nextReset, type Account, type AccountTerms } from '#ledger/account.ts'
import { beginCycle, nameNow } from '#ledger/cycles.ts'
import type { LedgerEntry } from '#ledger/rows.ts'

export type TermsChange = {
  readonly terms: AccountTerms
  readonly reason: string
  /** Marks the adjustment. The key must not have used it before. */
  readonly idempotencyId: string
  /** Whether what was used in the present cycle is forgotten. */
  readonly isUsageReset: boolean
}

/** A change as it is asked for: the ledger marks it. */
export type TermsRequest = Pick<TermsChange, 'terms' | 'reason'> & { readonly isUsageReset?: boolean }

export function areSameTerms(one: AccountTerms, other: AccountTerms): boolean {
  return (
    one.packageType === other.packageType && one.creditsMicro === other.creditsMicro && one.timeZone === other.timeZone
  )
}

/** Changes the account and returns the entries that say so. Throws, before anything has changed, where a sum is too large. */
export function changeTerms(account: Account, change: TermsChange, nowMs: number): LedgerEntry[] {
  if (change.terms.packageType !== account.terms.packageType) return changeKind(account, change, nowMs)
  const oldZone = account.terms.timeZone
  const entries = change.isUsageReset ? resetUsed(account, change, nowMs) : changeCredits(account, change, nowMs)
  account.terms = change.terms
  if (change.terms.timeZone === oldZone) return entries
  account.nextResetAtMs = resetInZone(account)
  // By the calendar of the new zone.
  account.currentFromMs = Number.POSITIVE_INFINITY
  return entries
}

/**
 * Another kind of package: what the old one left lapses, and a cycle of the new kind begins now. It ends with the month or
 * day by the calendar, so the first one may be short.
 */
function changeKind(account: Account, { terms, reason }: TermsChange, nowMs: number): LedgerEntry[] {
  const startedAtMs = nameNow(account, nowMs)
  return beginCycle(account, { startedAtMs, nextResetAtMs: nextReset(terms, nowMs), terms, reason }, nowMs)
}

/** The account gets the difference: what was used, topped up and corrected in the cycle stays as it is. */
function changeCredits(account: Account, change: TermsChange, nowMs: number): LedgerEntry[] {
  const amountMicro = microCredits(change.terms.creditsMicro - account.terms.creditsMicro)
  const { reason, idempotencyId } = change
  return amountMicro === 0 ? [] : [adjust(account, { amountMicro, reason, idempotencyId }, nowMs)]
}

/** A cycle that begins now and ends when the present one would have; what was added by hand is carried into it. */
function resetUsed(account: Account, change: TermsChange, nowMs: number): LedgerEntry[] {
  const addedMicro = microCredits(account.grantedMicro - account.terms.creditsMicro)
  microCredits(change.terms.creditsMicro + addedMicro)
  const { terms, reason, idempotencyId } = change
  const startedAtMs = nameNow(account, nowMs)
  const entries = beginCycle(account, { startedAtMs, nextResetAtMs: account.nextResetAtMs, terms, reason }, nowMs)
  if (addedMicro !== 0) entries.push(adjust(account, { amountMicro: addedMicro, reason, idempotencyId }, nowMs))
  return entries
}

/**
 * When the present cycle ends in another time zone: at the beginning of a month or day there that is nearest to the one at
 * which it would have ended, so that no month or day is granted twice.
 */
function resetInZone(account: Account): number {
  const { packageType, timeZone } = account.terms
  const resetAtMs = account.nextResetAtMs
  if (packageType === 'topup' || packageType === 'unlimited') return resetAtMs
  const before = cycleStart(packageType, timeZone, resetAtMs)
  const after = nextCycleStart(packageType, timeZone, resetAtMs)
  const isBeforeNearer = resetAtMs - before <= after - resetAtMs
  return isBeforeNearer && before > account.cycleStartedAtMs ? before : after
}
