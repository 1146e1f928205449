// The report of calls by time and group: which intervals it has, which groups are shown by themselves, and their sums.

import { iso, readBeginning, readSpan } from '#catalog/dates.ts'
import type { Totals, UsageReport } from '#contract/reports.ts'
import { Calendar, DAY_MS, HOUR_MS, type Rollup } from '#core/calendar.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { totalsView } from '#reports/totals-view.ts'
import type { Db } from '#store/database.ts'
import { countRefused } from '#store/refused-rows.ts'
import { sumsOfDearestSessions, sumsOfSessionIn, sumsOfSessions, type ValueSums } from '#store/session-sums.ts'
import { ANY_PARTS, type UsageParts } from '#store/usage-filter.ts'
import { addSums, NO_SUMS, type Sums } from '#store/usage-measures.ts'
import { nameOf, rollupZone } from '#store/usage-names.ts'
import {
  countValues,
  sumsByGroup,
  sumsByInterval,
  type GroupSums,
  type PointSums,
  type SumsQuery,
} from '#store/usage-sums.ts'

export type UsageReportRequest = {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly rollup: Rollup | undefined
  readonly group: UsageReport['group']
  readonly top: number
  /** Whether the course of time is wanted. */
  readonly hasPoints: boolean
  readonly parts: UsageParts
  /** What one session is called whose sums alone are wanted. */
  readonly session?: string | undefined
  /** What the groups `owner` and `member` go by, by the id of the key. */
  readonly owners: Readonly<Record<string, string>>
  /** Who that is, for the group `member`. */
  readonly heads: Readonly<Record<string, { readonly id: string | null; readonly name: string }>>
  readonly nowMs: number
}

/** A year of days and what belongs to its first month; eight days of hours, which are kept in fewer sums. */
const MAX_INTERVALS = { day: 400, hour: 200 } as const
/** Points that are read at once, whether they are shown or not. */
const MAX_POINTS = 15_000
const DEFAULT_FROM = '7d'
/** Up to this length a report is by hour unless told otherwise. */
const SHORT_MS = 2 * DAY_MS

/** Reads one consistent report. */
export function usageReport(db: Db, request: UsageReportRequest): UsageReport | Refusal {
  return db.transaction(() => {
    const calendar = calendarOf(db)
    const span = spanOf(request, calendar)
    return isRefusal(span) ? span : (sessionRefusal(db, request, span, calendar) ?? report(db, request, span, calendar))
  })()
}

const calendars = new Map<string, Calendar>()

/** The calendar of the zone that the roll-ups are in; kept, because it remembers its days. */
export function calendarOf(db: Db): Calendar {
  const timeZone = rollupZone(db)
  const calendar = calendars.get(timeZone) ?? new Calendar(timeZone)
  calendars.set(timeZone, calendar)
  return calendar
}

type Span = { readonly rollup: Rollup; readonly intervals: readonly number[]; readonly toMs: number }

function spanOf(request: UsageReportRequest, calendar: Calendar): Span | Refusal {
  const { from = DEFAULT_FROM, to, nowMs } = request
  const { timeZone } = calendar
  const fromMs = readBeginning(from, timeZone, nowMs, 'from')
  if (isRefusal(fromMs)) return fromMs
  const endMs = to === undefined ? nowMs : readBeginning(to, timeZone, nowMs, 'to')
  if (isRefusal(endMs)) return endMs
  const rollup = request.rollup ?? (endMs - fromMs <= SHORT_MS ? 'hour' : 'day')
  if (fromMs >= endMs && to !== undefined) {
    return refuse('invalid_request', `'to' must be later than 'from'.`, { param: 'to' })
  }
  // Before any of them is looked for: a year of hours would be thousands.
  if (endMs - fromMs > (MAX_INTERVALS[rollup] + 2) * (rollup === 'day' ? DAY_MS : HOUR_MS)) return tooMany(rollup)
  // An interval that has begun is in the report as a whole.
  const toMs = endOf(calendar, rollup, Math.max(endMs, fromMs + 1))
  const spanMs = readSpan(from)
  const first = spanMs === undefined ? calendar.start(rollup, fromMs) : beginningOf(calendar, rollup, { spanMs, nowMs })
  const intervals = calendar.list(rollup, { fromMs: first, toMs }, MAX_INTERVALS[rollup])
  return intervals === undefined ? tooMany(rollup) : { rollup, intervals, toMs }
}

/** The first of so many intervals of which the last one is the present one. */
function beginningOf(calendar: Calendar, rollup: Rollup, { spanMs, nowMs }: { spanMs: number; nowMs: number }): number {
  const present = calendar.start(rollup, nowMs)
  const count = Math.ceil(spanMs / (rollup === 'day' ? DAY_MS : HOUR_MS))
  return calendar.before(rollup, present, count - 1)[0] ?? present
}

function endOf(calendar: Calendar, rollup: Rollup, instantMs: number): number {
  const start = calendar.start(rollup, instantMs)
  return start === instantMs ? instantMs : calendar.end(rollup, start)
}

function tooMany(rollup: Rollup): Refusal {
  const advice = rollup === 'hour' ? `Ask for a shorter time, or by day.` : `Ask for a shorter time.`
  return refuse('invalid_request', `A report has at most ${MAX_INTERVALS[rollup]} ${rollup}s. ${advice}`, {
    param: 'from',
  })
}

/** Sessions are in no roll-up: their calls are read one by one, so that those of a report are bounded. */
const MAX_SESSION_CALLS = 100_000
/** So many are read to find them, at most. */
const MAX_CALLS_READ = 1_000_000

function sessionRefusal(
  db: Db,
  { group, session, hasPoints, parts }: UsageReportRequest,
  { rollup, intervals }: Span,
  calendar: Calendar,
): Refusal | undefined {
  if (group !== 'session' && session === undefined) return undefined
  if (hasPoints) {
    return refuse('invalid_request', 'Sessions have no course of time: ask with points=none.', { param: 'points' })
  }
  if (session !== undefined) {
    return group === 'none' ? undefined : refuse('invalid_request', 'One session has no groups.', { param: 'group' })
  }
  const past = calendar.before(rollup, intervals[0] ?? 0, intervals.length)
  const callsOf = (some: UsageParts) =>
    addSums(sumsByGroup(db, { rollup, parts: some, group: undefined }, [...past, ...intervals])).requests
  // Of those alone that are asked about: whoever asks may know nothing of how many others there are.
  if (callsOf(parts) <= MAX_SESSION_CALLS && callsOf(ANY_PARTS) <= MAX_CALLS_READ) return undefined
  const message = `A report by session is of at most ${MAX_SESSION_CALLS} calls, with those of the time before. Ask for a shorter time.`
  return refuse('invalid_request', message, { param: 'from' })
}

function report(db: Db, request: UsageReportRequest, span: Span, calendar: Calendar): UsageReport {
  const { rollup, intervals, toMs } = span
  const fromMs = intervals[0] ?? toMs
  const query: SumsQuery = {
    rollup,
    parts: request.parts,
    group: partOf(request.group),
    owners: request.owners,
  }
  const past = calendar.before(rollup, fromMs, intervals.length)
  const isBySession = request.group === 'session'
  const { present, before, all } = isBySession
    ? ofSessions(db, request, [past[0] ?? fromMs, fromMs, toMs])
    : ofGroups(db, request, { query, past, intervals, toMs })
  // A session that was over by then is none of this time.
  const ranked = rank(present, isBySession ? [] : before)
  const shown = request.group === 'none' ? [''] : ranked.slice(0, request.top)
  const points = request.hasPoints ? pointsOf(db, query, { intervals, shown, all }) : undefined
  const line = lineOf({ present, before, points, intervals })
  const isRest = ranked.length > shown.length || present.some(({ value }) => value === null)
  return {
    from: iso(fromMs),
    to: iso(toMs),
    time_zone: calendar.timeZone,
    rollup,
    group: request.group,
    intervals: intervals.map(iso),
    series: [
      ...shown.map((value) => ({ ...headOf(db, request, value), ...line(value) })),
      ...(isRest ? [{ kind: 'other' as const, id: null, name: null, ...line(null, new Set(shown)) }] : []),
    ],
    totals: totalsView(totalOf(db, query, intervals, present)),
    previous: totalsView(totalOf(db, query, past, before)),
    refused: request.session === undefined ? refusedIn(db, request.parts, { sinceMs: fromMs, untilMs: toMs }) : null,
  }
}

type Groups = {
  readonly present: readonly ValueSums[]
  readonly before: readonly ValueSums[]
  /** By interval too, where that is few. */
  readonly all?: readonly PointSums[] | undefined
}

/** There can be as many sessions as calls, so that those alone have a row each that are shown. */
function ofSessions(
  db: Db,
  { parts, top }: UsageReportRequest,
  [pastMs, fromMs, toMs]: [number, number, number],
): Groups {
  const present = sumsOfDearestSessions(db, parts, { fromMs, toMs }, top)
  const names = present.flatMap(({ value }) => value ?? [])
  return { present, before: sumsOfSessions(db, parts, { fromMs: pastMs, toMs: fromMs }, names) }
}

type GroupsOf = {
  readonly query: SumsQuery
  readonly past: readonly number[]
  readonly intervals: readonly number[]
  readonly toMs: number
}

function ofGroups(db: Db, request: UsageReportRequest, { query, past, intervals, toMs }: GroupsOf): Groups {
  const fromMs = intervals[0] ?? toMs
  const sumsIn = (starts: readonly number[], untilMs: number) => {
    if (request.session === undefined) return sumsByGroup(db, query, starts)
    const range = { fromMs: starts[0] ?? untilMs, toMs: untilMs }
    return [{ value: '', ...sumsOfSessionIn(db, request.session, request.parts, range) }]
  }
  const before = sumsIn(past, fromMs)
  // Where they are few, all values of all intervals are read at once; else those of the values that are shown, in a second reading.
  const isFew = request.hasPoints && countValues(db, query) * intervals.length <= MAX_POINTS
  const all = isFew ? sumsByInterval(db, query, { intervals }) : undefined
  return { present: all === undefined ? sumsIn(intervals, toMs) : sumByValue(all), before, all }
}

type Bounds = { readonly sinceMs: number; readonly untilMs: number }

function refusedIn(db: Db, parts: UsageParts, bounds: Bounds): number | null {
  const { keyIds, modelId, ...ofCallsAlone } = parts
  const isOfCallsAlone = Object.values(ofCallsAlone).some((part) => part !== undefined)
  return isOfCallsAlone ? null : countRefused(db, { keyIds, modelId, ...bounds })
}

/** Members are told apart by the ids handed in, as owners are. */
function partOf(group: UsageReportRequest['group']): SumsQuery['group'] {
  if (group === 'none' || group === 'session') return undefined
  return group === 'member' ? 'owner' : group
}

type Reading = {
  readonly intervals: readonly number[]
  readonly shown: readonly string[]
  readonly all: readonly PointSums[] | undefined
}

function pointsOf(db: Db, query: SumsQuery, { intervals, shown, all }: Reading): PointSums[] {
  return all === undefined ? sumsByInterval(db, query, { intervals, shown }) : restOf(all, shown)
}

function sumByValue(points: readonly PointSums[]): GroupSums[] {
  const sums = new Map<string, Sums>()
  for (const { startedAtMs: _, value, ...point } of points) {
    const name = value ?? ''
    sums.set(name, addSums([sums.get(name) ?? NO_SUMS, point]))
  }
  return Array.from(sums, ([value, sum]) => ({ ...sum, value }))
}

/** The same points, with those that are not shown added up in each interval. */
function restOf(points: readonly PointSums[], shown: readonly string[]): PointSums[] {
  const isShown = new Set(shown)
  const rest = new Map<number, Sums>()
  for (const { startedAtMs, value, ...point } of points) {
    if (value !== null && !isShown.has(value)) rest.set(startedAtMs, addSums([rest.get(startedAtMs) ?? NO_SUMS, point]))
  }
  const others = Array.from(rest, ([startedAtMs, sums]) => ({ ...sums, startedAtMs, value: null }))
  return [...points.filter(({ value }) => value !== null && isShown.has(value)), ...others]
}

/** The values, those with the highest charge first; by name where nothing else tells them apart, so that a report can be repeated. */
function rank(present: readonly ValueSums[], before: readonly ValueSums[]): string[] {
  const isPresent = new Set(present.map(({ value }) => value))
  const past = before.filter(({ value }) => !isPresent.has(value))
  const order = (left: GroupSums, right: GroupSums) =>
    right.charge_micro - left.charge_micro || right.requests - left.requests || (left.value < right.value ? -1 : 1)
  const named = (sums: readonly ValueSums[]) => sums.filter((one): one is GroupSums => one.value !== null)
  return [...named(present).toSorted(order), ...named(past).toSorted(order)].map(({ value }) => value)
}

type Found = {
  readonly present: readonly ValueSums[]
  readonly before: readonly ValueSums[]
  /** undefined where they are not wanted. */
  readonly points: readonly PointSums[] | undefined
  readonly intervals: readonly number[]
}

/** The sums of one value; with null those of everything but the values that are `shown`. */
function lineOf({ present, before, points, intervals }: Found) {
  const places = new Map(intervals.map((startMs, place) => [startMs, place]))
  const pointsBy = Map.groupBy(points ?? [], (point) => point.value)
  const sums = [present, before].map((groups) => {
    const byValue = new Map(groups.map((group) => [group.value, group]))
    return (value: string | null, shown: ReadonlySet<string>) =>
      value === null
        ? addSums(groups.filter((group) => group.value === null || !shown.has(group.value)))
        : (byValue.get(value) ?? NO_SUMS)
  })
  return (value: string | null, shown: ReadonlySet<string> = new Set()) => {
    const line = points === undefined ? [] : intervals.map((): Totals => NO_TOTALS)
    for (const point of pointsBy.get(value) ?? []) {
      const place = places.get(point.startedAtMs)
      if (place !== undefined) line[place] = totalsView(point)
    }
    const [totals = NO_TOTALS, previous = NO_TOTALS] = sums.map((of) => totalsView(of(value, shown)))
    return { totals, previous, points: line }
  }
}

function headOf(db: Db, { group, heads }: UsageReportRequest, value: string) {
  if (group === 'none') return { kind: 'all' as const, id: null, name: null }
  if (group === 'member') return { kind: 'value' as const, id: null, name: null, ...heads[value] }
  const hasId = group === 'key' || group === 'provider' || group === 'package'
  const name = value === '' ? null : hasId ? nameOf(db, group, value) : value
  return { kind: 'value' as const, id: hasId && value !== '' ? value : null, name }
}

/** A call with several tags is in the sums of several groups, and once in the total. */
function totalOf(db: Db, query: SumsQuery, intervals: readonly number[], groups: readonly Sums[]): Sums {
  return addSums(query.group === 'tag' ? sumsByGroup(db, { ...query, group: undefined }, intervals) : groups)
}

const NO_TOTALS = totalsView(NO_SUMS)
