// Looks at a secret when it is given, so that one of several parts that lacks something is refused then and not at the first call.
// What is refused is named, and nothing of the secret is repeated.

import { createPrivateKey } from 'node:crypto'
import { baseUrlProblem } from '#core/address.ts'
import type { Provider } from '#core/entities.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { readTokenSecret } from '#core/token-secrets.ts'
import { dialectOf } from '#dialect/dialects.ts'

/** Why a secret cannot be one of this provider; undefined for one that may be. */
export function secretProblem(provider: Provider, secret: string): Refusal | undefined {
  const read = readTokenSecret(secret)
  if (read === undefined) return undefined
  if (read.type === 'flaw') return wrong(read.says)
  if (dialectOf(provider).signing !== undefined) return wrong(`gets tokens, which ${provider.dialect} does not take`)
  const problem = baseUrlProblem(new URL(read.tokenUrl), provider.network)
  if (problem !== undefined) return wrong(`has a token endpoint whose address ${problem}`)
  const isUsable = read.type !== 'service_account' || isSigningKey(read.privateKey)
  return isUsable ? undefined : wrong("has a 'private_key' that is no RSA key in PEM, or one that is encrypted")
}

/** Google's service accounts have RSA keys and no others. */
function isSigningKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    // The library's words may quote the key; no says enough.
    return false
  }
}

function wrong(says: string): Refusal {
  return refuse('invalid_request', `'secret' ${says}.`, { param: 'secret' })
}
