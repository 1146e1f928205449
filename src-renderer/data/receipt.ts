// What a receipt says in sums: the lines of the charge, and what became of the hold.

import type { ReceiptView } from '#contract/receipt.ts'
import { decimalOf, isSame, neededPlaces, sumOf, type Decimal } from '#renderer/data/decimal.ts'
import { microOf } from '#renderer/data/money.ts'

type Line = ReceiptView['lines'][number]
export type ChargeLine = {
  readonly type: Line['type']
  /** What is counted and is not tokens. */
  readonly unit: string | undefined
  readonly count: number | undefined
  /** Credits per million tokens, or for one of a unit. */
  readonly price: number | undefined
  readonly amount: Decimal
}
export type ChargeSum = {
  readonly lines: readonly ChargeLine[]
  readonly charge: Decimal
  /** Behind the point, so that all amounts are aligned. */
  readonly places: number
  /** Whether the lines add up to the charge, to the last digit. */
  readonly isExact: boolean
}

const MICRO_PLACES = 6
const MIN_PLACES = 2

/** Undefined where an amount cannot be read, which would be a fault of the server. */
export function chargeSum({ lines, charge_credits }: ReceiptView): ChargeSum | undefined {
  const chargeMicro = microOf(charge_credits)
  const amounts = lines.map((line) => decimalOf(line.amount))
  if (chargeMicro === undefined || amounts.includes(undefined)) return undefined
  const known = amounts.flatMap((amount) => amount ?? [])
  const charge = { units: chargeMicro, places: MICRO_PLACES }
  return {
    lines: lines.flatMap((line, index) => {
      const amount = known[index]
      if (amount === undefined) return []
      return [{ ...countOf(line), amount }]
    }),
    charge,
    places: Math.max(MIN_PLACES, ...[...known, charge].map(neededPlaces)),
    // A call with nothing to pay for has no lines.
    isExact: lines.length === 0 ? chargeMicro === 0n : isSame(sumOf(known), charge),
  }
}

function countOf(line: Line): Omit<ChargeLine, 'amount'> {
  const { type } = line
  if (type === 'rounding' || type === 'minimum') return { type, unit: undefined, count: undefined, price: undefined }
  if (type === 'unit') return { type, unit: line.unit, count: line.count, price: line.price }
  return { type, unit: undefined, count: line.tokens, price: line.price }
}

export type HoldEnd = { readonly type: 'released' | 'overrun' | 'exact'; readonly micro: bigint }

/** What was left of the hold, or what the charge was above it. Undefined where an amount cannot be read. */
export function holdEnd({ held_credits, charge_credits }: ReceiptView): HoldEnd | undefined {
  const [held, charge] = [microOf(held_credits), microOf(charge_credits)]
  if (held === undefined || charge === undefined) return undefined
  if (held === charge) return { type: 'exact', micro: 0n }
  return held > charge ? { type: 'released', micro: held - charge } : { type: 'overrun', micro: charge - held }
}
