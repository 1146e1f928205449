// Tells PostgreSQL what this gateway charged, from its own books and by the numbers of their entries, and gives back what it does not need.

import { FleetUnreachable } from '#fleet/connection.ts'
import type { Lease, LeaseBook, Sum } from '#fleet/lease-book.ts'
import type { LeaseQueue } from '#fleet/lease-queue.ts'
import type { OwnBooks, OwnCharges } from '#fleet/membership.ts'
import type { Joined, Seat } from '#fleet/seat.ts'

/** So many entries are told in one batch, and fewer where batches do not arrive: every batch locks the accounts that it is about. */
const MAX_ENTRIES = 5000
const MIN_ENTRIES = 50
/** So many leases are given back in one batch. */
const MAX_HANDED = 1000

/**
 * `lately`: as far as it is in the tables, which costs nothing, and the rest within a second. `all`: everything, because another gateway waits for it.
 * `end`: everything, and all leases go.
 */
type How = 'lately' | 'all' | 'end'
type Shipment = { readonly upTo: number; readonly sums: readonly Sum[] }

export type ShippingOptions = {
  readonly seat: Pick<Seat, 'inTurn' | 'say' | 'lose'>
  readonly own: Pick<OwnBooks, 'chargedAfter' | 'chargedLately'>
  readonly book: LeaseBook
  readonly queue: Pick<LeaseQueue, 'isCountedOn'>
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
  /** Entries in the next batch. */
  #most = MAX_ENTRIES
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
      const { upTo, sums } = await own.chargedAfter({ seq, last: told, most: MAX_ENTRIES })
      for (const sum of sums) untold.push(sum)
      seq = upTo
    }
    book.untold(untold)
    this.#told = shipped
    this.#hasCharges = true
    this.#isNew = true
  }

  /** Tells what was charged since the last time, and gives back what is idle or wanted. */
  async ship(how: How): Promise<void> {
    if (how === 'end') this.#hasCharges = true
    let isAll = false
    while (!isAll) isAll = await this.#options.seat.inTurn(() => this.#shipNext(how))
  }

  /** Tells everything and gives back what no call holds. In the turn of the seat. */
  async shipRest(): Promise<void> {
    this.#hasCharges = true
    while (!(await this.#shipNext('end')));
  }

  /** Says whether there is nothing more to tell. */
  async #shipNext(how: How): Promise<boolean> {
    const { upTo, sums, isAll } = await this.#untold(how)
    // Only now, since what is taken out of the book has to arrive: of what is read above it knows meanwhile.
    const handed = this.#takeIdle(how)
    const isAllHanded = handed.length < MAX_HANDED
    if (isAllHanded) this.#wanted.clear()
    // Entries without charges are told too where there are many, so that those after them are reached.
    if (sums.length === 0 && handed.length === 0 && isAll && !this.#isNew) return true
    await this.#send({ upTo, sums }, handed)
    this.#isNew = !isAll
    return isAll && isAllHanded
  }

  /** The next charges to tell. Rejects where the own books cannot be read, and then they are to be told still. */
  async #untold(how: How): Promise<OwnCharges> {
    const { own } = this.#options
    const range = { seq: this.#told ?? 0, most: this.#most }
    if (!this.#hasCharges) return { upTo: range.seq, sums: [], isAll: true }
    this.#hasCharges = false
    try {
      const { isCurrent, ...charges } =
        how === 'lately' ? await own.chargedLately(range) : { ...(await own.chargedAfter(range)), isCurrent: true }
      if (!charges.isAll || !isCurrent) this.#hasCharges = true
      return charges
    } catch (error) {
      this.#hasCharges = true
      throw error
    }
  }

  #takeIdle(how: How): Sum[] {
    const { book, queue } = this.#options
    const isEnd = how === 'end'
    const isWanted = ({ keyId }: Lease) => isEnd || this.#wanted.has(keyId)
    return book.takeIdle(isWanted, (lease) => !isEnd && queue.isCountedOn(lease), MAX_HANDED)
  }

  async #send(shipment: Shipment, handed: readonly Sum[]): Promise<void> {
    const { seat } = this.#options
    const { upTo, sums } = shipment
    this.#sent = shipment
    const amounts = [JSON.stringify(sums), JSON.stringify(handed)]
    const answer = await seat.say('ship', [this.#told ?? 0, upTo, ...amounts]).catch((error: unknown) => {
      // It may have taken too long, and would do so again.
      this.#most = Math.max(MIN_ENTRIES, Math.floor(this.#most / 4))
      throw error
    })
    if (answer.error !== undefined) {
      seat.lose()
      throw new FleetUnreachable(answer.error)
    }
    this.#most = Math.min(MAX_ENTRIES, this.#most * 2)
    this.#arrived(shipment)
  }

  #arrived({ upTo, sums }: Shipment): void {
    this.#sent = undefined
    this.#told = upTo
    this.#options.book.told(sums)
    for (const [keyId] of sums) this.#options.changed(keyId)
  }
}
