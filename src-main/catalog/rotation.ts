// A new value for a key. The key stays the same: its balance, its history, its limits and its owner.

import { commitChanges, type CatalogContext } from '#catalog/context.ts'
import { isoOrNull, readSpan } from '#catalog/dates.ts'
import { DEFAULT_EXPIRY, KEY_RANDOM_BYTES, noKey, readExpiryOf, revokedIsFinal } from '#catalog/keys.ts'
import type { KeyRotate, KeyRotated } from '#contract/schemas.ts'
import type { Key, PreviousValue } from '#core/entities.ts'
import { keyHint, makeKey } from '#core/key-format.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** A day is enough to bring the new value to every tool, and short where the old one has leaked. */
const DEFAULT_OVERLAP = '24h'
const MAX_OVERLAP_MS = 30 * 86_400_000

/** From this age on people are reminded; it is how long a key lives unless somebody says otherwise. */
export const OLD_VALUE_MS = 90 * 86_400_000

/**
 * Gives a key a new value, which is in the answer and nowhere else, ever again. The value before works until `overlap` is over; one
 * from before that is refused at once. `none` ends what runs with the old value.
 */
export async function rotateKey(
  context: CatalogContext,
  idOrName: string,
  { overlap = DEFAULT_OVERLAP, expires }: KeyRotate,
): Promise<KeyRotated | Refusal> {
  const key = context.catalog.key(idOrName)
  if (key === undefined) return noKey(idOrName)
  if (key.storedStatus === 'revoked') return revokedIsFinal(key)
  const overlapMs = readOverlap(overlap)
  if (isRefusal(overlapMs)) return overlapMs
  const nowMs = context.nowMs()
  const expiresAtMs = expiryOf(context, key, expires)
  if (isRefusal(expiresAtMs)) return expiresAtMs
  const value = makeKey(context.randomBytes(KEY_RANDOM_BYTES))
  const previous = overlapMs === 0 ? undefined : { hash: key.hash, validUntilMs: nowMs + overlapMs }
  const made = { hash: context.hashKey(value), hint: keyHint(value), valueSinceMs: nowMs }
  const rotated = { ...key, ...made, previous, expiresAtMs }
  await commitChanges(context, [{ type: 'put-key', key: rotated }])
  if (previous === undefined) context.keyBlocked(key.id)
  return answer(rotated, value, previous)
}

function answer(key: Key, value: string, previous: PreviousValue | undefined): KeyRotated {
  return {
    id: key.id,
    name: key.name,
    key: value,
    expires_at: isoOrNull(key.expiresAtMs),
    previous_valid_until: isoOrNull(previous?.validUntilMs),
  }
}

/** In milliseconds; 0 for `none`. */
function readOverlap(text: string): number | Refusal {
  const spanMs = text === 'none' ? 0 : readSpan(text)
  if (spanMs !== undefined && spanMs <= MAX_OVERLAP_MS) return spanMs
  return refuse('invalid_request', "'overlap' must be none, hours like 24h, or days like 7d, and at most 30d.", {
    param: 'overlap',
  })
}

/** A new value lives as long as a new key does, unless it would live longer anyway. */
function expiryOf(context: CatalogContext, key: Key, expires: string | undefined): number | undefined | Refusal {
  if (expires === undefined && key.expiresAtMs === undefined) return undefined
  const asked = readExpiryOf(context, key, expires ?? DEFAULT_EXPIRY)
  if (expires !== undefined || isRefusal(asked) || asked === undefined || key.expiresAtMs === undefined) return asked
  return Math.max(asked, key.expiresAtMs)
}
