// Tells PostgreSQL what this gateway charged, from its own books and by the numbers of their entries, and gives back what it does not need.

import { FleetUnreachable } from '#fleet/connection.ts'
import type { Lease, LeaseBook, Sum } from '#fleet/lease-book.ts'
import type { LeaseQueue } from '#fleet/lease-queue.ts'
import type { OwnBooks } from '#fleet/membership.ts'
import type { Joined, Seat } from '#fleet/seat.ts'

type Shipment = { readonly upTo: number; readonly sums: readonly Sum[] }

export type ShippingOptions = {
  readonly seat: Seat
  readonly own: OwnBooks
  readonly book: LeaseBook
  readonly queue: LeaseQueue
  /** Told when something came back to the lease of a key. */
  readonly changed: (keyId: string) => void
}

export class Shipping {
  readonly #options: ShippingOptions
  readonly #wanted = new Set<string>()
  /** The last entry of which the book of leases knows that PostgreSQL has it; undefined before it first joined. */
  #told: number | undefined
  /** What was sent and not answered. */
  #sent: Shipment | undefined
  #hasCharges = false
  /** PostgreSQL does not know yet that what it has is all that there was when this gateway joined. */
  #isNew = true

  constructor(options: ShippingOptions) {
    this.#options = options
  }

  /** There is something to tell. */
  charged(): void {
    this.#hasCharges = true
  }

  /** Another gateway lacks what this one may have of the balance of a key. */
  want(keyId: string): void {
    this.#wanted.add(keyId)
  }

  /** Goes on from what PostgreSQL has: less than it said before, where it fell over to a standby without its last commits. */
  async joined({ lastEntry, shipped }: Joined): Promise<void> {
    if (this.#sent?.upTo === shipped) this.#arrived(this.#sent)
    this.#sent = undefined
    // Charges of an earlier process that were not told are in the leases that it left.
    const told = this.#told ?? lastEntry
    const { own, book } = this.#options
    const untold: Sum[] = []
    for (let seq = shipped; seq < told;) {
      const { upTo, sums } = await own.chargedAfter(seq, told)
      for (const sum of sums) untold.push(sum)
      seq = upTo
    }
    book.untold(untold)
    this.#told = shipped
    this.#hasCharges = true
    this.#isNew = true
  }

  /** Tells everything that was charged since the last time, and gives back what is idle; at the end of a gateway everything. */
  async ship(isEnd = false): Promise<void> {
    if (isEnd) this.#hasCharges = true
    let isAll = false
    while (!isAll) isAll = await this.#options.seat.inTurn(() => this.#shipNext(isEnd))
  }

  /** Says whether there is nothing more to tell. */
  async #shipNext(isEnd: boolean): Promise<boolean> {
    const { seat, own, book, queue } = this.#options
    const isWanted = ({ keyId }: Lease) => isEnd || this.#wanted.has(keyId)
    const handed = book.takeIdle(isWanted, (lease) => !isEnd && queue.isCountedOn(lease))
    this.#wanted.clear()
    if (!this.#hasCharges && handed.length === 0) return true
    this.#hasCharges = false
    const from = this.#told ?? 0
    const { upTo, sums, isAll } = await own.chargedAfter(from)
    if (!isAll) this.#hasCharges = true
    // Entries without charges are told too where there are many, so that those after them are reached.
    if (sums.length === 0 && handed.length === 0 && isAll && !this.#isNew) return true
    this.#sent = { upTo, sums }
    const answer = await seat.say('ship', [from, upTo, JSON.stringify(sums), JSON.stringify(handed)])
    if (answer.error !== undefined) {
      seat.lose()
      throw new FleetUnreachable(answer.error)
    }
    this.#arrived({ upTo, sums })
    this.#isNew = !isAll
    return isAll
  }

  #arrived({ upTo, sums }: Shipment): void {
    this.#sent = undefined
    this.#told = upTo
    this.#options.book.told(sums)
    for (const [keyId] of sums) this.#options.changed(keyId)
  }
}
