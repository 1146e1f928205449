// Finds what a request presents as its key.

import type { IncomingMessage } from 'node:http'
import { ENDPOINTS } from '#dialect/dialects.ts'
import type { Credentials } from '#pipeline/authenticate.ts'

/** Headers that hold a key and nothing else; those of a format count at its own paths alone. */
const COMMON_HEADER = 'x-api-key'
const OWN_HEADERS = ENDPOINTS.flatMap(([, { methods }]) => {
  const header = methods?.keyHeader
  return header === undefined ? [] : (methods?.below ?? []).map((below) => ({ below, header }))
})

/** Names under which people put keys into a URL. */
const QUERY_NAMES = ['key', 'api_key', 'apikey', 'api-key', 'access_token', 'token']

export function credentialsOf({ headers, url }: Pick<IncomingMessage, 'headers' | 'url'>): Credentials {
  return {
    authorization: headers.authorization,
    keyHeaders: keyHeadersAt(url ?? '').flatMap((name) => headers[name] ?? []),
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

function keyHeadersAt(url: string): string[] {
  const own = OWN_HEADERS.find(({ below }) => url.startsWith(below))
  return own === undefined ? [COMMON_HEADER] : [COMMON_HEADER, own.header]
}
