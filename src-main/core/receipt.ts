// The lines of a receipt: what each class of tokens cost, exactly, and the rounding that makes their sum the charge. A token
// at a price per million costs a whole number of millionths of a micro-credit, so that nothing is lost on the way.

import { chargeLines, partsOf, roundedUp, type ChargeLine } from '#core/fine-pricing.ts'
import type { MicroCredits } from '#core/money.ts'
import type { Price } from '#core/price.ts'
import { ratesOf } from '#core/pricing.ts'
import type { TokenUsage } from '#core/usage.ts'

export type ReceiptLine =
  /** The amount is in credits, as exact decimal text. */
  | (ChargeLine & { readonly amount: string })
  /** What a call was charged more because it would have cost less than the least. */
  | { readonly type: 'minimum'; readonly amount: string }
  /** What rounding up to a whole micro-credit added. */
  | { readonly type: 'rounding'; readonly amount: string }

/** Millionths of a micro-credit in a micro-credit. */
const PARTS_PER_MICRO = 1_000_000n
/** The same in a billionth of a credit. */
const PARTS_PER_NANO = 1000n
const DECIMALS = 12

/** The lines whose amounts add up to the charge. */
export function receiptLines(usage: TokenUsage, price: Price, chargeMicro: MicroCredits): ReceiptLine[] {
  const lines = chargeLines(usage, ratesOf(usage, price), price)
  const sum = lines.reduce((total, line) => total + partsOf(line), 0n)
  const missing = BigInt(price.minimumMicro ?? 0) - roundedUp(sum)
  const raised = missing > 0n ? missing * PARTS_PER_MICRO : 0n
  return [
    ...lines.map((line) => ({ ...line, amount: decimalText(partsOf(line)) })),
    ...(raised === 0n ? [] : [{ type: 'minimum' as const, amount: decimalText(raised) }]),
    { type: 'rounding', amount: decimalText(BigInt(chargeMicro) * PARTS_PER_MICRO - sum - raised) },
  ]
}

/** Billionths of a dollar as dollars: `10500` is `0.0000105`. */
export function dollarsText(nano: number): string {
  return decimalText(BigInt(nano) * PARTS_PER_NANO)
}

/** Millionths of a micro-credit as credits: `19000000` is `0.000019`. */
function decimalText(parts: bigint): string {
  const sign = parts < 0n ? '-' : ''
  const digits = (parts < 0n ? -parts : parts).toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/(?<!0)0+$/, '')
  return `${sign}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`
}
