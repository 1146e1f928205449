// Hashes passwords with scrypt, as `$scrypt$ln=17,r=8,p=1$salt$hash`. Each hash takes 128 MiB and a third of a second on purpose, so
// that few run at a time and not many may wait.

import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { refuse, type Refusal } from '#core/refusal.ts'

/** `logN` is the binary logarithm of how much work and memory it takes. */
export type HashCost = { readonly logN: number; readonly blockSize: number; readonly parallel: number }

const COST: HashCost = { logN: 17, blockSize: 8, parallel: 1 }
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
const SALT_BYTES = 16
const HASH_BYTES = 32
const MAX_AT_ONCE = 2
const MAX_WAITING = 16
const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

type Stored = { readonly cost: HashCost; readonly salt: Buffer; readonly hash: Buffer }

export class Passwords {
  readonly #cost: HashCost
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(cost = COST) {
    this.#cost = cost
  }

  /** What is kept of a password; a refusal where too many are being hashed. */
  async hash(password: string): Promise<string | Refusal> {
    const salt = randomBytes(SALT_BYTES)
    const made = await this.#derive(password, salt, this.#cost)
    if (!Buffer.isBuffer(made)) return made
    const { logN, blockSize, parallel } = this.#cost
    return `$scrypt$ln=${logN},r=${blockSize},p=${parallel}$${unpadded(salt)}$${unpadded(made)}`
  }

  /**
   * Whether a password is the one that was hashed. It takes as long where there is no hash, so that nobody learns from the time
   * whether there is one. `isOutdated`: it was hashed at another cost than it would be now.
   */
  async verify(
    password: string,
    kept: string | undefined,
  ): Promise<{ isRight: boolean; isOutdated: boolean } | Refusal> {
    const stored = kept === undefined ? undefined : readStored(kept)
    const { salt, cost, hash } = stored ?? { salt: Buffer.alloc(SALT_BYTES), cost: this.#cost, hash: undefined }
    const made = await this.#derive(password, salt, cost)
    if (!Buffer.isBuffer(made)) return made
    const isRight = hash !== undefined && timingSafeEqual(made, hash)
    return { isRight, isOutdated: JSON.stringify(cost) !== JSON.stringify(this.#cost) }
  }

  async #derive(password: string, salt: Buffer, cost: HashCost): Promise<Buffer | Refusal> {
    if (this.#running >= MAX_AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) {
        return refuse('overloaded', 'Too many people sign in at once. Try again.', { retryAfterSeconds: 2 })
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else this.#running += 1
    try {
      return await derive(password, salt, cost)
    } finally {
      // Whoever waits longest takes the place over.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}

function derive(password: string, salt: Buffer, { logN, blockSize, parallel }: HashCost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** logN, r: blockSize, p: parallel, maxmem: MAX_MEMORY_BYTES }
  return new Promise((resolve, reject) => {
    // One letter can be written in several ways, depending on the keyboard.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

/** undefined for what this program did not write, such as a cost that would take all memory. */
function readStored(text: string): Stored | undefined {
  const [, logN, blockSize, parallel, salt, hash] = STORED.exec(text) ?? []
  if (salt === undefined || hash === undefined) return undefined
  const cost = { logN: Number(logN), blockSize: Number(blockSize), parallel: Number(parallel) }
  // What scrypt itself would refuse.
  const isPossible = cost.logN > 0 && cost.blockSize > 0 && cost.parallel > 0 && cost.parallel <= 4
  if (!isPossible || 128 * 2 ** cost.logN * cost.blockSize >= MAX_MEMORY_BYTES) return undefined
  return { cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
