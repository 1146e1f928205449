// The ledger as a start reads it from disk, and as it is in memory. Accounts come as columns from the thread of the database: there can be very many.

import { mapRows, type Columns } from '#core/columns.ts'
import { microCredits } from '#core/money.ts'
import { nextReset, type Account, type AccountTerms, type OpenHold } from '#ledger/account.ts'
import { endedCyclesOf, NO_ENDED_CYCLES } from '#ledger/ended-cycles.ts'
import type { AdjustmentId } from '#ledger/ledger.ts'
import { areSameTerms } from '#ledger/terms.ts'

/** `promised`: by the key's package. */
export type AccountRow = {
  key_id: string
  cycle_started_at_ms: number
  granted_micro: number
  used_micro: number
  request_count: number
  last_used_at_ms: number | null
  package_type: AccountTerms['packageType'] | null
  package_micro: number | null
  time_zone: string | null
  next_reset_at_ms: number | null
  ended_cycles: string | null
  promised_type: AccountTerms['packageType']
  promised_micro: number
  promised_zone: string
}

export type AdjustmentRow = { keyId: string; id: string }

type Checked = {
  readonly openHolds: readonly OpenHold[]
  /** Keys whose projection is not what their entries say, and calls whose entries contradict each other. */
  readonly mismatches: readonly string[]
  /** Whether older entries were not read, because a summary stands for them. */
  readonly isSummarised: boolean
}

export type StoredLedger = Checked & {
  readonly accounts: Columns<AccountRow>
  readonly adjustments: Columns<AdjustmentRow>
}

export type LedgerState = Checked & {
  readonly accounts: readonly Account[]
  /** Accounts that have not followed their key's package yet, because a crash came between the two. */
  readonly changedTerms: readonly { readonly keyId: string; readonly terms: AccountTerms }[]
  readonly adjustments: readonly AdjustmentId[]
}

/** Rebuilds every account. */
export function ledgerOf({ accounts: rows, adjustments, ...checked }: StoredLedger): LedgerState {
  const termsOf = termsOnce()
  const changedTerms: LedgerState['changedTerms'][number][] = []
  const accounts = mapRows<AccountRow, Account>(rows, (row) => {
    const promised = termsOf(row.promised_type, row.promised_micro, row.promised_zone)
    const terms = termsOf(
      row.package_type ?? promised.packageType,
      row.package_micro ?? promised.creditsMicro,
      row.time_zone ?? promised.timeZone,
    )
    if (!areSameTerms(terms, promised)) changedTerms.push({ keyId: row.key_id, terms: promised })
    return accountOf(row, terms)
  })
  addHolds(accounts, checked.openHolds)
  const made = mapRows<AdjustmentRow, AdjustmentId>(adjustments, ({ keyId, id }) => ({ keyId, id }))
  return { ...checked, accounts, changedTerms, adjustments: made }
}

/** The same object for the same terms: most accounts follow a few packages. */
function termsOnce() {
  const known = new Map<string, AccountTerms>()
  let last: AccountTerms | undefined
  return (packageType: AccountTerms['packageType'], amount: number, timeZone: string): AccountTerms => {
    if (last?.packageType === packageType && last.creditsMicro === amount && last.timeZone === timeZone) return last
    const name = `${packageType} ${amount} ${timeZone}`
    last = known.get(name) ?? { packageType, creditsMicro: microCredits(amount), timeZone }
    known.set(name, last)
    return last
  }
}

function addHolds(accounts: readonly Account[], openHolds: readonly OpenHold[]): void {
  if (openHolds.length === 0) return
  const byKey = new Map(accounts.map((account) => [account.keyId, account]))
  for (const hold of openHolds) {
    const account = byKey.get(hold.keyId)
    const cycles = account === undefined ? [] : [account, ...account.ended.cycles]
    const cycle = cycles.find(({ cycleStartedAtMs }) => cycleStartedAtMs === hold.cycleStartedAtMs)
    if (cycle !== undefined) cycle.heldMicro = microCredits(cycle.heldMicro + hold.amountMicro)
  }
}

const NEVER_ENDED = { paidMicro: microCredits(0), resumes: 0, ended: NO_ENDED_CYCLES }

function accountOf(row: AccountRow, terms: AccountTerms): Account {
  const { paidMicro, resumes, ended } = row.ended_cycles === null ? NEVER_ENDED : endedCyclesOf(row.ended_cycles)
  return {
    keyId: row.key_id,
    terms,
    cycleStartedAtMs: row.cycle_started_at_ms,
    nextResetAtMs: row.next_reset_at_ms ?? nextReset(terms, row.cycle_started_at_ms),
    currentFromMs: row.cycle_started_at_ms,
    grantedMicro: microCredits(row.granted_micro),
    usedMicro: microCredits(row.used_micro),
    heldMicro: microCredits(0),
    grownMicro: microCredits(0),
    paidMicro,
    resumes,
    ended,
    isEndedChanged: false,
    requestCount: row.request_count,
    lastUsedAtMs: row.last_used_at_ms ?? undefined,
    isChanging: false,
  }
}
