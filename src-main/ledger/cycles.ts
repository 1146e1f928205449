// Which cycle an account is in. A cycle ends when its month or day is over, and each month or day is granted once, whatever the clock does:
// where it comes back to a cycle that has ended, that one is resumed with what it had left.

import { cycleStart, nextCycleStart } from '#core/cycle.ts'
import { microCredits, ZERO, type MicroCredits } from '#core/money.ts'
import { adjust, grantOfCycle, leftOf, sumOfEntries, type Account, type AccountTerms } from '#ledger/account.ts'
import {
  findEnded,
  isKnownBefore,
  mayHaveEnded,
  withEnded,
  withoutEnded,
  type EndedCycle,
} from '#ledger/ended-cycles.ts'
import type { LedgerEntry } from '#ledger/rows.ts'

type Period = { readonly startMs: number; readonly endMs: number; readonly nowMs: number }
type NewCycle = {
  readonly startedAtMs: number
  readonly nextResetAtMs: number
  /** Those of the account, unless others are the reason. */
  readonly terms?: AccountTerms
  readonly reason?: string
}

/**
 * Brings the account into the cycle that `nowMs` belongs to. Cycles that passed while the account was idle are skipped. A clock that was set
 * back to before all that is known of the key grants nothing: the present cycle goes on, and ends with the month or day of the clock.
 */
export function rollCycle(account: Account, nowMs: number): LedgerEntry[] {
  const { packageType, timeZone } = account.terms
  if (nowMs >= account.currentFromMs && nowMs < account.nextResetAtMs) return []
  if (account.isChanging || packageType === 'topup' || packageType === 'unlimited') return []
  if (nowMs >= account.cycleStartedAtMs && nowMs < account.nextResetAtMs) {
    account.currentFromMs = account.cycleStartedAtMs
    return []
  }
  const startMs = cycleStart(packageType, timeZone, nowMs)
  const period = { startMs, endMs: nextCycleStart(packageType, timeZone, nowMs), nowMs }
  const { cycleStartedAtMs, nextResetAtMs } = account
  if (cycleStartedAtMs >= startMs && cycleStartedAtMs < period.endMs) {
    account.currentFromMs = startMs
    if (nowMs >= nextResetAtMs) account.nextResetAtMs = period.endMs
    return []
  }
  const ended = findEnded(account.ended, packageType, period)
  if (ended !== undefined) return resumeCycle(account, ended, period)
  if (startMs < cycleStartedAtMs && nowMs < nextResetAtMs && !isKnownBefore(account.ended, startMs)) {
    account.currentFromMs = startMs
    account.nextResetAtMs = period.endMs
    return []
  }
  return beginCycle(account, { startedAtMs: nameFor(account, startMs), nextResetAtMs: period.endMs }, nowMs)
}

/** Ends the present cycle, whose rest lapses, and begins one with the grant of the terms. */
export function beginCycle(account: Account, cycle: NewCycle, nowMs: number): LedgerEntry[] {
  const { startedAtMs, nextResetAtMs, reason, terms = account.terms } = cycle
  const entries = endCycle(account, nowMs, { startedAtMs, reason })
  account.terms = terms
  account.cycleStartedAtMs = startedAtMs
  account.nextResetAtMs = nextResetAtMs
  account.currentFromMs = startedAtMs
  account.grantedMicro = ZERO
  account.usedMicro = ZERO
  account.heldMicro = ZERO
  account.grownMicro = ZERO
  account.paidMicro = ZERO
  account.resumes = 0
  if (account.terms.packageType === 'unlimited') return entries
  return [...entries, grantOfCycle(account, nowMs, reason)]
}

/**
 * A name for a cycle that begins now by a change of its package. No two cycles of a key have one name, and a clock that was set back by a
 * moment leaves them in their order. Where the present cycle began by a clock that was far ahead, the new one does not.
 */
export function nameNow({ cycleStartedAtMs, ended }: Account, nowMs: number): number {
  const isAhead = cycleStartedAtMs > nowMs + MAX_STEP_BACK_MS && nowMs > ended.forgottenToMs
  let name = isAhead ? nowMs : Math.max(nowMs, cycleStartedAtMs + 1)
  while (ended.cycles.some((cycle) => cycle.cycleStartedAtMs === name)) name += 1
  return name
}

const MAX_STEP_BACK_MS = 3_600_000

/** The start of a month or day, or an instant just behind it where that may be the name of a cycle that has ended. */
function nameFor(account: Account, startMs: number): number {
  if (!mayHaveEnded(account.ended, startMs)) return startMs
  const renamed = account.ended.renamed + 1
  account.ended = { ...account.ended, renamed }
  return startMs + renamed
}

/**
 * Ends the present cycle, and goes on with one that had ended: its credits as they were, by the terms of now. Where the clock was set back,
 * it pays what was charged meanwhile, as far as it can, and the later cycle has that again when its time comes.
 */
function resumeCycle(account: Account, ended: EndedCycle, { endMs, nowMs }: Period): LedgerEntry[] {
  const isBack = ended.cycleStartedAtMs < account.cycleStartedAtMs
  const unpaidMicro = isBack ? Math.min(account.usedMicro - account.paidMicro, leftOf(ended)) : 0
  const amountMicro = microCredits(Math.max(0, unpaidMicro))
  const paid = paidByAnother(account, amountMicro, nowMs)
  const lapsed = endCycle(account, nowMs, { startedAtMs: ended.cycleStartedAtMs, reason: CLOCK_MOVED })
  const entries = [...paid, ...lapsed]
  reopen(account, ended, { endMs, nowMs }, entries)
  if (amountMicro === 0) return entries
  const idempotencyId = `pays:${ended.cycleStartedAtMs}:${account.resumes}`
  const payment = {
    amountMicro: microCredits(0 - amountMicro),
    reason: 'charged while the clock was wrong',
    idempotencyId,
  }
  return [...entries, adjust(account, payment, nowMs)]
}

function paidByAnother(account: Account, amountMicro: MicroCredits, nowMs: number): LedgerEntry[] {
  if (amountMicro === 0) return []
  account.paidMicro = microCredits(account.paidMicro + amountMicro)
  const idempotencyId = `paid:${account.cycleStartedAtMs}:${account.paidMicro}`
  return [adjust(account, { amountMicro, reason: 'charged while the clock was wrong', idempotencyId }, nowMs)]
}

function reopen(
  account: Account,
  ended: EndedCycle,
  { endMs, nowMs }: Pick<Period, 'endMs' | 'nowMs'>,
  entries: LedgerEntry[],
): void {
  account.ended = withoutEnded(account.ended, ended)
  const { cycleStartedAtMs, grantedMicro, usedMicro, heldMicro, grownMicro, paidMicro } = ended
  const resumes = ended.resumes + 1
  const nextResetAtMs = ended.nextResetAtMs > nowMs ? ended.nextResetAtMs : endMs
  Object.assign(account, { cycleStartedAtMs, nextResetAtMs, grantedMicro, usedMicro, heldMicro, grownMicro })
  Object.assign(account, { paidMicro, resumes })
  account.currentFromMs = cycleStartedAtMs
  const at = { keyId: account.keyId, cycleStartedAtMs, createdAtMs: nowMs }
  const idempotencyId = `resume:${cycleStartedAtMs}:${resumes}`
  const amountMicro = microCredits(sumOfEntries(account))
  if (amountMicro !== 0) entries.push({ ...at, kind: 'lapse', amountMicro, idempotencyId, reason: CLOCK_MOVED })
  const moreMicro = microCredits(account.terms.creditsMicro - ended.creditsMicro)
  if (moreMicro === 0) return
  const change = { amountMicro: moreMicro, reason: 'its package had changed', idempotencyId: `${idempotencyId}:terms` }
  entries.push(adjust(account, change, nowMs))
}

const CLOCK_MOVED = 'the clock was set to another cycle'

/** Takes back what the ending cycle leaves, more than nothing or less after an overrun, and remembers the cycle. */
function endCycle(
  account: Account,
  nowMs: number,
  { startedAtMs, reason }: Pick<NewCycle, 'startedAtMs'> & { readonly reason?: string | undefined },
): LedgerEntry[] {
  const { cycleStartedAtMs, nextResetAtMs, grantedMicro, usedMicro, heldMicro, grownMicro, paidMicro, resumes } =
    account
  const { packageType, creditsMicro } = account.terms
  const amounts = { creditsMicro, grantedMicro, usedMicro, heldMicro, grownMicro, paidMicro }
  const cycle = { cycleStartedAtMs, nextResetAtMs, packageType, ...amounts, resumes }
  account.ended = withEnded(account.ended, cycle, startedAtMs)
  account.isEndedChanged = true
  const left = sumOfEntries(account)
  if (left === 0) return []
  return [
    {
      keyId: account.keyId,
      kind: 'lapse',
      amountMicro: microCredits(0 - left),
      cycleStartedAtMs,
      createdAtMs: nowMs,
      idempotencyId: `lapse:${cycleStartedAtMs}${resumes === 0 ? '' : `:${resumes}`}`,
      ...(reason === undefined ? {} : { reason }),
    },
  ]
}
