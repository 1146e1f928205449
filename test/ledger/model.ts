// What the ledger ought to do, in the simplest words: numbers for each key, no entries, no threads, no disk. Time zones are
// fixed offsets, so that months and days are plain arithmetic.

import type { PackageType } from '#core/entities.ts'

const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** Zones without clock changes, by how far they are ahead of UTC. */
export const ZONES = {
  UTC: 0,
  'Asia/Kolkata': 5.5 * HOUR,
  'Pacific/Kiritimati': 14 * HOUR,
  'Pacific/Pago_Pago': -11 * HOUR,
  'America/Phoenix': -7 * HOUR,
} as const
export type Zone = keyof typeof ZONES

export type ModelTerms = { readonly type: PackageType; readonly credits: number; readonly zone: Zone }

export type ModelHold = {
  readonly id: string
  readonly key: ModelKey
  /** What it held when the call was admitted. */
  readonly amount: number
  /** What it grew by since. */
  grown: number
  readonly cycle: number
  readonly isUnlimited: boolean
}

type ModelCycle = {
  readonly cycle: number
  readonly nextReset: number
  readonly type: PackageType
  readonly credits: number
  readonly granted: number
  used: number
  readonly paid: number
}

/** So many cycles that have ended are remembered. */
const REMEMBERED = 6

export type ModelKey = {
  readonly id: string
  terms: ModelTerms
  cycle: number
  nextReset: number
  granted: number
  used: number
  /** What of that an earlier cycle paid. */
  paid: number
  requests: number
  lastUsed: number | null
  /** Cycles that have ended: calls that began in one use what it left, and the clock can come back to it. */
  ended: ModelCycle[]
  /** Cycles up to the first instant, and from the second one on, may have ended and been forgotten. */
  forgotten: [to: number, from: number]
  renamed: number
  readonly adjustments: Set<string>
}

export class Model {
  readonly keys: ModelKey[] = []
  readonly holds: ModelHold[] = []
  /** The charge of every call that was resolved. */
  readonly resolved = new Map<string, number>()
  /** Calls that were charged more than all that they held. */
  readonly overruns = new Set<string>()

  #copy: Pick<Model, 'keys' | 'holds' | 'resolved' | 'overruns'> | undefined

  get hasCopy(): boolean {
    return this.#copy !== undefined
  }

  /** Remembers everything as it is now. */
  takeCopy(): void {
    const { keys, holds, resolved, overruns } = this
    this.#copy = structuredClone({ keys, holds, resolved, overruns })
  }

  /** Forgets everything since the copy was taken. */
  goBack(): void {
    const copy = structuredClone(this.#copy)
    if (copy === undefined) throw new Error('there is no copy')
    this.keys.splice(0, Infinity, ...copy.keys)
    this.holds.splice(0, Infinity, ...copy.holds)
    this.resolved.clear()
    for (const [id, charge] of copy.resolved) this.resolved.set(id, charge)
    this.overruns.clear()
    for (const id of copy.overruns) this.overruns.add(id)
  }

  addKey(id: string, terms: ModelTerms, now: number): ModelKey {
    const key: ModelKey = {
      id,
      terms,
      cycle: resets(terms) ? boundary(terms, now, 0) : now,
      nextReset: resets(terms) ? boundary(terms, now, 1) : Infinity,
      granted: terms.type === 'unlimited' ? 0 : terms.credits,
      used: 0,
      paid: 0,
      requests: 0,
      lastUsed: null,
      ended: [],
      forgotten: [-Infinity, Infinity],
      renamed: 0,
      adjustments: new Set(),
    }
    this.keys.push(key)
    return key
  }

  /** Open holds of the present cycle, with all that they grew by. */
  held(key: ModelKey, cycle = key.cycle): number {
    return this.#of(key, cycle).reduce((sum, hold) => sum + hold.amount + hold.grown, 0)
  }

  /** The part of what is held that no entry tells of. */
  grown(key: ModelKey): number {
    return this.#of(key, key.cycle).reduce((sum, hold) => sum + hold.grown, 0)
  }

  available(key: ModelKey): number {
    return key.granted - key.used - this.held(key)
  }

  /** Looks at the clock, as everything that touches a key does. */
  touch(key: ModelKey, now: number): void {
    if (!resets(key.terms)) return
    if (now >= key.cycle && now < key.nextReset) return
    const [start, end] = [boundary(key.terms, now, 0), boundary(key.terms, now, 1)]
    if (key.cycle >= start && key.cycle < end) {
      if (now >= key.nextReset) key.nextReset = end
      return
    }
    const isThen = ({ cycle, nextReset }: ModelCycle) =>
      (cycle >= start && cycle < end) || (cycle <= now && now < nextReset)
    const candidates = key.ended.filter((one) => one.type === key.terms.type && isThen(one))
    const again = candidates.toSorted((one, other) => other.cycle - one.cycle)[0]
    if (again !== undefined) this.#resume(key, again, { now, end })
    // Before all that is known of the key: the present cycle goes on, and ends with the month or day of the clock.
    else if (key.cycle > start && now < key.nextReset && !isKnownBefore(key, start)) key.nextReset = end
    else this.#begin(key, this.#nameFor(key, start), end)
  }

  #resume(key: ModelKey, again: ModelCycle, { now, end }: { readonly now: number; readonly end: number }): void {
    const left = again.granted - again.used - this.held(key, again.cycle)
    // Of a later cycle it pays what was charged in that by a wrong clock, once.
    const paid = again.cycle < key.cycle ? Math.max(0, Math.min(key.used - key.paid, left)) : 0
    key.paid += paid
    key.granted += paid
    this.#end(key, again.cycle)
    key.ended = key.ended.filter((one) => one !== again)
    key.cycle = again.cycle
    key.nextReset = again.nextReset > now ? again.nextReset : end
    key.granted = again.granted + key.terms.credits - again.credits - paid
    key.used = again.used
    key.paid = again.paid
  }

  #nameFor(key: ModelKey, start: number): number {
    const [to, from] = key.forgotten
    if (start > to && start < from && !key.ended.some(({ cycle }) => cycle === start)) return start
    key.renamed += 1
    return start + key.renamed
  }

  /** The amount that a hold gets, or why it gets none. */
  hold(
    key: ModelKey,
    id: string,
    wish: { readonly worst: number; readonly least: number },
    isFree: boolean,
    now: number,
  ): number | 'exhausted' | 'held-by-others' {
    this.touch(key, now)
    const isUnlimited = key.terms.type === 'unlimited'
    const amount = isFree || isUnlimited ? 0 : this.#fitting(key, wish)
    if (typeof amount === 'string') return amount
    this.holds.push({ id, key, amount, grown: 0, cycle: key.cycle, isUnlimited })
    key.requests += 1
    key.lastUsed = now
    return amount
  }

  /** All of the worst case; what is left only where nothing else runs, and where it is of any use. */
  #fitting(key: ModelKey, { worst, least }: { readonly worst: number; readonly least: number }) {
    const [available, held] = [this.available(key), this.held(key)]
    if (available + held < Math.max(1, least)) return 'exhausted'
    if (Math.max(1, least, worst) <= available) return worst
    return held > 0 ? 'held-by-others' : Math.min(worst, available)
  }

  /** What a hold gets of `more`. */
  extend(hold: ModelHold, more: number, now: number): number {
    const { key } = hold
    this.touch(key, now)
    const ended = key.ended.find(({ cycle }) => cycle === hold.cycle)
    const left = ended === undefined ? 0 : ended.granted - ended.used - this.held(key, ended.cycle)
    const limit = hold.cycle === key.cycle ? this.available(key) : left
    const got = hold.isUnlimited ? more : Math.max(0, Math.min(more, limit))
    hold.grown += got
    return got
  }

  resolve(hold: ModelHold, charge: number, now: number): void {
    const { key } = hold
    this.touch(key, now)
    this.holds.splice(this.holds.indexOf(hold), 1)
    this.resolved.set(hold.id, charge)
    if (charge > hold.amount + hold.grown && !hold.isUnlimited) this.overruns.add(hold.id)
    if (hold.cycle === key.cycle) key.used += charge
    for (const ended of key.ended) if (ended.cycle === hold.cycle) ended.used += charge
  }

  adjust(key: ModelKey, amount: number, id: string, now: number): void {
    if (key.adjustments.has(id)) return
    this.touch(key, now)
    key.adjustments.add(id)
    key.granted += amount
  }

  changeTerms(key: ModelKey, terms: ModelTerms, isUsageReset: boolean, now: number): void {
    this.touch(key, now)
    const old = key.terms
    const added = key.granted - old.credits
    const isAhead = key.cycle > now + HOUR && now > key.forgotten[0]
    let start = isAhead ? now : Math.max(now, key.cycle + 1)
    while (key.ended.some(({ cycle }) => cycle === start)) start += 1
    if (terms.type !== old.type) {
      this.#begin(key, start, resets(terms) ? boundary(terms, now, 1) : Infinity, terms)
    } else if (isUsageReset) {
      this.#begin(key, start, key.nextReset, terms)
      key.granted += added
    } else key.granted += terms.credits - old.credits
    key.terms = terms
    if (resets(terms) && terms.type === old.type && terms.zone !== old.zone) {
      // The cycle ends with the month or day of the new zone that begins nearest to where it would have ended.
      const [before, after] = [boundary(terms, key.nextReset, 0), boundary(terms, key.nextReset, 1)]
      key.nextReset = before > key.cycle && key.nextReset - before <= after - key.nextReset ? before : after
    }
    this.touch(key, now)
  }

  /** A process that ends is followed by one that charges nothing for what was open. */
  restart(now: number): void {
    // Resolving takes a hold out of the list that is gone through.
    for (const hold of this.holds.slice()) this.resolve(hold, 0, now)
  }

  #of(key: ModelKey, cycle: number): ModelHold[] {
    return this.holds.filter((hold) => hold.key === key && hold.cycle === cycle)
  }

  #begin(key: ModelKey, start: number, nextReset: number, terms = key.terms): void {
    this.#end(key, start)
    key.terms = terms
    key.cycle = start
    key.nextReset = nextReset
    key.granted = terms.type === 'unlimited' ? 0 : terms.credits
    key.used = 0
    key.paid = 0
  }

  /** Remembers the present cycle, and forgets the one that is farthest from the next where they are too many. */
  #end(key: ModelKey, next: number): void {
    const { cycle, nextReset, granted, used, paid, terms } = key
    key.ended.push({ cycle, nextReset, granted, used, paid, type: terms.type, credits: terms.credits })
    if (key.ended.length <= REMEMBERED) return
    const far = Math.max(...key.ended.map((one) => Math.abs(one.cycle - next)))
    const at = key.ended.findIndex((one) => Math.abs(one.cycle - next) === far)
    const [gone] = key.ended.splice(at, 1)
    const [to, from] = key.forgotten
    const then = gone?.cycle ?? next
    key.forgotten = then <= next ? [Math.max(to, then), from] : [to, Math.min(from, then)]
  }
}

function isKnownBefore({ forgotten, ended }: ModelKey, start: number): boolean {
  return start > forgotten[0] && ended.some(({ cycle }) => cycle < start)
}

function resets({ type }: ModelTerms): boolean {
  return type === 'monthly' || type === 'daily'
}

/** The start of the month or day that an instant lies in, or of the one `later` after it. */
function boundary({ type, zone }: ModelTerms, instant: number, later: number): number {
  const local = new Date(instant + ZONES[zone])
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  const start = type === 'monthly' ? Date.UTC(year, month + later, 1) : Date.UTC(year, month, day + later)
  return start - ZONES[zone]
}
