// What a call costs. One function prices both the hold and the settlement, so that the two cannot drift apart.

import { microCredits, type MicroCredits } from '#core/money.ts'
import { UNKNOWN_USAGE, type TokenUsage } from '#core/usage.ts'

/** Prices in micro-credits per million tokens of each class. A price that changes gets a new version. */
export type Price = {
  readonly version: number
  readonly inputMicro: MicroCredits
  readonly outputMicro: MicroCredits
  readonly cacheReadMicro: MicroCredits
  readonly cacheWriteMicro: MicroCredits
}

/** Prices are for this many tokens. */
export const TOKENS_PER_PRICE = 1_000_000

/** Four classes of as many tokens as a report can say, at the highest price: beyond it is only the worst case of an absurd output cap. */
const MAX_OF_CALL = microCredits(4 * 10 ** 15)

/**
 * The charge for a usage: tokens of each class times its price, rounded up once to a whole micro-credit, and never more than
 * `MAX_OF_CALL`.
 * Classes that are unknown count as nothing here, so callers must replace unknown counts by estimates before.
 */
export function priceOf(usage: TokenUsage, price: Price): MicroCredits {
  const input = usage.inputTokens ?? 0
  const cacheRead = usage.cacheReadTokens ?? 0
  const cacheWrite = usage.cacheWriteTokens ?? 0
  const output = usage.outputTokens ?? 0
  const total =
    input * price.inputMicro +
    cacheRead * price.cacheReadMicro +
    cacheWrite * price.cacheWriteMicro +
    output * price.outputMicro
  if (total <= Number.MAX_SAFE_INTEGER) return microCredits(Math.ceil(total / TOKENS_PER_PRICE))
  // Far beyond it a double is exact enough to say so, and counts may be too large to be computed with at all.
  if (!(total < 2 * MAX_OF_CALL * TOKENS_PER_PRICE)) return MAX_OF_CALL
  return priceOfLarge([input, cacheRead, cacheWrite, output], price)
}

/** The same sum where doubles would round: billions of tokens at high prices. */
function priceOfLarge([input, cacheRead, cacheWrite, output]: [number, number, number, number], price: Price) {
  const total =
    BigInt(input) * BigInt(price.inputMicro) +
    BigInt(cacheRead) * BigInt(price.cacheReadMicro) +
    BigInt(cacheWrite) * BigInt(price.cacheWriteMicro) +
    BigInt(output) * BigInt(price.outputMicro)
  const perPrice = BigInt(TOKENS_PER_PRICE)
  const charge = (total + perPrice - 1n) / perPrice
  return charge < BigInt(MAX_OF_CALL) ? microCredits(Number(charge)) : MAX_OF_CALL
}

/** The most that a call can cost: its input may turn out to be read from or written to a cache, and is priced at the dearest class. */
export function worstPriceOf(
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
  price: Price,
): MicroCredits {
  const inputMicro = Math.max(price.inputMicro, price.cacheReadMicro, price.cacheWriteMicro) as MicroCredits
  return priceOf({ ...UNKNOWN_USAGE, inputTokens, outputTokens }, { ...price, inputMicro })
}

/** More than this many times as much, or as little, is more likely a price in another unit than another price. */
const JUMP_FACTOR = 100

/**
 * Whether any class jumps between two prices, whose classes stand in the same order. A price of 0 is explicit, so that coming
 * from it or going to it is no jump.
 */
export function isPriceJump(before: readonly number[], after: readonly number[]): boolean {
  return before.some((old, index) => {
    const now = after[index] ?? 0
    return old > 0 && now > 0 && Math.max(now / old, old / now) > JUMP_FACTOR
  })
}

/** True for a model whose every class costs an explicit 0: it works at balance 0 and needs no hold. */
export function isFree(price: Price): boolean {
  return price.inputMicro === 0 && price.outputMicro === 0 && price.cacheReadMicro === 0 && price.cacheWriteMicro === 0
}

/**
 * How many output tokens an amount pays for after the input, whichever class the input turns out to be of; Infinity when
 * output is free. Never one too many: as an output cap it keeps the charge within its hold.
 */
export function affordableOutputTokens(amount: MicroCredits, inputTokens: number, price: Price): number {
  if (price.outputMicro === 0) return Number.POSITIVE_INFINITY
  if (!Number.isSafeInteger(inputTokens)) return 0
  const dearest = Math.max(price.inputMicro, price.cacheReadMicro, price.cacheWriteMicro)
  // A balance of some thousand credits times a million is more than a double holds exactly.
  const left = BigInt(amount) * BigInt(TOKENS_PER_PRICE) - BigInt(inputTokens) * BigInt(dearest)
  return left <= 0n ? 0 : Number(left / BigInt(price.outputMicro))
}
