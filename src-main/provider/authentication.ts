// How each dialect's providers want to be shown their secret, and what else they want to be told with every request.

import type { Provider } from '#core/entities.ts'
import { DIALECT_SECRET_HEADERS, type ProviderDialect } from '#core/provider-dialect.ts'

/** Sent with every request unless the client's own headers say otherwise. */
export const DIALECT_HEADERS: Readonly<Record<ProviderDialect, Readonly<Record<string, string>>>> = {
  'chat-completions': {},
  messages: { 'anthropic-version': '2023-06-01' },
  responses: {},
  gemini: {},
  demo: {},
}

/** The header that carries the secret. */
export function presentSecret(provider: Provider, secret: string): Readonly<Record<string, string>> {
  const header = provider.secretHeader ?? DIALECT_SECRET_HEADERS[provider.dialect]
  return { [header]: header === 'authorization' ? `Bearer ${secret}` : secret }
}
