// The list of providers with what is known of each: its secret, the health of its targets, what it is used for.

import type { ProviderView } from '#contract/providers.ts'
import type { ModelView } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'
import {
  healthOfProvider,
  modelsAt,
  worstOf,
  type HealthState,
  type TargetHealth,
} from '#renderer/data/target-health.ts'

export const PROVIDER_FILTERS = ['attention', 'local', 'public'] as const

export type ProviderFilter = { readonly q?: string; readonly state?: (typeof PROVIDER_FILTERS)[number] }

export type ProviderRow = {
  readonly provider: ProviderView
  readonly targets: readonly TargetHealth[]
  readonly worst: HealthState | undefined
  /** Undefined while it is being read. */
  readonly use: StatusView['provider_use'][number] | undefined
  /** Undefined while the models are being read. */
  readonly models: readonly ModelView[] | undefined
}

export function providerRows(
  providers: readonly ProviderView[],
  models: readonly ModelView[] | undefined,
  status: StatusView | undefined,
): readonly ProviderRow[] {
  return providers.map((provider) => {
    const targets = healthOfProvider(provider.name, status?.targets)
    return {
      provider,
      targets,
      worst: worstOf(targets.map(({ state }) => state)),
      use: status?.provider_use.find((use) => use.provider === provider.name),
      models: models && modelsAt(provider.name, models),
    }
  })
}

export function filteredRows(rows: readonly ProviderRow[], filter: ProviderFilter): readonly ProviderRow[] {
  const words = (filter.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter(({ provider, ...row }) => {
    const text = `${provider.name} ${provider.preset ?? ''} ${provider.base_url} ${provider.dialect}`.toLowerCase()
    if (!words.every((word) => text.includes(word))) return false
    if (filter.state === 'attention') return needsAttention({ provider, ...row })
    return filter.state === undefined || provider.network === filter.state
  })
}

/** Whether somebody should look after a provider: its secret is out of reach, or a target of it is left out. */
function needsAttention({ provider, worst }: ProviderRow): boolean {
  const isSecretLost = provider.secret_state === 'locked' || provider.secret_state === 'missing'
  return isSecretLost || (worst !== undefined && worst !== 'ok')
}
