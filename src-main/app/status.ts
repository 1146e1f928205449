import { VERSION, type Config } from '#config/config.ts'
import { backupsView, type Operations } from '#app/operations.ts'
import type { LanListener } from '#app/lan-listener.ts'
import type { Parts } from '#app/parts.ts'
import { iso } from '#catalog/dates.ts'
import { secretProblems } from '#catalog/secrets.ts'
import type { DescriptorShares } from '#core/descriptor-shares.ts'
import { microToCredits } from '#core/money.ts'
import type { StatusView } from '#contract/status.ts'
import type { BooksCheck } from '#ledger/books-check.ts'
import type { BillStanding } from '#server/watch/bill-standing.ts'

export type StatusOf = {
  readonly config: Config
  readonly parts: Parts
  readonly operations: Operations
  readonly lan: LanListener
  readonly check: BooksCheck
  readonly bills: BillStanding
  readonly url: string | undefined
  readonly startedAtMs: number
}

/** What `farebox status` and the dashboard show of the gateway that runs, in the contract's words. */
export async function statusOf({ config, parts, operations, lan, check, bills, url, startedAtMs }: StatusOf) {
  const { ledger, catalog, overdue } = parts.stores
  const { open, pause, providerClocks } = parts.calling
  const nearest = providerClocks.nearest(catalog.providers)
  const attention = await secretProblems(parts.context)
  if (overdue.size > 0)
    attention.push(`The disk is full: ${overdue.size} keys or members that were blocked hold in memory alone.`)
  return {
    state: 'running' as const,
    version: VERSION,
    url: url ?? null,
    pid: process.pid,
    data_dir: config.dataDir,
    started_at: iso(startedAtMs),
    ledger: ledger.state,
    ledger_check: check.state,
    ledger_checked_at: check.checkedAtMs === undefined ? null : iso(check.checkedAtMs),
    secrets: config.secrets,
    lan: await lan.status(),
    attention,
    ...(pause.untilMs === undefined ? {} : { paused_until: iso(pause.untilMs) }),
    ...(nearest === undefined ? {} : { clock: { provider: nearest.provider, ahead_s: nearest.aheadS } }),
    ...backupsView(operations.backups),
    ...billsView(bills),
    ...openFilesView(operations.shares),
    open_exchanges: open.size,
    held_credits: microToCredits(ledger.heldMicro),
    providers: catalog.providers.length,
    models: catalog.models.length,
    packages: catalog.packages.length,
    keys: catalog.keys.length,
  }
}

function openFilesView({ isLow, limit, connections, calls }: DescriptorShares): Pick<StatusView, 'open_files'> {
  return isLow && limit !== undefined ? { open_files: { limit, connections, calls } } : {}
}

function billsView({ latest }: BillStanding): Pick<StatusView, 'bills'> {
  if (latest === undefined) return {}
  const { agreedUntil = null, unexplained, amount, comparedAtMs } = latest
  return {
    bills: { agreed_until: agreedUntil, unexplained, unexplained_amount: amount, compared_at: iso(comparedAtMs) },
  }
}
