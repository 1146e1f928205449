// The dialects of the scripted provider, and the ways there.
export const DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini'] as const
export type Dialect = (typeof DIALECTS)[number]

/** What stands between a program and the scripted provider: nothing, or Farebox with a provider of a dialect. */
export type Route = 'alone' | Dialect
export const ROUTES: readonly Route[] = ['alone', ...DIALECTS]
