// The dialects that providers speak. `demo` is the built-in provider, which speaks chat completions inside the program.

export const PROVIDER_DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini', 'demo'] as const
export type ProviderDialect = (typeof PROVIDER_DIALECTS)[number]

/** The header in which each dialect's providers take a secret unless they are told apart. */
export const DIALECT_SECRET_HEADERS = {
  'chat-completions': 'authorization',
  messages: 'x-api-key',
  responses: 'authorization',
  gemini: 'x-goog-api-key',
  demo: 'authorization',
} as const satisfies Record<ProviderDialect, string>
