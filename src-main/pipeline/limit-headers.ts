// How the rate limits of an answer are written in its headers.

import type { LimitStanding } from '#core/limits.ts'
import { endpointOf } from '#dialect/dialects.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import type { Headers } from '#pipeline/ports.ts'

type Standings = { readonly requests: LimitStanding | undefined; readonly tokens: LimitStanding | undefined }

/** The standard headers, and those that only the endpoint's own clients read. */
export function limitHeaders(standings: Standings, endpoint: EndpointName, nowMs: number): Headers {
  const headers: Record<string, string> = {}
  const format = endpointOf(endpoint)
  for (const [name, standing] of Object.entries(standings)) {
    if (standing === undefined) continue
    headers[`x-ratelimit-limit-${name}`] = String(standing.limit)
    headers[`x-ratelimit-remaining-${name}`] = String(standing.remaining)
    // The form that OpenAI's clients parse: a Go duration.
    headers[`x-ratelimit-reset-${name}`] = `${standing.resetMs}ms`
    Object.assign(headers, format.limitHeaders?.(name, standing, nowMs))
  }
  return headers
}
