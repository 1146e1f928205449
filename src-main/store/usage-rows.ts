// Reads usage records: single ones, and what they were charged. Lists are in usage-list.ts.

import type { Db } from '#store/database.ts'

export type StoredUsage = {
  readonly id: string
  readonly key_id: string
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
  readonly details: string | null
  readonly secret: string | null
  /** Of whom it was made for; null or empty for what nobody said. */
  readonly tool: string | null
  readonly project: string | null
  readonly tags: string | null
  readonly session: string | null
}

/** A usage record with the price that it was charged at. */
export type StoredReceipt = StoredUsage & {
  readonly price_input_micro: number | null
  readonly price_output_micro: number | null
  readonly price_cache_read_micro: number | null
  readonly price_cache_write_micro: number | null
  readonly price_details: string | null
  /** What a provider's bill corrected of its charge; null where none did. */
  readonly settled_micro: number | null
  readonly settled_reason: string | null
  readonly settled_at_ms: number | null
}

/** What calls were charged, in micro-credits by the ids of providers and of members. */
export type Charged = {
  readonly byProvider: Map<string, number>
  /** By provider, and by the labels of its secrets, for calls that say which one they went with. */
  readonly bySecret: Map<string, Map<string, number>>
  readonly byMember: Map<string, number>
}

/** What calls were charged from an instant on and before another one: a clock that was wrong leaves calls of days to come. */
export function chargedBetween(db: Db, fromMs: number, toMs: number): Charged {
  const rows = db
    .prepare<[number, number], ChargedRow>(
      `SELECT provider_id, secret, key.member_id, sum(charge_micro) AS charged_micro
       FROM usage_record JOIN key ON key.id = usage_record.key_id
       WHERE usage_record.created_at_ms >= ? AND usage_record.created_at_ms < ? GROUP BY provider_id, secret, key.member_id`,
    )
    .all(fromMs, toMs)
  const charged: Charged = { byProvider: new Map(), bySecret: new Map(), byMember: new Map() }
  const { byProvider, bySecret, byMember } = charged
  for (const { provider_id: providerId, secret, member_id: memberId, charged_micro: amount } of rows) {
    if (providerId !== null) addTo(byProvider, providerId, amount)
    if (memberId !== null) addTo(byMember, memberId, amount)
    if (providerId === null || secret === null) continue
    const ofProvider = bySecret.get(providerId) ?? new Map<string, number>()
    bySecret.set(providerId, ofProvider)
    addTo(ofProvider, secret, amount)
  }
  return charged
}

type ChargedRow = {
  readonly provider_id: string | null
  readonly secret: string | null
  readonly member_id: string | null
  readonly charged_micro: number
}

function addTo(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}

/** A record with the names that people know, from `usage_record` and CALL_NAMES. */
export const CALL_COLUMNS = `usage_record.*, key.name AS key_name, provider.name AS provider_name,
  attribution.tool, attribution.project, attribution.tags, call_session.name AS session`
export const CALL_NAMES = `JOIN key ON key.id = usage_record.key_id
  LEFT JOIN provider ON provider.id = usage_record.provider_id
  LEFT JOIN attribution ON attribution.id = usage_record.attribution_id
  LEFT JOIN call_session ON call_session.id = usage_record.session_id`

/** Records by their ids, in no order; those that are not there are left out. */
export function readUsage(db: Db, ids: readonly string[]): StoredUsage[] {
  return db
    .prepare<[string], StoredUsage>(
      `SELECT ${CALL_COLUMNS} FROM usage_record ${CALL_NAMES} WHERE usage_record.id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(ids))
}

/** One record with its price; undefined where there is none. Versions of a price are kept for ever, so that it is the true one. */
export function readReceipt(db: Db, id: string): StoredReceipt | undefined {
  return db
    .prepare<[string], StoredReceipt>(
      `SELECT ${CALL_COLUMNS}, price.input_micro AS price_input_micro, price.output_micro AS price_output_micro,
         price.cache_read_micro AS price_cache_read_micro, price.cache_write_micro AS price_cache_write_micro,
         price.details AS price_details, settled.amount_micro AS settled_micro, settled.reason AS settled_reason,
         settled.created_at_ms AS settled_at_ms
       FROM usage_record ${CALL_NAMES}
       LEFT JOIN ledger_entry AS settled
         ON settled.key_id = usage_record.key_id AND settled.idempotency_id = 'correction:bill-' || usage_record.id
       LEFT JOIN price ON price.model_id = usage_record.model_id AND price.version = usage_record.price_version
       WHERE usage_record.id = ?`,
    )
    .get(id)
}
