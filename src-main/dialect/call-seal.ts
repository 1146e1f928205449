// What a provider wants back with a tool call (Gemini does) has no place in the calls of messages and responses. It travels in
// the opaque member of an empty block of reasoning right before the call, marked as the call's, so that it finds back to it.

import { wrapSeal, type Sealed, type SealOrigin } from '#dialect/seal.ts'

/** No seal begins like this: their alphabets have no colon. */
const MARK = 'call:'

/** The text that a client of format `native` keeps in the reasoning before the call. */
export function wrapCallSeal(sealed: Sealed, native: SealOrigin): string {
  return wrapSeal({ origin: sealed.origin, value: MARK + sealed.value }, native)
}

/** The call's seal, if it is one. */
export function unwrapCallSeal(sealed: Sealed | undefined): Sealed | undefined {
  if (sealed === undefined || !sealed.value.startsWith(MARK)) return undefined
  return { origin: sealed.origin, value: sealed.value.slice(MARK.length) }
}
