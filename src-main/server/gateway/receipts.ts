// Receipts: a usage record explained, with its price and the lines that add up to its charge.

import { iso } from '#catalog/dates.ts'
import { priceView } from '#catalog/prices.ts'
import type { ReceiptView } from '#contract/receipt.ts'
import { unnamedIn } from '#core/fine-pricing.ts'
import { microCredits, microToCredits, microToUnitCredits } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import { ratesOf } from '#core/pricing.ts'
import { dollarsText, receiptLines, type ReceiptLine } from '#core/receipt.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { usageOfRow, type TokenUsage } from '#core/usage.ts'
import { storedPrice } from '#reports/stored-price.ts'
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
  const usage = usageOfRow(row)
  const price = storedPrice(row)
  // A call with nothing to pay for has no lines, also where its record names tokens.
  const lines = price === undefined || row.usage_source === 'none' ? [] : receiptLines(usage, price, charge)
  return {
    object: 'receipt',
    ...callView(row),
    tokens: tokensView(row),
    ...detailsView(usage, row.usage_source === 'none' ? undefined : price),
    price: priceView(price),
    lines: lines.map(lineView),
    ...settledView(row),
    // Written by this program, in the shape that the contract has.
    attempts: row.attempts === null ? 'unknown' : (JSON.parse(row.attempts) as ReceiptView['attempts']),
  }
}

/** What is there of calls whose charge a bill corrected. */
function settledView({ charge_micro, settled_micro, settled_reason, settled_at_ms }: StoredReceipt) {
  if (settled_micro === null || settled_at_ms === null) return {}
  return {
    settled: {
      at: iso(settled_at_ms),
      credits: microToCredits(microCredits(settled_micro)),
      charge_credits: microToCredits(microCredits(charge_micro - settled_micro)),
      reason: settled_reason ?? '',
    },
  }
}

function lineView(line: ReceiptLine): ReceiptView['lines'][number] {
  switch (line.type) {
    case 'rounding':
    case 'minimum':
      return line
    case 'unit': {
      const { priceMicro, ...rest } = line
      return { ...rest, price: microToUnitCredits(priceMicro) }
    }
    default: {
      const { priceMicro, amount, ...rest } = line
      return { ...rest, price: microToCredits(priceMicro), amount }
    }
  }
}

/** What is there of few calls only. */
function detailsView(usage: TokenUsage, price: Price | undefined) {
  const { parts, units, tier, billedNano } = usage.details ?? {}
  const unnamed = price === undefined ? [] : unnamedIn(usage, ratesOf(usage, price), price)
  return {
    ...(parts === undefined ? {} : { parts }),
    ...(units === undefined ? {} : { units }),
    ...(tier === undefined ? {} : { tier }),
    ...(billedNano === undefined ? {} : { billed_usd: dollarsText(billedNano) }),
    ...(unnamed.length === 0
      ? {}
      : { unnamed: unnamed.map(({ name, chargedAs }) => ({ name, charged_as: chargedAs ?? null })) }),
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
