import { expect, it } from 'vitest'
import { keyStatus, type KeyStatus, type StoredKeyStatus } from '#core/entities.ts'

const EXPIRY = 1000

const TABLE: readonly (readonly [StoredKeyStatus, number | undefined, number, KeyStatus])[] = [
  ['active', undefined, 0, 'active'],
  ['active', undefined, Number.MAX_SAFE_INTEGER, 'active'],
  ['active', EXPIRY, EXPIRY - 1, 'active'],
  ['active', EXPIRY, EXPIRY, 'expired'],
  ['active', EXPIRY, EXPIRY + 1, 'expired'],
  ['suspended', undefined, EXPIRY, 'suspended'],
  ['suspended', EXPIRY, EXPIRY - 1, 'suspended'],
  ['suspended', EXPIRY, EXPIRY, 'expired'],
  ['revoked', undefined, EXPIRY, 'revoked'],
  ['revoked', EXPIRY, EXPIRY - 1, 'revoked'],
  ['revoked', EXPIRY, EXPIRY, 'revoked'],
  ['revoked', EXPIRY, EXPIRY + 1, 'revoked'],
]

it.each(TABLE)('a stored %s key that expires at %s is at %d: %s', (storedStatus, expiresAtMs, nowMs, status) => {
  expect(keyStatus({ storedStatus, expiresAtMs }, nowMs)).toBe(status)
})
