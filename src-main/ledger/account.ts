// One key's account: pure rules that change it and say which entries record the change. Available is always the sum of
// the key's entries. A cycle that has ended sums to zero: what was left over lapses, also when a hold of that cycle is
// resolved later, so that cycles never pay for each other.

import { cycleStart, nextCycleStart } from '#core/cycle.ts'
import type { PackageType } from '#core/entities.ts'
import { microCredits, ZERO, type MicroCredits } from '#core/money.ts'
import type { BalanceRow, LedgerEntry } from '#ledger/rows.ts'

/** What an account's package promises. */
export type AccountTerms = {
  readonly packageType: PackageType
  readonly creditsMicro: MicroCredits
  readonly timeZone: string
}

export type Account = {
  readonly keyId: string
  terms: AccountTerms
  cycleStartedAtMs: number
  /** Infinity for packages that never reset. */
  nextResetAtMs: number
  grantedMicro: MicroCredits
  usedMicro: MicroCredits
  /** Open holds of this cycle; those of ended cycles no longer touch it. */
  heldMicro: MicroCredits
  requestCount: number
  lastUsedAtMs: number | undefined
}

export type OpenHold = {
  readonly exchangeId: string
  readonly keyId: string
  readonly amountMicro: MicroCredits
  readonly cycleStartedAtMs: number
  readonly modelId: string
  readonly priceVersion: number | undefined
  readonly createdAtMs: number
}

/** Where an account stands. Amounts of `unlimited` accounts are null: they have no total to be left of. */
export type Balance = {
  readonly totalMicro: MicroCredits | null
  readonly remainingMicro: MicroCredits | null
  readonly usedMicro: MicroCredits | null
  readonly heldMicro: MicroCredits
  readonly cycleStartedAtMs: number
  readonly nextResetAtMs: number | undefined
  readonly requestCount: number
  readonly lastUsedAtMs: number | undefined
}

/** A new key's account and its first grant. */
export function openAccount(keyId: string, terms: AccountTerms, nowMs: number): [Account, LedgerEntry[]] {
  const account: Account = {
    keyId,
    terms,
    cycleStartedAtMs: nowMs,
    nextResetAtMs: Number.POSITIVE_INFINITY,
    grantedMicro: ZERO,
    usedMicro: ZERO,
    heldMicro: ZERO,
    requestCount: 0,
    lastUsedAtMs: undefined,
  }
  if (terms.packageType === 'unlimited') return [account, []]
  if (terms.packageType !== 'topup') {
    account.cycleStartedAtMs = cycleStart(terms.packageType, terms.timeZone, nowMs)
    account.nextResetAtMs = nextCycleStart(terms.packageType, terms.timeZone, nowMs)
  }
  return [account, [grantOfCycle(account, nowMs)]]
}

/** No cycle is shorter than half of its kind, whatever happens to its time zone. */
const SHORTEST_CYCLE_MS = { monthly: 14 * 86_400_000, daily: 12 * 3_600_000 }

/**
 * When the account's cycle ends, given its terms. After its package's time zone was changed, the month or day that it was
 * granted for may begin a few hours later in the new zone; it is not granted a second time then.
 */
export function nextReset({ packageType, timeZone }: AccountTerms, cycleStartedAtMs: number): number {
  if (packageType === 'topup' || packageType === 'unlimited') return Number.POSITIVE_INFINITY
  const next = nextCycleStart(packageType, timeZone, cycleStartedAtMs)
  const isGranted = next - cycleStartedAtMs < SHORTEST_CYCLE_MS[packageType]
  return isGranted ? nextCycleStart(packageType, timeZone, next) : next
}

/** What may still be promised: granted, less what was used and what open holds may use. Infinity for `unlimited`. */
export function availableMicro(account: Account): number {
  if (account.terms.packageType === 'unlimited') return Number.POSITIVE_INFINITY
  return account.grantedMicro - account.usedMicro - account.heldMicro
}

/**
 * Starts the cycle that `nowMs` belongs to if it is a later one: what was left over lapses, the package's credits are
 * granted. Cycles that passed while nobody looked are skipped; a clock set back changes nothing.
 */
export function rollCycle(account: Account, nowMs: number): LedgerEntry[] {
  const { packageType, timeZone } = account.terms
  if (nowMs < account.nextResetAtMs || packageType === 'topup' || packageType === 'unlimited') return []
  const startedAtMs = cycleStart(packageType, timeZone, nowMs)
  if (startedAtMs <= account.cycleStartedAtMs) return []
  const entries = lapse(account, nowMs)
  account.cycleStartedAtMs = startedAtMs
  account.nextResetAtMs = nextCycleStart(packageType, timeZone, nowMs)
  account.usedMicro = ZERO
  account.heldMicro = ZERO
  return [...entries, grantOfCycle(account, nowMs)]
}

/** Reserves an amount. The caller has decided that the account may promise it. */
export function takeHold(account: Account, hold: OpenHold): LedgerEntry {
  account.heldMicro = microCredits(account.heldMicro + hold.amountMicro)
  account.requestCount += 1
  account.lastUsedAtMs = hold.createdAtMs
  return {
    keyId: account.keyId,
    kind: 'hold',
    amountMicro: microCredits(0 - hold.amountMicro),
    exchangeId: hold.exchangeId,
    cycleStartedAtMs: hold.cycleStartedAtMs,
    createdAtMs: hold.createdAtMs,
    modelId: hold.modelId,
    priceVersion: hold.priceVersion,
  }
}

/** Charges what a call cost and returns the rest of its hold; a charge of 0 releases all of it. */
export function resolveHold(account: Account, hold: OpenHold, chargeMicro: MicroCredits, nowMs: number): LedgerEntry[] {
  const rest = microCredits(hold.amountMicro - chargeMicro)
  const resolution: LedgerEntry = {
    keyId: account.keyId,
    kind: chargeMicro === 0 ? 'release' : 'settle',
    amountMicro: rest,
    chargeMicro,
    exchangeId: hold.exchangeId,
    cycleStartedAtMs: hold.cycleStartedAtMs,
    createdAtMs: nowMs,
    modelId: hold.modelId,
    priceVersion: hold.priceVersion,
  }
  if (hold.cycleStartedAtMs === account.cycleStartedAtMs) {
    account.heldMicro = microCredits(account.heldMicro - hold.amountMicro)
    account.usedMicro = microCredits(account.usedMicro + chargeMicro)
    return [resolution]
  }
  if (rest === 0) return [resolution]
  const late: LedgerEntry = {
    keyId: account.keyId,
    kind: 'lapse',
    amountMicro: microCredits(0 - rest),
    exchangeId: hold.exchangeId,
    cycleStartedAtMs: hold.cycleStartedAtMs,
    createdAtMs: nowMs,
    reason: 'the cycle had ended',
    idempotencyId: `late:${hold.exchangeId}`,
  }
  return [resolution, late]
}

/** Adds credit by hand, or takes it with a negative amount. */
export function adjust(
  account: Account,
  adjustment: { amountMicro: MicroCredits; reason: string; idempotencyId: string },
  nowMs: number,
): LedgerEntry {
  account.grantedMicro = microCredits(account.grantedMicro + adjustment.amountMicro)
  return {
    keyId: account.keyId,
    kind: 'adjustment',
    ...adjustment,
    cycleStartedAtMs: account.cycleStartedAtMs,
    createdAtMs: nowMs,
  }
}

export function balanceOf(account: Account): Balance {
  const isUnlimited = account.terms.packageType === 'unlimited'
  // An overrun can leave less than nothing; clients are never shown a balance below 0.
  const remaining = Math.max(0, account.grantedMicro - account.usedMicro)
  return {
    totalMicro: isUnlimited ? null : account.grantedMicro,
    remainingMicro: isUnlimited ? null : microCredits(remaining),
    usedMicro: isUnlimited ? null : account.usedMicro,
    heldMicro: account.heldMicro,
    cycleStartedAtMs: account.cycleStartedAtMs,
    nextResetAtMs: Number.isFinite(account.nextResetAtMs) ? account.nextResetAtMs : undefined,
    requestCount: account.requestCount,
    lastUsedAtMs: account.lastUsedAtMs,
  }
}

export function balanceRow(account: Account): BalanceRow {
  return [
    account.keyId,
    account.cycleStartedAtMs,
    account.grantedMicro - account.usedMicro - account.heldMicro,
    account.grantedMicro,
    account.usedMicro,
    account.requestCount,
    account.lastUsedAtMs ?? null,
  ]
}

function grantOfCycle(account: Account, nowMs: number): LedgerEntry {
  account.grantedMicro = account.terms.creditsMicro
  return {
    keyId: account.keyId,
    kind: 'grant',
    amountMicro: account.terms.creditsMicro,
    cycleStartedAtMs: account.cycleStartedAtMs,
    createdAtMs: nowMs,
    idempotencyId: `cycle:${account.cycleStartedAtMs}`,
  }
}

/** Takes back what the ending cycle leaves: more than nothing, or less after an overrun. */
function lapse(account: Account, nowMs: number): LedgerEntry[] {
  const left = account.grantedMicro - account.usedMicro - account.heldMicro
  if (left === 0) return []
  return [
    {
      keyId: account.keyId,
      kind: 'lapse',
      amountMicro: microCredits(0 - left),
      cycleStartedAtMs: account.cycleStartedAtMs,
      createdAtMs: nowMs,
      idempotencyId: `lapse:${account.cycleStartedAtMs}`,
    },
  ]
}
