// What a call costs at a price, as the ledger computes it: integers, rounded up once.

import type { ModelView } from '#contract/schemas.ts'
import { microOf } from '#renderer/data/money.ts'

export const PRICE_CLASSES = ['input', 'output', 'cache_read', 'cache_write'] as const
export type PriceClass = (typeof PRICE_CLASSES)[number]

/** Micro-credits per million tokens of each class. */
export type PriceMicro = Readonly<Record<PriceClass, bigint>>
/** Tokens of a call; the classes do not overlap, so that cached input is not in `input`. */
export type CallTokens = Readonly<Record<PriceClass, number>>

const TOKENS_PER_PRICE = 1_000_000n
/** No charge is more than what a double holds exactly. */
const MAX_MICRO = BigInt(Number.MAX_SAFE_INTEGER)
const RISE = 10n
const FALL = 100n

export const SAMPLE_CALL: CallTokens = { input: 10_000, output: 1000, cache_read: 0, cache_write: 0 }

/** Micro-credits of a call. `tokens` are whole numbers. */
export function callCost(tokens: CallTokens, price: PriceMicro): bigint {
  const total = PRICE_CLASSES.reduce((sum, name) => sum + BigInt(tokens[name]) * price[name], 0n)
  const charge = (total + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE
  return charge > MAX_MICRO ? MAX_MICRO : charge
}

/**
 * The classes that become at least ten times dearer, or more than a hundred times cheaper: as likely a digit too many, or another
 * unit, as another price. Coming from 0 or going to it is no jump. Who types a price is asked sooner than the API refuses one, which
 * programs set too: that begins beyond a hundred times.
 */
export function jumpsBetween(before: PriceMicro | undefined, after: PriceMicro): readonly PriceClass[] {
  if (before === undefined) return []
  return PRICE_CLASSES.filter((name) => {
    const [old, now] = [before[name], after[name]]
    return old > 0n && now > 0n && (now >= old * RISE || old > now * FALL)
  })
}

/** Credits as the API writes them to micro-credits; undefined without a price. */
export function priceMicroOf(price: Readonly<Record<PriceClass, number>> | null): PriceMicro | undefined {
  if (price === null) return undefined
  const of = (name: PriceClass) => microOf(price[name]) ?? 0n
  return { input: of('input'), output: of('output'), cache_read: of('cache_read'), cache_write: of('cache_write') }
}

/** Whether two prices are the same in every class. */
export function isSamePrice(left: PriceMicro | undefined, right: PriceMicro | undefined): boolean {
  return PRICE_CLASSES.every((name) => left?.[name] === right?.[name])
}

/** Whether nothing of a model costs anything, which is a price and not the lack of one. */
export function isFree(price: ModelView['price']): boolean {
  return price !== null && PRICE_CLASSES.every((name) => price[name] === 0)
}
