// The overview: how the gateway is, what is left, what it cost, what somebody should look after. Balances are the ledger's own, the
// same that `GET /v1/balance` shows.

import { keyScope } from '#catalog/scope.ts'
import { keyView } from '#catalog/views.ts'
import type { OverviewView } from '#contract/reports.ts'
import type { StatusView } from '#contract/status.ts'
import { expectedMicro } from '#core/forecast.ts'
import type { Viewer } from '#core/member.ts'
import { sumToCredits } from '#core/money.ts'
import { isRefusal } from '#core/refusal.ts'
import type { OverviewSums } from '#reports/overview-sums.ts'
import { totalsView } from '#reports/totals-view.ts'
import { attentionOf } from '#server/reports/attention.ts'
import { lookAtKeys, type KeyLook } from '#server/reports/key-look.ts'
import { keysOf } from '#server/reports/report-filter.ts'
import { ownLimits } from '#server/reports/own-limits.ts'
import type { ReportDeps } from '#server/reports/report-deps.ts'

/** `origin` is where the viewer reaches the gateway, if that is not on this machine. */
export async function overviewOf(deps: ReportDeps, viewer: Viewer, origin?: string): Promise<OverviewView> {
  const { catalog, nowMs } = deps.context
  const keyIds = keysOf({}, viewer, catalog)
  const everything = { modelId: undefined, providerId: undefined, packageId: undefined }
  const parts = { ...everything, keyIds: isRefusal(keyIds) ? [] : keyIds }
  // The sums are read by a thread of their own meanwhile.
  const [sums, status, keys] = await Promise.all([
    deps.reports.overview({ parts, nowMs: nowMs() }),
    deps.status(),
    lookAtKeys(deps, viewer),
  ])
  return {
    gateway: gatewayView(deps, { viewer, status, timeZone: sums.timeZone, origin }),
    credits: creditsView(deps, keys),
    today: todayView(sums, nowMs()),
    own_limits: ownLimits(deps, viewer) ?? null,
    first_token: { p50_ms: sums.firstToken.p50Ms ?? null, p95_ms: sums.firstToken.p95Ms ?? null },
    attention: await attentionOf(deps, { viewer, status, keys }),
    latest: [...sums.latest],
  }
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

function creditsView({ context }: ReportDeps, keys: KeyLook): OverviewView['credits'] {
  const { catalog, nowMs } = context
  return {
    keys: keys.count,
    unlimited_keys: keys.unlimited,
    held_credits: sumToCredits(keys.heldMicro),
    lowest: keys.lowest.map(({ key, balance }) => keyView(key, balance, catalog, nowMs())),
  }
}

function todayView({ today, previous, day }: OverviewSums, nowMs: number): OverviewView['today'] {
  const expected = expectedMicro(today.charge_micro, { ...day, nowMs })
  return {
    totals: totalsView(today),
    previous: totalsView(previous),
    expected_credits: expected === undefined ? null : sumToCredits(expected),
  }
}
