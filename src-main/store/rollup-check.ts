// Whether the roll-ups are the sums of the usage records. Reads everything, so it is for whoever asks for a check. What is found
// wrong is wrong in reports only: nothing is charged or admitted by them.

import type { Db } from '#store/database.ts'
import { MEASURES, RECORD_SUMS, ROLLUP_SUMS } from '#store/usage-measures.ts'
import { idsOf, PART_COLUMNS, WHOLE_SLICE } from '#store/usage-slices.ts'

const PARTS = Object.values(PART_COLUMNS).join(', ')
const NAMES = MEASURES.join(', ')
const WHOLE = idsOf(WHOLE_SLICE)

/** Where the two differ, something is left. */
const LEFT = MEASURES.map((name) => `sum(${name}) <> 0`).join(' OR ')
const NEGATIVE = MEASURES.map((name) => `-${name}`).join(', ')

const OF_RECORDS = `SELECT key_id, model_id, coalesce(provider_id, '') AS provider_id, package_id, coalesce(tool, '') AS tool,
  coalesce(project, '') AS project, coalesce(tags, '') AS tags, ${RECORD_SUMS}
  FROM usage_record LEFT JOIN attribution ON attribution.id = attribution_id GROUP BY 1, 2, 3, 4, 5, 6, 7`
const OF_HOURS = `SELECT group_id, ${ROLLUP_SUMS} FROM usage_hour
  WHERE group_id >= ${WHOLE.first} AND group_id < ${WHOLE.end} GROUP BY group_id`
const OF_DAYS = OF_HOURS.replace('usage_hour', 'usage_day')

/** The sums of every slice of every day; the slices are the same calls told apart differently. */
const BY_SLICE = `SELECT started_at_ms, group_id / ${idsOf(1).first} AS slice, ${ROLLUP_SUMS} FROM usage_day
  GROUP BY started_at_ms, slice`

/** Each finds rows that should not be there. */
const RULES: readonly { readonly says: string; readonly sql: string }[] = [
  {
    says: 'the sums of calls by hour are not those of the usage records, for key',
    sql: `SELECT DISTINCT key_id FROM (SELECT ${PARTS} FROM (
        ${OF_RECORDS} UNION ALL SELECT ${PARTS}, ${NEGATIVE} FROM (${OF_HOURS}) JOIN usage_group ON usage_group.id = group_id)
      GROUP BY ${PARTS} HAVING ${LEFT})`,
  },
  {
    says: 'the sums of calls by day are not those by hour, for key',
    sql: `SELECT DISTINCT key_id FROM usage_group WHERE id IN (SELECT group_id FROM (
        ${OF_HOURS} UNION ALL SELECT group_id, ${NEGATIVE} FROM (${OF_DAYS})) GROUP BY group_id HAVING ${LEFT})`,
  },
  {
    says: 'the slices of a day are not the same calls',
    sql: `SELECT started_at_ms FROM (SELECT DISTINCT started_at_ms, ${NAMES} FROM (${BY_SLICE}))
      GROUP BY started_at_ms HAVING count(*) > 1`,
  },
  {
    says: 'a day is not the sum of its hours',
    sql: `WITH day AS (SELECT started_at_ms, lead(started_at_ms, 1, 9e15) OVER (ORDER BY started_at_ms) AS ends_at_ms,
          requests, charge_micro FROM usage_day WHERE group_id = ${idsOf(0).first})
      SELECT started_at_ms FROM day WHERE (requests, charge_micro) IS NOT (
        SELECT sum(hour.requests), sum(hour.charge_micro) FROM usage_hour AS hour
        WHERE hour.group_id = ${idsOf(0).first} AND hour.started_at_ms >= day.started_at_ms AND hour.started_at_ms < day.ends_at_ms)`,
  },
]

/** What does not hold, as sentences. */
export function rollupProblems(db: Db): string[] {
  return RULES.flatMap(({ says, sql }) => {
    const wrong = db.prepare<[], string | number>(sql).pluck().all()
    return wrong.length === 0 ? [] : [`${says}: ${wrong.slice(0, 5).join(', ')}${wrong.length > 5 ? ' and more' : ''}`]
  })
}
