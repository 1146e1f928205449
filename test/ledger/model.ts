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

export type ModelHold = { readonly id: string; readonly key: ModelKey; readonly amount: number; readonly cycle: number }

export type ModelKey = {
  readonly id: string
  readonly type: PackageType
  credits: number
  zone: Zone
  cycle: number
  nextReset: number
  granted: number
  used: number
  requests: number
  lastUsed: number | null
  readonly topUps: Set<string>
}

export class Model {
  readonly keys: ModelKey[] = []
  readonly holds: ModelHold[] = []
  /** The charge of every call that was resolved. */
  readonly resolved = new Map<string, number>()

  addKey(id: string, type: PackageType, credits: number, zone: Zone, now: number): ModelKey {
    const resets = type === 'monthly' || type === 'daily'
    const key: ModelKey = {
      id,
      type,
      credits,
      zone,
      cycle: resets ? boundary(type, zone, now, 0) : now,
      nextReset: resets ? boundary(type, zone, now, 1) : Infinity,
      granted: type === 'unlimited' ? 0 : credits,
      used: 0,
      requests: 0,
      lastUsed: null,
      topUps: new Set(),
    }
    this.keys.push(key)
    return key
  }

  /** Open holds of the present cycle. */
  held(key: ModelKey): number {
    return this.holds
      .filter((hold) => hold.key === key && hold.cycle === key.cycle)
      .reduce((sum, hold) => sum + hold.amount, 0)
  }

  available(key: ModelKey): number {
    return key.granted - key.used - this.held(key)
  }

  /** Looks at the clock, as everything that touches a key does. */
  touch(key: ModelKey, now: number): void {
    if (now < key.nextReset || (key.type !== 'monthly' && key.type !== 'daily')) return
    key.cycle = boundary(key.type, key.zone, now, 0)
    key.nextReset = boundary(key.type, key.zone, now, 1)
    key.granted = key.credits
    key.used = 0
  }

  /** The amount that a hold gets, or why it gets none. */
  hold(
    key: ModelKey,
    id: string,
    worst: number,
    isFree: boolean,
    now: number,
  ): number | 'exhausted' | 'held-by-others' {
    this.touch(key, now)
    const available = key.type === 'unlimited' ? Infinity : this.available(key)
    if (available <= 0 && !isFree) return available + this.held(key) > 0 ? 'held-by-others' : 'exhausted'
    const amount = isFree || key.type === 'unlimited' ? 0 : Math.min(worst, available)
    this.holds.push({ id, key, amount, cycle: key.cycle })
    key.requests += 1
    key.lastUsed = now
    return amount
  }

  resolve(hold: ModelHold, charge: number, now: number): void {
    this.touch(hold.key, now)
    this.holds.splice(this.holds.indexOf(hold), 1)
    this.resolved.set(hold.id, charge)
    if (hold.cycle === hold.key.cycle) hold.key.used += charge
  }

  topUp(key: ModelKey, amount: number, id: string, now: number): void {
    if (key.topUps.has(id)) return
    this.touch(key, now)
    key.topUps.add(id)
    key.granted += amount
  }

  changeTerms(key: ModelKey, credits: number, zone: Zone, now: number): void {
    this.touch(key, now)
    key.credits = credits
    key.zone = zone
    if (key.type !== 'monthly' && key.type !== 'daily') return
    // The running cycle ends with the first month or day of the new zone that is not the one it has been granted for.
    const half = key.type === 'monthly' ? 14 * DAY : DAY / 2
    const next = boundary(key.type, zone, key.cycle, 1)
    key.nextReset = next - key.cycle < half ? boundary(key.type, zone, next, 1) : next
  }
}

/** The start of the month or day that an instant lies in, or of the one `later` after it. */
function boundary(type: 'monthly' | 'daily', zone: Zone, instant: number, later: number): number {
  const local = new Date(instant + ZONES[zone])
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  const start = type === 'monthly' ? Date.UTC(year, month + later, 1) : Date.UTC(year, month, day + later)
  return start - ZONES[zone]
}
