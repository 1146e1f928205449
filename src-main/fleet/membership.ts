// What a gateway brings to the books that it shares, and why it may not share them.

import type { SharedChange } from '#catalog/shared.ts'
import type { Log } from '#core/log.ts'
import type { After } from '#core/wait-queue.ts'
import type { Sum } from '#fleet/lease-book.ts'
import type { ExactLimits } from '#fleet/budget-share.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { RecordedCalls } from '#ledger/recorded.ts'
import type { UsageRecord } from '#ledger/rows.ts'

/** What this gateway keeps on its own disk about the books that it shares. */
export type OwnNote = {
  readonly gatewayId: string
  /** Which books; undefined before it first joined any. */
  readonly booksId: string | undefined
  /** Of the catalogue that it has. */
  readonly version: number
  /** Which change made it that version; undefined where that was not noted. */
  readonly mark: string | undefined
}

/** A gateway of these books: how often PostgreSQL answered it, where it runs, and when it was last seen, in UTC epoch milliseconds. */
export type Sighting = readonly [gatewayId: string, answers: number, place: string, seenAtMs: number]

/** The gateway's own books, as far as they are asked. */
export interface OwnBooks {
  readonly note: OwnNote
  keepNote(note: OwnNote): Promise<void>
  /** The gateways of these books as of the last time that this one noted them. */
  readonly sightings: readonly Sighting[]
  keepSightings(changed: readonly Sighting[]): Promise<void>
  lastEntry(): Promise<number>
  /** What was charged: sums, the last entry that was looked at, and whether there are none after it. */
  chargedAfter(range: EntryRange): Promise<OwnCharges>
  /** The same of what is in the tables by now, where entries come within a second; `isAll` is only about these. */
  chargedLately(range: EntryRange): Promise<OwnCharges & { readonly isCurrent: boolean }>
}

/** Entries after one, up to another if it is given, and of so many at most. */
type EntryRange = { readonly seq: number; readonly last?: number | undefined; readonly most: number }
export type OwnCharges = { readonly upTo: number; readonly sums: readonly Sum[]; readonly isAll: boolean }

type UsageHour = {
  readonly startedAtMs: number
  /** By which it is kept apart, always in the same order. */
  readonly parts: readonly string[]
  readonly sums: Readonly<Record<string, number>>
}

type UntoldUsage<Mark> = {
  /** What was told before counts no more. */
  readonly isAnew: boolean
  /** The number of the last telling that was answered. */
  readonly seq: number
  readonly hours: readonly UsageHour[]
  readonly marks: readonly Mark[]
}

/** This gateway's roll-ups, as far as they are asked. */
export interface OwnUsage<Mark = unknown> {
  /** From now on it is known which hours the gateways of some books do not have, of which PostgreSQL knows so many tellings; nobody's where it is undefined. */
  tell(to: { readonly booksId: string; readonly seq: number } | undefined): Promise<void>
  untold(most: number): Promise<UntoldUsage<Mark>>
  told(marks: readonly Mark[], seq: number): Promise<void>
  positions(): Promise<Readonly<Record<string, number>>>
  /** `upTo`: of the other gateway's tellings everything up to this one is here then. */
  take(gateway: string, hours: readonly UsageHour[], upTo: number | undefined): Promise<void>
}

/** A call of another gateway, as that one shows it. */
export type CallElsewhere = { readonly keyId: string; readonly view: unknown }

/** What a command opens a data folder for: to bring its books to a database that has none, or to take the balances out of it again. */
export type FleetErrand = 'bring' | 'take-back'

export type FleetOptions = {
  /** undefined for a gateway that serves. */
  readonly errand?: FleetErrand | undefined
  readonly url: string
  readonly password: () => string | undefined
  /** Where it runs, for people. */
  readonly place: string
  readonly program: string
  /** How long one call may run, in milliseconds. */
  readonly longestCallMs: number
  readonly holdWaitMs: () => number
  /** Whether an answer is complete only once its charge is in PostgreSQL. */
  readonly isKeptShared: boolean
  /** undefined where it holds to its part of days and months. */
  readonly exact?: ExactLimits | undefined
  readonly own: OwnBooks
  readonly usage: OwnUsage
  /** The calls of this gateway. */
  readonly recorded: Pick<RecordedCalls, 'listen'>
  /** What other gateways show of one of them. */
  readonly shown: (call: UsageRecord) => CallElsewhere
  readonly ledger: Ledger
  readonly log: Log
  readonly monotonicMs: () => number
  readonly nowMs: () => number
  readonly after: After
}

/** It cannot share these books, and nothing that it does by itself would change that. */
export class CannotJoin extends Error {}

/** The books were taken back before. */
export class TakenBack extends CannotJoin {}

/** The mark of a gateway that took its books back, until it shares books again. */
export const TAKEN_BACK = 'taken back'

/** It has seen a later state of the shared books than there is now, or another one: they were restored from a backup. */
export class EarlierBooks extends CannotJoin {
  constructor() {
    super(EARLIER)
  }
}

const TWIN = 'A copy of a folder is no gateway of its own: begin with an empty one.'
const OLDER =
  'This data folder is older than what the shared database knows of it: it was restored from a backup. Begin with an empty one.'
const FOREIGN = 'This data folder belongs to another shared database.'
const EARLIER =
  'This data folder belongs to a later state of the shared database, which was restored from a backup. What it charged was told. Begin with an empty folder.'
const RETIRED =
  'An administrator declared this gateway lost and settled what it had left in doubt. Begin with an empty folder.'
const TWO_CATALOGS =
  'This data folder has a catalogue of its own, and the shared database has one too. Begin with an empty folder.'
const MOVED = 'The balances of this shared database were moved out of it by its last gateway. Use another one.'
const OTHER_ZONE =
  'The other gateways share days and months exactly (FAREBOX_SHARED_LIMITS) in another time zone: give all of them the same (TZ).'
const NOTHING_TO_BRING = 'Nothing is set up in this data folder, so there is nothing to move.'
const NOT_SHARED = 'This data folder shares its books with no other, so there is nothing to take back.'
const LEFT_ALONE =
  'This data folder shares its books with others: name their database with FAREBOX_DATABASE_URL, or leave it with `farebox migrate-to sqlite`.'

/** Throws CannotJoin where gateways that share books must not run, since none of them would know of this one: nobody named their database. */
export function refuseAlone(note: OwnNote | undefined): void {
  if (note?.booksId !== undefined) throw new CannotJoin(LEFT_ALONE)
}

/** Throws CannotJoin where a command has nothing to do. */
export function refuseErrand(errand: FleetErrand | undefined, note: OwnNote, hasCatalog: boolean): void {
  if (errand === 'bring' && !hasCatalog) throw new CannotJoin(NOTHING_TO_BRING)
  if (errand === 'take-back' && note.booksId === undefined) {
    throw note.mark === TAKEN_BACK ? new TakenBack(NOT_SHARED) : new CannotJoin(NOT_SHARED)
  }
}

/** Throws CannotJoin where what PostgreSQL answered does not fit this gateway. */
export function refuseForeign(answer: Readonly<Record<string, unknown>>, note: OwnNote, hasCatalog: boolean): void {
  const { error, books, version, place } = answer
  if (error === 'twin')
    throw new CannotJoin(`A gateway with this data folder runs already, at ${String(place)}. ${TWIN}`)
  if (error === 'older') throw new CannotJoin(OLDER)
  if (error === 'retired') throw new CannotJoin(RETIRED)
  if (error === 'moved') throw new CannotJoin(MOVED)
  if (error === 'zone') throw new CannotJoin(OTHER_ZONE)
  const isForeign = note.booksId !== undefined && note.booksId !== String(books)
  if (error === 'foreign' || isForeign) throw new CannotJoin(FOREIGN)
  if (note.version > Number(version)) throw new EarlierBooks()
  if (note.booksId === undefined && hasCatalog && Number(version) > 0) throw new CannotJoin(TWO_CATALOGS)
}

/** What a change adds to balances, or takes: key, cycle, amount, and what the cycle begins with where nobody has used it yet. */
export function amountsOf(
  { adjustments, terms }: SharedChange,
  ledger: Ledger,
  baseOf: (keyId: string) => number | undefined,
): (string | number)[][] {
  const row = (keyId: string, amount: number) => {
    const base = baseOf(keyId)
    return amount === 0 || base === undefined ? [] : [[keyId, ledger.balance(keyId).cycleStartedAtMs, amount, base]]
  }
  return [
    ...adjustments.flatMap(({ keyId, amountMicro }) => row(keyId, amountMicro)),
    ...terms.flatMap(({ keyId, terms: { creditsMicro } }) => row(keyId, creditsMicro - (baseOf(keyId) ?? 0))),
  ]
}
