// Headers that an administrator gives a provider, for gateways and proxies that want more than a secret. What Farebox sets itself,
// and what belongs to one connection and not to a request, is nobody's to give.

/** Names the gateways that a request went through (RFC 8586). */
export const HOP_HEADER = 'cdn-loop'

/** In all, with those whose values are secrets. */
export const MAX_HEADERS = 16
const MAX_HEADER_NAME = 64

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

const OWN = [
  ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'],
  ['host', 'content-length', 'content-type', 'content-encoding', 'content-range', 'expect', 'range'],
  ['accept', 'accept-encoding', 'user-agent', 'date', HOP_HEADER],
  // Of one connection.
  ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
].flat()
const OWN_BEGINNINGS = ['proxy-', 'sec-', ':']

/** What is wrong with a name in lower case, as the end of a sentence; undefined where nothing is. */
export function headerNameProblem(name: string): string | undefined {
  if (name.length > MAX_HEADER_NAME || !NAME.test(name)) {
    return `has a name that is none: letters, digits and hyphens, at most ${MAX_HEADER_NAME}`
  }
  const isOwn = OWN.includes(name) || OWN_BEGINNINGS.some((beginning) => name.startsWith(beginning))
  return isOwn ? `'${name}' is set by Farebox itself` : undefined
}
