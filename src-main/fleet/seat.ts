// This gateway's seat among those that share their books: the name and the epoch by which it speaks, and when it was last heard. Everything that
// PostgreSQL is asked is asked in turn, so that after a lost connection one look at it tells where this gateway stands.

import { takeTurns } from '#catalog/turns.ts'
import type { LimitParts } from '#core/limit-parts.ts'
import { Connection, FleetUnreachable, type Answer, type MadeChange, type Value } from '#fleet/connection.ts'
import type { Sum } from '#fleet/lease-book.ts'
import { CannotJoin, EarlierBooks, refuseForeign, type FleetOptions, type OwnNote } from '#fleet/membership.ts'
import type { RecentFigures } from '#fleet/recent-calls.ts'
import { Sightings } from '#fleet/sightings.ts'
import type { BudgetsTelling, JoinedBudgets } from '#fleet/budget-share.ts'

/** For this long after PostgreSQL was last heard of calls are let in, in milliseconds. */
const TERM_MS = 60_000
/** A lost connection is made anew within this, where nothing is wrong with PostgreSQL; in milliseconds. */
const MOMENT_MS = 2000
/** A call that was let in within the term, and a little for what is slow. */
const GRACE_MS = TERM_MS + 30_000

const WHOLE = { of: 1, rank: 0 } as const

/** What PostgreSQL has of this gateway. */
export type Joined = {
  /** The last entry of its own books, of which PostgreSQL has all up to `shipped`. */
  readonly lastEntry: number
  readonly shipped: number
  readonly leases: readonly Sum[]
  /** undefined where it holds to its part of days and months. */
  readonly budgets?: JoinedBudgets | undefined
  /** How often it told what its calls of some hours add up to. */
  readonly usageSeq: number
  /** Of the catalogue; 0 where nobody has brought one. */
  readonly version: number
}

/** What a gateway does when it has joined, and what it does instead where PostgreSQL is in an earlier state: in the turn of the seat. */
export type Arrival = {
  readonly take: (joined: Joined) => Promise<void>
  /** Tells what only this gateway knows; says whether nothing of it runs any more. */
  readonly part: (joined: Joined) => Promise<boolean>
}

/** What the others have by now: the version of the catalogue, and how often each of them told what its calls of some hours add up to. */
export type Heard = {
  readonly version: number
  readonly usage: Readonly<Record<string, number>>
  /** How often secrets were changed, and anything was noted; undefined where the tables know of none. */
  readonly secrets: number | undefined
  readonly notes: number | undefined
}

type Moment = { readonly monotonicMs: number; readonly wallMs: number }

type SeatOptions = Pick<
  FleetOptions,
  'url' | 'password' | 'place' | 'program' | 'longestCallMs' | 'own' | 'log' | 'monotonicMs' | 'nowMs'
> & {
  readonly onNotice: (text: string) => void
  /** Also where its leases were taken back, or somebody else is this gateway now. */
  readonly onLost: () => void
  /** What it charged by the day and the month, where it shares these exactly. */
  readonly telling: () => BudgetsTelling | undefined
}

export class Seat {
  readonly #options: SeatOptions
  readonly #connection: Connection
  readonly #inTurn = takeTurns()
  #note: OwnNote
  /** undefined while it has not joined. */
  #epoch: number | undefined
  /** undefined before it first joined. */
  #heardAt: Moment | undefined
  /** When it joined last, or ceased to be joined; undefined before it first joined. */
  #turnedAtMs: number | undefined
  /** How often PostgreSQL answered this gateway, by the last answer to this process. */
  #heard: number | undefined
  readonly sightings: Sightings
  #parts: LimitParts | undefined
  #budgetParts: LimitParts | undefined

  constructor(options: SeatOptions) {
    const { url, password, onNotice } = options
    this.#options = options
    this.#note = options.own.note
    this.sightings = new Sightings(options.own, options.log)
    this.#connection = new Connection({ url, password, onNotice, onLost: () => this.lose() })
  }

  get gatewayId(): string {
    return this.#note.gatewayId
  }

  get booksId(): string | undefined {
    return this.#note.booksId
  }

  /** Of the catalogue that this gateway has. */
  get version(): number {
    return this.#note.version
  }

  get isTaken(): boolean {
    return this.#epoch !== undefined
  }

  /** Whether it joined, or ceased to be joined, a moment ago: what cannot be asked now can be asked soon, unless PostgreSQL is gone. */
  get isUnsteady(): boolean {
    return this.#turnedAtMs !== undefined && this.#options.monotonicMs() - this.#turnedAtMs < MOMENT_MS
  }

  get hasEverJoined(): boolean {
    return this.#heardAt !== undefined
  }

  /** Which part of limits it has; undefined where it is the only one. */
  get parts(): LimitParts | undefined {
    return this.#parts
  }

  /** The same of days and months of members and projects: all of them where every gateway that counts shares them exactly. */
  get budgetParts(): LimitParts | undefined {
    return this.#budgetParts
  }

  /** Whether PostgreSQL was heard of lately enough for calls to be let in. */
  get isServing(): boolean {
    const { monotonicMs, nowMs } = this.#options
    const heard = this.#heardAt
    // A machine that slept has a monotonic clock that may have slept with it.
    return (
      heard !== undefined &&
      monotonicMs() - heard.monotonicMs < TERM_MS &&
      Math.abs(nowMs() - heard.wallMs) < 2 * TERM_MS
    )
  }

  /** Does what asks PostgreSQL when all that asked before is done. Rejects with FleetUnreachable while this gateway has not joined. */
  inTurn<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.#inTurn(() => {
      if (this.#epoch === undefined) throw new FleetUnreachable(undefined)
      return work(this.#connection)
    })
  }

  /** Calls a function of the schema as this gateway, in its turn. Rejects with FleetUnreachable, also where it is not this gateway any more. */
  async say(name: string, values: readonly Value[]): Promise<Answer> {
    const answer = await this.#connection.call(name, [this.#note.gatewayId, this.#epoch ?? 0, ...values])
    if (answer.error === 'superseded') {
      this.lose()
      throw new FleetUnreachable(answer.error)
    }
    return answer
  }

  /** What brings very much, as one transaction. In its turn. */
  together<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#connection.patiently(() => this.#connection.together(work))
  }

  /** As the connection's. In its turn. */
  changeAt(version: number): Promise<MadeChange | undefined> {
    return this.#connection.changeAt(version)
  }

  /** Says that this gateway is there; what the others have by now. In its turn. */
  async beat(figures: RecentFigures): Promise<Heard> {
    const sentAt = this.#now()
    const { version, parts, divided, usage, secrets, notes, heard, seen, awaited } = await this.say('beat', [
      this.version,
      this.#grace,
      JSON.stringify(figures),
    ])
    if (Number(heard) <= (this.#heard ?? 0)) {
      // Its tables were restored under a connection that holds: what is leased there is not what is leased here.
      this.lose()
      throw new FleetUnreachable(undefined)
    }
    this.#heardAt = sentAt
    this.#heard = Number(heard)
    this.sightings.answered(seen, awaited)
    this.#hearParts(parts, divided)
    // What `beat` answers; one that an earlier program made says nothing of usage.
    const seqOf = (seq: unknown) => (seq === undefined ? undefined : Number(seq))
    const told = { secrets: seqOf(secrets), notes: seqOf(notes) }
    return { version: Number(version), usage: (usage ?? {}) as Heard['usage'], ...told }
  }

  /**
   * Connects and joins. `take` is given what PostgreSQL has of this gateway, before anybody else asks it anything. Rejects with
   * FleetUnreachable, and with CannotJoin where these are not its books.
   */
  join(hasCatalog: boolean, { take, part }: Arrival): Promise<void> {
    return this.#inTurn(async () => {
      await this.#connection.open()
      const { own, place, program } = this.#options
      const lastEntry = await own.lastEntry()
      const sentAt = this.#now()
      const telling = this.#options.telling()
      const exact = telling === undefined ? null : JSON.stringify(telling)
      const known = [JSON.stringify(this.sightings.rows), String(this.sightings.isWitness)]
      const values = [this.gatewayId, place, program, lastEntry, this.#grace, this.booksId ?? null, exact, ...known]
      const answer = await this.#connection.call('join_fleet', values)
      try {
        refuseForeign(answer, this.#note, hasCatalog)
        await this.#refuseOther()
      } catch (error) {
        // It has nothing there, and nobody is to wait for it or to leave it a part of a limit.
        const isNew = this.#note.booksId === undefined && answer.epoch !== undefined
        // A copy of a folder from before it joined has the name of one that has charged something: that one stays, and has ended.
        for (const name of isNew ? ['leave_fleet', 'forget'] : [])
          await this.#connection.call(name, [this.gatewayId, Number(answer.epoch)])
        if (error instanceof EarlierBooks) await this.#part(answer, part, lastEntry)
        throw error
      }
      // Before anything is brought: whoever has brought something belongs to these books.
      await this.#keep({ ...this.#note, booksId: String(answer.books) })
      this.sightings.answered(answer.seen, answer.awaited)
      this.sightings.answered([[this.gatewayId, Number(answer.heard), place, sentAt.wallMs]], answer.awaited)
      await this.sightings.keep()
      this.#epoch = Number(answer.epoch)
      try {
        await take(joinedBy(answer, lastEntry))
      } catch (error) {
        // Nobody is to wait for it, or to leave it a part of a limit.
        if (error instanceof CannotJoin) await this.say('leave_fleet', []).catch(() => undefined)
        this.#epoch = undefined
        throw error
      }
      this.#heardAt = sentAt
      this.#heard = Number(answer.heard)
      this.#turnedAtMs = this.#options.monotonicMs()
      this.#hearParts(answer.parts, answer.divided)
    })
  }

  async noteVersion(version: number, mark: string | undefined): Promise<void> {
    await this.#keep({ ...this.#note, version, mark })
  }

  /** Throws EarlierBooks where the catalogue has come to the version of this gateway by other changes. */
  async #refuseOther(): Promise<void> {
    const { version, mark } = this.#note
    if (version === 0) return
    const change = await this.#connection.changeAt(version)
    if (change === undefined || (mark !== undefined && mark !== change.mark)) throw new EarlierBooks()
    if (mark === undefined) await this.noteVersion(version, change.mark)
  }

  /** Nobody else has what it charged. */
  async #part(answer: Answer, part: Arrival['part'], lastEntry: number): Promise<void> {
    this.#epoch = Number(answer.epoch)
    try {
      if (await part(joinedBy(answer, lastEntry))) await this.say('leave_fleet', [])
    } finally {
      this.#epoch = undefined
    }
  }

  /** What was said by this epoch may not have been heard: it joins anew. */
  lose(): void {
    if (this.#epoch !== undefined && this.hasEverJoined) this.#turnedAtMs = this.#options.monotonicMs()
    this.#epoch = undefined
    this.#options.onLost()
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  async #keep(note: OwnNote): Promise<void> {
    this.#note = note
    await this.#options.own.keepNote(note)
  }

  #hearParts(answer: unknown, divided: unknown): void {
    this.#parts = partsIn(answer)
    this.#budgetParts = wholeWhere(this.#parts, divided as Divided | null | undefined)
  }

  get #grace(): string {
    return `${GRACE_MS + this.#options.longestCallMs} ms`
  }

  #now(): Moment {
    const { monotonicMs, nowMs } = this.#options
    return { monotonicMs: monotonicMs(), wallMs: nowMs() }
  }
}

/** What `parts_of` answers; tables that a later program made may answer nothing. */
function partsIn(answer: unknown): LimitParts | undefined {
  const parts = answer as LimitParts | undefined
  return parts !== undefined && parts.month.of > 1 ? parts : undefined
}

/** Where anybody who counts holds to a part of it; nothing is said to a gateway that does so itself. */
type Divided = { readonly day: boolean; readonly month: boolean }

function wholeWhere(parts: LimitParts | undefined, divided: Divided | null | undefined): LimitParts | undefined {
  if (parts === undefined || !divided) return parts
  return { ...parts, day: divided.day ? parts.day : WHOLE, month: divided.month ? parts.month : WHOLE }
}

function joinedBy(answer: Answer, lastEntry: number): Joined {
  const { shipped, version, usage_seq: usageSeq } = answer
  return {
    lastEntry,
    shipped: Number(shipped),
    version: Number(version),
    leases: leasesIn(answer),
    // As `budgets_of` answers it.
    budgets: answer.budgets as JoinedBudgets | undefined,
    usageSeq: Number(usageSeq ?? 0),
  }
}

function leasesIn({ leases }: Answer): Sum[] {
  type Row = { readonly key: string; readonly cycle: number; readonly amount: number }
  return (leases as readonly Row[]).map(({ key, cycle, amount }) => [key, cycle, amount])
}
