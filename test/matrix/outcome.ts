// What becomes of a feature of a request at a provider, found out by asking. A feature that is neither found in what is sent
// nor named as dropped nor refused is lost in silence, which must not be.

import { isRefusal } from '#core/refusal.ts'
import type { Feature } from './features/feature.ts'
import { isPassed, send, type Pair, type Variant } from './pair.ts'

export type Outcome =
  | { readonly type: 'passed' | 'kept' | 'own' }
  /** `partly`: something of it is sent all the same. */
  | { readonly type: 'dropped' | 'partly'; readonly names: readonly string[] }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'lost' }

export function outcomeOf(pair: Pair, feature: Feature, variant: Variant = {}): Outcome {
  const { body, without, marker } = feature
  const sent = send(pair, body, variant)
  if (isRefusal(sent)) return { type: 'refused', message: sent.message }
  const base = send(pair, without, variant)
  if (isRefusal(base)) throw new Error(`${pair.name}, ${feature.name}: refused without it: ${base.message}`)
  const isFound = marker === undefined ? sent.body !== base.body : isIn(sent.body, marker)
  const names = sent.prepared.dropped.filter((name) => !base.prepared.dropped.includes(name))
  if (isPassed(pair) && names.length === 0) return { type: isFound ? 'passed' : 'lost' }
  const isPartly = isFound || (feature.isMember === true && sent.body !== base.body)
  if (names.length > 0) return { type: isPartly ? 'partly' : 'dropped', names }
  if (isFound) return { type: 'kept' }
  return { type: feature.isOwn === true ? 'own' : 'lost' }
}

/** Some providers take the text of a document as bytes. */
function isIn(body: string, marker: string): boolean {
  return body.includes(marker) || body.includes(JSON.stringify(Buffer.from(marker).toString('base64')))
}

/** The quirks of a provider of chat completions that takes everything. */
export const ALL_QUIRKS = { topK: true, cacheMarks: true, reasoningField: 'reasoning_content', maxStops: 64 } as const
