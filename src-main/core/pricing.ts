// What a call costs. The hold is priced here as the settlement is, so that the two cannot drift apart: the one at the dearest
// prices that a call may come to, the other at those of what was counted.

import { fineCharge, unitPriceFor, unitsMicro } from '#core/fine-pricing.ts'
import { microCredits, ZERO, type MicroCredits } from '#core/money.ts'
import type { Ladder, Price, Rates, Tier } from '#core/price.ts'
import { FAST_TIER, STANDARD_TIER } from '#core/service-tier.ts'
import { inputTotal, UNKNOWN_USAGE, type TokenUsage, type Units } from '#core/usage.ts'

/** What a call may come to use at most. */
export type Worst = {
  readonly inputTokens: number
  readonly outputTokens: number
  /** The service tier that was asked for; undefined where the provider may choose. */
  readonly tier?: string | undefined
  readonly units?: Units | undefined
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
  const rates = ratesOf(usage, price)
  if (!hasMore(usage, rates, price)) return chargeOf(usage, rates)
  return atMost(fineCharge(usage, rates, price))
}

/** The prices of a call by the length of its input and its tier. A tier that the price does not name costs what the standard one costs. */
export function ratesOf(usage: TokenUsage, price: Price): Rates {
  const name = usage.details?.tier
  if (price.steps === undefined && name === undefined) return price
  const tier = name === undefined ? undefined : tierOf(price, name)
  const inputTokens = inputTotal(usage)
  if (tier === undefined) return stepAt(price, inputTokens)
  return 'factorMicro' in tier ? times(stepAt(price, inputTokens), tier.factorMicro) : stepAt(tier, inputTokens)
}

/** Whether a charge is more than its four classes at their prices. */
function hasMore({ details, reasoningTokens }: TokenUsage, { parts }: Rates, { units, minimumMicro }: Price): boolean {
  if (minimumMicro !== undefined) return true
  if (units !== undefined && (details?.units !== undefined || unitPriceFor(units, 'request') !== undefined)) return true
  return parts !== undefined && (details?.parts !== undefined || (parts.reasoning !== undefined && !!reasoningTokens))
}

/** The four classes of a usage, rounded up once. */
function chargeOf(usage: TokenUsage, rates: Rates): MicroCredits {
  const input = usage.inputTokens ?? 0
  const cacheRead = usage.cacheReadTokens ?? 0
  const cacheWrite = usage.cacheWriteTokens ?? 0
  const output = usage.outputTokens ?? 0
  const total =
    input * rates.inputMicro +
    cacheRead * rates.cacheReadMicro +
    cacheWrite * rates.cacheWriteMicro +
    output * rates.outputMicro
  if (total <= Number.MAX_SAFE_INTEGER) return microCredits(Math.ceil(total / TOKENS_PER_PRICE))
  // Far beyond it a double is exact enough to say so, and counts may be too large to be computed with at all.
  if (!(total < 2 * MAX_OF_CALL * TOKENS_PER_PRICE)) return MAX_OF_CALL
  return priceOfLarge([input, cacheRead, cacheWrite, output], rates)
}

/** The same sum where doubles would round: billions of tokens at high prices. */
function priceOfLarge([input, cacheRead, cacheWrite, output]: [number, number, number, number], rates: Rates) {
  const total =
    BigInt(input) * BigInt(rates.inputMicro) +
    BigInt(cacheRead) * BigInt(rates.cacheReadMicro) +
    BigInt(cacheWrite) * BigInt(rates.cacheWriteMicro) +
    BigInt(output) * BigInt(rates.outputMicro)
  const perPrice = BigInt(TOKENS_PER_PRICE)
  return atMost((total + perPrice - 1n) / perPrice)
}

function atMost(charge: bigint): MicroCredits {
  return charge < BigInt(MAX_OF_CALL) ? microCredits(Number(charge)) : MAX_OF_CALL
}

/** The tier of a name, which may come from a provider. */
function tierOf({ tiers }: Price, name: string): Tier | undefined {
  return tiers !== undefined && Object.hasOwn(tiers, name) ? tiers[name] : undefined
}

function stepAt(ladder: Ladder, inputTokens: number): Rates {
  return ladder.steps?.findLast(({ aboveTokens }) => inputTokens > aboveTokens)?.rates ?? ladder
}

/** Prices times a factor, each rounded up to a whole micro-credit per million tokens. */
function times(rates: Rates, factorMicro: number): Rates {
  const parts = Object.entries(rates.parts ?? {}).map(([name, micro]) => [name, multiplied(micro, factorMicro)])
  return {
    inputMicro: multiplied(rates.inputMicro, factorMicro),
    outputMicro: multiplied(rates.outputMicro, factorMicro),
    cacheReadMicro: multiplied(rates.cacheReadMicro, factorMicro),
    cacheWriteMicro: multiplied(rates.cacheWriteMicro, factorMicro),
    parts: Object.fromEntries(parts) as Rates['parts'] & {},
  }
}

const FACTOR_UNIT = 1_000_000

function multiplied(micro: number, factorMicro: number): MicroCredits {
  const product = micro * factorMicro
  if (product <= Number.MAX_SAFE_INTEGER) return microCredits(Math.ceil(product / FACTOR_UNIT))
  return microCredits(Number((BigInt(micro) * BigInt(factorMicro) + BigInt(FACTOR_UNIT - 1)) / BigInt(FACTOR_UNIT)))
}

/** The highest cost of a call: whichever class its input and its output turn out to be of, at the dearest tier and step that it may reach. */
export function worstPriceOf(worst: Worst, price: Price): MicroCredits {
  const { inputTokens, outputTokens } = worst
  const rates = {
    inputMicro: dearestInputMicro(price, worst),
    outputMicro: dearestOutputMicro(price, worst),
    cacheReadMicro: ZERO,
    cacheWriteMicro: ZERO,
  }
  const tokensMicro = chargeOf({ ...UNKNOWN_USAGE, inputTokens, outputTokens }, rates)
  if (price.units === undefined && price.minimumMicro === undefined) return tokensMicro
  return atMost(BigInt(Math.max(tokensMicro + worstUnitsMicro(price, worst), price.minimumMicro ?? 0)))
}

/** What a call may cost beside its tokens. */
export function worstUnitsMicro(price: Price, { units }: Pick<Worst, 'units'>): number {
  return price.units === undefined ? 0 : unitsMicro(price.units, units)
}

/** The dearest class of an input, at the dearest tier and step that the call may reach. */
export function dearestInputMicro(price: Price, worst: Omit<Worst, 'outputTokens'>): MicroCredits {
  return dearestOf(price, worst, inputMost)
}

export function dearestOutputMicro(price: Price, worst: Omit<Worst, 'outputTokens'>): MicroCredits {
  return dearestOf(price, worst, outputMost)
}

function inputMost({ inputMicro, cacheReadMicro, cacheWriteMicro, parts }: Rates): number {
  const most = Math.max(inputMicro, cacheReadMicro, cacheWriteMicro)
  if (parts === undefined) return most
  const { input_audio: audio = 0, input_image: image = 0, cache_write_1h: write = 0 } = parts
  const { cache_read_audio: readAudio = 0, cache_read_image: readImage = 0 } = parts
  return Math.max(most, audio, image, write, readAudio, readImage)
}

function outputMost({ outputMicro, parts }: Rates): number {
  if (parts === undefined) return outputMicro
  const { reasoning = 0, output_audio: audio = 0, output_image: image = 0 } = parts
  return Math.max(outputMicro, reasoning, audio, image)
}

type MostOf = (rates: Rates) => number

function dearestOf(price: Price, { inputTokens, tier }: Omit<Worst, 'outputTokens'>, most: MostOf): MicroCredits {
  let dearest = dearestStep(price, inputTokens, most)
  if (price.tiers === undefined || tier === STANDARD_TIER) return microCredits(dearest)
  const standard = dearest
  for (const [name, reached] of Object.entries(price.tiers)) {
    // A provider chooses among its tiers where it was asked for none, but for the one that has to be asked for.
    // Where one place is asked for that, another may choose among the rest.
    if (tier === undefined ? name === FAST_TIER : tier !== FAST_TIER && name !== tier) continue
    const ofTier =
      'factorMicro' in reached ? multiplied(standard, reached.factorMicro) : dearestStep(reached, inputTokens, most)
    dearest = Math.max(dearest, ofTier)
  }
  return microCredits(dearest)
}

/** A shorter input than was held for may stay below a step, and need not be cheaper for it. */
function dearestStep(ladder: Ladder, inputTokens: number, most: MostOf): number {
  let dearest = most(ladder)
  if (ladder.steps === undefined) return dearest
  for (const { aboveTokens, rates } of ladder.steps) {
    if (inputTokens > aboveTokens) dearest = Math.max(dearest, most(rates))
  }
  return dearest
}

/** A price that changes by more than this factor is more likely in another unit than meant. */
const JUMP_FACTOR = 100

/**
 * Whether any amount jumps between two prices. A price of 0 is explicit, so that coming from it or going to it is no jump, and
 * neither is an amount that only one of them names.
 */
export function isPriceJump(before: unknown, after: unknown): boolean {
  if (typeof before === 'number' && typeof after === 'number') {
    return before > 0 && after > 0 && Math.max(after / before, before / after) > JUMP_FACTOR
  }
  if (!isMembers(before) || !isMembers(after)) return false
  return Object.keys(before).some((name) => isPriceJump(before[name], after[name]))
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** True for a model of which everything costs an explicit 0: it works at balance 0 and needs no hold. */
export function isFree(price: Price): boolean {
  if (!areFree(price) || (price.minimumMicro ?? 0) > 0) return false
  if (price.tiers === undefined && price.units === undefined) return true
  const isFreeTier = (tier: Tier) => 'factorMicro' in tier || areFree(tier)
  return (
    Object.values(price.tiers ?? {}).every(isFreeTier) && Object.values(price.units ?? {}).every((micro) => micro === 0)
  )
}

function areFree(ladder: Ladder): boolean {
  const isZero = inputMost(ladder) === 0 && outputMost(ladder) === 0
  return isZero && (ladder.steps === undefined || ladder.steps.every(({ rates }) => areFree(rates)))
}

/**
 * How many output tokens an amount pays for after the input, whichever class the input turns out to be of; Infinity when
 * output is free. Never one too many: as an output cap it keeps the charge within its hold.
 */
export function affordableOutputTokens(amount: MicroCredits, worst: Omit<Worst, 'outputTokens'>, price: Price): number {
  const { inputTokens } = worst
  const outputMicro = dearestOutputMicro(price, worst)
  if (outputMicro === 0) return Number.POSITIVE_INFINITY
  if (!Number.isSafeInteger(inputTokens) || amount < (price.minimumMicro ?? 0)) return 0
  const ofTokens = amount - worstUnitsMicro(price, worst)
  // A balance of some thousand credits times a million is more than a double holds exactly.
  const left =
    BigInt(ofTokens) * BigInt(TOKENS_PER_PRICE) - BigInt(inputTokens) * BigInt(dearestInputMicro(price, worst))
  return left <= 0n ? 0 : Number(left / BigInt(outputMicro))
}
