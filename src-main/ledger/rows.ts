// The rows that the ledger hands to its writer. Rows are tuples in the order of their column lists: they cross to another
// thread and are bound to prepared statements thousands of times a second, where named members would cost as much as the
// rest of the work.

import { tagsText, type Attribution } from '#core/attribution.ts'
import type { MicroCredits } from '#core/money.ts'
import type { UsageDetails } from '#core/usage.ts'

export type EntryKind = 'grant' | 'lapse' | 'hold' | 'settle' | 'release' | 'adjustment'

export type LedgerEntry = {
  readonly keyId: string
  readonly kind: EntryKind
  /** What the entry adds to the key's available credits. */
  readonly amountMicro: MicroCredits
  readonly chargeMicro?: MicroCredits
  readonly exchangeId?: string
  readonly cycleStartedAtMs: number
  readonly createdAtMs: number
  readonly modelId?: string
  readonly priceVersion?: number | undefined
  readonly reason?: string
  readonly idempotencyId?: string
}

export const ENTRY_COLUMNS =
  'key_id, kind, amount_micro, charge_micro, exchange_id, cycle_started_at_ms, created_at_ms, model_id, price_version, ' +
  'reason, idempotency_id'

type EntryRow = readonly [
  keyId: string,
  kind: EntryKind,
  amountMicro: number,
  chargeMicro: number | null,
  exchangeId: string | null,
  cycleStartedAtMs: number,
  createdAtMs: number,
  modelId: string | null,
  priceVersion: number | null,
  reason: string | null,
  idempotencyId: string | null,
]

export function entryRow(entry: LedgerEntry): EntryRow {
  return [
    entry.keyId,
    entry.kind,
    entry.amountMicro,
    entry.chargeMicro ?? null,
    entry.exchangeId ?? null,
    entry.cycleStartedAtMs,
    entry.createdAtMs,
    entry.modelId ?? null,
    entry.priceVersion ?? null,
    entry.reason ?? null,
    entry.idempotencyId ?? null,
  ]
}

/** How an exchange ended, for its usage record. */
export type Outcome =
  | 'answered' // the client has the whole answer
  | 'refused' // the provider said no
  | 'failed' // the upstream broke before the first byte reached the client
  | 'cut' // the upstream broke, or Farebox stopped, after the first byte
  | 'client_gone'
  | 'out_of_credits' // Farebox ended the stream because the credits of its key could not carry it any further
  | 'interrupted' // the process died; resolved at the next start

/** One row per exchange that was admitted. Metadata only: there is no member that could hold content. */
export type UsageRecord = {
  readonly id: string
  readonly keyId: string
  readonly packageId: string
  readonly endpoint: string
  readonly modelId: string
  readonly providerId: string | undefined
  readonly upstreamModel: string | undefined
  /** The label of the provider's secret that it was asked with; undefined where it has one. */
  readonly secret?: string | undefined
  readonly isStream: boolean
  readonly outcome: Outcome
  readonly status: number
  readonly inputTokens: number | undefined
  readonly cacheReadTokens: number | undefined
  readonly cacheWriteTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly reasoningTokens: number | undefined
  readonly details?: UsageDetails | undefined
  readonly usageSource: 'reported' | 'estimated' | 'none'
  /** The classes whose tokens Farebox counted itself, such as `input,output`; undefined where it was not recorded. */
  readonly estimatedClasses?: string | undefined
  /** How each try at a provider ended, as JSON text (`Attempt[]`); undefined where it was not recorded. */
  readonly attempts?: string | undefined
  readonly priceVersion: number | undefined
  readonly holdMicro: MicroCredits
  readonly chargeMicro: MicroCredits
  readonly isOverrun: boolean
  readonly createdAtMs: number
  readonly firstByteMs: number | undefined
  readonly durationMs: number
  /** Whom it was made for; undefined where nobody said, or nobody asked. */
  readonly attribution?: Attribution | undefined
}

export const USAGE_COLUMNS =
  'id, key_id, package_id, endpoint, model_id, provider_id, upstream_model, is_stream, outcome, status, input_tokens, ' +
  'cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, usage_source, price_version, hold_micro, ' +
  'charge_micro, is_overrun, created_at_ms, first_byte_ms, duration_ms, estimated_classes, attempts, details, secret, ' +
  'attribution_id, session_id'

/** What a column holds. */
export type Cell = string | number | null

/** Up to `secret`; then the names that the two ids stand for, of a call that has any. */
export const PLAIN_USAGE_CELLS = USAGE_COLUMNS.split(', ').length - 2

type UsageRow = readonly Cell[]

export function usageRow(record: UsageRecord): UsageRow {
  const row = plainRow(record)
  const { attribution } = record
  if (attribution === undefined) return row
  const { tool, project, tags, session } = attribution
  if (tool === undefined && project === undefined && session === undefined && tags.length === 0) return row
  row.push(tool ?? null, project ?? null, tags.length === 0 ? null : tagsText(tags), session ?? null)
  return row
}

function plainRow(record: UsageRecord): Cell[] {
  return [
    record.id,
    record.keyId,
    record.packageId,
    record.endpoint,
    record.modelId,
    record.providerId ?? null,
    record.upstreamModel ?? null,
    record.isStream ? 1 : 0,
    record.outcome,
    record.status,
    record.inputTokens ?? null,
    record.cacheReadTokens ?? null,
    record.cacheWriteTokens ?? null,
    record.outputTokens ?? null,
    record.reasoningTokens ?? null,
    record.usageSource,
    record.priceVersion ?? null,
    record.holdMicro,
    record.chargeMicro,
    record.isOverrun ? 1 : 0,
    record.createdAtMs,
    record.firstByteMs ?? null,
    record.durationMs,
    record.estimatedClasses ?? null,
    record.attempts ?? null,
    record.details === undefined ? null : JSON.stringify(record.details),
    record.secret ?? null,
  ]
}

/** The projection of a key's entries. */
export type BalanceRow = readonly [
  keyId: string,
  cycleStartedAtMs: number,
  availableMicro: number,
  grantedMicro: number,
  usedMicro: number,
  requestCount: number,
  lastUsedAtMs: number | null,
  packageType: string,
  packageMicro: number,
  timeZone: string,
  nextResetAtMs: number | null,
  /** The cycles that have ended, as text; left out where they are as before. */
  endedCycles?: string,
]

export const BALANCE_COLUMNS =
  'key_id, cycle_started_at_ms, available_micro, granted_micro, used_micro, request_count, last_used_at_ms, ' +
  'package_type, package_micro, time_zone, next_reset_at_ms'

/** What is written in one transaction. */
export type LedgerBatch = {
  readonly entries: readonly EntryRow[]
  readonly usage: readonly UsageRow[]
  readonly balances: readonly BalanceRow[]
}
