// Limits that are changed one by one on the command line, and as a whole in the admin API.

import { number, numberOrNone, type FlagTable } from '#cli/flags.ts'
import { defined } from '#cli/request.ts'

export const LIMIT_FLAGS = {
  requests_per_minute: number,
  tokens_per_minute: number,
  concurrent_requests: number,
} satisfies FlagTable

/** The same where a limit can also be lifted. */
export const LIMIT_CHANGE_FLAGS = {
  requests_per_minute: numberOrNone,
  tokens_per_minute: numberOrNone,
  concurrent_requests: numberOrNone,
} satisfies FlagTable

type Limits = Readonly<Record<string, unknown>>

/** What was given of them, without those that are lifted: what a schema can look at before anything is asked. */
export function givenLimits(changes: Limits): Limits {
  return Object.fromEntries(Object.entries(changes).filter(([, limit]) => limit !== null))
}

/** The limits as they shall be: an edit replaces all of them at once, so those that stay have to be sent along. */
export function mergedLimits(current: Limits, changes: Limits): Limits {
  const merged = Object.entries({ ...defined(current), ...changes })
  return Object.fromEntries(merged.filter(([, limit]) => limit !== null))
}
