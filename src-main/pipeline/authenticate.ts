// Who is calling: from the key that a request presents to the key's record, or a refusal. Nothing is looked up for a text
// that does not have a key's form.

import type { Catalog } from '#catalog/catalog.ts'
import { isValueOf, type Key, type Package } from '#core/entities.ts'
import { isWellFormedKey } from '#core/key-format.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

export type Caller = { readonly key: Key; readonly package: Package }

/** What a request presents. Two different keys are a mistake that nobody should have to guess about. */
export type Credentials = {
  readonly authorization: string | undefined
  /** What stands in the headers that hold nothing but a key, such as `x-api-key`. */
  readonly keyHeaders: readonly string[]
  readonly isKeyInQuery: boolean
}

export type AuthenticateDeps = {
  readonly catalog: Catalog
  readonly hashKey: (key: string) => string
  readonly nowMs: () => number
}

export function authenticate(credentials: Credentials, deps: AuthenticateDeps): Caller | Refusal {
  if (credentials.isKeyInQuery) {
    return unauthenticated(
      'A key in the query string ends up in logs and histories. Send it as "Authorization: Bearer key_...".',
    )
  }
  const text = presentedKey(credentials)
  if (typeof text !== 'string') return text
  // Unknown and malformed keys get the same answer, so that nobody learns which of the two it was.
  const found = findKey(text, deps)
  if (found === undefined) return unauthenticated('This is not a valid key.')
  const { key, hash } = found
  if (!isValueOf(key, hash, deps.nowMs())) {
    return refuse('key_not_usable', 'This key has a new value, and the time of the old one is over.')
  }
  return callerOfKey(key, deps)
}

/** Whose key was presented, whether it may be used or not; undefined where nobody knows it. */
export function presentedKeyId(credentials: Credentials, deps: AuthenticateDeps): string | undefined {
  const text = credentials.isKeyInQuery ? undefined : presentedKey(credentials)
  return typeof text === 'string' ? findKey(text, deps)?.key.id : undefined
}

function findKey(text: string, { catalog, hashKey }: AuthenticateDeps): { key: Key; hash: string } | undefined {
  const hash = isWellFormedKey(text) ? hashKey(text) : undefined
  const key = hash === undefined ? undefined : catalog.keyByHash(hash)
  return hash === undefined || key === undefined ? undefined : { key, hash }
}

/** The caller whose key it is, or a refusal for a key that may not be used now. */
export function callerOfKey(key: Key, deps: Pick<AuthenticateDeps, 'catalog' | 'nowMs'>): Caller | Refusal {
  const status = deps.catalog.statusOf(key, deps.nowMs())
  if (status !== 'active') return refuse('key_not_usable', `This key is ${status}.`)
  const owner = deps.catalog.package(key.packageId)
  if (owner === undefined) throw new Error(`key ${key.id} has no package`)
  return { key, package: owner }
}

function presentedKey({ authorization, keyHeaders }: Credentials): string | Refusal {
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (authorization !== undefined && bearer === undefined) {
    return unauthenticated('The Authorization header must be "Bearer" and a key.')
  }
  const key = bearer ?? keyHeaders[0]
  if (key === undefined) return unauthenticated('No key was sent. Send it as "Authorization: Bearer key_...".')
  if (keyHeaders.some((other) => other !== key)) {
    return unauthenticated('Authorization, x-api-key and x-goog-api-key hold different keys. Send one.')
  }
  return key
}

function unauthenticated(message: string): Refusal {
  return refuse('unauthenticated', message)
}
