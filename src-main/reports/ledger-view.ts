// Entries of the ledger as the admin API shows them.

import { iso } from '#catalog/dates.ts'
import type { LedgerList } from '#contract/reports.ts'
import { microCredits, microToCredits } from '#core/money.ts'
import type { EntryPage, ListedEntry } from '#ledger/list.ts'

export function ledgerView({ entries, next }: EntryPage): LedgerList {
  return { entries: entries.map(entryView), next: next === undefined ? null : String(next) }
}

function entryView(entry: ListedEntry): LedgerList['entries'][number] {
  return {
    seq: entry.seq,
    created_at: iso(entry.created_at_ms),
    key: entry.key_name,
    kind: entry.kind,
    amount_credits: credits(entry.amount_micro),
    charge_credits: creditsOrNull(entry.charge_micro),
    available_credits: creditsOrNull(entry.available_micro),
    request_id: entry.exchange_id,
    model: entry.model_id,
    reason: entry.reason,
    cycle_started_at: iso(entry.cycle_started_at_ms),
  }
}

function creditsOrNull(amountMicro: number | null): number | null {
  return amountMicro === null ? null : credits(amountMicro)
}

function credits(amountMicro: number): number {
  return microToCredits(microCredits(amountMicro))
}
