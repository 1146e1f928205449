// The dialects that providers speak. `demo` is the built-in provider, which speaks chat completions inside the program.

export const PROVIDER_DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini', 'demo'] as const
export type ProviderDialect = (typeof PROVIDER_DIALECTS)[number]
