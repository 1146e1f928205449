// What a provider wants back with a tool call (Gemini does) has no place in a tool_use block. It travels in the signature of
// an empty thinking block right before the call, marked as the call's, so that it finds back to it.

import { wrapSeal, type Sealed } from '#dialect/seal.ts'

/** No seal begins like this: their alphabets have no colon. */
const MARK = 'call:'

/** The signature of the thinking block before the call. */
export function wrapCallSeal(sealed: Sealed): string {
  return wrapSeal({ origin: sealed.origin, value: MARK + sealed.value }, 'messages')
}

/** The call's seal, if it is one. */
export function unwrapCallSeal(sealed: Sealed | undefined): Sealed | undefined {
  if (sealed === undefined || !sealed.value.startsWith(MARK)) return undefined
  return { origin: sealed.origin, value: sealed.value.slice(MARK.length) }
}
