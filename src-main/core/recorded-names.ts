// Names of service tiers and units as they are recorded. Providers and clients choose them, and could put any text there: a name is kept
// where it is known, or where an administrator has given it a price.

import type { Price } from '#core/price.ts'
import type { Units } from '#core/usage.ts'

const OTHER = 'other'
const TIERS = new Set(
  'standard priority flex batch fast scale performance premium reserved provisioned_throughput'.split(' '),
)
const KINDS = new Set(['image', 'web_search', 'second', 'character', 'search', 'request'])
const WORDS = new Set(['auto', 'low', 'medium', 'high', 'standard', 'hd', '1k', '2k', '4k'])
const SIZE = /^\d{1,5}x\d{1,5}$/

/** A service tier; `other` for a name that is not known and has no price. */
export function recordedTier(tier: string | undefined, { tiers = {} }: Price): string | undefined {
  return tier === undefined || TIERS.has(tier) || Object.hasOwn(tiers, tier) ? tier : OTHER
}

/** The same units where all their names are known; unknown words of a name become `other`. */
export function recordedUnits(units: Units | undefined, { units: prices = {} }: Price): Units | undefined {
  if (units === undefined) return undefined
  const names = Object.keys(units).map((name) => [name, recordedUnit(name, prices)] as const)
  if (names.every(([name, recorded]) => name === recorded)) return units
  const recorded: Record<string, number> = {}
  for (const [name, known] of names) recorded[known] = (recorded[known] ?? 0) + (units[name] ?? 0)
  return recorded
}

function recordedUnit(name: string, prices: Readonly<Record<string, unknown>>): string {
  if (KINDS.has(name) || Object.hasOwn(prices, name)) return name
  const isPriced = (word: string) => Object.keys(prices).some((price) => price.split('/').includes(word))
  const isKnown = (word: string, index: number) =>
    (index === 0 ? KINDS.has(word) : WORDS.has(word) || SIZE.test(word)) || isPriced(word)
  return name
    .split('/')
    .map((word, index) => (isKnown(word, index) ? word : OTHER))
    .join('/')
}
