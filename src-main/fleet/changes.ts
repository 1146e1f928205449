// Changes of the catalogue that all gateways make in one order: those of this one are accepted by PostgreSQL first, and those of the others are made here
// as soon as they are heard of.

import type { CatalogContext } from '#catalog/context.ts'
import { followShared, wholeCatalog } from '#catalog/follow.ts'
import type { SharedBooks, SharedChange } from '#catalog/shared.ts'
import { takeTurns } from '#catalog/turns.ts'
import { FleetRefused } from '#core/fleet.ts'
import { FleetUnreachable } from '#fleet/connection.ts'
import { amountsOf } from '#fleet/membership.ts'
import type { Seat } from '#fleet/seat.ts'

export type ChangesOptions = {
  readonly seat: Seat
  readonly failed: (error: unknown) => void
}

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
    const catalog = this.#context?.catalog
    const entity = catalog?.package(catalog.key(keyId)?.packageId ?? '')
    return entity === undefined || entity.type === 'unlimited' ? undefined : entity.creditsMicro
  }

  async make(change: SharedChange, locally: () => Promise<void>): Promise<void> {
    const { seat, failed } = this.#options
    const problem = await seat
      .inTurn(async () => {
        const version = await this.#publish(change)
        if (version === undefined) return 'overtaken' as const
        await locally()
        await seat.noteVersion(version)
        return undefined
      })
      .catch((error: unknown) => {
        if (error instanceof FleetUnreachable) return 'unreachable' as const
        throw error
      })
    if (problem === 'overtaken') setImmediate(() => void this.follow().catch(failed))
    if (problem !== undefined) throw new FleetRefused(problem)
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
        const version = await this.#publish(change)
        // The others are told once this gateway knows what they know.
        if (version === undefined) return
        this.#untold.shift()
        await seat.noteVersion(version)
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
    // Each is what another gateway's `publish` was given.
    const followed = changes.map(({ version, body }) => ({ version, change: body as SharedChange }))
    // Calls that wait for a lease need not wait for this disk too.
    await followShared(context, followed, (version) => seat.noteVersion(version))
    return hasMore
  }

  /** The first gateway of a fleet brings its catalogue and its balances. In the turn of its seat. */
  async bring(): Promise<void> {
    const context = this.#context
    if (context === undefined || context.catalog.isFresh) return
    const { seat } = this.#options
    const version = await seat.patiently(() => this.#publish(wholeCatalog(context)))
    if (version !== undefined) await seat.noteVersion(version)
  }

  /** The version that the change has now; undefined where another change came first. */
  async #publish(change: SharedChange): Promise<number | undefined> {
    const { seat } = this.#options
    const ledger = this.#context?.ledger
    if (ledger === undefined) return undefined
    const openings = change.openings.flatMap(([keyId, cycle, , granted, used, , , type]) =>
      type === 'unlimited' ? [] : [[keyId, cycle, granted, used]],
    )
    const amounts = amountsOf(change, ledger, (keyId) => this.baseOf(keyId))
    const texts = [JSON.stringify(change), JSON.stringify(openings), JSON.stringify(amounts)]
    const { error, version } = await seat.say('publish', [seat.version, ...texts])
    return error === undefined ? Number(version) : undefined
  }
}
