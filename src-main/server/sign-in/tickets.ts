// Tickets: each signs the owner of this machine in once, within a minute. They are handed out to whoever can prove to be the owner,
// the tray and the command line. Only their hashes are kept, in memory.

import { hash } from 'node:crypto'
import { OPEN_PAGE_LIFE_MS } from '#core/open-page.ts'

/** More than anybody can use within a minute; the oldest go. */
const MAX_TICKETS = 100
const TICKET_BYTES = 32

type TicketsDeps = {
  readonly monotonicMs: () => number
  readonly randomBytes: (length: number) => Uint8Array
}

export class Tickets {
  readonly #deps: TicketsDeps
  /** When each ends, by its hash, oldest first. The clock cannot be set back. */
  readonly #ends = new Map<string, number>()

  constructor(deps: TicketsDeps) {
    this.#deps = deps
  }

  /** A new ticket, and for how long it is good. */
  make(): { readonly ticket: string; readonly lifeMs: number } {
    const ticket = Buffer.from(this.#deps.randomBytes(TICKET_BYTES)).toString('base64url')
    this.#ends.set(hashOf(ticket), this.#deps.monotonicMs() + OPEN_PAGE_LIFE_MS)
    for (const old of this.#ends.keys()) {
      if (this.#ends.size <= MAX_TICKETS) break
      this.#ends.delete(old)
    }
    return { ticket, lifeMs: OPEN_PAGE_LIFE_MS }
  }

  /** Whether it is good. It is not any more afterwards, however this ends. */
  redeem(ticket: string): boolean {
    const key = hashOf(ticket)
    const endsMs = this.#ends.get(key)
    this.#ends.delete(key)
    return endsMs !== undefined && this.#deps.monotonicMs() < endsMs
  }
}

function hashOf(ticket: string): string {
  return hash('sha256', ticket, 'base64url')
}
