// A usage record as lists and receipts show it. This folder makes what the report thread answers; it has no clock and no connection
// of its own.

import type { Catalog } from '#catalog/catalog.ts'
import { iso } from '#catalog/dates.ts'
import type { UsageView } from '#contract/schemas.ts'
import { tagsOfText, tagsText } from '#core/attribution.ts'
import { microCredits, microToCredits } from '#core/money.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import type { StoredUsage } from '#store/usage-rows.ts'

/** What a list's line and a receipt say in the same words. */
export function callView(row: StoredUsage) {
  return {
    id: row.id,
    created_at: iso(row.created_at_ms),
    key: row.key_name,
    endpoint: row.endpoint,
    model: row.model_id,
    provider: row.provider_name,
    upstream_model: row.upstream_model,
    secret: row.secret,
    stream: row.is_stream === 1,
    outcome: row.outcome,
    status: row.status,
    charge_credits: microToCredits(microCredits(row.charge_micro)),
    held_credits: microToCredits(microCredits(row.hold_micro)),
    overrun: row.is_overrun === 1,
    first_byte_ms: row.first_byte_ms,
    duration_ms: row.duration_ms,
    tool: row.tool || null,
    project: row.project || null,
    tags: tagsOfText(row.tags ?? ''),
    session: row.session,
  }
}

export function usageView(row: StoredUsage): UsageView {
  return {
    ...callView(row),
    input_tokens: row.input_tokens,
    cache_read_tokens: row.cache_read_tokens,
    cache_write_tokens: row.cache_write_tokens,
    output_tokens: row.output_tokens,
    reasoning_tokens: row.reasoning_tokens,
    usage_source: row.usage_source,
    price_version: row.price_version,
  }
}

type Names = { readonly key: string; readonly provider: string | undefined }

/** What those are called now that a record is about; a key that is not there any more by its id. */
export function namesOf({ keyId, providerId }: UsageRecord, catalog: Pick<Catalog, 'key' | 'provider'>): Names {
  const provider = providerId === undefined ? undefined : catalog.provider(providerId)?.name
  return { key: catalog.key(keyId)?.name ?? keyId, provider }
}

/** A record that was just written, as a list will show it. */
export function recordedView(record: UsageRecord, names: Names): UsageView {
  return usageView({
    id: record.id,
    key_id: record.keyId,
    key_name: names.key,
    endpoint: record.endpoint,
    model_id: record.modelId,
    provider_name: names.provider ?? null,
    upstream_model: record.upstreamModel ?? null,
    is_stream: record.isStream ? 1 : 0,
    outcome: record.outcome,
    status: record.status,
    input_tokens: record.inputTokens ?? null,
    cache_read_tokens: record.cacheReadTokens ?? null,
    cache_write_tokens: record.cacheWriteTokens ?? null,
    output_tokens: record.outputTokens ?? null,
    reasoning_tokens: record.reasoningTokens ?? null,
    usage_source: record.usageSource,
    price_version: record.priceVersion ?? null,
    hold_micro: record.holdMicro,
    charge_micro: record.chargeMicro,
    is_overrun: record.isOverrun ? 1 : 0,
    created_at_ms: record.createdAtMs,
    first_byte_ms: record.firstByteMs ?? null,
    duration_ms: record.durationMs,
    estimated_classes: record.estimatedClasses ?? null,
    attempts: record.attempts ?? null,
    details: null,
    secret: record.secret ?? null,
    tool: record.attribution?.tool ?? null,
    project: record.attribution?.project ?? null,
    tags: tagsText(record.attribution?.tags ?? []),
    session: record.attribution?.session ?? null,
  })
}
