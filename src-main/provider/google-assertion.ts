// What a service account signs to get a token (RFC 7523), by Google's own library. Only its signing is used: nothing of the library that
// opens connections, reads files or asks the environment is loaded. Loaded with the first provider that needs it.

import { getJwsSign } from 'google-auth-library/build/src/gtoken/jwsSign.js'
import type { ServiceAccount } from '#core/token-secrets.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
/** Google takes no longer one. */
const LIFETIME_S = 3600
/** A clock that is a little behind must not take it for one from the future. */
const BACKDATED_S = 10

/** The signed text. Throws where the key is none. */
export function assertionOf({ email, privateKey, tokenUrl }: ServiceAccount, nowMs: number): string {
  const iat = Math.floor(nowMs / 1000) - BACKDATED_S
  const additionalClaims = { aud: tokenUrl, iat, exp: iat + LIFETIME_S }
  return getJwsSign({ iss: email, scope: SCOPE, key: privateKey, additionalClaims })
}
