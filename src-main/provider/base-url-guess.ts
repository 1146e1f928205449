// What a base URL that leads nowhere was probably meant to be. Only paths are guessed, never hosts: the secret is for this one.

import type { Provider } from '#core/entities.ts'
import { dialectOf } from '#dialect/dialects.ts'

/** The end of an endpoint's path, which people paste from examples. */
const ENDPOINT =
  /\/(chat\/completions|completions|embeddings|messages(\/count_tokens)?|responses|models(\/[^/]+:\w+)?|models)\/?$/

/** Other base URLs at the same origin, the likeliest first. */
export function guessBaseUrls(provider: Pick<Provider, 'baseUrl' | 'dialect'>): string[] {
  const { origin, pathname } = new URL(provider.baseUrl)
  const path = pathname.replace(/(?<!\/)\/+$/, '')
  const withoutEndpoint = path.replace(ENDPOINT, '')
  let withoutDouble = withoutEndpoint
  while (/\/v\d\w*\/v\d\w*$/.test(withoutDouble)) withoutDouble = withoutDouble.slice(0, withoutDouble.lastIndexOf('/'))
  const hasVersion = /\/v\d\w*$/.test(withoutDouble)
  const longer = hasVersion ? [] : dialectOf(provider).probe.prefixes.map((prefix) => withoutDouble + prefix)
  const guesses = [withoutEndpoint, withoutDouble, ...longer].map((guess) => origin + guess)
  return [...new Set(guesses)].filter((guess) => guess !== origin + path)
}
