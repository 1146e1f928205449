// What a base URL that leads nowhere was probably meant to be. Only paths are guessed, never hosts: the secret is for this one.

import type { ProviderDialect } from '#core/provider-dialect.ts'

/** The end of an endpoint's path, which people paste from examples. */
const ENDPOINT =
  /\/(chat\/completions|completions|embeddings|messages(\/count_tokens)?|responses|models(\/[^/]+:\w+)?|models)\/?$/

/** What is put in front of the endpoints by the providers of each dialect, the most frequent first. */
const PREFIXES: Readonly<Record<ProviderDialect, readonly string[]>> = {
  'chat-completions': ['/v1', '/api/v1', '/openai/v1'],
  messages: ['/v1', '/anthropic/v1', '/api/v1'],
  responses: ['/v1', '/api/v1', '/openai/v1'],
  gemini: ['/v1beta'],
  demo: [],
}

/** Other base URLs at the same origin, the likeliest first. */
export function guessBaseUrls(baseUrl: string, dialect: ProviderDialect): string[] {
  const { origin, pathname } = new URL(baseUrl)
  const path = pathname.replace(/\/+$/, '')
  const withoutEndpoint = path.replace(ENDPOINT, '')
  const withoutDouble = withoutEndpoint.replace(/(\/v\d\w*)(\/v\d\w*)+$/, '$1')
  const hasVersion = /\/v\d\w*$/.test(withoutDouble)
  const longer = hasVersion ? [] : (PREFIXES[dialect] ?? []).map((prefix) => withoutDouble + prefix)
  const guesses = [withoutEndpoint, withoutDouble, ...longer].map((guess) => origin + guess)
  return [...new Set(guesses)].filter((guess) => guess !== origin + path)
}
