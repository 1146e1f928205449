// Sealing of texts: AES-256-GCM under a random 96-bit nonce, authenticated together with the name that a text is bound to.

import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto'

export const NONCE_BYTES = 12
export const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

export type Sealed = { readonly nonce: Buffer; readonly ciphertext: Buffer; readonly tag: Buffer }

export function sealText(key: KeyObject, boundTo: Uint8Array, text: string): Sealed {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo)
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return { nonce, ciphertext, tag: cipher.getAuthTag() }
}

/** The text, or undefined where it was not sealed with this key for this name. */
export function unsealText(key: KeyObject, boundTo: Uint8Array, sealed: Sealed): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, sealed.nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(boundTo)
  decipher.setAuthTag(sealed.tag)
  const start = decipher.update(sealed.ciphertext)
  try {
    return Buffer.concat([start, decipher.final()]).toString('utf8')
  } catch {
    // `final` throws when the tag does not fit, and for no other reason.
    return undefined
  }
}

/** Node's decoder skips what is not base64; undefined for a text with any such thing. */
export function parseBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
