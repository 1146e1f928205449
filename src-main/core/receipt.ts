// The lines of a receipt: what each class of tokens cost, exactly, and the rounding that makes their sum the charge. A token
// at a price per million costs a whole number of millionths of a micro-credit, so that nothing is lost on the way.

import type { MicroCredits } from '#core/money.ts'
import type { Price } from '#core/pricing.ts'
import type { TokenUsage } from '#core/usage.ts'

/** The classes that are paid for, each with its own price. Reasoning is a part of the output. */
export const PAID_CLASSES = ['input', 'cache_read', 'cache_write', 'output'] as const
export type PaidClass = (typeof PAID_CLASSES)[number]

export type ReceiptLine =
  | {
      readonly type: PaidClass
      readonly tokens: number
      /** Micro-credits per million tokens. */
      readonly priceMicro: MicroCredits
      /** Credits as exact decimal text. */
      readonly amount: string
    }
  /** What rounding up to a whole micro-credit added. */
  | { readonly type: 'rounding'; readonly amount: string }

/** Millionths of a micro-credit in a micro-credit. */
const PARTS_PER_MICRO = 1_000_000n
const DECIMALS = 12

/** The lines whose amounts add up to the charge. Classes whose count is unknown or 0 have none. */
export function receiptLines(usage: TokenUsage, price: Price, chargeMicro: MicroCredits): ReceiptLine[] {
  let sum = 0n
  const lines: ReceiptLine[] = []
  for (const type of PAID_CLASSES) {
    const tokens = tokensOf(usage, type) ?? 0
    if (tokens === 0) continue
    const priceMicro = priceOfClass(price, type)
    const parts = BigInt(tokens) * BigInt(priceMicro)
    sum += parts
    lines.push({ type, tokens, priceMicro, amount: decimalText(parts) })
  }
  return [...lines, { type: 'rounding', amount: decimalText(BigInt(chargeMicro) * PARTS_PER_MICRO - sum) }]
}

function tokensOf(usage: TokenUsage, type: PaidClass): number | undefined {
  switch (type) {
    case 'input':
      return usage.inputTokens
    case 'cache_read':
      return usage.cacheReadTokens
    case 'cache_write':
      return usage.cacheWriteTokens
    case 'output':
      return usage.outputTokens
  }
}

function priceOfClass(price: Price, type: PaidClass): MicroCredits {
  switch (type) {
    case 'input':
      return price.inputMicro
    case 'cache_read':
      return price.cacheReadMicro
    case 'cache_write':
      return price.cacheWriteMicro
    case 'output':
      return price.outputMicro
  }
}

/** Millionths of a micro-credit as credits: `19000000` is `0.000019`. */
function decimalText(parts: bigint): string {
  const sign = parts < 0n ? '-' : ''
  const digits = (parts < 0n ? -parts : parts).toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`
}
