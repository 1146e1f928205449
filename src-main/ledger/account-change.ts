// Changes of accounts that somebody asked for and is answered about: a top-up, a correction, other terms. They are on disk or they
// did not happen, so they are tried on a copy of the account, written, and only then made. Calls go on meanwhile, and what they
// do to the account in between counts as well.

import { microCredits } from '#core/money.ts'
import { rowToWrite, type Account } from '#ledger/account.ts'
import type { Proposal } from '#ledger/journal.ts'
import type { BalanceRow, LedgerEntry } from '#ledger/rows.ts'

export type AccountChange = {
  readonly account: Account
  /** Changes an account and returns the entries that say so. It is called twice: with a copy, and with the account itself. */
  readonly change: (account: Account) => LedgerEntry[]
}

type Tried = AccountChange & { readonly entries: readonly LedgerEntry[] }

/** The rests are entries that are still to be written: what calls did to the old cycle while the change was on its way. */
export type Accepted = {
  readonly entries: readonly LedgerEntry[]
  /** As they were written. */
  readonly balances: readonly BalanceRow[]
  readonly rests: readonly { readonly account: Account; readonly entries: readonly LedgerEntry[] }[]
}

/** Makes a proposal to the journal of changes that belong together. `onAccepted` is called when it is on disk. */
export function proposalOf(
  changes: readonly AccountChange[],
  rows: Proposal['changes'],
  onAccepted: (accepted: Accepted) => void,
): Proposal {
  let tried: Tried[] = []
  let balances: readonly BalanceRow[] = []
  const thaw = () => {
    for (const { account } of changes) account.isChanging = false
  }
  return {
    changes: rows,
    prepare() {
      // All of it is computed before anything is held still: what cannot be computed throws.
      const copies = changes.map(({ account }) => ({ ...account }))
      tried = changes.map((item, index) => ({ ...item, entries: item.change(copies[index] ?? item.account) }))
      for (const { account } of changes) account.isChanging = true
      balances = copies.map(rowToWrite)
      return { entries: tried.flatMap(({ entries }) => entries), balances }
    },
    accept() {
      thaw()
      const rests = tried.map(({ account, change, entries }) => ({
        account,
        entries: restOf(entries, change(account)),
      }))
      onAccepted({ entries: tried.flatMap(({ entries }) => entries), balances, rests })
    },
    drop: thaw,
  }
}

/**
 * Where a change ends a cycle, what the cycle left was written as it was when the change was sent. What it leaves now differs by
 * the calls since, and that lapses as well, so that the ended cycle sums to zero.
 */
function restOf(written: readonly LedgerEntry[], made: readonly LedgerEntry[]): LedgerEntry[] {
  const [before, now] = [lapseOf(written), lapseOf(made)]
  const lapse = now ?? before
  const amount = (now?.amountMicro ?? 0) - (before?.amountMicro ?? 0)
  if (lapse === undefined || amount === 0) return []
  return [{ ...lapse, amountMicro: microCredits(amount), idempotencyId: `${lapse.idempotencyId ?? ''}:rest` }]
}

function lapseOf(entries: readonly LedgerEntry[]): LedgerEntry | undefined {
  return entries.find(({ kind }) => kind === 'lapse')
}
