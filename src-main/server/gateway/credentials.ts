// Finds what a request presents as its key.

import type { IncomingMessage } from 'node:http'
import type { Credentials } from '#pipeline/authenticate.ts'

/** Headers that hold a key and nothing else, as the clients of some formats send it. */
const KEY_HEADERS = ['x-api-key', 'x-goog-api-key']

/** Names under which people put keys into a URL. */
const QUERY_NAMES = ['key', 'api_key', 'apikey', 'api-key', 'access_token', 'token']

export function credentialsOf({ headers, url }: Pick<IncomingMessage, 'headers' | 'url'>): Credentials {
  return {
    authorization: headers.authorization,
    keyHeaders: KEY_HEADERS.map((name) => headers[name]).filter((value) => typeof value === 'string'),
    isKeyInQuery: isKeyInQuery(url ?? ''),
  }
}

/** A parameter that is named like a key, or a value that has the form of one of ours. */
function isKeyInQuery(url: string): boolean {
  const start = url.indexOf('?')
  if (start === -1) return false
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    if (QUERY_NAMES.includes(name.toLowerCase()) || value.startsWith('key_')) return true
  }
  return false
}
