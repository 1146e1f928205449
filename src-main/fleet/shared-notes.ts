// What gateways note for each other in PostgreSQL: the last word on each thing. Those that a gateway cannot tell at once it tells when it can.

import { FleetRefused } from '#core/fleet.ts'
import { FleetUnreachable } from '#fleet/connection.ts'
import { pagesAfter } from '#fleet/pages-after.ts'
import type { Seat } from '#fleet/seat.ts'

/** `body` is JSON; null for what was taken away. */
export type Note = { readonly kind: string; readonly id: string; readonly body: unknown }
/** `isOnce`: what was taken away does not come back. */
export type OwnNotice = Note & { readonly isOnce: boolean }
type Listener = (notes: readonly Note[]) => void

/** So many in one message: what others ask meanwhile waits for it. */
const PAGE = 500
/** More than this is not kept to be told later, but for what is taken away, nor for who may listen later. */
const MAX_WAITING = 10_000
const MAX_UNHEARD = 10_000

export class SharedNotes {
  readonly #seat: Seat
  readonly #listeners = new Map<string, Listener>()
  /** The last word of kinds that nobody listens to yet. */
  readonly #unheard = new Map<string, Note>()
  readonly #waiting = new Map<string, OwnNotice>()
  #seen = 0

  constructor(seat: Seat) {
    this.#seat = seat
  }

  /** From now on it is given the notes of a kind, also those of this gateway, as often as they are read. */
  listen(kind: string, listener: Listener): void {
    this.#listeners.set(kind, listener)
    listener([...this.#unheard.values()].filter((note) => note.kind === kind))
    for (const [name, note] of this.#unheard) if (note.kind === kind) this.#unheard.delete(name)
  }

  /** Tells the others now, or as soon as they can be told. Resolves when that was tried. */
  async tell(note: OwnNotice): Promise<void> {
    if (this.#waiting.size < MAX_WAITING || note.body === null) this.#waiting.set(nameOf(note), note)
    // It is told with the next sign of life then.
    await this.tellRest().catch(() => undefined)
  }

  /** Rejects with FleetUnreachable. */
  async tellRest(): Promise<void> {
    for (const [name, note] of this.#waiting) {
      await this.#put(note)
      if (this.#waiting.get(name) === note) this.#waiting.delete(name)
    }
  }

  /** Has it noted, and heard here in its order. Rejects with FleetRefused where it is not. */
  async put(note: OwnNotice): Promise<void> {
    try {
      await this.#put(note)
      await this.look()
    } catch (error) {
      throw error instanceof FleetUnreachable ? new FleetRefused('unreachable') : error
    }
  }

  /** In the turn of the seat, when it joined. */
  joined(): Promise<void> {
    return this.#takeAfter(0)
  }

  /** How often anything was noted by now. Rejects with FleetUnreachable. */
  async heard(seq: number): Promise<void> {
    await this.tellRest()
    if (seq !== this.#seen) await this.#lookAfter(seq < this.#seen ? 0 : this.#seen)
  }

  /** Reads what is new. Rejects with FleetUnreachable. */
  look(): Promise<void> {
    return this.#lookAfter(this.#seen)
  }

  async #put({ kind, id, body, isOnce }: OwnNotice): Promise<void> {
    const what = body === null ? null : JSON.stringify(body)
    await this.#seat.inTurn(() => this.#seat.say('put_note', [kind, id, what, String(isOnce)]))
  }

  #lookAfter(seen: number): Promise<void> {
    return this.#seat.inTurn(() => this.#takeAfter(seen))
  }

  async #takeAfter(after: number): Promise<void> {
    for await (const { rows, seen } of pagesAfter<NoteRow>(this.#seat, 'notes_after', { seen: after, size: PAGE })) {
      this.#take(rows.map(([kind, id, body]) => ({ kind, id, body })))
      this.#seen = seen
    }
  }

  #take(notes: readonly Note[]): void {
    const byKind = Map.groupBy(notes, ({ kind }) => kind)
    for (const [kind, some] of byKind) {
      const listener = this.#listeners.get(kind)
      if (listener === undefined) this.#keep(some)
      else listener(some)
    }
  }

  #keep(notes: readonly Note[]): void {
    for (const note of notes) {
      const name = nameOf(note)
      this.#unheard.delete(name)
      this.#unheard.set(name, note)
    }
    for (const name of this.#unheard.keys()) {
      if (this.#unheard.size <= MAX_UNHEARD) break
      this.#unheard.delete(name)
    }
  }
}

type NoteRow = readonly [kind: string, id: string, body: unknown, seq: number]

/** Kinds have no spaces. */
function nameOf({ kind, id }: Note): string {
  return `${kind} ${id}`
}
