// Dates as an administrator writes them.

import { cycleStart, endOfDate, startOfDate } from '#core/cycle.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/
/** A date-time must say its offset: an instant that depends on who reads it is no deadline. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** The years that a date-time has four digits for. What lies beyond is as good as its end: `9999-12-31` means for ever. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

export function iso(instantMs: number): string {
  return new Date(withinCalendar(instantMs)).toISOString()
}

function withinCalendar(instantMs: number): number {
  return Math.min(LAST_MS, Math.max(FIRST_MS, instantMs))
}

export function isoOrNull(instantMs: number | undefined): string | null {
  return instantMs === undefined ? null : iso(instantMs)
}

/** An ISO date (valid to its last instant in the zone) or date-time with offset, as epoch milliseconds. */
export function readDeadline(text: string, timeZone: string, param: string): number | Refusal {
  return readInstant(text, param, (date) => endOfDate(timeZone, date))
}

/**
 * `24h` or `7d` (ago), `month` (the present one's first instant in the zone), an ISO date (from its first instant in the zone) or
 * date-time with offset, as epoch milliseconds.
 */
export function readBeginning(text: string, timeZone: string, nowMs: number, param = 'since'): number | Refusal {
  const spanMs = readSpan(text)
  if (spanMs !== undefined) return nowMs - spanMs
  if (text === 'month') return cycleStart('monthly', timeZone, nowMs)
  return readInstant(text, param, (date) => startOfDate(timeZone, date))
}

/** `24h` or `7d` in milliseconds; undefined for anything else. */
export function readSpan(text: string): number | undefined {
  const [, count, unit] = /^([1-9][0-9]{0,4})([hd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (unit === 'h' ? HOUR_MS : DAY_MS)
}

type CalendarDate = Parameters<typeof startOfDate>[1]

function readInstant(text: string, param: string, ofDate: (date: CalendarDate) => number): number | Refusal {
  const date = readDate(text.slice(0, 10))
  if (date !== undefined && DATE_ONLY.test(text)) return withinCalendar(ofDate(date))
  const instant = date !== undefined && DATE_TIME.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(instant)) return withinCalendar(instant)
  return refuse('invalid_request', `'${param}' must be a date such as 2027-12-31 or a date-time with its offset.`, {
    param,
  })
}

/** undefined for a date that the calendar does not have: Date would take 30 February for 2 March. */
function readDate(text: string): CalendarDate | undefined {
  const midnight = new Date(DATE_ONLY.test(text) ? `${text}T00:00:00Z` : Number.NaN)
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(text)) return undefined
  return { year: midnight.getUTCFullYear(), month: midnight.getUTCMonth() + 1, day: midnight.getUTCDate() }
}

/** `90d`, `never` (undefined) or a date, as the instant from which a key is expired. */
export function readExpiry(text: string, timeZone: string, nowMs: number): number | undefined | Refusal {
  if (text === 'never') return undefined
  const days = /^([1-9][0-9]{0,4})d$/.exec(text)
  if (days !== null) return nowMs + Number(days[1]) * DAY_MS
  const deadline = readDeadline(text, timeZone, 'expires')
  if (typeof deadline === 'number') {
    if (deadline > nowMs) return deadline
    const message = "'expires' lies in the past. To stop a key at once, suspend or revoke it."
    return refuse('invalid_request', message, { param: 'expires' })
  }
  return refuse('invalid_request', "'expires' must be like 90d, never, or a date such as 2027-12-31.", {
    param: 'expires',
  })
}
