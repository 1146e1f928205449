// The tools of this machine in the order in which they are of interest, with the requests that came while one looks.

import type { ToolView } from '#contract/tools.ts'
import { msOf } from '#renderer/data/times.ts'

/** When the last request of a key came, by the key's name. */
export type LastRequests = Readonly<Record<string, string>>

/** Those that are connected first, then those that are installed, each in their own order; what cannot be connected comes last. */
export function orderedTools(tools: readonly ToolView[]): readonly ToolView[] {
  return tools.toSorted((left, right) => rankOf(left) - rankOf(right))
}

function rankOf({ state, installed, ways }: ToolView): number {
  if (ways.length === 0) return 3
  if (state !== 'none') return 0
  return installed ? 1 : 2
}

/** A tool that waited for a request is connected once one came. */
export function withRequests(tools: readonly ToolView[], requests: LastRequests): readonly ToolView[] {
  return tools.map((tool) => {
    const at = tool.key_name === null ? undefined : requests[tool.key_name]
    if (at === undefined || isBefore(at, tool.last_request_at)) return tool
    const isSeen = tool.state === 'waiting' && !isBefore(at, tool.connected_at)
    return { ...tool, last_request_at: at, ...(isSeen && { state: 'connected' as const, connected: true }) }
  })
}

function isBefore(at: string, other: string | null): boolean {
  return (msOf(at) ?? 0) < (msOf(other) ?? 0)
}
