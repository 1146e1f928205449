// Gemini's signature of a tool call, where Google's own chat completions have it: clients of that endpoint keep it there.

import { isRecord } from '#dialect/request-body.ts'
import type { Sealed } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

export function readGoogleSeal(call: JsonObject, origin: Sealed['origin']): Sealed | undefined {
  const extra = call['extra_content']
  const google = isRecord(extra) ? extra['google'] : undefined
  const value = isRecord(google) ? google['thought_signature'] : undefined
  return typeof value === 'string' && value !== '' ? { origin, value } : undefined
}

/** The member for a call; nothing for a call without a seal and for those of others, which have no place there. */
export function writeGoogleSeal(sealed: Sealed | undefined): JsonObject {
  if (sealed?.origin !== 'gemini' && sealed?.origin !== 'chat-completions') return {}
  return { extra_content: { google: { thought_signature: sealed.value } } }
}
