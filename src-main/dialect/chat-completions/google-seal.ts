// Gemini's signature of a tool call, where Google's own chat completions have it: clients of that endpoint keep it there.

import { isRecord } from '#dialect/request-body.ts'
import { unwrapSeal, wrapSeal, type Sealed } from '#dialect/seal.ts'
import type { JsonObject } from '#dialect/turn.ts'

const NATIVE = 'chat-completions'

/** What stands in the member, wrapped or not. */
export function googleSealOf(call: JsonObject): unknown {
  const extra = call['extra_content']
  const google = isRecord(extra) ? extra['google'] : undefined
  return isRecord(google) ? google['thought_signature'] : undefined
}

/** The seal of a call in a provider's answer. */
export function readProviderSeal(call: JsonObject): Sealed | undefined {
  const value = googleSealOf(call)
  return typeof value === 'string' && value !== '' ? { origin: NATIVE, value } : undefined
}

/** The seal of a call that a client sends back. One that nobody wrapped is good for both of Google's endpoints. */
export function readClientSeal(call: JsonObject): Sealed | undefined {
  const value = googleSealOf(call)
  return typeof value === 'string' ? unwrapSeal(value, 'gemini') : undefined
}

/** The member for a client's call; nothing for a call without a seal. */
export function writeGoogleSeal(sealed: Sealed | undefined): JsonObject {
  if (sealed?.origin !== 'gemini' && sealed?.origin !== NATIVE) return {}
  return { extra_content: { google: { thought_signature: wrapSeal(sealed, NATIVE) } } }
}
