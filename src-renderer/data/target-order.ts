// The targets of a model in the order in which they are asked. A target that shares the place of the one above it takes a part of
// the requests there, by its weight.

import type { ModelView, TargetFields } from '#contract/schemas.ts'

type Target = ModelView['targets'][number]

export type OrderedTarget = {
  /** Unique within the list, and the same while it is moved about. */
  readonly id: string
  readonly provider: string
  readonly model: string
  /** As it is typed. */
  readonly weight: string
  /** Shares the place of the one above it. */
  readonly isShared: boolean
}

const MAX_WEIGHT = 1000

export function orderOf(targets: readonly Target[]): readonly OrderedTarget[] {
  const sorted = targets.toSorted((left, right) => left.priority - right.priority)
  return sorted.map(({ provider, model, priority, weight }, index) => ({
    id: `t${index}`,
    provider,
    model,
    weight: String(weight),
    isShared: sorted[index - 1]?.priority === priority,
  }))
}

/** The same targets as the API takes them. Undefined while there is none, or one without a name or a weight. */
export function targetsBody(order: readonly OrderedTarget[]): readonly TargetFields[] | undefined {
  const places = placesOf(order)
  const targets = order.flatMap(({ provider, model, weight: text }, index): TargetFields[] => {
    const weight = readWeight(text)
    if (provider === '' || model.trim() === '' || weight === undefined) return []
    return [{ provider, model: model.trim(), priority: places[index] ?? 0, weight }]
  })
  return targets.length === 0 || targets.length < order.length ? undefined : targets
}

/** The place of each target, from 0. */
export function placesOf(order: readonly OrderedTarget[]): readonly number[] {
  let place = -1
  return order.map((target, index) => {
    if (index === 0 || !target.isShared) place += 1
    return place
  })
}

/** The part of the requests at its place that each target takes, from 0 to 1; undefined where a weight is none. */
export function partsOf(order: readonly OrderedTarget[]): readonly (number | undefined)[] {
  const places = placesOf(order)
  const weights = order.map((target) => readWeight(target.weight))
  return order.map((_, index) => {
    const own = weights[index]
    const beside = weights.filter((__, other) => places[other] === places[index])
    const sum = beside.reduce<number>((total, weight) => total + (weight ?? 0), 0)
    return own === undefined || beside.includes(undefined) ? undefined : own / sum
  })
}

/**
 * Moves a target to another index. Among targets that share a place it shares it too; elsewhere it gets a place of its own. What
 * shared the place that it had stays together.
 */
export function moved(order: readonly OrderedTarget[], from: number, to: number): readonly OrderedTarget[] {
  const target = order[from]
  if (target === undefined || from === to || to < 0 || to >= order.length) return order
  const rest = without(order, from)
  const isAmongSharing = to > 0 && rest[to]?.isShared === true
  return rest.toSpliced(to, 0, { ...target, isShared: isAmongSharing }).map(firstAlone)
}

export function without(order: readonly OrderedTarget[], index: number): readonly OrderedTarget[] {
  const wasFirst = order[index]?.isShared === false
  return order
    .map((target, other) => (wasFirst && other === index + 1 ? { ...target, isShared: false } : target))
    .toSpliced(index, 1)
    .map(firstAlone)
}

/** Adds an empty target at a place of its own, behind the others. */
export function withAnother(order: readonly OrderedTarget[], id: string, provider: string): readonly OrderedTarget[] {
  return [...order, { id, provider, model: '', weight: '1', isShared: false }]
}

export function changed(
  order: readonly OrderedTarget[],
  id: string,
  change: Partial<Omit<OrderedTarget, 'id'>>,
): readonly OrderedTarget[] {
  return order.map((target) => (target.id === id ? { ...target, ...change } : target))
}

/** A weight from 1 to 1000, undefined for anything else. */
export function readWeight(text: string): number | undefined {
  const weight = /^\d{1,4}$/.test(text.trim()) ? Number(text.trim()) : 0
  return weight >= 1 && weight <= MAX_WEIGHT ? weight : undefined
}

function firstAlone(target: OrderedTarget, index: number): OrderedTarget {
  return index === 0 && target.isShared ? { ...target, isShared: false } : target
}
