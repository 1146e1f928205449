// Changes of the catalogue that all gateways make in one order: those of this one are accepted by PostgreSQL first, and those of the others are made here
// as soon as they are heard of.

import type { CatalogContext } from '#catalog/context.ts'
import { followShared, inPieces, wholeCatalog } from '#catalog/follow.ts'
import { NO_CHANGE, type SharedBooks, type SharedChange } from '#catalog/shared.ts'
import { takeTurns } from '#catalog/turns.ts'
import { FleetRefused } from '#core/fleet.ts'
import type { After } from '#core/wait-queue.ts'
import { FleetUnreachable } from '#fleet/connection.ts'
import { amountsOf } from '#fleet/membership.ts'
import type { Seat } from '#fleet/seat.ts'

export type ChangesOptions = {
  readonly seat: Seat
  readonly monotonicMs: () => number
  readonly after: After
  readonly failed: (error: unknown) => void
}

type Made = { readonly version: number; readonly mark: string }

/** For so long a change of which the answer was lost is asked about, and so often, in milliseconds. */
const UNSURE_MS = 5000
const ASK_EVERY_MS = 50

export class Changes implements SharedBooks {
  readonly inTurn = takeTurns()
  readonly #options: ChangesOptions
  #context: CatalogContext | undefined
  /** Changes that hold here and that the others do not know. */
  #untold: SharedChange[] = []

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  begin(context: CatalogContext): void {
    this.#context = context
  }

  get hasCatalog(): boolean {
    return this.#context?.catalog.isFresh === false
  }

  /** Of every key of the catalogue. */
  get keyIds(): string[] {
    return this.#context?.catalog.keys.map(({ id }) => id) ?? []
  }

  /** What a cycle of a key begins with, in micro-credits; undefined for a key without a limit. */
  baseOf(keyId: string): number | undefined {
    const entity = this.#packageOf(keyId)
    return entity === undefined || entity.type === 'unlimited' ? undefined : entity.creditsMicro
  }

  /** The same of a key that has more than one cycle. */
  baseOfCycles(keyId: string): number | undefined {
    return this.#packageOf(keyId)?.type === 'topup' ? undefined : this.baseOf(keyId)
  }

  #packageOf(keyId: string) {
    const catalog = this.#context?.catalog
    return catalog?.package(catalog.key(keyId)?.packageId ?? '')
  }

  async make(change: SharedChange, locally: () => Promise<void>): Promise<void> {
    const { failed } = this.#options
    const problem = await this.#makeSurely(change, locally)
    if (problem === 'overtaken') setImmediate(() => void this.follow().catch(failed))
    if (problem !== undefined) throw new FleetRefused(problem)
  }

  /** A change of which the answer was lost is looked for, and made again where PostgreSQL does not have it: whoever asked for it would ask again. */
  async #makeSurely(
    change: SharedChange,
    locally: () => Promise<void>,
  ): Promise<'overtaken' | 'unreachable' | undefined> {
    const { seat, monotonicMs, after } = this.#options
    const untilMs = monotonicMs() + UNSURE_MS
    let isSent = false
    for (;;) {
      try {
        return await seat.inTurn(async () => {
          const made = isSent ? await this.#madeBefore() : undefined
          isSent = true
          const published = made ?? (await this.#publish(change, seat.version))
          if (published === undefined) return 'overtaken' as const
          await locally()
          await seat.noteVersion(published.version, published.mark)
          return undefined
        })
      } catch (error) {
        if (!(error instanceof FleetUnreachable)) throw error
        // A connection that was lost a moment ago is made anew in a moment, unless PostgreSQL is gone.
        if ((!isSent && !seat.isUnsteady) || monotonicMs() > untilMs) return 'unreachable'
        await new Promise<void>((resolve) => void after(ASK_EVERY_MS, resolve))
      }
    }
  }

  /** The change after those that are known here, where this gateway made it. */
  async #madeBefore(): Promise<Made | undefined> {
    const { seat } = this.#options
    const made = await seat.changeAt(seat.version + 1)
    return made?.gatewayId === seat.gatewayId ? made : undefined
  }

  async tell(change: SharedChange): Promise<boolean> {
    this.#untold.push(change)
    // Not in the turn of changes: whoever tells is in it.
    await this.tellRest().catch(() => undefined)
    return this.#untold.length === 0
  }

  /** Tells the others what holds here already. Rejects with FleetUnreachable. */
  async tellRest(): Promise<void> {
    if (this.#untold.length === 0) return
    const { seat } = this.#options
    await seat.inTurn(async () => {
      for (let change = this.#untold[0]; change !== undefined; change = this.#untold[0]) {
        const made = await this.#publish(change, seat.version)
        // The others are told once this gateway knows what they know.
        if (made === undefined) return
        this.#untold.shift()
        await seat.noteVersion(made.version, made.mark)
      }
    })
  }

  /** Makes the changes of other gateways, in turn with those of this one. Rejects with FleetUnreachable. */
  async follow(): Promise<void> {
    const context = this.#context
    if (context === undefined) return
    // What this gateway changes has its turns between the pages.
    while (await this.inTurn(() => this.#followPage(context)));
  }

  /** Says whether there are more. */
  async #followPage(context: CatalogContext): Promise<boolean> {
    const { seat } = this.#options
    const { changes, hasMore } = await seat.inTurn((connection) => {
      const { version: from } = seat
      const asked = () => connection.changesAfter(from)
      // The first one is a whole catalogue.
      return from === 0 ? connection.patiently(asked) : asked()
    })
    const followed = changes.map(({ version, body }) => ({ version, change: changeIn(body) }))
    const marks = new Map(changes.map(({ version, mark }) => [version, mark]))
    // Calls that wait for a lease need not wait for this disk too.
    await followShared(context, followed, (version) => seat.noteVersion(version, marks.get(version)))
    return hasMore
  }

  /** The first gateway of a fleet brings its catalogue and its balances. In the turn of its seat. */
  async bring(): Promise<void> {
    const context = this.#context
    if (context === undefined || context.catalog.isFresh) return
    const { seat } = this.#options
    const pieces = inPieces(wholeCatalog(context))
    const made = await seat.together(async () => {
      let last: Made | undefined
      for (const piece of pieces) {
        last = await this.#publish(piece, last?.version ?? seat.version)
        if (last === undefined) return undefined
      }
      return last
    })
    if (made !== undefined) await seat.noteVersion(made.version, made.mark)
  }

  /** The version that the change has now, after the one that it follows; undefined where another change came first. */
  async #publish(change: SharedChange, after: number): Promise<Made | undefined> {
    const { seat } = this.#options
    const ledger = this.#context?.ledger
    if (ledger === undefined) return undefined
    const openings = change.openings.flatMap(([keyId, cycle, , granted, used, , , type]) =>
      type === 'unlimited' ? [] : [[keyId, cycle, granted, used]],
    )
    const amounts = amountsOf(change, ledger, (keyId) => this.baseOf(keyId))
    const texts = [JSON.stringify(change), JSON.stringify(openings), JSON.stringify(amounts)]
    const { error, version, mark } = await seat.say('publish', [after, ...texts])
    return error === undefined ? { version: Number(version), mark: String(mark) } : undefined
  }
}

/** What another gateway's `publish` was given. What somebody else wrote there is no reason not to make what comes after it. */
function changeIn(body: unknown): SharedChange {
  const lists =
    typeof body === 'object' && body !== null ? Object.entries(body).filter(([, list]) => Array.isArray(list)) : []
  // Its items are what that gateway made.
  return { ...NO_CHANGE, ...(Object.fromEntries(lists) as Partial<SharedChange>) }
}
