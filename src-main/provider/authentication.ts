// What a provider is shown with every request: its secret, and the headers that an administrator gave it.

import {
  credentialsFor,
  credentialsText,
  hasCredentials,
  NO_CREDENTIALS,
  readCredentials,
  type Credentials,
} from '#core/credentials.ts'
import type { Provider, SecretHeader } from '#core/entities.ts'
import { eachSecret, secretReference } from '#core/secret-pool.ts'
import { dialectOf } from '#dialect/dialects.ts'
import type { SignedRequest } from '#provider/aws-signing.ts'
import type { SecretKeeper } from '#secret/port.ts'

/** What a provider is shown, or undefined where something is not there any more that should be. Rejects with a SecretFailure. */
export async function readCredentialsOf(
  provider: Provider,
  secrets: Pick<SecretKeeper, 'get'>,
): Promise<Credentials | undefined> {
  if (!hasCredentials(provider)) return NO_CREDENTIALS
  const { pool, headerSecrets, chosen = pool[0] } = provider
  if (chosen === undefined) return credentialsFor(provider, await secrets.get(secretReference(provider)))
  const { chosen: _, ...plain } = provider
  const texts = await Promise.all(
    eachSecret(plain).map((each, index) => {
      const text = secrets.get(secretReference(each))
      const isNeeded = each.chosen?.label === chosen.label || (index === 0 && headerSecrets.length > 0)
      // The others are read as well, so that each can be taken out of what the provider says, whichever it was sent.
      return isNeeded ? text : text.catch(() => undefined)
    }),
  )
  const text = texts[pool.findIndex(({ label }) => label === chosen.label)]
  const [own] = texts
  if (text === undefined) return undefined
  const headers = own === undefined ? {} : readCredentials(own).headers
  return credentialsFor(provider, credentialsText({ secret: readCredentials(text).secret, headers }))
}

/** The headers that an administrator gave the provider, with the values that are secrets. */
export function givenHeaders(provider: Provider, { headers }: Credentials): Readonly<Record<string, string>> {
  return { ...provider.headers, ...headers }
}

/** The header in which a provider is shown its secret. */
export function secretHeaderOf(provider: Pick<Provider, 'dialect' | 'secretHeader'>): SecretHeader {
  return provider.secretHeader ?? dialectOf(provider).secretHeader
}

/** The headers that prove whose request it is: the secret itself, or what it signs. */
export async function proofOf(
  provider: Provider,
  secret: string,
  request: SignedRequest,
): Promise<Readonly<Record<string, string>>> {
  if (dialectOf(provider).signing === undefined) return presentSecret(provider, secret)
  const { signerOf } = await import('#provider/aws-signing.ts')
  // Without a signature, where the secret cannot sign: the provider says the same of it.
  return (await signerOf(secret)?.(request)) ?? {}
}

/** The header with the secret in it. */
export function presentSecret(provider: Provider, secret: string): Readonly<Record<string, string>> {
  const header = secretHeaderOf(provider)
  return { [header]: header === 'authorization' ? `Bearer ${secret}` : secret }
}
