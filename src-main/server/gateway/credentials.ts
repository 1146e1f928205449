// Finds what a request presents as its key.

import type { IncomingMessage } from 'node:http'
import type { Credentials } from '#pipeline/authenticate.ts'

/** Names under which people put keys into a URL. */
const QUERY_NAMES = ['key', 'api_key', 'apikey', 'api-key', 'access_token', 'token']

export function credentialsOf(request: Pick<IncomingMessage, 'headers' | 'url'>): Credentials {
  const xApiKey = request.headers['x-api-key']
  return {
    authorization: request.headers.authorization,
    xApiKey: typeof xApiKey === 'string' ? xApiKey : undefined,
    isKeyInQuery: isKeyInQuery(request.url ?? ''),
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
