// Holds the bounds for input against what tokenizers count.

import { worstCaseInputTokens } from '#core/estimate.ts'
import { closerTextTokens, isCountable, mostTokensPerByte } from '#core/token-bounds.ts'
import { OWN, type Tokenizer } from './tokenizers.ts'

/** What a hold takes a text for. */
export type Bounds = { readonly bytes: number; readonly old: number; readonly closer: number; readonly sure: number }

export function boundsOf(text: string): Bounds {
  const bytes = Buffer.byteLength(text)
  const sure = bytes * mostTokensPerByte(text, bytes)
  const counted = OWN['o200k']?.(text) ?? 0
  const closer = isCountable(text) ? Math.min(sure, closerTextTokens([text], counted)) : sure
  return { bytes, old: worstCaseInputTokens({ textBytes: bytes, mediaParts: 0 }), closer, sure }
}

export function ownTokenizers(texts: ReadonlyMap<string, string>): Tokenizer[] {
  return Object.entries(OWN).map(([name, count]) => ({
    name,
    source: 'gpt-tokenizer 4.0.0',
    counts: Object.fromEntries([...texts].map(([kind, text]) => [kind, count(text)])),
  }))
}
