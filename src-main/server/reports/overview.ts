// The overview: how the gateway is, what is left, what it cost, what somebody should look after. Balances are the ledger's own, the
// same that `GET /v1/balance` shows.

import { isInScope, keyScope } from '#catalog/scope.ts'
import { keyView } from '#catalog/views.ts'
import type { OverviewView } from '#contract/reports.ts'
import type { StatusView } from '#contract/status.ts'
import { byUrgency } from '#contract/urgency.ts'
import { keyStatus } from '#core/entities.ts'
import { expectedMicro } from '#core/forecast.ts'
import type { Viewer } from '#core/member.ts'
import { sumToCredits } from '#core/money.ts'
import { isRefusal } from '#core/refusal.ts'
import type { OverviewSums } from '#reports/overview-sums.ts'
import { totalsView } from '#reports/totals-view.ts'
import { attentionOf, type UsableKey } from '#server/reports/attention.ts'
import { keysOf } from '#server/reports/report-filter.ts'
import { ownLimits } from '#server/reports/own-limits.ts'
import type { ReportDeps } from '#server/reports/report-deps.ts'

/** `origin` is where the viewer reaches the gateway, if that is not on this machine. */
export async function overviewOf(deps: ReportDeps, viewer: Viewer, origin?: string): Promise<OverviewView> {
  const { catalog, nowMs } = deps.context
  const keyIds = keysOf({}, viewer, catalog)
  const everything = { modelId: undefined, providerId: undefined, packageId: undefined }
  const parts = { ...everything, keyIds: isRefusal(keyIds) ? [] : keyIds }
  const [sums, status] = await Promise.all([deps.reports.overview({ parts, nowMs: nowMs() }), deps.status()])
  const usable = usableKeys(deps, viewer)
  return {
    gateway: gatewayView(deps, { viewer, status, timeZone: sums.timeZone, origin }),
    credits: creditsView(deps, usable),
    today: todayView(sums, nowMs()),
    own_limits: ownLimits(deps, viewer) ?? null,
    first_token: { p50_ms: sums.firstToken.p50Ms ?? null, p95_ms: sums.firstToken.p95Ms ?? null },
    attention: await attentionOf(deps, { viewer, status, usable }),
    latest: [...sums.latest],
  }
}

function usableKeys({ context }: ReportDeps, viewer: Viewer): UsableKey[] {
  const { catalog, ledger, nowMs } = context
  const scope = keyScope(viewer, catalog)
  return catalog.keys
    .filter((key) => isInScope(scope, key.id) && keyStatus(key, nowMs()) === 'active')
    .map((key) => ({ key, balance: ledger.balance(key.id) }))
}

type Gateway = {
  readonly viewer: Viewer
  readonly status: StatusView
  readonly timeZone: string
  readonly origin: string | undefined
}

function gatewayView(
  { context, open }: ReportDeps,
  { viewer, status, timeZone, origin }: Gateway,
): OverviewView['gateway'] {
  const { url, version, started_at, ledger } = status
  const scope = keyScope(viewer, context.catalog)
  const running = scope === 'all' ? open.size : open.count((keyId) => scope.has(keyId))
  const gateway = { url: origin ?? url, version, started_at, ledger, open_exchanges: running, time_zone: timeZone }
  return { ...gateway, lan: { state: status.lan.state, urls: status.lan.urls } }
}

function creditsView({ context }: ReportDeps, usable: readonly UsableKey[]): OverviewView['credits'] {
  const counted = usable.filter(({ balance }) => balance.totalMicro !== null)
  const views = counted.map(({ key, balance }) => keyView(key, balance, context.catalog, context.nowMs()))
  return {
    keys: usable.length,
    unlimited_keys: usable.length - counted.length,
    held_credits: sumToCredits(usable.reduce((total, { balance }) => total + balance.heldMicro, 0)),
    lowest: byUrgency(views).slice(0, MAX_LOWEST),
  }
}

const MAX_LOWEST = 3

function todayView({ today, previous, day }: OverviewSums, nowMs: number): OverviewView['today'] {
  const expected = expectedMicro(today.charge_micro, { ...day, nowMs })
  return {
    totals: totalsView(today),
    previous: totalsView(previous),
    expected_credits: expected === undefined ? null : sumToCredits(expected),
  }
}
