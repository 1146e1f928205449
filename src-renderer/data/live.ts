// Usage as it is sent live, next to what was read before.

import type { UsageView } from '#contract/schemas.ts'
import type { ServerEvent } from '#renderer/data/sse.ts'

/** The record that an event carries; undefined for events of another kind. */
export function usageIn(event: ServerEvent): UsageView | undefined {
  if (event.event !== 'usage') return undefined
  try {
    const value: unknown = JSON.parse(event.data)
    return isUsage(value) ? value : undefined
  } catch {
    // A record that was cut is of no use; what is read next from the server has it whole.
    return undefined
  }
}

/** The newest of both, newest first, each once. */
export function newestOf(live: readonly UsageView[], known: readonly UsageView[], most: number): readonly UsageView[] {
  const byId = new Map([...known, ...live].map((usage) => [usage.id, usage]))
  // Ids hold the time in front, and differ where two records have the same millisecond.
  return [...byId.values()]
    .toSorted((left, right) => compare(right.created_at, left.created_at) || compare(right.id, left.id))
    .slice(0, most)
}

/** Farebox sends whole records; this only tells them from something else. */
function isUsage(value: unknown): value is UsageView {
  if (typeof value !== 'object' || value === null) return false
  return 'id' in value && typeof value.id === 'string' && 'created_at' in value && typeof value.created_at === 'string'
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
