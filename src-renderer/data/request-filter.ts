// Which requests a list is about: as the address says it, as the API is asked, and held against requests that arrive.

import type { RefusedQuery } from '#contract/refused.ts'
import type { UsageQuery, UsageView } from '#contract/schemas.ts'

/** `failed`: the client did not get a whole answer; the ones after it are ways in which it did not. */
export const CALL_STATES = ['ok', 'failed', 'cut', 'out_of_credits', 'client_gone'] as const
export type CallState = (typeof CALL_STATES)[number]

export type RequestFilter = {
  readonly key?: string
  readonly model?: string
  readonly provider?: string
  readonly package?: string
  readonly owner?: string
  readonly member?: string
  readonly tool?: string
  readonly project?: string
  readonly tag?: string
  readonly session?: string
  readonly status?: CallState
  /** Credits as decimal text. */
  readonly min?: string
  /** A length of time back from now such as `24h`, or an instant. */
  readonly since?: string
  readonly until?: string
}

export function queryOf({ min, ...filter }: RequestFilter): UsageQuery {
  return { ...filter, ...(min === undefined ? {} : { min_credits: min }) }
}

/** What was refused of the same requests; undefined where the filter is about what only calls have. */
export function refusedQueryOf({
  provider,
  package: owner,
  status,
  min,
  tool,
  project,
  tag,
  session,
  ...filter
}: RequestFilter): RefusedQuery | undefined {
  const ofCallsAlone = [provider, owner, status, min, tool, project, tag, session]
  return ofCallsAlone.every((value) => value === undefined) ? filter : undefined
}

/**
 * Whether a request that has just arrived belongs to the list. `ask`: only the server can tell, because the filter names what a
 * request does not say, or names something by its id.
 */
export function verdictOn(filter: RequestFilter, request: UsageView): 'yes' | 'no' | 'ask' {
  const { model, status, min, until } = filter
  if (model !== undefined && request.model !== model) return 'no'
  if (status !== undefined && !isInState(status, request)) return 'no'
  if (!isMadeFor(filter, request)) return 'no'
  if (min !== undefined && request.charge_credits < Number(min)) return 'no'
  if (until !== undefined && INSTANT.test(until) && Date.parse(request.created_at) >= Date.parse(until)) return 'no'
  // A date ends in the zone of the gateway, which is its own to know.
  if (until !== undefined && !INSTANT.test(until)) return 'ask'
  if ([filter.package, filter.owner, filter.member, filter.session].some((wanted) => wanted !== undefined)) return 'ask'
  const verdicts = [verdictOnName(filter.key, request.key), verdictOnName(filter.provider, request.provider)]
  return verdicts.find((verdict) => verdict === 'no') ?? verdicts.find((verdict) => verdict === 'ask') ?? 'yes'
}

/** The id of a session may be shown as its hash, so that its list is read again. */
function isMadeFor({ tool, project, tag }: RequestFilter, request: UsageView): boolean {
  const isSame = (wanted: string | undefined, name: string | null) => wanted === undefined || wanted === name
  return (
    isSame(tool, request.tool) && isSame(project, request.project) && (tag === undefined || request.tags.includes(tag))
  )
}

function isInState(state: CallState, { outcome }: UsageView): boolean {
  if (state === 'ok' || state === 'failed') return (state === 'ok') === (outcome === 'answered')
  return outcome === state
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T/
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function verdictOnName(wanted: string | undefined, name: string | null): 'yes' | 'no' | 'ask' {
  if (wanted === undefined || wanted === name) return 'yes'
  return ID.test(wanted) ? 'ask' : 'no'
}
