// The service tiers of providers by one name each, whichever words they have for them.

/** The tier of calls for which no other one was asked. */
export const STANDARD_TIER = 'standard'
/** Dearer and faster, and nothing that a provider chooses by itself. */
export const FAST_TIER = 'fast'

const STANDARD_WORDS = new Set(['standard', 'default', 'standard_only', 'on_demand'])
/** Words that leave the tier to the provider, or say nothing of it. */
const OPEN_WORDS = new Set(['auto', 'unspecified', 'traffic_type_unspecified', ''])
const TIER = /^[a-z][a-z0-9_]{0,39}$/
const PREFIXES = /^(?:service_tier|on_demand)_/

/** The tier that a word of a provider or a client names; undefined where it names none. */
export function servedTier(value: unknown): string | undefined {
  // Compared first, since nearly every answer of OpenAI's says it.
  if (value === 'default' || value === STANDARD_TIER) return STANDARD_TIER
  if (typeof value !== 'string') return undefined
  const word = value.toLowerCase().replace(PREFIXES, '')
  if (OPEN_WORDS.has(word)) return undefined
  if (STANDARD_WORDS.has(word)) return STANDARD_TIER
  return TIER.test(word) ? word : undefined
}
