// Reads the usage history for lists and exports.

import { uuidV7Floor } from '#core/uuid.ts'
import type { Db } from '#store/database.ts'

export type UsageFilter = {
  readonly sinceMs: number | undefined
  readonly keyId: string | undefined
  readonly modelId: string | undefined
  /** Only records older than this one, for paging. */
  readonly beforeId: string | undefined
  readonly limit: number
}

export type StoredUsage = {
  readonly id: string
  readonly key_name: string
  readonly endpoint: string
  readonly model_id: string
  readonly provider_name: string | null
  readonly upstream_model: string | null
  readonly is_stream: number
  readonly outcome: string
  readonly status: number
  readonly input_tokens: number | null
  readonly cache_read_tokens: number | null
  readonly cache_write_tokens: number | null
  readonly output_tokens: number | null
  readonly reasoning_tokens: number | null
  readonly usage_source: string
  readonly price_version: number | null
  readonly hold_micro: number
  readonly charge_micro: number
  readonly is_overrun: number
  readonly created_at_ms: number
  readonly first_byte_ms: number | null
  readonly duration_ms: number
  readonly estimated_classes: string | null
  readonly attempts: string | null
}

/** A usage record with the price that it was charged at. */
export type StoredReceipt = StoredUsage & {
  readonly key_id: string
  readonly price_input_micro: number | null
  readonly price_output_micro: number | null
  readonly price_cache_read_micro: number | null
  readonly price_cache_write_micro: number | null
}

/** What calls were charged since an instant, in micro-credits by provider. Ids sort by time, so that only those rows are read. */
export function chargedByProvider(db: Db, sinceMs: number): Map<string, number> {
  const rows = db
    .prepare<[string], { provider_id: string; charged_micro: number }>(
      `SELECT provider_id, sum(charge_micro) AS charged_micro FROM usage_record
       WHERE id >= ? AND provider_id IS NOT NULL GROUP BY provider_id`,
    )
    .all(uuidV7Floor(sinceMs))
  return new Map(rows.map((row) => [row.provider_id, row.charged_micro]))
}

/** Sorts behind every id: the bounds are always there, so that the ids' index serves both. */
const LAST_ID = 'g'

/** The newest records first. Ids sort by time, so that paging is by id and never skips or repeats a row. */
export function listUsage(db: Db, filter: UsageFilter): StoredUsage[] {
  return db
    .prepare<[Record<string, string | number | null>], StoredUsage>(
      `SELECT usage_record.*, key.name AS key_name, provider.name AS provider_name
       FROM usage_record JOIN key ON key.id = usage_record.key_id
       LEFT JOIN provider ON provider.id = usage_record.provider_id
       WHERE (@keyId IS NULL OR usage_record.key_id = @keyId)
         AND (@modelId IS NULL OR usage_record.model_id = @modelId)
         AND usage_record.id >= @sinceId
         AND usage_record.id < @beforeId
       ORDER BY usage_record.id DESC LIMIT @limit`,
    )
    .all({
      keyId: filter.keyId ?? null,
      modelId: filter.modelId ?? null,
      sinceId: filter.sinceMs === undefined ? '' : uuidV7Floor(filter.sinceMs),
      beforeId: filter.beforeId ?? LAST_ID,
      limit: filter.limit,
    })
}

/** One record with its price; undefined where there is none. Versions of a price are kept for ever, so that it is the true one. */
export function readReceipt(db: Db, id: string): StoredReceipt | undefined {
  return db
    .prepare<[string], StoredReceipt>(
      `SELECT usage_record.*, key.name AS key_name, provider.name AS provider_name,
         price.input_micro AS price_input_micro, price.output_micro AS price_output_micro,
         price.cache_read_micro AS price_cache_read_micro, price.cache_write_micro AS price_cache_write_micro
       FROM usage_record JOIN key ON key.id = usage_record.key_id
       LEFT JOIN provider ON provider.id = usage_record.provider_id
       LEFT JOIN price ON price.model_id = usage_record.model_id AND price.version = usage_record.price_version
       WHERE usage_record.id = ?`,
    )
    .get(id)
}
