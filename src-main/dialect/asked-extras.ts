// What a request asks for that is priced beside its tokens: a service tier, and searches that its provider makes.

import type { Provider } from '#core/entities.ts'
import { wireDialect } from '#core/provider-dialect.ts'
import { FAST_TIER, servedTier, STANDARD_TIER } from '#core/service-tier.ts'
import type { Units } from '#core/usage.ts'
import type { ClientDialect } from '#dialect/dialect.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** How many searches are held for where nobody says how many there may be. What comes on top is charged as an overrun. */
const LIKELY_SEARCHES = 10
const MAX_SEARCHES = 1000

/** Formats that have a member for the tier in common, so that translations between them keep it. */
const OPENAI_DIALECTS: readonly string[] = ['chat-completions', 'responses']

/**
 * The tier that all of these providers are asked for; the fast one where any of them is, since it has to be paid for there whoever else may answer. Each is asked in the words of the client where it understands these; any
 * other may choose, but for Gemini, which serves at the standard tier whoever asks for none.
 */
export function tierAsked(client: ClientDialect, body: JsonObject, providers: readonly Provider[]): string | undefined {
  const asked = tierIn(client, body)
  const tiers = providers.map(({ dialect }) => {
    const wire = wireDialect(dialect)
    const isCarried = client.passesTo.includes(wire) || isSharedBy(client, wire)
    const carried = isCarried ? asked : undefined
    return carried ?? (wire === 'gemini' ? STANDARD_TIER : undefined)
  })
  if (tiers.includes(FAST_TIER)) return FAST_TIER
  return tiers.every((tier) => tier === tiers[0]) ? tiers[0] : undefined
}

function isSharedBy({ passesTo }: ClientDialect, wire: string): boolean {
  return OPENAI_DIALECTS.includes(wire) && passesTo.some((dialect) => OPENAI_DIALECTS.includes(dialect))
}

/** By the member that the format has: one of another format's would be passed over by the provider. */
function tierIn({ passesTo }: ClientDialect, { service_tier, serviceTier, speed }: JsonObject): string | undefined {
  if (passesTo.includes('gemini')) return servedTier(serviceTier ?? service_tier)
  if (passesTo.includes('messages') && speed === FAST_TIER) return FAST_TIER
  // OpenAI calls its priority tier fast as well.
  return service_tier === FAST_TIER ? 'priority' : servedTier(service_tier)
}

/** How many searches a request allows its provider; undefined where it may make none. */
export function searchesAsked({
  tools,
  web_search_options: options,
  max_tool_calls: most,
}: JsonObject): Units | undefined {
  const hosted = (Array.isArray(tools) ? tools : []).filter(isSearch)
  if (hosted.length === 0 && !isRecord(options)) return undefined
  const uses = hosted.map((tool) => countOf(tool['max_uses']) ?? countOf(most) ?? LIKELY_SEARCHES)
  const searches = uses.reduce((sum, count) => sum + count, 0) || (countOf(most) ?? LIKELY_SEARCHES)
  return { web_search: Math.min(searches, MAX_SEARCHES) }
}

function isSearch(tool: unknown): tool is JsonObject {
  if (!isRecord(tool)) return false
  const { type, googleSearch, google_search } = tool
  return (
    (typeof type === 'string' && type.startsWith('web_search')) || isRecord(googleSearch) || isRecord(google_search)
  )
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
