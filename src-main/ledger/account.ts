// One key's account: pure rules that change it and say which entries record the change. Available is always the sum of
// the key's entries. A cycle that has ended sums to zero: what was left over lapses, also when a hold of that cycle is
// resolved later, so that cycles never pay for each other.

import type { BudgetStanding } from '#core/alerts.ts'
import { cycleStart, nextCycleStart } from '#core/cycle.ts'
import type { PackageType } from '#core/entities.ts'
import { microCredits, MAX_AMOUNT, ZERO, type MicroCredits } from '#core/money.ts'
import type { Spendable } from '#core/spending.ts'
import { NO_ENDED_CYCLES, endedCyclesText, type EndedCycle, type EndedCycles } from '#ledger/ended-cycles.ts'
import type { BalanceRow, LedgerEntry } from '#ledger/rows.ts'

/** What an account's package promises. */
export type AccountTerms = {
  readonly packageType: PackageType
  readonly creditsMicro: MicroCredits
  readonly timeZone: string
}

export type Account = {
  readonly keyId: string
  /** What the present cycle was granted by: the package's terms, as far as the ledger has followed them. */
  terms: AccountTerms
  cycleStartedAtMs: number
  /** Infinity for packages that never reset. */
  nextResetAtMs: number
  /** From this instant on, until the next reset, the present cycle is the right one, and no calendar is asked. */
  currentFromMs: number
  grantedMicro: MicroCredits
  usedMicro: MicroCredits
  /** Open holds of this cycle with all that they grew by; those of ended cycles no longer touch it. */
  heldMicro: MicroCredits
  /** The part of `heldMicro` that holds grew by while their calls ran. It has no entries. */
  grownMicro: MicroCredits
  /** The part of `usedMicro` that an earlier cycle paid, because the clock was wrong when it was charged. */
  paidMicro: MicroCredits
  /** How often this cycle was resumed after it had ended, because the clock came back to it. */
  resumes: number
  /** The last cycles that ended. Calls that began in one may still use what it left, and the clock can come back to it. */
  ended: EndedCycles
  /** Whether `ended` differs from what was written last. */
  isEndedChanged: boolean
  requestCount: number
  lastUsedAtMs: number | undefined
  /** Whether a change of it is on its way to the disk. No cycle begins meanwhile: the change was tried on the present one. */
  isChanging: boolean
}

export type OpenHold = {
  readonly exchangeId: string
  readonly keyId: string
  /** What its entry holds. */
  readonly amountMicro: MicroCredits
  /** What it grew by since. Only in memory: a call that a crash interrupts is released, whatever it held. */
  grownMicro: MicroCredits
  /** Whether the key's credits were not counted when the call was admitted. Such a call cannot overrun. */
  readonly isUnlimited: boolean
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

/** An account that nothing was granted yet. */
function newAccount(keyId: string, terms: AccountTerms, cycleStartedAtMs: number): Account {
  return {
    keyId,
    terms,
    cycleStartedAtMs,
    nextResetAtMs: Number.POSITIVE_INFINITY,
    currentFromMs: cycleStartedAtMs,
    grantedMicro: ZERO,
    usedMicro: ZERO,
    heldMicro: ZERO,
    grownMicro: ZERO,
    paidMicro: ZERO,
    resumes: 0,
    ended: NO_ENDED_CYCLES,
    isEndedChanged: false,
    requestCount: 0,
    lastUsedAtMs: undefined,
    isChanging: false,
  }
}

/** A new key's account and its first grant. */
export function openAccount(keyId: string, terms: AccountTerms, nowMs: number): [Account, LedgerEntry[]] {
  const account = newAccount(keyId, terms, nowMs)
  if (terms.packageType === 'unlimited') return [account, []]
  if (terms.packageType !== 'topup') {
    account.currentFromMs = account.cycleStartedAtMs = cycleStart(terms.packageType, terms.timeZone, nowMs)
    account.nextResetAtMs = nextCycleStart(terms.packageType, terms.timeZone, nowMs)
  }
  return [account, [grantOfCycle(account, nowMs)]]
}

/** An account with the terms, the cycle and the credits of another projection, of which nothing is used. */
export function adoptAccount(row: BalanceRow, nowMs: number): [Account, LedgerEntry[]] {
  const [keyId, cycleStartedAtMs, , grantedMicro, , , , packageType, packageMicro, timeZone, nextResetAtMs] = row
  const terms = { packageType: packageType as PackageType, creditsMicro: microCredits(packageMicro), timeZone }
  const account = newAccount(keyId, terms, cycleStartedAtMs)
  account.nextResetAtMs = nextResetAtMs ?? Number.POSITIVE_INFINITY
  if (terms.packageType === 'unlimited') return [account, []]
  account.grantedMicro = microCredits(Math.max(0, grantedMicro))
  const at = { keyId, cycleStartedAtMs, createdAtMs: nowMs }
  const grant = { ...at, kind: 'grant', amountMicro: account.grantedMicro } as const
  const entries: LedgerEntry[] = [{ ...grant, idempotencyId: `cycle:${cycleStartedAtMs}` }]
  if (grantedMicro < 0) {
    const taken = { amountMicro: microCredits(grantedMicro), reason: 'taken on another gateway' }
    entries.push(adjust(account, { ...taken, idempotencyId: `adopted:${cycleStartedAtMs}` }, nowMs))
  }
  return [account, entries]
}

/** When the cycle ends that `instantMs` belongs to by the calendar. */
export function nextReset({ packageType, timeZone }: AccountTerms, instantMs: number): number {
  if (packageType === 'topup' || packageType === 'unlimited') return Number.POSITIVE_INFINITY
  return nextCycleStart(packageType, timeZone, instantMs)
}

/** What may still be promised: granted, less what was used and what open holds may use. Infinity for `unlimited`. */
export function availableMicro(account: Account): number {
  if (account.terms.packageType === 'unlimited') return Number.POSITIVE_INFINITY
  return leftOf(account)
}

/** What a cycle has left beside its open holds. */
export function leftOf({
  grantedMicro,
  usedMicro,
  heldMicro,
}: Pick<EndedCycle, 'grantedMicro' | 'usedMicro' | 'heldMicro'>) {
  return grantedMicro - usedMicro - heldMicro
}

/** The balance as calls are admitted by it. */
export function spendableOf(account: Account): Spendable {
  // More than this cannot be counted, whoever pays for it.
  if (account.usedMicro >= MAX_AMOUNT) return { availableMicro: 0, heldMicro: 0 }
  return { availableMicro: availableMicro(account), heldMicro: account.heldMicro }
}

/** By how much the hold of a running call can grow: by what is available, or, once its cycle has ended, by what that cycle left. */
export function growthLeft(account: Account, hold: OpenHold): number {
  if (hold.isUnlimited) return Number.POSITIVE_INFINITY
  if (hold.cycleStartedAtMs === account.cycleStartedAtMs) return Math.max(0, availableMicro(account))
  const ended = endedCycleOf(account, hold)
  return ended === undefined ? 0 : Math.max(0, leftOf(ended))
}

/** The ended cycle in which a call began; undefined for the present cycle, and for one that is forgotten. */
function endedCycleOf({ cycleStartedAtMs, ended }: Account, hold: OpenHold): EndedCycle | undefined {
  if (hold.cycleStartedAtMs === cycleStartedAtMs) return undefined
  return ended.cycles.find((cycle) => cycle.cycleStartedAtMs === hold.cycleStartedAtMs)
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

/**
 * Lets the hold of a running call grow by up to `moreMicro`, and returns what it got: what is available, or, once its
 * cycle has ended, what that cycle left. There is no entry for it, so nothing of it outlives the process.
 */
export function growHold(account: Account, hold: OpenHold, moreMicro: MicroCredits): MicroCredits {
  const isPresent = hold.cycleStartedAtMs === account.cycleStartedAtMs
  const most = hold.isUnlimited ? MAX_AMOUNT - Math.max(hold.grownMicro, account.heldMicro) : growthLeft(account, hold)
  const gotMicro = microCredits(Math.max(0, Math.min(moreMicro, most)))
  hold.grownMicro = microCredits(hold.grownMicro + gotMicro)
  const cycle = isPresent ? account : endedCycleOf(account, hold)
  if (cycle === undefined) return gotMicro
  cycle.heldMicro = microCredits(cycle.heldMicro + gotMicro)
  cycle.grownMicro = microCredits(cycle.grownMicro + gotMicro)
  return gotMicro
}

/** All that a call may use at the moment. */
export function holdTotal(hold: OpenHold): MicroCredits {
  return microCredits(hold.amountMicro + hold.grownMicro)
}

/** As much of a charge as its cycle can still count: without the bound an absurd one would leave its hold open for ever. */
export function countableMicro(account: Account, hold: OpenHold, chargeMicro: MicroCredits): MicroCredits {
  const { usedMicro } = endedCycleOf(account, hold) ?? account
  return microCredits(Math.max(0, Math.min(chargeMicro, MAX_AMOUNT - usedMicro)))
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
  const isPresent = hold.cycleStartedAtMs === account.cycleStartedAtMs
  const cycle = isPresent ? account : endedCycleOf(account, hold)
  if (cycle !== undefined) {
    cycle.heldMicro = microCredits(cycle.heldMicro - holdTotal(hold))
    cycle.grownMicro = microCredits(cycle.grownMicro - hold.grownMicro)
    cycle.usedMicro = microCredits(cycle.usedMicro + chargeMicro)
  }
  if (isPresent) return [resolution]
  account.isEndedChanged = true
  return [resolution, ...lateLapse(hold, rest, nowMs)]
}

/** What comes back to a cycle that has ended lapses at once. */
function lateLapse(hold: OpenHold, restMicro: number, nowMs: number): LedgerEntry[] {
  if (restMicro === 0) return []
  return [
    {
      keyId: hold.keyId,
      kind: 'lapse',
      amountMicro: microCredits(0 - restMicro),
      exchangeId: hold.exchangeId,
      cycleStartedAtMs: hold.cycleStartedAtMs,
      createdAtMs: nowMs,
      reason: 'the cycle had ended',
      idempotencyId: `late:${hold.exchangeId}`,
    },
  ]
}

/**
 * The entries that release a hold in the place of `resolved`, which charged it and is not on disk; `after` follows them
 * where the cycle has ended since. Changes nothing yet.
 */
export function releaseInstead(
  account: Account,
  hold: OpenHold,
  { resolved, wasLate }: { readonly resolved: readonly LedgerEntry[]; readonly wasLate: boolean },
  nowMs: number,
): { instead: LedgerEntry[]; after: LedgerEntry[] } {
  const [settle] = resolved
  if (settle === undefined) return { instead: [], after: [] }
  const release = { ...settle, kind: 'release', amountMicro: hold.amountMicro, chargeMicro: ZERO } as const
  if (wasLate) return { instead: [release, ...lateLapse(hold, hold.amountMicro, nowMs)], after: [] }
  const isLate = hold.cycleStartedAtMs !== account.cycleStartedAtMs
  return { instead: [release], after: isLate ? lateLapse(hold, settle.chargeMicro ?? 0, nowMs) : [] }
}

/** Takes a charge back out of the account in whose entries it was replaced. */
export function takeBackCharge(account: Account, hold: OpenHold, chargeMicro: MicroCredits): void {
  const cycle = hold.cycleStartedAtMs === account.cycleStartedAtMs ? account : endedCycleOf(account, hold)
  if (cycle === undefined) return
  cycle.usedMicro = microCredits(cycle.usedMicro - chargeMicro)
  account.isEndedChanged = true
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
  // An overrun, a correction or a smaller package can leave less than nothing; no client is shown an amount below 0.
  const total = Math.max(0, account.grantedMicro)
  const remaining = Math.max(0, account.grantedMicro - account.usedMicro)
  return {
    totalMicro: isUnlimited ? null : microCredits(total),
    remainingMicro: isUnlimited ? null : microCredits(remaining),
    usedMicro: isUnlimited ? null : account.usedMicro,
    heldMicro: account.heldMicro,
    cycleStartedAtMs: account.cycleStartedAtMs,
    nextResetAtMs: Number.isFinite(account.nextResetAtMs) ? account.nextResetAtMs : undefined,
    requestCount: account.requestCount,
    lastUsedAtMs: account.lastUsedAtMs,
  }
}

/** The account as a budget; of one without a limit the total is 0. `changing` while a change of it is on its way to the disk. */
export function budgetOf(account: Account): BudgetStanding | 'changing' {
  if (account.isChanging) return 'changing'
  const { cycleStartedAtMs, nextResetAtMs, usedMicro, grantedMicro } = account
  const totalMicro = microCredits(Math.max(0, grantedMicro))
  return {
    cycleStartedAtMs,
    nextResetAtMs: Number.isFinite(nextResetAtMs) ? nextResetAtMs : undefined,
    usedMicro,
    totalMicro,
  }
}

export function balanceRow(account: Account): BalanceRow {
  return cellsOf(account)
}

function cellsOf(account: Account) {
  return [
    account.keyId,
    account.cycleStartedAtMs,
    sumOfEntries(account),
    account.grantedMicro,
    account.usedMicro,
    account.requestCount,
    account.lastUsedAtMs ?? null,
    account.terms.packageType,
    account.terms.creditsMicro,
    account.terms.timeZone,
    Number.isFinite(account.nextResetAtMs) ? account.nextResetAtMs : null,
  ] as const
}

/** The row to be written: with the ended cycles where they have changed since the last one. */
export function rowToWrite(account: Account): BalanceRow {
  const row = cellsOf(account)
  if (!account.isEndedChanged) return row
  account.isEndedChanged = false
  return [...row, endedCyclesText(account.ended, account)]
}

/** What the entries of the account add up to. They do not know what holds grew by. */
export function sumOfEntries(account: Account): number {
  return account.grantedMicro - account.usedMicro - (account.heldMicro - account.grownMicro)
}

export function grantOfCycle(account: Account, nowMs: number, reason?: string): LedgerEntry {
  account.grantedMicro = account.terms.creditsMicro
  return {
    keyId: account.keyId,
    kind: 'grant',
    amountMicro: account.terms.creditsMicro,
    cycleStartedAtMs: account.cycleStartedAtMs,
    createdAtMs: nowMs,
    idempotencyId: `cycle:${account.cycleStartedAtMs}`,
    ...(reason === undefined ? {} : { reason }),
  }
}
