// What this gateway knows of all gateways of its books, in memory and on its own disk: how often PostgreSQL answered each of them. A PostgreSQL that knows of fewer
// answers was restored from a backup, or took over without the last commits.

import type { Log } from '#core/log.ts'
import type { OwnBooks, Sighting } from '#fleet/membership.ts'

/** A gateway that has to join before a restored PostgreSQL lends anything. */
type AwaitedGateway = { readonly id: string; readonly place: string }

const MAX_NAMED = 10

export class Sightings {
  readonly #own: Pick<OwnBooks, 'sightings' | 'keepSightings'>
  readonly #log: Log
  readonly #rows: Map<string, Sighting>
  /** Not on disk yet. */
  #changed = new Map<string, Sighting>()
  #awaited: readonly AwaitedGateway[] | undefined

  constructor(own: Pick<OwnBooks, 'sightings' | 'keepSightings'>, log: Log) {
    this.#own = own
    this.#log = log
    this.#rows = new Map(own.sightings.map((row) => [row[0], row]))
  }

  get rows(): readonly Sighting[] {
    return [...this.#rows.values()]
  }

  /** Whether this process knows all gateways since before PostgreSQL is restored, should that happen now: then it can say which ones were not answered since. */
  get isWitness(): boolean {
    return this.#awaited?.length === 0
  }

  /** Takes over what `beat` or `join_fleet` answered; tables that an earlier program made answer nothing of it. */
  answered(seen: unknown, awaited: unknown): void {
    for (const row of (seen ?? []) as readonly Sighting[]) {
      this.#rows.set(row[0], row)
      this.#changed.set(row[0], row)
    }
    this.#await((awaited ?? []) as readonly AwaitedGateway[])
  }

  /** Puts on disk what changed. Rejects where the disk does not take it, and then it is tried again. */
  async keep(): Promise<void> {
    const changed = this.#changed
    if (changed.size === 0) return
    this.#changed = new Map()
    try {
      await this.#own.keepSightings([...changed.values()])
    } catch (error) {
      this.#changed = new Map([...changed, ...this.#changed])
      throw error
    }
  }
  #await(awaited: readonly AwaitedGateway[]): void {
    const before = this.#awaited ?? []
    this.#awaited = awaited
    if (awaited.map(({ id }) => id).join() === before.map(({ id }) => id).join()) return
    const line =
      awaited.length === 0
        ? 'Every gateway has reported since the restore: credits are lent again.'
        : waitingLine(awaited)
    this.#log(line, { event: 'fleet_awaited', level: awaited.length === 0 ? 'info' : 'warning' })
  }
}

function waitingLine(awaited: readonly AwaitedGateway[]): string {
  const named = awaited.slice(0, MAX_NAMED).map(({ id, place }) => `${place} (${id})`)
  const more = awaited.length > MAX_NAMED ? ` and ${awaited.length - MAX_NAMED} more` : ''
  return `The shared database was restored from a backup, so it lends no credits until these gateways have joined: ${named.join(', ')}${more}. Start them, or declare lost ones with \`farebox fleet settle ID\`.`
}
