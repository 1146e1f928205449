// Accounting cycles: which calendar month or day an instant belongs to in a package's time zone. Pure: the instant comes
// in, and the zone data is the platform's own (Intl).

export type CycleKind = 'monthly' | 'daily'

const HOUR_MS = 3_600_000
/** Local time is at most 14 hours ahead of and 12 hours behind UTC. */
const SEARCH_MS = 15 * HOUR_MS
/** The clocks of all zones of today are a whole number of these away from UTC; those of a hundred years ago are not. */
const CLOCK_STEP_MS = HOUR_MS / 4

/** The first instant (epoch ms) of the cycle that `instantMs` belongs to. Throws a RangeError for an unknown zone. */
export function cycleStart(kind: CycleKind, timeZone: string, instantMs: number): number {
  const { year, month, day } = localDate(timeZone, instantMs)
  return startOfLocalDate(timeZone, year, month, kind === 'monthly' ? 1 : day)
}

/** The first instant of the cycle after the one that `instantMs` belongs to. */
export function nextCycleStart(kind: CycleKind, timeZone: string, instantMs: number): number {
  const { year, month, day } = localDate(timeZone, instantMs)
  if (kind === 'monthly') return startOfLocalDate(timeZone, year, month + 1, 1)
  return startOfLocalDate(timeZone, year, month, day + 1)
}

/** The beginning of the day after the one that begins at `dayStartMs`. Most days have 24 hours, which is looked at first. */
export function nextDayStart(timeZone: string, dayStartMs: number): number {
  const guess = dayStartMs + 24 * HOUR_MS
  const today = localDate(timeZone, dayStartMs).day
  const isLast = localDate(timeZone, guess - 1).day === today
  const isNext = localDate(timeZone, guess).day !== today
  return isLast && isNext ? guess : nextCycleStart('daily', timeZone, dayStartMs)
}

/** The first instant of a calendar date in a time zone. */
export function startOfDate(timeZone: string, { year, month, day }: LocalDate): number {
  return startOfLocalDate(timeZone, year, month, day)
}

/** The first instant after a calendar date in a time zone. */
export function endOfDate(timeZone: string, { year, month, day }: LocalDate): number {
  return startOfLocalDate(timeZone, year, month, day + 1)
}

/** Whether the platform knows a time zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    formatter(name)
    return true
  } catch {
    // Intl throws a RangeError for a name it does not know, which is the answer.
    return false
  }
}

/** `month` and `day` count from 1. */
type LocalDate = { year: number; month: number; day: number }

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(timeZone: string): Intl.DateTimeFormat {
  let format = formatters.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    })
    formatters.set(timeZone, format)
  }
  return format
}

function localDate(timeZone: string, instantMs: number): LocalDate {
  const date = { year: 0, month: 0, day: 0 }
  for (const part of formatter(timeZone).formatToParts(instantMs)) {
    if (part.type === 'year' || part.type === 'month' || part.type === 'day') date[part.type] = Number(part.value)
  }
  return date
}

/**
 * The first instant whose local date is not before the given one. Searching for it, rather than subtracting an offset,
 * also answers for days that begin at 01:00 because midnight was skipped, and for days that a zone left out altogether.
 * Month and day may run over (month 13, day 32).
 */
function startOfLocalDate(timeZone: string, year: number, month: number, day: number): number {
  const utcMidnight = Date.UTC(year, month - 1, day)
  const target = Math.floor(utcMidnight / (24 * HOUR_MS))
  const isReached = (instantMs: number) => {
    const local = localDate(timeZone, instantMs)
    return Math.floor(Date.UTC(local.year, local.month - 1, local.day) / (24 * HOUR_MS)) >= target
  }
  const onTheStep = firstWhere(isReached, utcMidnight - SEARCH_MS, utcMidnight + SEARCH_MS, CLOCK_STEP_MS)
  // Which it nearly always is, and then a quarter of the looks are enough.
  return isReached(onTheStep - 1) ? firstWhere(isReached, onTheStep - CLOCK_STEP_MS, onTheStep, 1) : onTheStep
}

/**
 * The first instant of which something is so, where it is not so at `before`, is at `reached`, and never ends once it is so; among those
 * that are a number of steps behind `before`.
 */
function firstWhere(isSo: (instantMs: number) => boolean, before: number, reached: number, stepMs: number): number {
  let last = 0
  let first = (reached - before) / stepMs
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2)
    if (isSo(before + middle * stepMs)) first = middle
    else last = middle
  }
  return before + first * stepMs
}
