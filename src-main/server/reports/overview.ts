// The overview: how the gateway is, what is left, what it cost, what somebody should look after. Balances are the ledger's own, the
// same that `GET /v1/balance` shows.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { isInScope, keyScope } from '#catalog/scope.ts'
import { keyOutlook, keyView } from '#catalog/views.ts'
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
  const usable = await usableKeys(deps, viewer)
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

/** Calls wait while keys are looked at, of which there can be a hundred thousand. */
const KEYS_PER_TURN = 2000

async function usableKeys({ context }: ReportDeps, viewer: Viewer): Promise<UsableKey[]> {
  const { catalog, ledger, nowMs } = context
  const scope = keyScope(viewer, catalog)
  const usable: UsableKey[] = []
  for (const [place, key] of catalog.keys.entries()) {
    if (place % KEYS_PER_TURN === KEYS_PER_TURN - 1) await nextTurn()
    if (isInScope(scope, key.id) && keyStatus(key, nowMs()) === 'active') {
      usable.push({ key, balance: ledger.balance(key.id) })
    }
  }
  return usable
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
  const { catalog, nowMs } = context
  const counted = usable.filter(({ balance }) => balance.totalMicro !== null)
  return {
    keys: usable.length,
    unlimited_keys: usable.length - counted.length,
    held_credits: sumToCredits(usable.reduce((total, { balance }) => total + balance.heldMicro, 0)),
    lowest: byUrgency(mostUrgent(counted, nowMs()).map(({ key, balance }) => keyView(key, balance, catalog, nowMs()))),
  }
}

const MAX_LOWEST = 3

/** Those that come first by urgency, found by numbers: views of all keys would take many times as long. */
function mostUrgent(counted: readonly UsableKey[], nowMs: number): UsableKey[] {
  let first: (readonly [endMs: number, left: number, usable: UsableKey])[] = []
  for (const usable of counted) {
    const { totalMicro, remainingMicro } = usable.balance
    const endMs = keyOutlook(usable.key, usable.balance, nowMs)?.runsOutAtMs ?? Number.MAX_SAFE_INTEGER
    const left = !totalMicro || remainingMicro === null ? 0 : remainingMicro / totalMicro
    const last = first.at(-1)
    if (first.length === MAX_LOWEST && last !== undefined && (endMs - last[0] || left - last[1]) >= 0) continue
    const one = [endMs, left, usable] as const
    first = [...first, one].toSorted((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, MAX_LOWEST)
  }
  return first.map(([, , usable]) => usable)
}

function todayView({ today, previous, day }: OverviewSums, nowMs: number): OverviewView['today'] {
  const expected = expectedMicro(today.charge_micro, { ...day, nowMs })
  return {
    totals: totalsView(today),
    previous: totalsView(previous),
    expected_credits: expected === undefined ? null : sumToCredits(expected),
  }
}
