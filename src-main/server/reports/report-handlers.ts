// What the dashboard reads about the past. Each question is limited to what its viewer may see, and most are answered on the report
// thread.

import type { Catalog } from '#catalog/catalog.ts'
import type { CatalogContext } from '#catalog/context.ts'
import { readBeginning } from '#catalog/dates.ts'
import { isInScope, keyScope } from '#catalog/scope.ts'
import type { LedgerQuery, UsageReportQuery } from '#contract/reports.ts'
import type { RefusedQuery } from '#contract/refused.ts'
import type { UsageQuery } from '#contract/schemas.ts'
import { ledgerReportView } from '#core/ledger-report-view.ts'
import type { Viewer } from '#core/member.ts'
import { creditsToMicro } from '#core/money.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { EntryFilter } from '#ledger/list.ts'
import { sessionName } from '#pipeline/attributions.ts'
import { refusedPage } from '#reports/refused-view.ts'
import { readPlace } from '#reports/usage-page.ts'
import type { UsageReportRequest } from '#reports/usage-report.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'
import { receiptOf } from '#server/gateway/receipts.ts'
import { JsonText } from '#server/http/json-text.ts'
import { overviewOf } from '#server/reports/overview.ts'
import type { ReportDeps } from '#server/reports/report-deps.ts'
import { keysOf, memberGroups, ownersOf, partsOfQuery, type MemberGroups } from '#server/reports/report-filter.ts'
import { ReportQueue } from '#server/reports/report-queue.ts'
import { whyOf } from '#server/reports/why.ts'
import type { RefusedFilter } from '#store/refused-rows.ts'
import type { UsageFilter } from '#store/usage-list.ts'

/** The ledger is read in the same queue as the usage. */
export function reportHandlers(deps: EntityDeps): HandlersOf<'reports' | 'ledger'> {
  const queue = new ReportQueue()
  const { reports, context } = deps
  return {
    usage: ({ query, viewer }) => {
      const filter = usageFilter(context, query, viewer)
      return isRefusal(filter)
        ? filter
        : queue.run(viewer, async () => jsonOf(await fresh(deps, () => reports.usage(filter))))
    },
    usageReport: ({ query, viewer }) => {
      const request = reportRequest(context, query, viewer)
      if (isRefusal(request)) return request
      return queue.run(viewer, async () => {
        const answer = await fresh(deps, () => reports.usageReport(request))
        return isRefusal(answer) ? answer : jsonOf(answer)
      })
    },
    listLedger: ({ query, viewer }) => {
      const filter = ledgerFilter(context, query, viewer)
      return isRefusal(filter)
        ? filter
        : queue.run(viewer, async () => jsonOf(await fresh(deps, () => reports.ledger(filter))))
    },
    overview: ({ viewer, visit }) =>
      queue.run(viewer, () => fresh(deps, () => overviewOf(deps, viewer, visit.lan?.origin))),
    listWaiting: ({ viewer }) => deps.waiting(viewer),
    receipt: ({ id, viewer }) => {
      const scope = keyScope(viewer, context.catalog)
      return receiptOf(id, deps.readReceipt, (keyId) => isInScope(scope, keyId))
    },
    listRefused: ({ query, viewer }) => {
      const filter = refusedFilter(context, query, viewer)
      if (isRefusal(filter)) return filter
      return queue.run(viewer, async () => refusedPage(await reports.refused(filter), filter.limit))
    },
    why: ({ id, viewer }) => {
      const scope = keyScope(viewer, context.catalog)
      const mayShow = (keyId: string | undefined) => scope === 'all' || (keyId !== undefined && isInScope(scope, keyId))
      return queue.run(viewer, () => fresh(deps, () => whyOf(id, { ...deps, mayShow })))
    },
    verifyLedger: async () => ledgerReportView(await deps.verifyLedger()),
  }
}

function refusedFilter(context: CatalogContext, query: RefusedQuery, viewer: Viewer): RefusedFilter | Refusal {
  const { catalog } = context
  const keyIds = keysOf(query, viewer, catalog)
  if (isRefusal(keyIds)) return keyIds
  const range = rangeOf(query, context)
  if (isRefusal(range)) return range
  const place = query.before === undefined ? undefined : readPlace(query.before)
  if (isRefusal(place)) return place
  const before = place && { lastAtMs: place.createdAtMs, id: place.id }
  return { keyIds, modelId: query.model, code: query.code, ...range, before, limit: within(query.limit, USAGE_LIMIT) }
}

/**
 * What was answered is on disk already; what is being written belongs to answers that are not complete yet. On a disk that
 * refuses, what is there can be read all the same.
 */
async function fresh<Result>({ context: { ledger } }: ReportDeps, read: () => Promise<Result>): Promise<Result> {
  if (ledger.state === 'ok') await ledger.flush().catch(() => undefined)
  return read()
}

function jsonOf(bytes: Uint8Array): JsonText {
  return new JsonText(bytes)
}

const USAGE_LIMIT = { usual: 100, most: 1000 }
const LEDGER_LIMIT = { usual: 100, most: 500 }
const TOP = { usual: 6, most: 50 }
const TOP_WITHOUT_POINTS = { usual: 6, most: 999 }

function within(text: string | undefined, { usual, most }: { readonly usual: number; readonly most: number }): number {
  return Math.min(Math.max(1, text === undefined ? usual : Number(text)), most)
}

function usageFilter(context: CatalogContext, query: UsageQuery, viewer: Viewer): UsageFilter | Refusal {
  const parts = partsOfQuery(query, viewer, context.catalog)
  if (isRefusal(parts)) return parts
  const range = rangeOf(query, context)
  if (isRefusal(range)) return range
  const before = query.before === undefined ? undefined : readPlace(query.before)
  if (isRefusal(before)) return before
  const minMicro = query.min_credits === undefined ? undefined : creditsToMicro(Number(query.min_credits))
  if (query.min_credits !== undefined && minMicro === undefined) {
    return refuse('invalid_request', `'min_credits' takes at most six decimals.`, { param: 'min_credits' })
  }
  const limit = within(query.limit, USAGE_LIMIT)
  const session = query.session === undefined ? undefined : sessionName(query.session, context.hashKey)
  return { parts, ...range, before, minMicro, status: query.status, session, limit }
}

type Range = Pick<UsageFilter, 'sinceMs' | 'untilMs'>

function rangeOf(
  { since, until }: Pick<UsageQuery, 'since' | 'until'>,
  { timeZone, nowMs }: CatalogContext,
): Range | Refusal {
  const sinceMs = since === undefined ? undefined : readBeginning(since, timeZone, nowMs())
  if (isRefusal(sinceMs)) return sinceMs
  const untilMs = until === undefined ? undefined : readBeginning(until, timeZone, nowMs(), 'until')
  return isRefusal(untilMs) ? untilMs : { sinceMs, untilMs }
}

function reportRequest(context: CatalogContext, query: UsageReportQuery, viewer: Viewer): UsageReportRequest | Refusal {
  const { catalog, nowMs } = context
  const parts = partsOfQuery(query, viewer, catalog)
  if (isRefusal(parts)) return parts
  const { from, to, rollup, group = 'none' } = query
  const { values, heads } = groupsOf(group, catalog)
  const hasPoints = query.points !== 'none'
  const top = within(query.top, hasPoints ? TOP : TOP_WITHOUT_POINTS)
  const session = query.session === undefined ? undefined : sessionName(query.session, context.hashKey)
  return { from, to, rollup, group, parts, session, owners: values, heads, top, hasPoints, nowMs: nowMs() }
}

function groupsOf(group: UsageReportRequest['group'], catalog: Catalog): MemberGroups {
  if (group === 'member') return memberGroups(catalog)
  return { values: group === 'owner' ? ownersOf(catalog) : {}, heads: {} }
}

function ledgerFilter(context: CatalogContext, query: LedgerQuery, viewer: Viewer): EntryFilter | Refusal {
  const keyIds = keysOf(query.key === undefined ? {} : { key: query.key }, viewer, context.catalog)
  if (isRefusal(keyIds)) return keyIds
  const range = rangeOf(query, context)
  if (isRefusal(range)) return range
  const beforeSeq = query.before === undefined ? undefined : Number(query.before)
  if (beforeSeq !== undefined && !Number.isSafeInteger(beforeSeq)) {
    return refuse('invalid_request', `'before' must be what an earlier answer gave as 'next'.`, { param: 'before' })
  }
  return { keyIds, kind: query.kind, ...range, beforeSeq, limit: within(query.limit, LEDGER_LIMIT) }
}
