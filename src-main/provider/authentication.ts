// What a provider is shown with every request: its secret, and the headers that an administrator gave it.

import { credentialsFor, hasCredentials, NO_CREDENTIALS, type Credentials } from '#core/credentials.ts'
import type { Provider, SecretHeader } from '#core/entities.ts'
import { dialectOf } from '#dialect/dialects.ts'
import type { SignedRequest } from '#provider/aws-signing.ts'
import type { SecretKeeper } from '#secret/port.ts'

/** What a provider is shown, or undefined where something is not there any more that should be. Rejects with a SecretFailure. */
export async function readCredentialsOf(
  provider: Provider,
  secrets: Pick<SecretKeeper, 'get'>,
): Promise<Credentials | undefined> {
  if (!hasCredentials(provider)) return NO_CREDENTIALS
  const { origin } = new URL(provider.baseUrl)
  return credentialsFor(provider, await secrets.get({ providerId: provider.id, origin }))
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
