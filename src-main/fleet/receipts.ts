// Receipts of calls that another gateway served. Whoever looks for one asks all the others by a notice, and the one that has it puts it into PostgreSQL for a moment.

import type { After } from '#core/wait-queue.ts'
import { FleetUnreachable } from '#fleet/connection.ts'
import type { Seat } from '#fleet/seat.ts'

export type ReceiptsOptions = {
  readonly seat: Seat
  readonly after: After
}

type Search = { readonly receipt: Promise<unknown>; readonly tell: (receipt: unknown) => void }

/** For so long the others are waited for, in milliseconds. */
const WAIT_MS = 1000
/** More calls than this are never looked for at a time. */
const MAX_SEARCHES = 100

export class SharedReceipts {
  readonly #options: ReceiptsOptions
  readonly #searches = new Map<string, Search>()
  /** Reads a receipt of this gateway; undefined where it has none. */
  #own: (id: string) => Promise<unknown> = async () => undefined

  constructor(options: ReceiptsOptions) {
    this.#options = options
  }

  /** From now on the others are told of receipts of this gateway. */
  show(own: (id: string) => Promise<unknown>): void {
    this.#own = own
  }

  /** The receipt of a call of another gateway, as that one has it stored; undefined where none says in time that it has it. */
  async find(id: string): Promise<unknown> {
    const running = this.#searches.get(id)
    if (running !== undefined) return running.receipt
    if (this.#searches.size >= MAX_SEARCHES) return undefined
    const { seat, after } = this.#options
    const { promise: receipt, resolve: tell } = Promise.withResolvers<unknown>()
    const cancel = after(WAIT_MS, () => tell(undefined))
    this.#searches.set(id, { receipt, tell })
    try {
      await seat.inTurn(() => seat.say('ask_receipt', [id]))
      return await receipt
    } catch (error) {
      tell(undefined)
      if (error instanceof FleetUnreachable) return undefined
      throw error
    } finally {
      cancel()
      this.#searches.delete(id)
    }
  }

  /** A gateway looks for a receipt: this one too, if it looks for it itself. */
  async lookedFor(id: string): Promise<void> {
    const { seat } = this.#options
    const receipt = this.#searches.has(id) ? undefined : await this.#own(id)
    if (receipt !== undefined) await seat.inTurn(() => seat.say('tell_receipt', [id, JSON.stringify(receipt)]))
  }

  /** A gateway has put a receipt into PostgreSQL. */
  async found(id: string): Promise<void> {
    const search = this.#searches.get(id)
    if (search === undefined) return
    const { seat } = this.#options
    const { body } = await seat.inTurn(() => seat.say('told_receipt', [id]))
    if (body !== undefined) search.tell(body)
  }
}
