// Seals in the `thoughtSignature` of a client's parts. Its SDKs decode the member from base64 and encode it again, some of them in the
// alphabet for URLs, so that another provider's seal is written in base64 with our wrapping inside.

import { unwrapSeal, wrapped, type Sealed } from '#dialect/seal.ts'

const NATIVE = 'gemini'
/** Base64 of the beginning of our wrapping, which is a whole number of its digits. */
export const WRAPPED_START = 'ZmFyZWJveDEu'

/** The text that the client keeps for us. */
export function writeSignature(sealed: Sealed): string {
  const isPlain = sealed.origin === NATIVE && !isWrappedSignature(sealed.value)
  return isPlain ? sealed.value : Buffer.from(wrapped(sealed)).toString('base64')
}

/** What the client sent back; undefined for an empty text and for one of ours that was damaged. */
export function readSignature(text: unknown): Sealed | undefined {
  if (typeof text !== 'string') return undefined
  return unwrapSeal(isWrappedSignature(text) ? Buffer.from(text, 'base64').toString('utf8') : text, NATIVE)
}

/** Whether it is a seal in our wrapping, which no provider can read. */
export function isWrappedSignature(text: string): boolean {
  return text.startsWith(WRAPPED_START)
}
