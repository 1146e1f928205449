// Lists of calls, the newest first, a page at a time. Records are in the order of their time and id, so that no page skips or
// repeats one. Where a filter leaves few of them, the roll-ups say on which days and in which hours they are; and no page reads more
// than a bounded number of records, so that one with few matches may end before it is full.

import { append } from '#core/append.ts'
import type { Db } from '#store/database.ts'
import { statement } from '#store/statements.ts'
import { groupConditions, partParameters, partsOf, recordConditions, type UsageParts } from '#store/usage-filter.ts'
import { CALL_COLUMNS, CALL_NAMES, type StoredUsage } from '#store/usage-rows.ts'
import { idsOf, sliceFor, WHOLE_SLICE } from '#store/usage-slices.ts'

export type UsageFilter = {
  readonly parts: UsageParts
  readonly sinceMs: number | undefined
  /** Left out itself. */
  readonly untilMs: number | undefined
  readonly status: CallState | undefined
  readonly minMicro: number | undefined
  /** What a session is called. */
  readonly session?: string | undefined
  /** Only records before this place. */
  readonly before: UsagePlace | undefined
  readonly limit: number
}

/** `failed`: the client did not get a whole answer; the others are ways in which it did not. */
export type CallState = keyof typeof OF_STATE

const OF_STATE = {
  ok: `usage_record.outcome = 'answered'`,
  failed: `usage_record.outcome <> 'answered'`,
  cut: `usage_record.outcome = 'cut'`,
  out_of_credits: `usage_record.outcome = 'out_of_credits'`,
  client_gone: `usage_record.outcome = 'client_gone'`,
} as const

/** A place between two records. */
export type UsagePlace = { readonly createdAtMs: number; readonly id: string }

export type UsagePage = {
  readonly rows: StoredUsage[]
  /** Where the next page begins; undefined at the end. */
  readonly next: UsagePlace | undefined
}

type Range = { readonly fromMs: number; readonly toMs: number }

/** Records that a page reads at the most, and days that it looks into. */
const MAX_READ = 20_000
const MAX_DAYS = 40
/** Records that one reading of several hours may have. */
const MAX_JOINED = 2_000
const DAY_MS = 86_400_000
/** No day is longer, whatever the clocks do. */
const LONGEST_DAY_MS = 2 * DAY_MS

export function listUsage(db: Db, filter: UsageFilter): UsagePage {
  const fromMs = filter.sinceMs ?? 0
  const start = startOf(filter)
  const rows: StoredUsage[] = []
  let left = MAX_READ
  let daysLeft = MAX_DAYS
  for (const range of rangesOf(db, filter, { fromMs, toMs: start.createdAtMs + 1 })) {
    if (left <= 0 || (range.isNewDay && daysLeft === 0)) return { rows, next: { createdAtMs: range.toMs, id: '' } }
    if (range.isNewDay) daysLeft -= 1
    const before = range.toMs > start.createdAtMs ? start : { createdAtMs: range.toMs, id: '' }
    const page = { fromMs: Math.max(fromMs, range.fromMs), before, limit: filter.limit - rows.length, most: left }
    append(rows, readRange(db, filter, page))
    if (rows.length === filter.limit) return { rows, next: placeOf(rows.at(-1)) }
    const stop = range.calls < left ? undefined : placeAfter(db, filter, page)
    if (stop !== undefined) return { rows, next: stop }
    left -= range.calls
  }
  return { rows, next: undefined }
}

/** After everything that is asked for. */
function startOf({ before, untilMs }: UsageFilter): UsagePlace {
  const until = { createdAtMs: untilMs ?? Number.MAX_SAFE_INTEGER - LONGEST_DAY_MS, id: '' }
  return before === undefined || before.createdAtMs >= until.createdAtMs ? until : before
}

function placeOf(row: StoredUsage | undefined): UsagePlace | undefined {
  return row && { createdAtMs: row.created_at_ms, id: row.id }
}

/** `calls`: how many records there are in it at the most. */
type DatedRange = Range & { readonly calls: number; readonly isNewDay: boolean }

/** Where records that fit can be, the newest first: everywhere, or in the hours that the roll-ups name. */
function* rangesOf(db: Db, filter: UsageFilter, range: Range): Generator<DatedRange> {
  const isEasy = partsOf(filter.parts).length === 0 && filter.status === undefined && filter.minMicro === undefined
  if (isEasy || filter.session !== undefined) {
    // Every record that is read fits, unless others of its session do not.
    yield { ...range, calls: isEasy ? 0 : MAX_READ, isNewDay: true }
    return
  }
  for (const day of daysWith(db, filter, range)) {
    let isNewDay = true
    for (const hours of joined(hoursWith(db, filter, day))) {
      yield { ...hours, isNewDay }
      isNewDay = false
    }
  }
}

/** Hours that follow each other as one range, as long as that is quickly read. */
function* joined(hours: readonly Hours[]): Generator<Hours> {
  let last: Hours | undefined
  for (const hour of hours) {
    if (last !== undefined && last.fromMs === hour.toMs && last.calls + hour.calls <= MAX_JOINED) {
      last = { fromMs: hour.fromMs, toMs: last.toMs, calls: last.calls + hour.calls }
      continue
    }
    if (last !== undefined) yield last
    last = hour
  }
  if (last !== undefined) yield last
}

/** What roll-ups of groups that fit must have. */
function sumConditions({ status, minMicro }: UsageFilter): string {
  return [
    status !== undefined && status !== 'ok' ? 'AND sums.failed > 0' : '',
    status === 'ok' ? 'AND sums.requests > sums.failed' : '',
    minMicro === undefined ? '' : 'AND sums.most_charge_micro >= @minMicro',
  ].join(' ')
}

function parametersOf(filter: UsageFilter) {
  return { ...partParameters(filter.parts), minMicro: filter.minMicro ?? 0, session: filter.session ?? null }
}

/** Days with records that may fit, the newest first. */
function daysWith(db: Db, filter: UsageFilter, { fromMs, toMs }: Range): Range[] {
  const slice = sliceFor('day', partsOf(filter.parts))
  const days = statement<{ fromMs: number; toMs: number }>(
    db,
    `WITH RECURSIVE day (at) AS (
         SELECT max(started_at_ms) FROM usage_day WHERE started_at_ms < @toMs
         UNION ALL
         SELECT (SELECT max(started_at_ms) FROM usage_day WHERE started_at_ms < day.at) FROM day WHERE day.at > @fromMs),
       chosen AS MATERIALIZED (SELECT id FROM usage_group AS parts
         WHERE parts.slice = @slice ${groupConditions('parts', filter.parts)})
       SELECT day.at AS fromMs, coalesce((SELECT min(started_at_ms) FROM usage_day WHERE started_at_ms > day.at), @toMs) AS toMs
       FROM day WHERE day.at IS NOT NULL AND EXISTS (SELECT 1 FROM chosen CROSS JOIN usage_day AS sums
         ON sums.started_at_ms = day.at AND sums.group_id = chosen.id ${sumConditions(filter)})
       LIMIT @most`,
  )
    // One day more than a page looks into: where it is, the page goes on.
    .all({ ...parametersOf(filter), fromMs, toMs, slice, most: MAX_DAYS + 1 })
  return days.map((day) => ({ fromMs: day.fromMs, toMs: Math.min(day.toMs, toMs) }))
}

type Hours = Range & { readonly calls: number }

/** Hours of a day with records that may fit, the newest first. */
function hoursWith(db: Db, filter: UsageFilter, day: Range): Hours[] {
  return statement<Hours>(
    db,
    `WITH hour AS MATERIALIZED (
       SELECT DISTINCT sums.started_at_ms FROM usage_hour AS sums CROSS JOIN usage_group AS parts ON parts.id = sums.group_id
       WHERE sums.started_at_ms >= @fromMs AND sums.started_at_ms < @toMs AND parts.slice = ${WHOLE_SLICE}
         ${groupConditions('parts', filter.parts)} ${sumConditions(filter)})
     SELECT hour.started_at_ms AS fromMs, total.requests AS calls,
       min(@toMs, coalesce((SELECT min(started_at_ms) FROM usage_hour WHERE started_at_ms > hour.started_at_ms), @toMs)) AS toMs
     FROM hour JOIN usage_hour AS total ON total.started_at_ms = hour.started_at_ms AND total.group_id = ${idsOf(0).first}
     ORDER BY hour.started_at_ms DESC`,
  ).all({ ...parametersOf(filter), ...day })
}

type Reading = {
  readonly fromMs: number
  readonly before: UsagePlace
  readonly limit: number
  /** Records that may be read. */
  readonly most: number
}

/** Records of a range, or of one session there, the newest first. */
function inOrder(session: string | undefined): string {
  const index = session === undefined ? 'usage_record_created' : 'usage_record_session'
  const ofSession = session === undefined ? '' : 'session_id = (SELECT id FROM call_session WHERE name = @session) AND'
  return `FROM usage_record INDEXED BY ${index} WHERE ${ofSession} (created_at_ms, id) < (@beforeMs, @beforeId)
    AND created_at_ms >= @fromMs ORDER BY created_at_ms DESC, id DESC`
}

function readRange(db: Db, filter: UsageFilter, { fromMs, before, limit, most }: Reading): StoredUsage[] {
  const { status, minMicro } = filter
  return statement<StoredUsage>(
    db,
    `SELECT ${CALL_COLUMNS} FROM (SELECT * ${inOrder(filter.session)} LIMIT @most) AS usage_record ${CALL_NAMES}
       WHERE 1 ${recordConditions(filter.parts)}
         ${status === undefined ? '' : `AND ${OF_STATE[status]}`}
         ${minMicro === undefined ? '' : 'AND usage_record.charge_micro >= @minMicro'}
       ORDER BY usage_record.created_at_ms DESC, usage_record.id DESC LIMIT @limit`,
  ).all({ ...parametersOf(filter), beforeMs: before.createdAtMs, beforeId: before.id, fromMs, limit, most })
}

/** The last record that was read, where there are more than could be; undefined where all were. */
function placeAfter(db: Db, { session }: UsageFilter, { fromMs, before, most }: Reading): UsagePlace | undefined {
  const order = inOrder(session)
  return statement<UsagePlace>(db, `SELECT created_at_ms AS createdAtMs, id ${order} LIMIT 1 OFFSET @skipped`).get({
    session: session ?? null,
    beforeMs: before.createdAtMs,
    beforeId: before.id,
    fromMs,
    skipped: most - 1,
  })
}
