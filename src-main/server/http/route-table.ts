// Finds the entry of the admin API's table for a request. Who may ask and what is done are both decided by what is found here,
// once, so that they can never be two different things.

import { ADMIN_ROUTES, type AdminAction, type Route } from '#contract/admin-routes.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { noSuchPath } from '#server/http/paths.ts'

export type FoundRoute = {
  readonly type: 'found'
  readonly action: AdminAction
  readonly route: Route
  /** From the path; empty where it has none. */
  readonly id: string
}

/** A segment `{id}` matches any one segment, decoded. */
export function findRoute(method: string, url: string): FoundRoute | Refusal {
  const segments = url.replace(/\?.*$/s, '').split('/')
  for (const [action, route] of Object.entries<Route>(ADMIN_ROUTES)) {
    if (route.method !== method) continue
    const pattern = route.path.split('/')
    const fits = (part: string, index: number) =>
      part === segments[index] || (part === '{id}' && segments[index] !== '')
    if (pattern.length !== segments.length || !pattern.every(fits)) continue
    const id = decode(segments[pattern.indexOf('{id}')] ?? '')
    if (id === undefined) return refuse('invalid_request', 'The path is not encoded correctly.')
    // Object.entries forgets that the names are those of the table.
    return { type: 'found', action: action as AdminAction, route, id }
  }
  return noSuchPath({ method, url })
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A malformed percent sign; the caller refuses it.
    return undefined
  }
}
