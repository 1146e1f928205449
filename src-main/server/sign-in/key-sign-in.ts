// Signing in with a key alone. What may call with a key may look at it here, and nothing else may: one rule for both, so that a key
// that is refused there opens nothing here either.

import type { Catalog } from '#catalog/catalog.ts'
import { isValueOf, type Key } from '#core/entities.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { authenticate } from '#pipeline/authenticate.ts'
import type { ChangeLimiter } from '#server/http/change-limiter.ts'
import type { CallGuard } from '#server/gateway/call-guard.ts'

export type KeySignInDeps = {
  readonly catalog: Catalog
  readonly hashKey: (key: string) => string
  readonly nowMs: () => number
  /** The throttle of wrong keys that calls have: who guesses there is slowed down here, and the other way round. */
  readonly guesses: Pick<CallGuard, 'refused'>
  /** Each sign-in is noted in the audit log, which nobody may wash out. */
  readonly signIns: ChangeLimiter
}

/** Whose session it becomes. Of the key's value only the hash is left. */
export type SignedInByKey = { readonly type: 'holder'; readonly key: Key; readonly keyHash: string }

/** All wrong keys and tickets together: they are nobody's. */
const UNKNOWN = 'unknown'

/** `value` is what somebody typed. It is in no answer and nowhere kept. */
export function signInByKey(value: string, address: string, deps: KeySignInDeps): SignedInByKey | Refusal {
  const { guesses, hashKey, signIns } = deps
  const caller = authenticate({ authorization: undefined, keyHeaders: [value], isKeyInQuery: false }, deps)
  if (isRefusal(caller)) {
    const refusal = guesses.refused({ ip: address }, caller)
    // A key that is good is never refused for those that are not.
    return refusal.code === 'rate_limited' ? refusal : refuseUnknown(refusal, signIns)
  }
  const { key } = caller
  return signIns.isOver(key.id) ? tooMany() : { type: 'holder', key, keyHash: hashKey(value) }
}

/** For a key, or a ticket, that is none: as it is, or where there were too many of all together, that. */
export function refuseUnknown(refusal: Refusal, signIns: ChangeLimiter): Refusal {
  return signIns.isOver(UNKNOWN) ? tooMany() : refusal
}

/** The key that a session was opened with, as long as the value that it was opened with may be used. */
export function heldKey(
  { keyId, keyHash }: { readonly keyId: string; readonly keyHash: string },
  catalog: Catalog,
  nowMs: number,
): Key | undefined {
  const key = catalog.key(keyId)
  if (key?.id !== keyId || !isValueOf(key, keyHash, nowMs)) return undefined
  return catalog.statusOf(key, nowMs) === 'active' ? key : undefined
}

function tooMany(): Refusal {
  return refuse('rate_limited', 'Too many sign-ins. Try again in a minute.', { retryAfterSeconds: 60 })
}
