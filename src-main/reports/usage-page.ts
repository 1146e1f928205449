// A page of calls, and the text that says where the next one begins.

import type { UsageList } from '#contract/schemas.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { UsagePage, UsagePlace } from '#store/usage-list.ts'
import { usageView } from '#reports/usage-view.ts'

export function usagePageView({ rows, next }: UsagePage): UsageList {
  return { usage: rows.map(usageView), next: next === undefined ? null : `${next.createdAtMs}-${next.id}` }
}

/** Reads what `usagePageView` wrote. */
export function readPlace(text: string): UsagePlace | Refusal {
  const [, time, id] = /^(\d{1,16})-([\w-]{0,40})$/.exec(text) ?? []
  if (time !== undefined && id !== undefined) return { createdAtMs: Number(time), id }
  return refuse('invalid_request', `'before' must be what an earlier answer gave as 'next'.`, { param: 'before' })
}
