// The list of requests that a page holds: pages that were read backwards, and on top of them what arrives. While somebody reads,
// what arrives waits, so that nothing moves. Everything here is bounded: requests go on arriving for as long as a page is open.

import type { UsageList, UsageView } from '#contract/schemas.ts'

/** Where reading goes on below the last row. */
export type More =
  | { readonly type: 'cursor'; readonly before: string }
  /** Rows were let go of: from the instant of the last one that was kept. */
  | { readonly type: 'instant'; readonly until: string }
  | { readonly type: 'end' }

export type RequestLog = {
  /** The newest first. */
  readonly rows: readonly UsageView[]
  readonly more: More
  /** Arrived and not shown yet, the newest first. */
  readonly waiting: readonly UsageView[]
  /** Whether requests are missing between those that wait and the rows. */
  readonly hasGap: boolean
}

export const EMPTY_LOG: RequestLog = { rows: [], more: { type: 'end' }, waiting: [], hasGap: false }

export const MAX_ROWS = 20_000
export const MAX_WAITING = 1000

/** The list anew. What has arrived since the page was asked for is kept. */
export function startedWith(page: UsageList, arrived: readonly UsageView[]): RequestLog {
  return trimmed({ ...EMPTY_LOG, rows: merged(distinct(arrived), page.usage), more: moreOf(page) })
}

/** With the page below. */
export function continuedWith(log: RequestLog, page: UsageList): RequestLog {
  const rows = merged(log.rows, page.usage)
  // Rows of one and the same instant can fill a page that begins at an instant; there is nothing to go on with then.
  const isStuck = log.more.type === 'instant' && rows.length === log.rows.length
  return { ...log, rows, more: isStuck && page.next === null ? { type: 'end' } : moreOf(page) }
}

/** Whether another page may be read; beyond the bound the filter must choose an earlier time. */
export function canContinue({ rows, more }: RequestLog): boolean {
  return more.type !== 'end' && rows.length < MAX_ROWS
}

/** With requests that have just ended, in any order. While the list is held they wait. */
export function arrived(log: RequestLog, requests: readonly UsageView[], isHeld: boolean): RequestLog {
  const fresh = distinct(requests)
  if (!isHeld) return trimmed({ ...log, rows: merged(withoutOlder(fresh, log), log.rows) })
  const known = new Set(log.rows.slice(0, MAX_WAITING).map((row) => row.id))
  const waiting = merged(
    fresh.filter((request) => !known.has(request.id)),
    log.waiting,
  )
  return {
    ...log,
    waiting: waiting.slice(0, MAX_WAITING),
    hasGap: log.hasGap || waiting.length > MAX_WAITING,
  }
}

/** With the newest page, after a time without events. Where it does not reach down to what is known, the rest is read anew. */
export function caughtUp(log: RequestLog, page: UsageList, isHeld: boolean): RequestLog {
  const newest = log.waiting[0] ?? log.rows[0]
  const oldest = page.usage.at(-1)
  const reaches = page.next === null || newest === undefined || oldest === undefined || byNewest(newest, oldest) <= 0
  if (reaches) return arrived(log, page.usage, isHeld)
  if (isHeld) return { ...log, waiting: page.usage.slice(0, MAX_WAITING), hasGap: true }
  return { ...EMPTY_LOG, rows: page.usage, more: moreOf(page) }
}

/** Shows what waits. Where some of it is missing, the rows below go and are read again when somebody scrolls to them. */
export function released(log: RequestLog): RequestLog {
  const { rows, waiting, hasGap } = log
  if (waiting.length === 0) return log
  if (hasGap) return { ...EMPTY_LOG, rows: waiting, more: belowOf(waiting) }
  return trimmed({ ...log, rows: merged(withoutOlder(waiting, log), rows), waiting: [] })
}

/** Negative where the left one is newer. Ids tell requests of one millisecond apart, in the order of the API. */
export function byNewest(left: UsageView, right: UsageView): number {
  if (left.created_at !== right.created_at) return left.created_at > right.created_at ? -1 : 1
  return left.id === right.id ? 0 : left.id > right.id ? -1 : 1
}

function moreOf({ next }: UsageList): More {
  return next === null ? { type: 'end' } : { type: 'cursor', before: next }
}

/** The newest first, each once. */
function distinct(requests: readonly UsageView[]): readonly UsageView[] {
  return requests.toSorted(byNewest).filter((request, index, all) => request.id !== all[index - 1]?.id)
}

/** Two lists, each the newest first, as one without doubles, whatever the order of requests of one instant may be. */
function merged(left: readonly UsageView[], right: readonly UsageView[]): readonly UsageView[] {
  if (left.length === 0) return right
  if (right.length === 0) return left
  const [few, many] = left.length < right.length ? [left, right] : [right, left]
  const known = new Set(few.map((request) => request.id))
  const rest = many.filter((request) => !known.has(request.id))
  const rows: UsageView[] = []
  let next = 0
  for (const request of few) {
    for (let row = rest[next]; row !== undefined && byNewest(row, request) < 0; row = rest[next]) {
      rows.push(row)
      next += 1
    }
    rows.push(request)
  }
  return [...rows, ...rest.slice(next)]
}

/** A long call can be older than the last row: it comes with the page that it belongs to. */
function withoutOlder(requests: readonly UsageView[], { rows, more }: RequestLog): readonly UsageView[] {
  const last = rows.at(-1)
  if (more.type === 'end' || last === undefined) return requests
  return requests.filter((request) => byNewest(request, last) < 0)
}

/** Lets go of the oldest rows beyond the bound. */
function trimmed(log: RequestLog): RequestLog {
  if (log.rows.length <= MAX_ROWS) return log
  const rows = log.rows.slice(0, MAX_ROWS)
  return { ...log, rows, more: belowOf(rows) }
}

function belowOf(rows: readonly UsageView[]): More {
  const last = rows.at(-1)
  // The end of a range is left out of it, and other rows may have the instant of the last one.
  return last === undefined
    ? { type: 'end' }
    : { type: 'instant', until: new Date(Date.parse(last.created_at) + 1).toISOString() }
}
