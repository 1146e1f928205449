// Receipts: a usage record explained, with its price and the lines that add up to its charge.

import { priceView } from '#catalog/views.ts'
import type { ReceiptView } from '#contract/receipt.ts'
import { microCredits, microToCredits } from '#core/money.ts'
import type { Price } from '#core/pricing.ts'
import { receiptLines } from '#core/receipt.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { TokenUsage } from '#core/usage.ts'
import { callView } from '#reports/usage-view.ts'
import type { StoredReceipt } from '#store/usage-rows.ts'

/** Finds the record of one call; undefined where there is none. */
export type ReadReceipt = (id: string) => Promise<StoredReceipt | undefined>

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isRequestId(text: string): boolean {
  return ID.test(text)
}

/**
 * The receipt of a call of a key that `mayShow`. Another key's call is refused in the same words as one that never was, so that
 * nobody can ask what others do.
 */
export async function receiptOf(
  id: string,
  read: ReadReceipt,
  mayShow: (keyId: string) => boolean,
): Promise<ReceiptView | Refusal> {
  const row = isRequestId(id) ? await read(id) : undefined
  if (row !== undefined && mayShow(row.key_id)) return receiptView(row)
  return refuse('not_found', 'There is no receipt with this id. A call has one when it was admitted and has ended.')
}

function receiptView(row: StoredReceipt): ReceiptView {
  const charge = microCredits(row.charge_micro)
  const usage = usageOf(row)
  const price = priceOf(row)
  // A call with nothing to pay for has no lines, also where its record names tokens.
  const lines = price === undefined || row.usage_source === 'none' ? [] : receiptLines(usage, price, charge)
  return {
    object: 'receipt',
    ...callView(row),
    tokens: tokensView(row),
    price: priceView(price),
    lines: lines.map((line) =>
      line.type === 'rounding'
        ? line
        : { type: line.type, tokens: line.tokens, price: microToCredits(line.priceMicro), amount: line.amount },
    ),
    // Written by this program, in the shape that the contract has.
    attempts: row.attempts === null ? 'unknown' : (JSON.parse(row.attempts) as ReceiptView['attempts']),
  }
}

function usageOf(row: StoredReceipt): TokenUsage {
  return {
    inputTokens: row.input_tokens ?? undefined,
    cacheReadTokens: row.cache_read_tokens ?? undefined,
    cacheWriteTokens: row.cache_write_tokens ?? undefined,
    outputTokens: row.output_tokens ?? undefined,
    reasoningTokens: row.reasoning_tokens ?? undefined,
  }
}

function priceOf(row: StoredReceipt): Price | undefined {
  const { price_version: version, price_input_micro: input, price_output_micro: output } = row
  const { price_cache_read_micro: cacheRead, price_cache_write_micro: cacheWrite } = row
  if (version === null || input === null || output === null || cacheRead === null || cacheWrite === null) {
    return undefined
  }
  return {
    version,
    inputMicro: microCredits(input),
    outputMicro: microCredits(output),
    cacheReadMicro: microCredits(cacheRead),
    cacheWriteMicro: microCredits(cacheWrite),
  }
}

function tokensView(row: StoredReceipt): ReceiptView['tokens'] {
  const estimated = row.estimated_classes?.split(',')
  const count = (name: string, tokens: number | null) => ({ tokens, source: sourceOf(row, estimated, name, tokens) })
  return {
    input: count('input', row.input_tokens),
    cache_read: count('cache_read', row.cache_read_tokens),
    cache_write: count('cache_write', row.cache_write_tokens),
    output: count('output', row.output_tokens),
    reasoning: count('reasoning', row.reasoning_tokens),
  }
}

type Source = ReceiptView['tokens']['input']['source']

/** A record that was estimated says for which classes, unless an older Farebox wrote it: then nobody knows. */
function sourceOf(
  row: StoredReceipt,
  estimated: readonly string[] | undefined,
  name: string,
  tokens: number | null,
): Source {
  if (tokens === null) return 'unknown'
  if (row.usage_source === 'reported') return 'reported'
  if (estimated === undefined) return 'unknown'
  return estimated.includes(name) ? 'estimated' : 'reported'
}
