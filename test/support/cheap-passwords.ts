// Passwords that are hashed in this process cost next to nothing, from the first gateway that a file of tests starts in it to the end
// of that file. Farebox spends a third of a second of a processor on each, on purpose; tests that only sign people in would spend
// minutes on it. Processes that tests start hash as ever, and so does a test of what a hash costs, which starts no gateway here.

import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const CHEAPEST = 16
const { scrypt } = crypto

type Done = (error: Error | null, key: Buffer) => void

function cheapScrypt(password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions, done: Done): void {
  scrypt(password, salt, length, { ...options, N: CHEAPEST }, done)
}

/** From now on a hash costs next to nothing, or what it should. */
export function makePasswordsCheap(isCheap: boolean): void {
  const wanted = isCheap ? cheapScrypt : scrypt
  if (crypto.scrypt === wanted) return
  Object.assign(crypto, { scrypt: wanted })
  syncBuiltinESMExports()
}
