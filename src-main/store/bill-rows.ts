// What the records of calls say about one provider, for comparing them with its bill: sums by hour of UTC and model, and the records
// of which something is in doubt.

import { PASSED_FORMATS } from '#contract/dialects.ts'
import type { PassedName } from '#core/provider-dialect.ts'
import type { Db } from '#store/database.ts'

export type BillHour = {
  readonly hour: number
  readonly model: string
  readonly calls: number
  readonly input: number
  readonly cache_read: number
  readonly cache_write: number
  readonly output: number
  readonly charge_micro: number
  readonly model_id: string
  /** null, as the rest of the price is, where there was none. */
  readonly version: number | null
  readonly input_micro: number | null
  readonly output_micro: number | null
  readonly cache_read_micro: number | null
  readonly cache_write_micro: number | null
  readonly price_details: string | null
}

export type BillRecord = {
  readonly id: string
  readonly provider_id: string | null
  readonly upstream_model: string | null
  readonly outcome: string
  readonly usage_source: string
  readonly estimated_classes: string | null
  readonly input_tokens: number | null
  readonly cache_read_tokens: number | null
  readonly cache_write_tokens: number | null
  readonly output_tokens: number | null
  readonly details: string | null
  /** Of the price that it was charged at. */
  readonly price_details: string | null
  readonly attempts: string | null
  readonly created_at_ms: number
  readonly duration_ms: number
}

export type BillRange = {
  readonly providerId: string
  /** As attempts name it. */
  readonly providerName: string
  readonly fromMs: number
  /** Left out itself. */
  readonly toMs: number
}

/** Providers report the usage of all other passed endpoints elsewhere, in images, seconds or calls: their tokens are in no report that is compared. */
const COMPARED: PassedName = 'completions'
const REPORTED_ELSEWHERE = PASSED_FORMATS.filter((name) => name !== COMPARED)
const IS_COMPARED = `endpoint NOT IN (${REPORTED_ELSEWHERE.map((name) => `'${name}'`).join()})`

const TOKEN_SUMS = ['input', 'cache_read', 'cache_write', 'output']
  .map((name) => `coalesce(sum(${name}_tokens) FILTER (WHERE ${IS_COMPARED}), 0) AS ${name}`)
  .join()

/** The money of all calls, and the tokens of those that reports count in tokens; calls that were charged at different prices are apart. */
export function billHours(db: Db, { providerId, fromMs, toMs }: BillRange): BillHour[] {
  return db
    .prepare<[number, number, string], BillHour>(
      `WITH sums AS (
         SELECT created_at_ms / 3600000 AS hour, upstream_model AS model, count(*) AS calls,
           ${TOKEN_SUMS},
           sum(charge_micro) AS charge_micro, model_id, price_version
         FROM usage_record INDEXED BY usage_record_created
         WHERE created_at_ms >= ? AND created_at_ms < ? AND provider_id = ? AND upstream_model IS NOT NULL
           AND usage_source <> 'none'
         GROUP BY 1, 2, model_id, price_version)
       SELECT hour, model, calls, input, cache_read, cache_write, output, charge_micro, sums.model_id, version, input_micro,
         output_micro, cache_read_micro, cache_write_micro, details AS price_details
       FROM sums LEFT JOIN price ON price.model_id = sums.model_id AND version = price_version
       ORDER BY hour, model, sums.model_id, price_version`,
    )
    .all(fromMs, toMs, providerId)
}

/** At most `limit` of them, from the first on: those whose counts are not all the provider's, and those that it may count otherwise. */
export function doubtfulRecords(
  db: Db,
  { providerId, providerName, fromMs, toMs }: BillRange,
  limit: number,
): BillRecord[] {
  return db
    .prepare<[number, number, string, string, number], BillRecord>(
      `SELECT id, provider_id, upstream_model, outcome, usage_source, estimated_classes, input_tokens, cache_read_tokens,
         cache_write_tokens, output_tokens, record.details, price.details AS price_details, attempts, record.created_at_ms,
         duration_ms
       FROM usage_record AS record INDEXED BY usage_record_created
         LEFT JOIN price ON price.model_id = record.model_id AND price.version = record.price_version
       WHERE record.created_at_ms >= ? AND record.created_at_ms < ?
         AND (provider_id = ? AND (usage_source <> 'reported' OR coalesce(estimated_classes, '') <> ''
             OR instr(record.details, '"units"') > 0
             OR record.created_at_ms / 3600000 <> (record.created_at_ms + duration_ms) / 3600000)
           OR json_array_length(coalesce(attempts, '[]')) > 1 AND instr(attempts, json_quote(?)) > 0)
       ORDER BY record.created_at_ms, id LIMIT ?`,
    )
    .all(fromMs, toMs, providerId, providerName, limit)
}

/** What answers of one provider on one day of UTC said that they cost. */
export type BilledDay = {
  readonly provider_id: string
  /** In days since 1970. */
  readonly day: number
  readonly charge_micro: number
  /** A decimal number: a sum of many large ones is no exact number any more. */
  readonly billed_nano: string
  readonly last_ms: number
}

/** Calls of one day whose answers said another cost than was charged, by what is known of how they were counted. */
export type DifferentlyBilled = {
  readonly provider_id: string
  readonly day: number
  readonly outcome: string
  readonly usage_source: string
  readonly estimated_classes: string | null
  readonly has_units: 0 | 1
  readonly calls: number
  /** A JSON list of the first of them. */
  readonly first_ids: string
}

type TimeRange = Pick<BillRange, 'fromMs' | 'toMs'>

const BILLED_NANO = "json_extract(details, '$.billedNano')"
/** As the index has it, which only such calls are in. */
const BILLED = `FROM usage_record INDEXED BY usage_record_billed
  WHERE instr(details, '"billedNano"') > 0 AND created_at_ms >= @fromMs AND created_at_ms < @toMs
    AND provider_id IS NOT NULL AND usage_source <> 'none'`
/** A charge was rounded up by less than a micro-credit, and a cost may have been rounded as much. */
const IS_BEYOND_ROUNDING = `abs(charge_micro * 1000 - ${BILLED_NANO}) > 1000`

/** Of all providers whose answers say what they cost. */
export function billedDays(db: Db, range: TimeRange): BilledDay[] {
  return db
    .prepare<TimeRange, BilledDay>(
      `SELECT provider_id, created_at_ms / 86400000 AS day, sum(charge_micro) AS charge_micro,
         CAST(sum(${BILLED_NANO}) AS TEXT) AS billed_nano, max(created_at_ms) AS last_ms
       ${BILLED} GROUP BY 1, 2`,
    )
    .all(range)
}

/** Whether there are more than so many of their calls. */
export function hasMoreBilled(db: Db, range: TimeRange, most: number): boolean {
  const beyond = db.prepare<TimeRange & { readonly most: number }>(`SELECT 1 ${BILLED} LIMIT 1 OFFSET @most`)
  return beyond.get({ ...range, most }) !== undefined
}

/** Of those, the calls that differ by more than rounding. Each kind names `limit` of its calls, from the first on. */
export function differentlyBilled(db: Db, range: TimeRange, limit: number): DifferentlyBilled[] {
  return db
    .prepare<TimeRange & { readonly limit: number }, DifferentlyBilled>(
      `WITH differing AS (
         SELECT provider_id, created_at_ms / 86400000 AS day, outcome, usage_source, estimated_classes,
           instr(details, '"units"') > 0 AS has_units, id, created_at_ms ${BILLED} AND ${IS_BEYOND_ROUNDING}),
       placed AS (
         SELECT *, row_number() OVER (
           PARTITION BY provider_id, day, outcome, usage_source, estimated_classes, has_units ORDER BY created_at_ms, id
         ) AS place FROM differing)
       SELECT provider_id, day, outcome, usage_source, estimated_classes, has_units, count(*) AS calls,
         json_group_array(id ORDER BY place) FILTER (WHERE place <= @limit) AS first_ids
       FROM placed GROUP BY 1, 2, 3, 4, 5, 6`,
    )
    .all({ ...range, limit })
}
