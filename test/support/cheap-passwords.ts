// Passwords that are hashed in this process cost next to nothing. Farebox spends a third of a second of a processor on each, on
// purpose; tests that only sign people in would spend minutes on it. What a hash must cost is tested by itself, and processes that
// tests start hash as ever.

import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll } from 'vitest'

const CHEAPEST = 16
const { scrypt } = crypto

type Done = (error: Error | null, key: Buffer) => void

function cheapScrypt(password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions, done: Done): void {
  scrypt(password, salt, length, { ...options, N: CHEAPEST }, done)
}

function hashWith(made: typeof scrypt | typeof cheapScrypt): void {
  Object.assign(crypto, { scrypt: made })
  syncBuiltinESMExports()
}

hashWith(cheapScrypt)
// The next file of the process may be one that tests the cost.
afterAll(() => hashWith(scrypt))
