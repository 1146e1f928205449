// What a provider wants back with a tool call (Gemini does) has no place in a call's item. It travels as the encrypted content
// of an empty reasoning item right before the call, marked as the call's, so that it finds back to it.

import { wrapSeal, type Sealed } from '#dialect/seal.ts'

/** No seal begins like this: their alphabets have no colon. */
const MARK = 'call:'

/** The encrypted content of the reasoning item before the call. */
export function wrapCallSeal(sealed: Sealed): string {
  return wrapSeal({ origin: sealed.origin, value: MARK + sealed.value }, 'responses')
}

/** The call's seal, if it is one. */
export function unwrapCallSeal(sealed: Sealed | undefined): Sealed | undefined {
  if (sealed === undefined || !sealed.value.startsWith(MARK)) return undefined
  return { origin: sealed.origin, value: sealed.value.slice(MARK.length) }
}
