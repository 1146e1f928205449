// Slows down whoever tries keys from another machine. Of one source so many that are none are answered as what they are, and then no
// more than one every other second. A key that is one is never asked about here: behind one address there may be a whole office, and
// nobody finds a key of 190 random bits however fast they try. On this machine all programs share an address, and are not counted.

import { isLoopback } from '#core/loopback.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { sourceOf } from '#core/source.ts'

/** Wrong keys that are free, and the time in which one of them is forgiven. A tool with an old key stays below for some minutes. */
const FREE = 30
const FORGIVEN_MS = 2000
const MAX_SOURCES = 10_000

type Guesses = { wrong: number; atMs: number }

export class GuessThrottle {
  readonly #monotonicMs: () => number
  /** In the order of their last wrong key. */
  readonly #entries = new Map<string, Guesses>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** Notes a key that is none. Answers a refusal where its source has shown too many already. */
  wrong(address = ''): Refusal | undefined {
    const source = sourceOf(address)
    if (source === '' || isLoopback(source)) return undefined
    const known = this.#entries.get(source)
    const wrong = (known === undefined ? 0 : this.#standing(known)) + 1
    if (wrong > FREE) return tooMany((wrong - FREE) * FORGIVEN_MS)
    this.#entries.delete(source)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= MAX_SOURCES && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(source, { wrong, atMs: this.#monotonicMs() })
    return undefined
  }

  #standing({ wrong, atMs }: Guesses): number {
    return Math.max(0, wrong - (this.#monotonicMs() - atMs) / FORGIVEN_MS)
  }
}

function tooMany(waitMs: number): Refusal {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  const message = `Too many wrong keys came from your machine. Retry in ${retryAfterSeconds} s.`
  return refuse('rate_limited', message, { retryAfterSeconds })
}
