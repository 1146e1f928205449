// How targets and providers are, as the admin API shows it.

import type { Catalog } from '#catalog/catalog.ts'
import { iso, isoOrNull } from '#catalog/dates.ts'
import type { StatusView } from '#contract/status.ts'
import { microToCredits } from '#core/money.ts'
import { targetKey } from '#core/target-key.ts'
import type { CapMemory, IgnoredCap } from '#pipeline/cap-memory.ts'
import type { TargetHealth } from '#pipeline/health.ts'
import type { MissingPrices } from '#pipeline/missing-prices.ts'
import type { Clock } from '#pipeline/ports.ts'
import type { RoutingDeps } from '#pipeline/routing.ts'

export type HealthDeps = {
  readonly catalog: Catalog
  readonly routing: RoutingDeps
  readonly caps: Pick<CapMemory, 'of'>
  readonly missingPrices: Pick<MissingPrices, 'of'>
  readonly clock: Clock
}

/** Every target of an enabled model, once. */
export function targetsView({ catalog, routing, caps, clock }: HealthDeps): StatusView['targets'] {
  const nowMs = clock.monotonicMs()
  // The health of targets is kept by a clock that is never set; people read the other one.
  const wallMs = (monotonicMs: number) => Math.round(clock.nowMs() + monotonicMs - nowMs)
  const targets = catalog.models.filter((model) => model.isEnabled).flatMap((model) => model.targets)
  const unique = new Map(targets.map((target) => [targetKey(target), target]))
  return Array.from(unique.values(), (target) => {
    const health = routing.health.of(target, nowMs)
    const { failures, untilMs, lastFailure } = health
    const unreported = routing.health.unreported(target)
    const dropped = routing.health.dropped(target)
    return {
      provider: catalog.provider(target.providerId)?.name ?? target.providerId,
      model: target.upstreamModel,
      state: shownState(health),
      failures,
      left_out_until: isoOrNull(untilMs === undefined ? undefined : wallMs(untilMs)),
      last_failure:
        lastFailure === undefined
          ? null
          : { reason: lastFailure.kind, status: lastFailure.status ?? null, at: iso(wallMs(lastFailure.atMs)) },
      ignored_cap: ignoredCapView(caps.of(target)),
      ...(unreported === 0 ? {} : { unreported_answers: unreported }),
      ...(dropped === 0 ? {} : { dropped_pieces: dropped }),
    }
  })
}

/** A target is asked again long before anybody knows that it is well: until then it is shown as what calls met last. */
function shownState({ state, lastFailure }: TargetHealth): StatusView['targets'][number]['state'] {
  if (lastFailure === undefined || state === 'open' || state === 'half-open') return state
  if (lastFailure.kind === 'secret') return 'refused'
  return state === 'ok' ? 'failing' : state
}

function ignoredCapView(ignored: IgnoredCap | undefined): StatusView['targets'][number]['ignored_cap'] {
  if (ignored === undefined) return null
  return { cap: ignored.cap, output_tokens: ignored.outputTokens, at: iso(ignored.atMs) }
}

/** What providers reported and the prices of the models do not name; no member where there is nothing. */
export function missingPricesView({ catalog, missingPrices }: HealthDeps): Pick<StatusView, 'missing_prices'> {
  const missing = catalog.models
    .filter((model) => model.isEnabled)
    .flatMap((model) =>
      missingPrices.of(model).map(({ name, chargedAs }) => ({ model: model.id, name, charged_as: chargedAs ?? null })),
    )
  return missing.length === 0 ? {} : { missing_prices: missing }
}

/** What every provider is doing at the moment, and what it was charged today. */
export function providerUseView({ catalog, routing }: HealthDeps): StatusView['provider_use'] {
  return catalog.providers.map(({ id, name, limits }) => {
    const { concurrent, chargedTodayMicro } = routing.gate.use(id)
    return {
      provider: name,
      concurrent_requests: concurrent,
      concurrent_requests_limit: limits.concurrentRequests ?? null,
      credits_today: microToCredits(chargedTodayMicro),
      credits_per_day_limit: limits.dailyMicro === undefined ? null : microToCredits(limits.dailyMicro),
    }
  })
}
