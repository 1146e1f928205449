// What the calls of all gateways add up to by the hour: this one tells its own, and takes over what the others told, so that reports are of all of them and
// are read here.

import { FleetUnreachable, type UsagePlace } from '#fleet/connection.ts'
import type { OwnUsage } from '#fleet/membership.ts'
import type { Seat } from '#fleet/seat.ts'

type Asked = Pick<Seat, 'inTurn' | 'say'>

/** So many hours in one message: what others ask meanwhile waits for it. */
const MAX_HOURS = 200
/** For so long messages follow each other, in one round each for telling and for reading: a long history leaves time for what calls wait for. */
const ROUND_MS = 250

/** So many rounds are left out after one that this gateway's own disk did not take. */
const RESTS = 30

const BEGINNING: UsagePlace = { startedAtMs: 0, parts: '' }

export class SharedUsage {
  readonly #seat: Asked
  readonly #own: OwnUsage
  readonly #monotonicMs: () => number
  /** What is here of the others; undefined before it was looked up. */
  #positions: Map<string, number> | undefined
  /** What each of them has told, as far as it is known. */
  #told: Readonly<Record<string, number>> = {}
  /** By which reading a gateway was read last. */
  readonly #readAt = new Map<string, number>()
  #reads = 0
  #rests = 0
  /** Where the reading of a gateway stopped, and what it was up to. */
  readonly #places = new Map<string, { readonly place: UsagePlace; readonly upTo: number }>()

  constructor(seat: Asked, own: OwnUsage, monotonicMs: () => number) {
    this.#seat = seat
    this.#own = own
    this.#monotonicMs = monotonicMs
  }

  /** This gateway has joined the shared books, which know so many of its tellings: fewer than were answered, where PostgreSQL lost some. */
  async joined(booksId: string, seq: number): Promise<void> {
    await this.#own.tell({ booksId, seq })
    this.#positions = new Map(Object.entries(await this.#own.positions()))
    this.#places.clear()
  }

  /** What the others have told by now, by their ids. */
  heard(told: Readonly<Record<string, number>>): void {
    this.#told = told
  }

  /** Tells what changed here, and takes over what changed elsewhere. Rejects with FleetUnreachable. */
  async exchange(): Promise<void> {
    this.#rests -= 1
    if (this.#rests > 0) return
    try {
      await this.#exchange()
    } catch (error) {
      if (!(error instanceof FleetUnreachable)) this.#rests = RESTS
      throw error
    }
  }

  async #exchange(): Promise<void> {
    const positions = this.#positions
    if (positions === undefined) return
    await this.#forAWhile(() => this.tell())
    await this.#forAWhile(async () => {
      const next = this.#longestUnread(positions)
      if (next === undefined) return false
      this.#reads += 1
      this.#readAt.set(next, this.#reads)
      await this.#takePage(positions, next, this.#told[next] ?? 0)
      return true
    })
  }

  /** Does what says that there is more of it. */
  async #forAWhile(work: () => Promise<boolean>): Promise<void> {
    const endMs = this.#monotonicMs() + ROUND_MS
    while ((await work()) && this.#monotonicMs() < endMs);
  }

  /** Tells what is newest of what was not told, and whether there may be more. Rejects with FleetUnreachable. */
  async tell(): Promise<boolean> {
    const { isAnew, seq, hours, marks } = await this.#own.untold(MAX_HOURS)
    if (isAnew) return this.#forgetTold(seq)
    if (hours.length === 0) return false
    const list = hours.map(({ startedAtMs, parts, sums }) => [startedAtMs, JSON.stringify(parts), sums])
    const answer = await this.#say(seq, false, list)
    await this.#own.told(marks, Number(answer.seq))
    return hours.length === MAX_HOURS
  }

  /** What was told before counts no more. It goes little by little, and only then something is told anew. */
  async #forgetTold(seq: number): Promise<true> {
    const answer = await this.#say(seq, true, [])
    if (answer['more'] !== true) await this.#own.told([], Number(answer.seq))
    return true
  }

  #say(seq: number, isAnew: boolean, list: readonly unknown[]) {
    const values = [seq, String(isAnew), JSON.stringify(list)]
    return this.#seat.inTurn(() => this.#seat.say('tell_usage', values))
  }

  /** In turn, so that those that keep telling leave time for the others. */
  #longestUnread(positions: ReadonlyMap<string, number>): string | undefined {
    const readAt = (gateway: string) => this.#readAt.get(gateway) ?? 0
    return Object.entries(this.#told)
      .filter(([gateway, upTo]) => upTo > (positions.get(gateway) ?? 0))
      .map(([gateway]) => gateway)
      .toSorted((left, right) => readAt(left) - readAt(right))[0]
  }

  async #takePage(positions: Map<string, number>, gateway: string, newest: number): Promise<void> {
    // What is told meanwhile is read in the next round, from the beginning.
    const { place, upTo } = this.#places.get(gateway) ?? { place: BEGINNING, upTo: newest }
    const known = positions.get(gateway) ?? 0
    const page = await this.#seat.inTurn((connection) => connection.usageOf(gateway, known, place, MAX_HOURS))
    const last = page.at(-1)
    const isEnd = page.length < MAX_HOURS || last === undefined
    const hours = page.flatMap((hour) => {
      const parts = partsIn(hour.parts)
      return parts === undefined ? [] : [{ ...hour, parts }]
    })
    await this.#own.take(gateway, hours, isEnd ? upTo : undefined)
    if (isEnd) {
      positions.set(gateway, upTo)
      this.#places.delete(gateway)
    } else {
      this.#places.set(gateway, { place: last, upTo })
    }
  }
}

/** What that gateway's `tell` made of them; undefined where somebody else wrote it. */
function partsIn(text: string): readonly string[] | undefined {
  try {
    const parts: unknown = JSON.parse(text)
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : undefined
  } catch {
    return undefined
  }
}
