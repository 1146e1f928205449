// Prices as an administrator gives them, and as they are shown.

import { isDeepStrictEqual } from 'node:util'
import { PART_CLASSES } from '#contract/price-classes.ts'
import type { PriceFields, WholePrice } from '#contract/prices.ts'
import type { ModelView } from '#contract/schemas.ts'
import { hasOutputCap, type Model } from '#core/entities.ts'
import { creditsToMicro, microToCredits, microToUnitCredits, unitCreditsToMicro } from '#core/money.ts'
import type { Ladder, Price, PriceStep, Rates, Tier } from '#core/price.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { STANDARD_TIER } from '#core/service-tier.ts'

type RateFields = Pick<PriceFields, 'input' | 'output' | 'cache_read' | 'cache_write' | (typeof PART_CLASSES)[number]>
type StepFields = NonNullable<PriceFields['steps']>[number]
type TierFields = NonNullable<PriceFields['tiers']>[string]

/** Factors are kept in millionths. */
const FACTOR_UNIT = 1_000_000

/** Every class of a price: one that is not named costs what input costs. */
export function wholePrice({ steps, tiers, ...fields }: PriceFields): WholePrice {
  return {
    ...wholeRates(fields),
    ...(steps === undefined ? {} : { steps: steps.map(wholeRates) }),
    ...(tiers === undefined ? {} : { tiers: mapped(tiers, wholeTier) }),
  }
}

function wholeRates<Fields extends RateFields>(fields: Fields) {
  const { input, output = 0, cache_read = input, cache_write = input } = fields
  return { ...fields, input, output, cache_read, cache_write }
}

function wholeTier(tier: TierFields): TierFields {
  if (typeof tier === 'number') return tier
  const { steps, ...rates } = tier
  return { ...wholeRates(rates), ...(steps === undefined ? {} : { steps: steps.map(wholeRates) }) }
}

/** A price with the same amounts keeps its version. */
export function readPrice(
  fields: PriceFields,
  { kind, price: existing }: Pick<Model, 'kind' | 'price'>,
  nextVersion: number,
): Price | Refusal {
  if (fields.output === undefined && hasOutputCap(kind)) {
    return refuse('invalid_request', "'price.output' is required for a chat model.", { param: 'price.output' })
  }
  const wrong = wrongMember(fields)
  if (wrong !== undefined) return wrong
  const price = priceFrom(wholePrice(fields), nextVersion)
  if (price === undefined) {
    return refuse('invalid_request', "'price' takes credits per million tokens with at most six decimals.", {
      param: 'price',
    })
  }
  return existing !== undefined && isDeepStrictEqual({ ...price, version: existing.version }, existing)
    ? existing
    : price
}

/** What the shape of a price does not say. */
function wrongMember({ steps, tiers = {} }: PriceFields): Refusal | undefined {
  const ladders = [steps, ...Object.values(tiers).map((tier) => (typeof tier === 'number' ? undefined : tier.steps))]
  const isGrowing = (ladder: readonly StepFields[] = []) =>
    ladder.every(({ above }, index) => index === 0 || above > (ladder[index - 1]?.above ?? 0))
  if (!ladders.every((ladder) => isGrowing(ladder))) {
    const says = "'price.steps' takes steps in their order, each above more tokens than the one before it."
    return refuse('invalid_request', says, { param: 'price.steps' })
  }
  const isOwnTier = !['standard', 'default', 'auto'].some((name) => Object.hasOwn(tiers, name))
  if (isOwnTier) return undefined
  const says = `'price.tiers' takes tiers other than ${STANDARD_TIER}, which the price itself is for.`
  return refuse('invalid_request', says, { param: 'price.tiers' })
}

/** undefined where an amount has too many decimals. */
function priceFrom(whole: WholePrice, version: number): Price | undefined {
  const { steps, tiers, units, minimum, ...rates } = whole
  const ladder = ladderFrom(rates, steps)
  const readTiers = tiers && allOf(tiers, tierFrom)
  const readUnits = units && allOf(units, unitCreditsToMicro)
  const minimumMicro = minimum === undefined ? undefined : creditsToMicro(minimum)
  const isWhole =
    (readTiers === undefined) === (tiers === undefined) &&
    (readUnits === undefined) === (units === undefined) &&
    (minimumMicro === undefined) === (minimum === undefined)
  if (ladder === undefined || !isWhole) return undefined
  return {
    version,
    ...ladder,
    ...(readTiers === undefined ? {} : { tiers: readTiers }),
    ...(readUnits === undefined ? {} : { units: readUnits }),
    ...(minimumMicro === undefined ? {} : { minimumMicro }),
  }
}

function ladderFrom(rates: RateFields, steps: readonly StepFields[] | undefined): Ladder | undefined {
  const base = ratesFrom(rates)
  const read = steps?.map(({ above, ...ofStep }) => ({ aboveTokens: above, rates: ratesFrom(ofStep) }))
  if (base === undefined || read?.some((step) => step.rates === undefined) === true) return undefined
  return { ...base, ...(read === undefined ? {} : { steps: read as PriceStep[] }) }
}

function ratesFrom(fields: RateFields): Rates | undefined {
  const { input, output, cache_read, cache_write } = wholeRates(fields)
  const inputMicro = creditsToMicro(input)
  const outputMicro = creditsToMicro(output)
  const cacheReadMicro = creditsToMicro(cache_read)
  const cacheWriteMicro = creditsToMicro(cache_write)
  const named = PART_CLASSES.flatMap((part) => (fields[part] === undefined ? [] : [[part, fields[part]] as const]))
  const parts = allOf(Object.fromEntries(named), creditsToMicro)
  if (
    inputMicro === undefined ||
    outputMicro === undefined ||
    cacheReadMicro === undefined ||
    cacheWriteMicro === undefined ||
    parts === undefined
  ) {
    return undefined
  }
  const base = { inputMicro, outputMicro, cacheReadMicro, cacheWriteMicro }
  return named.length === 0 ? base : { ...base, parts }
}

function tierFrom(tier: TierFields): Tier | undefined {
  if (typeof tier !== 'number') return ladderFrom(tier, tier.steps)
  const factorMicro = creditsToMicro(tier)
  return factorMicro === undefined ? undefined : { factorMicro }
}

/** A price as it is shown: credits per million tokens. */
export function priceView(price: Price | undefined): ModelView['price'] {
  return price === undefined ? null : { version: price.version, ...creditsOf(price) }
}

export function creditsOf({ tiers, units, minimumMicro, ...ladder }: Price): WholePrice {
  return {
    ...ladderView(ladder),
    ...(tiers === undefined ? {} : { tiers: mapped(tiers, tierView) }),
    ...(units === undefined ? {} : { units: mapped(units, microToUnitCredits) }),
    ...(minimumMicro === undefined ? {} : { minimum: microToCredits(minimumMicro) }),
  }
}

function tierView(tier: Tier): TierFields {
  return 'factorMicro' in tier ? tier.factorMicro / FACTOR_UNIT : ladderView(tier)
}

function ladderView({ steps, ...rates }: Ladder) {
  const shown = steps?.map(({ aboveTokens, rates: ofStep }) => ({ above: aboveTokens, ...ratesView(ofStep) }))
  return { ...ratesView(rates), ...(shown === undefined ? {} : { steps: shown }) }
}

function ratesView({ inputMicro, outputMicro, cacheReadMicro, cacheWriteMicro, parts = {} }: Rates) {
  return {
    input: microToCredits(inputMicro),
    output: microToCredits(outputMicro),
    cache_read: microToCredits(cacheReadMicro),
    cache_write: microToCredits(cacheWriteMicro),
    ...mapped(parts, microToCredits),
  }
}

function mapped<Name extends string, From, To>(
  members: Readonly<Partial<Record<Name, From>>>,
  change: (value: From) => To,
) {
  const entries = Object.entries<From | undefined>(members)
  const changed = entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, change(value)] as const]))
  // Object.fromEntries forgets that the names are those that it was given.
  return Object.fromEntries(changed) as Partial<Record<Name, To>> & Record<string, To>
}

/** undefined where one of them cannot be read. */
function allOf<From, To>(
  members: Readonly<Record<string, From>>,
  read: (value: From) => To | undefined,
): Record<string, To> | undefined {
  const entries = Object.entries(members).map(([name, value]) => [name, read(value)] as const)
  if (entries.some(([, value]) => value === undefined)) return undefined
  return Object.fromEntries(entries) as Record<string, To>
}
