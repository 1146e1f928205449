// The paths of requests: which of them are the same, and what is said of one that leads nowhere.

import { refuse, type Refusal } from '#core/refusal.ts'

/** Tools and monitors look by HEAD whether something is there. */
export const READ = ['GET', 'HEAD']

const SLASH = 0x2f
const COHERE_RERANK = /^\/v2\/rerank\/?(?:\?|$)/
/** Enough to see what was mistyped. */
const MAX_SHOWN = 120

/** Whatever stands behind it is the name of a model, which may have slashes of its own. */
const MODELS = /\/models\/+/
/** Where nothing between two slashes is something that was left out. */
const ADMIN = '/api/'

/**
 * The path that is served for the target of a request. Slashes too many mean nothing: tools put their paths behind a base URL that has one
 * at its end. Users of the OpenAI SDK often give a base URL with /v1 to tools that add it once more, and Cohere's SDK asks for reranking
 * at the second version of Cohere's API.
 */
export function servedUrl(url: string): string {
  const short = shortUrl(singleSlashes(url))
  const query = short.indexOf('?')
  const end = query === -1 ? short.length : query
  if (end < 2 || short.charCodeAt(end - 1) !== SLASH) return short
  return short.slice(0, end - 1) + short.slice(end)
}

/** A target that is no path stays as it is, to be refused. */
function singleSlashes(url: string): string {
  if (!url.startsWith('/') || !url.includes('//')) return url
  const query = url.indexOf('?')
  const path = url.slice(0, query === -1 ? url.length : query)
  const rest = url.slice(path.length)
  const begun = path.replace(/^\/+/, '/')
  if (begun.startsWith(ADMIN)) return begun + rest
  const models = MODELS.exec(begun)
  const end = models === null ? begun.length : models.index + models[0].length
  return begun.slice(0, end).replaceAll(/\/{2,}/g, '/') + withOneAtEnd(begun.slice(end)) + rest
}

/** A loop, because a pattern for an end looks for it from each slash on. */
function withOneAtEnd(path: string): string {
  let end = path.length
  while (path.charCodeAt(end - 1) === SLASH && path.charCodeAt(end - 2) === SLASH) end -= 1
  return path.slice(0, end)
}

function shortUrl(url: string): string {
  if (url.startsWith('/v1/v1/')) return url.slice('/v1'.length)
  return COHERE_RERANK.test(url) ? `/v1${url.slice('/v2'.length)}` : url
}

/** Names what was asked for, so that a mistyped base URL can be seen; never the query, which could hold a key. */
export function noSuchPath({ method, url }: { readonly method: string; readonly url: string }): Refusal {
  return refuse('not_found', `There is no ${method} endpoint at ${shown(url)}.`)
}

/** Printable and bounded, and without what looks like a key. */
function shown(url: string): string {
  const path = url
    .replace(/[?#].*$/s, '')
    .replaceAll(/[^\x21-\x7e]/g, '?')
    .replaceAll(/key_\w+/g, 'key_...')
  return path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}...` : path
}
