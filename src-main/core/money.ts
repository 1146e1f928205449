// Money is counted in integer micro-credits and nowhere as a fraction: 1 credit = 1,000,000 micro-credits.
// Everything that makes such an amount passes through `microCredits`, so that a fraction or an integer too large to be
// exact never enters the ledger.

declare const unit: unique symbol
export type MicroCredits = number & { readonly [unit]: 'micro-credits' }

const MICRO_PER_CREDIT = 1_000_000

/** Marks an integer as an amount. Throws a fault for fractions, NaN and integers that a double cannot hold exactly. */
export function microCredits(amount: number): MicroCredits {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not an amount of micro-credits: ${amount}`)
  return amount as MicroCredits
}

/**
 * Two billion credits: the most that a key is granted by hand, and that it uses in one cycle. Whatever is
 * added to and taken from these, with a billion credits of a package and what is held at the time, is still an exact integer.
 */
export const MAX_AMOUNT = microCredits(2 * 10 ** 15)

/** A sum of amounts: exact as long as it can be, and then the largest amount there is. */
export function totalMicro(sum: number): MicroCredits {
  return microCredits(Math.max(Number.MIN_SAFE_INTEGER, Math.min(sum, Number.MAX_SAFE_INTEGER)))
}

export const ZERO: MicroCredits = microCredits(0)

/** Credits as an administrator writes them (at most six decimals) to micro-credits; undefined if they do not fit. */
export function creditsToMicro(credits: number): MicroCredits | undefined {
  const amount = Math.round(credits * MICRO_PER_CREDIT)
  if (!Number.isSafeInteger(amount) || amount / MICRO_PER_CREDIT !== credits) return undefined
  return microCredits(amount)
}

/** What is not counted in tokens is priced for a million of it, as tokens are. */
const UNIT_SCALE = MICRO_PER_CREDIT * 1_000_000

/** Credits for one of something (at most twelve decimals) to micro-credits for a million of it; undefined if they do not fit. */
export function unitCreditsToMicro(credits: number): MicroCredits | undefined {
  const amount = Math.round(credits * UNIT_SCALE)
  if (!Number.isSafeInteger(amount) || amount / UNIT_SCALE !== credits) return undefined
  return microCredits(amount)
}

/** Micro-credits for a million of something to credits for one. */
export function microToUnitCredits(perMillion: MicroCredits): number {
  return perMillion / UNIT_SCALE
}

/** Micro-credits to credits for display and JSON: the nearest double, which prints with at most six decimals. */
export function microToCredits(amount: MicroCredits): number {
  return amount / MICRO_PER_CREDIT
}

/** A sum over many keys or calls, for display: beyond what an amount can be (some billion credits) it is the nearest double. */
export function sumToCredits(sumMicro: number): number {
  return sumMicro / MICRO_PER_CREDIT
}
