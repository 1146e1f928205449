// The first thing that every request meets, before any route is looked at: it must be addressed to this machine by a name
// that is ours, unambiguously, and not come from a web page. Without it any page that a user visits could reach the gateway by
// letting its own host name point at 127.0.0.1.

import type { IncomingMessage } from 'node:http'
import { refuse, type Refusal } from '#core/refusal.ts'

/** Headers of which two would mean that two parsers could each believe another one. */
const SINGLE_HEADERS = new Set(['host', 'authorization', 'x-api-key', 'content-length', 'content-type'])
/** Most headers are told apart by their length alone; this runs for every header of every request. */
const SINGLE_LENGTHS = new Set(Array.from(SINGLE_HEADERS, (name) => name.length))

export type GuardOptions = {
  /** The Host values that are ours, lower case, with port. Filled in when the port is known. */
  readonly hosts: ReadonlySet<string>
}

/** A refusal for a request that must not get any further. */
export function guard(request: IncomingMessage, options: GuardOptions): Refusal | undefined {
  const twice = repeatedHeader(request.rawHeaders)
  if (twice === 'authorization' || twice === 'x-api-key') {
    return refuse('unauthenticated', `The ${twice} header was sent twice.`)
  }
  if (twice !== undefined) return refuse('invalid_request', `The ${twice} header was sent twice.`)
  const { host } = request.headers
  if (host === undefined || !options.hosts.has(host.toLowerCase())) {
    return refuse('forbidden', 'This Host is not served here. Use the address that Farebox printed when it started.')
  }
  if (!(request.url ?? '').startsWith('/')) return refuse('invalid_request', 'The request target must be a path.')
  if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity') {
    return refuse('invalid_request', 'Compressed bodies are not accepted.')
  }
  return checkOrigin(request, host)
}

/** Tools send no Origin. A browser does, and then the page must be our own. */
function checkOrigin(request: IncomingMessage, host: string): Refusal | undefined {
  const { origin } = request.headers
  const site = request.headers['sec-fetch-site']
  const isForeign =
    (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) ||
    (site !== undefined && site !== 'same-origin' && !(site === 'none' && request.method === 'GET'))
  return isForeign ? refuse('forbidden', 'Requests from web pages are not accepted.') : undefined
}

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] ?? ''
    if (!SINGLE_LENGTHS.has(raw.length)) continue
    const name = raw.toLowerCase()
    if (!SINGLE_HEADERS.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

/** The names under which a loopback listener may be addressed. */
export function loopbackHosts(port: number): string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
}
