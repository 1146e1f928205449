// What a call costs beside its four classes: their parts with a price of their own, what is not counted in tokens, and the least
// that a call costs. The lines that a charge is made of are those of its receipt.

import { PAID_CLASSES, PART_CLASSES, PART_OF, type PaidClass, type PartClass } from '#contract/price-classes.ts'
import type { MicroCredits } from '#core/money.ts'
import type { Price, Rates } from '#core/price.ts'
import type { TokenUsage, Units } from '#core/usage.ts'

/** Some tokens, or something else that is counted, at a price for a million of them. */
export type ChargeLine =
  | { readonly type: PaidClass | PartClass; readonly tokens: number; readonly priceMicro: MicroCredits }
  | { readonly type: 'unit'; readonly unit: string; readonly count: number; readonly priceMicro: MicroCredits }

/** What was counted and has no price of its own, and as what it was charged; undefined where it was charged nothing. */
export type Unnamed = { readonly name: string; readonly chargedAs: string | undefined }

const PER_PRICE = 1_000_000n
/** Counted once for each call that is charged. */
const REQUEST = 'request'

/** The charge for a usage at the prices of its step and tier, rounded up once, and never less than the least. */
export function fineCharge(usage: TokenUsage, rates: Rates, price: Price): bigint {
  const charge = roundedUp(chargeLines(usage, rates, price).reduce((sum, line) => sum + partsOf(line), 0n))
  const leastMicro = BigInt(price.minimumMicro ?? 0)
  return charge < leastMicro ? leastMicro : charge
}

/** Millionths of a micro-credit. */
export function partsOf(line: ChargeLine): bigint {
  return BigInt(line.type === 'unit' ? line.count : line.tokens) * BigInt(line.priceMicro)
}

export function roundedUp(parts: bigint): bigint {
  return (parts + PER_PRICE - 1n) / PER_PRICE
}

/** What a charge is made of. Classes whose count is unknown or 0 have no line, and what has no price has none. */
export function chargeLines(usage: TokenUsage, rates: Rates, price: Price): ChargeLine[] {
  const lines: ChargeLine[] = []
  for (const type of PAID_CLASSES) {
    let left = classTokens(usage, type) ?? 0
    for (const part of PART_CLASSES) {
      const priceMicro = rates.parts?.[part]
      if (PART_OF[part] !== type || priceMicro === undefined) continue
      // A provider that counts more of a part than of the whole is believed about the whole.
      const tokens = Math.min(partTokens(usage, part), left)
      left -= tokens
      if (tokens > 0) lines.push({ type: part, tokens, priceMicro })
    }
    if (left > 0) lines.push({ type, tokens: left, priceMicro: classPrice(rates, type) })
  }
  return [...lines, ...unitLines(usage.details?.units, price.units)]
}

function unitLines(counted: Units | undefined, prices: Price['units']): ChargeLine[] {
  if (prices === undefined) return []
  return Object.entries({ ...counted, [REQUEST]: 1 }).flatMap(([unit, count]) => {
    const priceMicro = unitPriceFor(prices, unit)?.priceMicro
    return priceMicro === undefined || count === 0 ? [] : [{ type: 'unit', unit, count, priceMicro }]
  })
}

/** What units were charged, in millionths of a micro-credit; the price of each request is no part of it. */
export function unitParts(counted: Units, prices: Price['units']): bigint {
  return unitLines(counted, prices)
    .filter((line) => line.type !== 'unit' || line.unit !== REQUEST)
    .reduce((sum, line) => sum + partsOf(line), 0n)
}

/** What all of it costs at most, rounded up. A count whose size or quality is not known costs what the dearest costs. */
export function unitsMicro(prices: NonNullable<Price['units']>, units: Units | undefined): number {
  let parts = 0n
  for (const [unit, count] of Object.entries({ ...units, [REQUEST]: 1 })) {
    const dearest = Object.entries(prices).reduce(
      (most, [name, micro]) => (name.startsWith(`${unit}/`) ? Math.max(most, micro) : most),
      unitPriceFor(prices, unit)?.priceMicro ?? 0,
    )
    parts += BigInt(count) * BigInt(dearest)
  }
  return Number(roundedUp(parts))
}

/**
 * The price of a unit: its own, else that of what it is a kind of (`image` for `image/1024x1024/high`), else the dearest of its
 * kind. undefined where there is none.
 */
export function unitPriceFor(
  prices: NonNullable<Price['units']>,
  unit: string,
): { readonly name: string; readonly priceMicro: MicroCredits } | undefined {
  for (let name = unit; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('/')))) {
    const priceMicro = Object.hasOwn(prices, name) ? prices[name] : undefined
    if (priceMicro !== undefined) return { name, priceMicro }
  }
  const kind = `${unit.split('/', 1)[0]}/`
  const ofKind = Object.entries(prices).flatMap(([name, priceMicro]) =>
    name.startsWith(kind) ? [{ name, priceMicro }] : [],
  )
  return ofKind.toSorted((left, right) => right.priceMicro - left.priceMicro)[0]
}

/** What a usage has that its price does not name. */
export function unnamedIn(usage: TokenUsage, rates: Rates, price: Price): Unnamed[] {
  const { parts = {}, units = {}, tier } = usage.details ?? {}
  const ofParts = PART_CLASSES.flatMap((part) => {
    const isUnnamed = part !== 'reasoning' && (parts[part] ?? 0) > 0 && rates.parts?.[part] === undefined
    return isUnnamed ? [{ name: part, chargedAs: PART_OF[part] }] : []
  })
  const ofUnits = Object.keys(units).flatMap((unit) => {
    const found = unitPriceFor(price.units ?? {}, unit)
    return found?.name === unit ? [] : [{ name: unit, chargedAs: found?.name }]
  })
  const isTierNamed = tier === undefined || (price.tiers !== undefined && Object.hasOwn(price.tiers, tier))
  return [...ofParts, ...ofUnits, ...(isTierNamed ? [] : [{ name: `tier/${tier}`, chargedAs: 'tier/standard' }])]
}

function partTokens(usage: TokenUsage, part: PartClass): number {
  return (part === 'reasoning' ? usage.reasoningTokens : usage.details?.parts?.[part]) ?? 0
}

function classTokens(usage: TokenUsage, type: PaidClass): number | undefined {
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

function classPrice(rates: Rates, type: PaidClass): MicroCredits {
  switch (type) {
    case 'input':
      return rates.inputMicro
    case 'cache_read':
      return rates.cacheReadMicro
    case 'cache_write':
      return rates.cacheWriteMicro
    case 'output':
      return rates.outputMicro
  }
}
