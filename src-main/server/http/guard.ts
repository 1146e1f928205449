// The first thing that every request meets, before any route is looked at: it must be addressed to this machine by a name
// that is ours, unambiguously, and not come from a web page. Without it any page that a user visits could reach the gateway by
// letting its own host name point at 127.0.0.1.

import type { IncomingMessage } from 'node:http'
import { HOP_HEADER } from '#core/provider-headers.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { ENDPOINTS } from '#dialect/dialects.ts'
import type { Hops } from '#pipeline/hops.ts'
import { servedUrl } from '#server/http/paths.ts'

/** Headers of which two would mean that two parsers could each believe another one. */
const SINGLE_HEADERS = [
  'host',
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'x-farebox-session',
  'content-length',
  'content-type',
  'origin',
  'sec-fetch-site',
]
/** Of these a second one is a second proof of who asks. */
const PROOFS = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'x-farebox-session'])
/** Most headers are told apart by their length alone; this runs for every header of every request. */
const SINGLE_LENGTHS = new Set(Array.from(SINGLE_HEADERS, (name) => name.length))
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** What says that a body is not compressed, in whatever letters. */
const UNCOMPRESSED = /^(?:identity)?$/i
/** Node takes bodies for chunked that were encoded in another way before. */
const CHUNKED = /^(?:chunked)?$/i
/** The one expectation that there is. Node finds it also within others. */
const CONTINUE = /^100-continue$/i
/** Where a WebSocket may be asked for. Those that are not let in are refused by their route, in the way that makes Codex go on. */
const WEB_SOCKET_PATHS = new Set(
  ENDPOINTS.flatMap(([, { paths, webSocket }]) => (webSocket === undefined ? [] : paths)),
)

const OWN_ADDRESSES = {
  http: 'the address that Farebox printed when it started',
  https: 'an address that it was opened to the LAN with',
} as const

export type GuardOptions = {
  /** The names and ports under which we may be addressed, in lower case. */
  readonly hosts: ReadonlySet<string>
  /** Whether the route is a page that a link from elsewhere may open. */
  readonly isPage?: boolean
  /** How our own pages are reached: over the LAN with TLS alone. */
  readonly scheme?: 'http' | 'https'
  readonly hops: Pick<Hops, 'refusal'>
}

/** A refusal for a request that must not get any further. */
export function guard(request: IncomingMessage, options: GuardOptions): Refusal | undefined {
  const twice = repeatedHeader(request.rawHeaders)
  // One of them is not ours, whichever it is.
  if (twice === 'origin' || twice === 'sec-fetch-site') return foreign()
  if (twice !== undefined) {
    return refuse(PROOFS.has(twice) ? 'unauthenticated' : 'invalid_request', `The ${twice} header was sent twice.`)
  }
  const { host } = request.headers
  if (host === undefined || !options.hosts.has(host.toLowerCase())) {
    return refuse('forbidden', `This Host is not served here. Use ${OWN_ADDRESSES[options.scheme ?? 'http']}.`)
  }
  return checkForm(request) ?? checkOrigin(request, host, options) ?? checkHops(request, options)
}

/** What no tool of ours and no browser of a user sends. */
function checkForm({ url = '', method = '', headers }: IncomingMessage): Refusal | undefined {
  if (!url.startsWith('/')) return refuse('invalid_request', 'The request target must be a path.')
  if (!METHODS.has(method)) return refuse('invalid_request', 'This method is not served here.')
  if (!UNCOMPRESSED.test(headers['content-encoding'] ?? '')) {
    return refuse('invalid_request', 'Compressed bodies are not accepted.')
  }
  if (!CHUNKED.test(headers['transfer-encoding'] ?? '')) {
    return refuse('invalid_request', 'A body can be sent in chunks, and in no other transfer coding.')
  }
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect)) {
    return refuse('invalid_request', "What the Expect header asks for is not done here; 'Expect: 100-continue' is.")
  }
  // Java's HTTP client offers HTTP/2 with every request, and goes on without it.
  const upgrade = headers.upgrade?.toLowerCase()
  const isHarmless =
    upgrade === undefined || upgrade === 'h2c' || WEB_SOCKET_PATHS.has(servedUrl(url).replace(/\?.*$/s, ''))
  return isHarmless ? undefined : refuse('invalid_request', 'Nothing here can be upgraded to another protocol.')
}

/** Tools send no Origin. A browser does, and then the page must be our own. */
function checkOrigin(request: IncomingMessage, host: string, options: GuardOptions): Refusal | undefined {
  const { isPage = false, scheme = 'http' } = options
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && origin.toLowerCase() !== `${scheme}://${host.toLowerCase()}`) return foreign()
  if (site === undefined || site === 'same-origin' || (site === 'none' && isRead(request))) return undefined
  return isPage && isNavigation(request) ? undefined : foreign()
}

function checkHops({ headers }: IncomingMessage, { hops }: GuardOptions): Refusal | undefined {
  const header = headers[HOP_HEADER]
  return header === undefined ? undefined : hops.refusal(String(header))
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** A link that somebody followed in a tab of their browser, not in a frame of another page. */
function isNavigation(request: IncomingMessage): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = request.headers
  return request.method === 'GET' && mode === 'navigate' && destination === 'document'
}

function foreign(): Refusal {
  return refuse('forbidden', 'Requests from web pages are not accepted.')
}

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] ?? ''
    if (!SINGLE_LENGTHS.has(raw.length)) continue
    const name = raw.toLowerCase()
    const place = SINGLE_HEADERS.indexOf(name)
    if (place === -1) continue
    const bit = 1 << place
    if ((seen & bit) !== 0) return name
    seen |= bit
  }
  return undefined
}

/** The names under which a loopback listener may be addressed. */
export function loopbackHosts(port: number): string[] {
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
}
