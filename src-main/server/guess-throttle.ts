// Slows down whoever tries keys from another machine. An address that showed too many keys that are none is refused for a while before
// anything is hashed or looked up. On this machine all programs share an address, and one with an old key must not lock out the rest.

import { isLoopback } from '#core/loopback.ts'
import { refuse, type Refusal } from '#core/refusal.ts'

/** Wrong keys that are free, and the time in which one of them is forgiven. A tool with an old key stays below for some minutes. */
const FREE = 30
const FORGIVEN_MS = 2000
const MOST_ADDRESSES = 10_000

type Entry = { wrong: number; atMs: number }

export class GuessThrottle {
  readonly #monotonicMs: () => number
  /** In the order of their last wrong key. */
  readonly #entries = new Map<string, Entry>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** A refusal for an address that has guessed too often; nothing about the key was looked at. */
  check(address: string | undefined): Refusal | undefined {
    const entry = this.#entries.get(networkOf(address))
    if (entry === undefined) return undefined
    const over = this.#standing(entry) - FREE
    if (over <= 0) return undefined
    const retryAfterSeconds = Math.max(1, Math.ceil((over * FORGIVEN_MS) / 1000))
    const message = `Too many wrong keys came from your machine. Retry in ${retryAfterSeconds} s.`
    return refuse('rate_limited', message, { retryAfterSeconds })
  }

  /** Notes a key that is none. */
  wrong(address: string | undefined): void {
    const network = networkOf(address)
    if (network === '' || isLoopback(network)) return
    const known = this.#entries.get(network)
    const wrong = (known === undefined ? 0 : this.#standing(known)) + 1
    this.#entries.delete(network)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= MOST_ADDRESSES && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(network, { wrong, atMs: this.#monotonicMs() })
  }

  #standing({ wrong, atMs }: Entry): number {
    return Math.max(0, wrong - (this.#monotonicMs() - atMs) / FORGIVEN_MS)
  }
}

/** A machine has as many IPv6 addresses as it likes, all of which begin with the same four groups. */
function networkOf(address = ''): string {
  if (!address.includes(':') || /^::(1$|ffff:)/.test(address)) return address
  const [before = '', after] = address.replace(/%.*$/, '').split('::')
  const first = before.split(':').filter((group) => group !== '')
  const last = after === undefined ? [] : after.split(':').filter((group) => group !== '')
  const zeros =
    after === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
