// The list of models: what narrows it down, and who is concerned by one of them.

import type { MODEL_KINDS } from '#contract/dialects.ts'
import type { ModelView, PackageView } from '#contract/schemas.ts'

export const MODEL_STATES = ['enabled', 'disabled', 'unpriced'] as const
export type ModelState = (typeof MODEL_STATES)[number]

export type ModelFilter = {
  readonly q?: string
  readonly state?: ModelState
  readonly kind?: (typeof MODEL_KINDS)[number]
  readonly provider?: string
}

/** A model without a price cannot be enabled, which says more than that it is disabled. */
export function stateOf(model: ModelView): ModelState {
  if (model.enabled) return 'enabled'
  return model.price === null ? 'unpriced' : 'disabled'
}

export function filteredModels(models: readonly ModelView[], filter: ModelFilter): readonly ModelView[] {
  const words = (filter.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return models.filter((model) => {
    const upstream = model.targets.map((target) => `${target.provider} ${target.model}`).join(' ')
    const text = `${model.id} ${model.display_name} ${upstream}`.toLowerCase()
    return (
      words.every((word) => text.includes(word)) &&
      (filter.state === undefined || isIn(model, filter.state)) &&
      (filter.kind === undefined || model.kind === filter.kind) &&
      (filter.provider === undefined || model.targets.some(({ provider }) => provider === filter.provider))
    )
  })
}

function isIn(model: ModelView, state: ModelState): boolean {
  // Whoever looks for what is disabled wants to see everything that nobody can use.
  return state === 'disabled' ? !model.enabled : stateOf(model) === state
}

export function providersOf(models: readonly ModelView[]): readonly string[] {
  const names = models.flatMap(({ targets }) => targets.map(({ provider }) => provider))
  return [...new Set(names)].toSorted((left, right) => left.localeCompare(right))
}

export type Concerned = {
  /** Packages that name the model, and those that allow every model. */
  readonly named: readonly PackageView[]
  readonly all: readonly PackageView[]
  /** Keys under them. */
  readonly keys: number
}

/** Who can ask for a model now, and could not any more. */
export function concernedBy(id: string, packages: readonly PackageView[]): Concerned {
  const named = packages.filter(({ models }) => models !== 'all' && models.includes(id))
  const all = packages.filter(({ models }) => models === 'all')
  return { named, all, keys: [...named, ...all].reduce((sum, { keys }) => sum + keys, 0) }
}
