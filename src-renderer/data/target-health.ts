// How the targets of models and providers are, out of the gateway's state.

import type { ModelView } from '#contract/schemas.ts'
import type { StatusView } from '#contract/status.ts'

export type TargetHealth = StatusView['targets'][number]
/** `unknown`: nothing is known of the targets of disabled models. */
export type HealthState = TargetHealth['state'] | 'unknown'
type TargetPlace = { readonly provider: string; readonly model: string }

export function healthOf(place: TargetPlace, known: readonly TargetHealth[] | undefined): TargetHealth | undefined {
  return known?.find(({ provider, model }) => provider === place.provider && model === place.model)
}

export function healthOfProvider(name: string, known: readonly TargetHealth[] | undefined): readonly TargetHealth[] {
  return known?.filter(({ provider }) => provider === name) ?? []
}

/** The models that a provider serves, by their names here. */
export function modelsAt(name: string, models: readonly ModelView[]): readonly ModelView[] {
  return models.filter(({ targets }) => targets.some(({ provider }) => provider === name))
}

/** Those of its models that nobody else serves. */
export function modelsOnlyAt(name: string, models: readonly ModelView[]): readonly ModelView[] {
  return modelsAt(name, models).filter(({ targets }) => targets.every(({ provider }) => provider === name))
}

const ORDER: readonly HealthState[] = ['refused', 'open', 'failing', 'cooling', 'half-open', 'unknown', 'ok']

/** The worst of several states; undefined of none. */
export function worstOf(states: readonly HealthState[]): HealthState | undefined {
  return ORDER.find((state) => states.includes(state))
}
