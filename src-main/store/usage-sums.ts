// Sums of calls by time and group, out of the roll-ups: of this gateway, and of the others where several share their books. The work grows with what is
// told apart and the number of intervals, not with the number of calls.

import type { Rollup } from '#core/calendar.ts'
import type { Db } from '#store/database.ts'
import { groupConditions, partParameters, partsOf, recordConditions, type UsageParts } from '#store/usage-filter.ts'
import { statement } from '#store/statements.ts'
import { addSums, RECORD_SUMS, ROLLUP_SUMS, type Sums } from '#store/usage-measures.ts'
import { idsOf, PART_COLUMNS, sliceFor, type Part } from '#store/usage-slices.ts'

export type SumsQuery = {
  readonly rollup: Rollup
  readonly parts: UsageParts
  /** What the sums are told apart by; undefined: nothing. `owner`: by what `owners` says of a key. `tag`: each of the tags of a call. */
  readonly group: Exclude<Part, 'tags'> | 'owner' | 'tag' | undefined
  /** Owners by the id of their key; asked for with the group `owner`. */
  readonly owners?: Readonly<Record<string, string>>
}

/** Sums of one group; '' where the group is not known, and without groups. */
export type GroupSums = Sums & { readonly value: string }
export type PointSums = Sums & { readonly startedAtMs: number; readonly value: string | null }

/** Sums over intervals, by their beginnings: one row for each group that has calls in them. */
export function sumsByGroup(db: Db, query: SumsQuery, intervals: readonly number[]): GroupSums[] {
  const [own, others] = WHOSE.map((whose) => {
    const { from, parameters, isEmpty } = source(db, whose, { query, intervals })
    if (isEmpty) return []
    const sql = `${from.with} SELECT ${from.value} AS value, ${ROLLUP_SUMS} ${from.tables} GROUP BY 1`
    return statement<GroupSums>(db, sql).all(parameters)
  })
  return merged(own, others, ({ value }) => value)
}

/** Whose roll-ups there are, by how their tables begin. */
const WHOSE = ['usage', 'elsewhere'] as const
type Whose = (typeof WHOSE)[number]

function merged<Row extends Sums>(
  own: readonly Row[] = [],
  others: readonly Row[] = [],
  name: (row: Row) => string,
): Row[] {
  if (others.length === 0) return [...own]
  const rows = new Map(own.map((row) => [name(row), row]))
  for (const row of others) {
    const known = rows.get(name(row))
    rows.set(name(row), known === undefined ? row : { ...row, ...addSums([known, row]) })
  }
  return [...rows.values()]
}

/** Sums for each interval; those of groups that are not in `shown` are added up with the value NULL. Without it each is by itself. */
export function sumsByInterval(
  db: Db,
  query: SumsQuery,
  { intervals, shown }: { readonly intervals: readonly number[]; readonly shown?: readonly string[] },
): PointSums[] {
  const [own, others] = WHOSE.map((whose) => {
    const { from, parameters, isEmpty } = source(db, whose, { query, intervals, shown })
    if (isEmpty) return []
    const sql = `${from.with} SELECT sums.started_at_ms AS startedAtMs, ${from.shown} AS value, ${ROLLUP_SUMS}
       ${from.tables} GROUP BY 1, 2`
    return statement<PointSums>(db, sql).all(parameters)
  })
  return merged(own, others, ({ startedAtMs, value }) => `${startedAtMs} ${value === null ? '' : `of ${value}`}`)
}

/** How many values a group has at the most, whenever they had calls. */
export function countValues(db: Db, { parts, group, owners = {} }: SumsQuery): number {
  if (group === undefined) return 1
  const { value } = valuesOf(group, false)
  // Every call is in every slice of days, so that the smallest one that tells it has all values.
  const slice = sliceFor('day', [...partsOf(parts), partBehind(group)])
  const lists = { owners: JSON.stringify(owners), shown: '[]' }
  return WHOSE.reduce((sum, whose) => {
    const sql = `${LISTS} SELECT count(DISTINCT ${value}) AS count FROM ${whose}_group AS parts ${eachOf(group)}
      WHERE parts.slice = @slice ${groupConditions('parts', parts)}`
    return sum + (statement<{ count: number }>(db, sql).get({ ...partParameters(parts), ...lists, slice })?.count ?? 0)
  }, 0)
}

/** Sums over records of a range of time, for the part of an hour; reads each of them. */
export function sumsOfRecords(
  db: Db,
  parts: UsageParts,
  range: { readonly fromMs: number; readonly toMs: number },
): Sums {
  const row = statement<Sums>(
    db,
    `SELECT ${RECORD_SUMS} FROM usage_record INDEXED BY usage_record_created
       WHERE created_at_ms >= @fromMs AND created_at_ms < @toMs ${recordConditions(parts)}`,
  ).get({ ...range, ...partParameters(parts) })
  if (row === undefined) throw new Error('a sum has no row')
  return row
}

/** Where groups that are wanted are fewer than this part of a slice, each is looked up instead of reading all. */
const FEW = 4

type Source = {
  readonly with: string
  readonly tables: string
  /** What the sums of a row belong to, and the same with NULL for what is not shown by itself. */
  readonly value: string
  readonly shown: string
}

type Asked = {
  readonly query: SumsQuery
  readonly intervals: readonly number[]
  readonly shown?: readonly string[] | undefined
}

function source(
  db: Db,
  whose: Whose,
  { query, intervals, shown }: Asked,
): { readonly from: Source; readonly parameters: object; readonly isEmpty: boolean } {
  const { rollup, parts, group, owners = {} } = query
  const table = `${whose}_${rollup}`
  const present = withCalls(db, table, intervals)
  const told: Part[] = group === undefined ? [] : [partBehind(group)]
  const slice = sliceFor(rollup, [...partsOf(parts), ...told])
  const parameters = {
    ...partParameters(parts),
    ...idsOf(slice),
    slice,
    intervals: JSON.stringify(present),
    owners: JSON.stringify(owners),
    shown: JSON.stringify(shown ?? []),
  }
  const groups = `FROM ${whose}_group AS parts WHERE parts.slice = @slice ${groupConditions('parts', parts)}`
  const isFew = present.length > 0 && isOfFew(db, whose, { parts, groups, parameters })
  const from = isFew ? byGroup(table, groups) : bySlice(table, `${whose}_group`, parts)
  return {
    isEmpty: present.length === 0,
    from: { ...from, ...valuesOf(group, shown !== undefined), tables: from.tables + eachOf(group) + from.where },
    parameters,
  }
}

function partBehind(group: NonNullable<SumsQuery['group']>): Part {
  if (group === 'owner') return 'key'
  return group === 'tag' ? 'tags' : group
}

/** Intervals in which there can be calls: what lies before the first one, or after the last, need not be looked for. */
function withCalls(db: Db, table: string, intervals: readonly number[]): number[] {
  const range = statement<{ first: number | null; last: number | null }>(
    db,
    `SELECT (SELECT min(started_at_ms) FROM ${table}) AS first, (SELECT max(started_at_ms) FROM ${table}) AS last`,
  ).get({})
  const { first = null, last = null } = range ?? {}
  return first === null || last === null ? [] : intervals.filter((atMs) => atMs >= first && atMs <= last)
}

const LISTS = `WITH owner AS MATERIALIZED (SELECT key, value FROM json_each(@owners)),
  shown AS MATERIALIZED (SELECT value FROM json_each(@shown))`

/** Looks every group up in every interval. */
function byGroup(table: string, groups: string) {
  return {
    with: `${LISTS}, parts AS MATERIALIZED (SELECT parts.* ${groups})`,
    tables: `FROM json_each(@intervals) AS interval CROSS JOIN parts
      CROSS JOIN ${table} AS sums ON sums.started_at_ms = interval.value AND sums.group_id = parts.id`,
    where: '',
  }
}

/** Reads all groups of a slice. */
function bySlice(table: string, groups: string, parts: UsageParts) {
  return {
    with: LISTS,
    tables: `FROM json_each(@intervals) AS interval
      CROSS JOIN ${table} AS sums ON sums.started_at_ms = interval.value AND sums.group_id >= @first AND sums.group_id < @end
      CROSS JOIN ${groups} AS parts ON parts.id = sums.group_id`,
    where: ` WHERE 1 ${groupConditions('parts', parts)}`,
  }
}

function valuesOf(
  group: SumsQuery['group'],
  isRestSummed: boolean,
): { readonly value: string; readonly shown: string } {
  const value = valueOf(group)
  return { value, shown: !isRestSummed ? value : `iif(${value} IN (SELECT value FROM shown), ${value}, NULL)` }
}

/** Where a group stands. */
function valueOf(group: SumsQuery['group']): string {
  if (group === undefined) return `''`
  if (group === 'tag') return 'tag.value'
  return group === 'owner' ? `coalesce(owner.value, '')` : `parts.${PART_COLUMNS[group]}`
}

/** A row for each of the tags that stand between commas, and one where there is none. */
const EACH_TAG = ` CROSS JOIN json_each('["' || replace(trim(parts.tags, ','), ',', '","') || '"]') AS tag`

/** By the index that SQLite makes for a join: each key has one owner at the most. */
const OF_OWNER = ' LEFT JOIN owner ON owner.key = parts.key_id'

function eachOf(group: SumsQuery['group']): string {
  if (group === 'owner') return OF_OWNER
  return group === 'tag' ? EACH_TAG : ''
}

/** Whether few groups of a slice are wanted. Counting them takes longer than many sums do. */
function isOfFew(
  db: Db,
  whose: Whose,
  { parts, groups, parameters }: { readonly parts: UsageParts; readonly groups: string; readonly parameters: object },
): boolean {
  if (partsOf(parts).length === 0) return false
  const row = statement<{ wanted: number; all: number }>(
    db,
    `SELECT (SELECT count(*) ${groups}) AS wanted, (SELECT count(*) FROM ${whose}_group WHERE slice = @slice) AS "all"`,
  ).get(parameters)
  return row !== undefined && row.wanted * FEW < row.all
}

/** How long streams took to begin, over hours by their beginnings: calls by class of time. */
export function firstTokenCounts(
  db: Db,
  keyIds: readonly string[] | undefined,
  hours: readonly number[],
): { latencyClass: number; calls: number }[] {
  return statement<{ latencyClass: number; calls: number }>(
    db,
    `SELECT latency_class AS latencyClass, sum(calls) AS calls FROM json_each(@hours) AS hour
       CROSS JOIN usage_first_token AS times ON times.started_at_ms = hour.value
         ${keyIds === undefined ? '' : 'AND times.key_id IN (SELECT value FROM json_each(@keyIds))'}
       GROUP BY latency_class ORDER BY latency_class`,
  ).all({ hours: JSON.stringify(hours), keyIds: JSON.stringify(keyIds ?? []) })
}
