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

export type ModelKey = {
  readonly id: string
  terms: ModelTerms
  cycle: number
  nextReset: number
  granted: number
  used: number
  requests: number
  lastUsed: number | null
  /** What the cycle before this one left for the calls that began in it. */
  ended: { readonly cycle: number; left: number } | undefined
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
      requests: 0,
      lastUsed: null,
      ended: undefined,
      adjustments: new Set(),
    }
    this.keys.push(key)
    return key
  }

  /** Open holds of the present cycle, with all that they grew by. */
  held(key: ModelKey): number {
    return this.#present(key).reduce((sum, hold) => sum + hold.amount + hold.grown, 0)
  }

  /** The part of what is held that no entry tells of. */
  grown(key: ModelKey): number {
    return this.#present(key).reduce((sum, hold) => sum + hold.grown, 0)
  }

  available(key: ModelKey): number {
    return key.granted - key.used - this.held(key)
  }

  /** Looks at the clock, as everything that touches a key does. */
  touch(key: ModelKey, now: number): void {
    if (!resets(key.terms) || now < key.nextReset || boundary(key.terms, now, 0) <= key.cycle) return
    this.#begin(key, boundary(key.terms, now, 0), boundary(key.terms, now, 1))
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
    const isLast = key.ended?.cycle === hold.cycle
    const limit = hold.cycle === key.cycle ? this.available(key) : isLast ? (key.ended?.left ?? 0) : 0
    const got = hold.isUnlimited ? more : Math.max(0, Math.min(more, limit))
    hold.grown += got
    if (isLast && key.ended !== undefined) key.ended.left -= got
    return got
  }

  resolve(hold: ModelHold, charge: number, now: number): void {
    const { key } = hold
    this.touch(key, now)
    this.holds.splice(this.holds.indexOf(hold), 1)
    this.resolved.set(hold.id, charge)
    if (charge > hold.amount + hold.grown && !hold.isUnlimited) this.overruns.add(hold.id)
    if (hold.cycle === key.cycle) key.used += charge
    else if (key.ended?.cycle === hold.cycle) key.ended.left += hold.amount + hold.grown - charge
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
    const start = Math.max(now, key.cycle + 1)
    key.terms = terms
    if (terms.type !== old.type) {
      this.#begin(key, start, resets(terms) ? boundary(terms, start, 1) : Infinity)
    } else if (isUsageReset) {
      this.#begin(key, start, key.nextReset)
      key.granted += added
    } else key.granted += terms.credits - old.credits
    if (resets(terms) && terms.type === old.type && terms.zone !== old.zone) {
      // The cycle ends with the month or day of the new zone that begins nearest to where it would have ended.
      const [before, after] = [boundary(terms, key.nextReset, 0), boundary(terms, key.nextReset, 1)]
      key.nextReset = before > key.cycle && key.nextReset - before <= after - key.nextReset ? before : after
    }
    this.touch(key, now)
  }

  /** A process that ends forgets what ended cycles have left, and the next one charges nothing for what was open. */
  restart(now: number): void {
    for (const key of this.keys) key.ended = undefined
    // Resolving takes a hold out of the list that is gone through.
    for (const hold of this.holds.slice()) this.resolve(hold, 0, now)
  }

  #present(key: ModelKey): ModelHold[] {
    return this.holds.filter((hold) => hold.key === key && hold.cycle === key.cycle)
  }

  #begin(key: ModelKey, start: number, nextReset: number): void {
    key.ended = { cycle: key.cycle, left: this.available(key) }
    key.cycle = start
    key.nextReset = nextReset
    key.granted = key.terms.type === 'unlimited' ? 0 : key.terms.credits
    key.used = 0
  }
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
