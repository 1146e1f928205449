// How each dialect's providers want to be shown their secret, and what else they want to be told with every request.

import { credentialsFor, hasCredentials, NO_CREDENTIALS, type Credentials } from '#core/credentials.ts'
import type { Provider } from '#core/entities.ts'
import { DIALECT_SECRET_HEADERS, type ProviderDialect } from '#core/provider-dialect.ts'
import type { SecretKeeper } from '#secret/port.ts'

/** Sent with every request unless the client's own headers say otherwise. */
export const DIALECT_HEADERS: Readonly<Record<ProviderDialect, Readonly<Record<string, string>>>> = {
  'chat-completions': {},
  messages: { 'anthropic-version': '2023-06-01' },
  responses: {},
  gemini: {},
  demo: {},
}

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

/** The header that carries the secret. */
export function presentSecret(provider: Provider, secret: string): Readonly<Record<string, string>> {
  const header = provider.secretHeader ?? DIALECT_SECRET_HEADERS[provider.dialect]
  return { [header]: header === 'authorization' ? `Bearer ${secret}` : secret }
}
