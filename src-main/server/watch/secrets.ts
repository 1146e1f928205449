// How the secrets of a provider are, as the admin API shows it. Their texts are nowhere in it.

import { iso, isoOrNull } from '#catalog/dates.ts'
import { limitsView } from '#catalog/provider-limits.ts'
import type { ProviderSecretView } from '#contract/providers.ts'
import type { StatusView } from '#contract/status.ts'
import type { PooledSecret, Provider } from '#core/entities.ts'
import { microToCredits } from '#core/money.ts'
import type { SecretState } from '#core/secret-failure.ts'
import { accountId, secretsOf, withSecretOf } from '#core/secret-pool.ts'
import type { SecretStanding } from '#pipeline/secret-health.ts'
import type { HealthDeps } from '#server/watch/health.ts'

type SecretsDeps = Pick<HealthDeps, 'catalog' | 'routing' | 'clock'> & {
  readonly stateOf: (provider: Provider) => SecretState
}

/** All secrets of a provider, its only one included. */
export function secretsView(provider: Provider, deps: SecretsDeps): ProviderSecretView[] {
  return secretsOf(provider).map((secret) => secretView(provider, secret, deps))
}

/** Those of several secrets that calls do not go with at the moment. */
export function secretsLeftOut(deps: SecretsDeps): StatusView['secrets_left_out'] {
  return deps.catalog.providers
    .filter(({ pool }) => pool.length > 0)
    .flatMap((provider) =>
      secretsView(provider, deps).flatMap(({ label, state, left_out_until, last_failure }) => {
        if (state === 'ok') return []
        return [{ provider: provider.name, label, state, left_out_until, status: last_failure?.status ?? null }]
      }),
    )
}

function secretView(provider: Provider, secret: PooledSecret, deps: SecretsDeps): ProviderSecretView {
  const { routing, clock, stateOf } = deps
  const { label, weight, limits, createdAtMs } = secret
  const nowMs = clock.monotonicMs()
  // What is known of secrets is kept by a clock that is never set; people read the other one.
  const wallMs = (monotonicMs: number) => Math.round(clock.nowMs() + monotonicMs - nowMs)
  const chosen = withSecretOf(provider, label)
  const { state, untilMs, lastFailure } =
    chosen === undefined ? standingOfOnly(provider, deps) : routing.secrets.of(accountId(chosen), nowMs)
  const { concurrent, chargedTodayMicro } = routing.gate.use(provider.id, chosen === undefined ? undefined : label)
  return {
    label,
    weight,
    limits: limitsView(limits),
    secret_state: storedState(stateOf(chosen ?? provider)),
    state,
    left_out_until: isoOrNull(untilMs === undefined ? undefined : wallMs(untilMs)),
    last_failure:
      lastFailure === undefined
        ? null
        : { reason: lastFailure.kind, status: lastFailure.status ?? null, at: iso(wallMs(lastFailure.atMs)) },
    concurrent_requests: concurrent,
    credits_today: microToCredits(chargedTodayMicro),
    created_at: iso(createdAtMs),
  }
}

/** A provider with one secret is left out target by target. */
function standingOfOnly({ id }: Provider, { catalog, routing, clock }: SecretsDeps): SecretStanding {
  const nowMs = clock.monotonicMs()
  const all = catalog.targetsAt(new Set([id])).map((target) => routing.health.of(target, nowMs))
  const refused = all.find(({ state, lastFailure }) => state !== 'ok' && lastFailure?.kind === 'secret')
  if (refused !== undefined) return { ...refused, state: 'refused' }
  const busy = all.find(({ state, lastFailure }) => state === 'cooling' && lastFailure?.status === 429)
  return busy === undefined ? { state: 'ok', untilMs: undefined, lastFailure: undefined } : { ...busy, state: 'busy' }
}

/** A secret that is in the list is kept somewhere. */
function storedState(state: SecretState): ProviderSecretView['secret_state'] {
  return state === 'none' ? 'missing' : state
}
