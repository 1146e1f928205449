// What this gateway has leased of each balance, in memory: calls hold and are charged inside it. What PostgreSQL knows to be leased is never
// less than what is counted on here, whatever gets lost on the way.

import { totalMicro, ZERO, type MicroCredits } from '#core/money.ts'
import type { HeldShare } from '#pipeline/leases.ts'

/** One cycle of one key. */
export type Lease = {
  readonly keyId: string
  readonly cycle: number
  /** As PostgreSQL has it, as far as is known here. */
  leasedMicro: number
  /** What nobody had leased of the balance when PostgreSQL was asked last; 0 where it was not asked. */
  freeMicro: number
  /** Charged, and not told to PostgreSQL yet. */
  spentMicro: number
  /** What running calls may come to cost. */
  heldMicro: number
  /** What was charged lately, each charge less with time. */
  flowMicro: number
  /** The most that was held lately, less with time. */
  peakMicro: number
  flowAtMs: number
  usedAtMs: number
  /** When more was asked for ahead of calls. */
  askedAtMs: number
}

/** A charge counts for the pace of a key about this long. */
const PACE_MS = 10_000
/** A lease of which nothing runs for this long is given back. */
const IDLE_MS = 2000
/** Where so many times as much is free as is leased nobody lacks it, and it stays for longer: others ask for it if they come to lack it. */
const PLENTY = 10
const IDLE_OF_PLENTY_MS = 30_000
/** How often more is asked for ahead of calls. */
const AHEAD_EVERY_MS = 250

export type LeaseBookOptions = {
  readonly monotonicMs: () => number
  /** In milliseconds; what began since belongs to the next cycle. */
  readonly cycleOf: (keyId: string) => number
  /** Told when something came back to the lease of a key. */
  readonly changed: (keyId: string) => void
  /** Told when there is something to tell PostgreSQL. */
  readonly charged: () => void
}

export type Sum = readonly [keyId: string, cycle: number, amountMicro: number]
/** What was leased, and what is free beside it; nothing is known of that where it is left out. */
export type Lent = readonly [keyId: string, cycle: number, amountMicro: number, freeMicro?: number | undefined]

export class LeaseBook {
  readonly #options: LeaseBookOptions
  readonly #leases = new Map<string, Lease>()
  /** The last that was asked for of each key. */
  readonly #present = new Map<string, Lease>()

  constructor(options: LeaseBookOptions) {
    this.#options = options
  }

  get all(): Iterable<Lease> {
    return this.#leases.values()
  }

  /** Whether a call runs that holds anything. */
  get isHeld(): boolean {
    for (const { heldMicro } of this.#leases.values()) if (heldMicro > 0) return true
    return false
  }

  share(keyId: string): LeaseShare {
    return new LeaseShare(keyId, this, this.#options)
  }

  /** Of the present cycle of a key. Asked for several times in each call. */
  present(keyId: string): Lease {
    const cycle = this.#options.cycleOf(keyId)
    const known = this.#present.get(keyId)
    if (known?.cycle === cycle) return known
    const lease = this.lease(keyId, cycle)
    this.#present.set(keyId, lease)
    return lease
  }

  lease(keyId: string, cycle: number): Lease {
    const id = `${keyId} ${cycle}`
    let lease = this.#leases.get(id)
    if (lease === undefined) {
      const nowMs = this.#options.monotonicMs()
      const amounts = { leasedMicro: 0, freeMicro: 0, spentMicro: 0, heldMicro: 0, flowMicro: 0, peakMicro: 0 }
      lease = { keyId, cycle, ...amounts, flowAtMs: nowMs, usedAtMs: nowMs, askedAtMs: Number.NEGATIVE_INFINITY }
      this.#leases.set(id, lease)
    }
    return lease
  }

  /** Takes over what PostgreSQL says is leased, of everything. */
  restore(leased: readonly Sum[]): void {
    for (const lease of this.all) Object.assign(lease, { leasedMicro: 0, freeMicro: 0 })
    for (const [keyId, cycle, amountMicro] of leased) this.lease(keyId, cycle).leasedMicro = amountMicro
  }

  /** What is spent and held beyond leases. */
  lacking(): Sum[] {
    return [...this.all].flatMap((lease) => {
      const left = availableIn(lease)
      return left < 0 ? [[lease.keyId, lease.cycle, -left] as const] : []
    })
  }

  /** PostgreSQL leased this too. */
  leased(amounts: readonly Lent[]): void {
    for (const [keyId, cycle, amountMicro, freeMicro = 0] of amounts) {
      const lease = this.lease(keyId, cycle)
      lease.leasedMicro += amountMicro
      lease.freeMicro = freeMicro
    }
  }

  hold(lease: Lease, amountMicro: number): void {
    lease.heldMicro += amountMicro
    lease.usedAtMs = this.#options.monotonicMs()
    lease.peakMicro = Math.max(this.#faded(lease).peakMicro, lease.heldMicro)
  }

  close(lease: Lease, heldMicro: number, chargedMicro: number): void {
    lease.heldMicro -= heldMicro
    lease.spentMicro += chargedMicro
    this.#faded(lease).flowMicro += chargedMicro
    lease.usedAtMs = this.#options.monotonicMs()
    if (chargedMicro > 0) this.#options.charged()
  }

  /** PostgreSQL has these charges now. */
  told(charges: readonly Sum[]): void {
    for (const [keyId, cycle, amountMicro] of charges) {
      const lease = this.lease(keyId, cycle)
      lease.spentMicro -= amountMicro
      lease.leasedMicro -= Math.min(lease.leasedMicro, amountMicro)
    }
  }

  /** PostgreSQL does not have these charges, or not any more. */
  untold(charges: readonly Sum[]): void {
    for (const [keyId, cycle, amountMicro] of charges) this.lease(keyId, cycle).spentMicro += amountMicro
  }

  /** How large the lease of a key is by its pace. */
  wanted(lease: Lease): number {
    const { flowMicro, peakMicro } = this.#faded(lease)
    return Math.ceil(flowMicro + peakMicro)
  }

  /** How much to ask for ahead of calls; 0 for nothing. */
  ahead(lease: Lease): number {
    const nowMs = this.#options.monotonicMs()
    const wanted = this.wanted(lease)
    // What was given back for being idle is not asked for again before somebody needs it.
    if (nowMs - lease.usedAtMs >= IDLE_MS) return 0
    if (nowMs - lease.askedAtMs < AHEAD_EVERY_MS || availableIn(lease) > wanted / 2) return 0
    lease.askedAtMs = nowMs
    return Math.max(0, Math.ceil(wanted - availableIn(lease)))
  }

  /** Takes out what no call needs any more: of idle leases, and of those that `isWanted`; of so many leases at most. */
  takeIdle(isWanted: (lease: Lease) => boolean, isBusy: (lease: Lease) => boolean, most: number): Sum[] {
    const nowMs = this.#options.monotonicMs()
    const idle: Sum[] = []
    for (const [id, lease] of this.#leases) {
      if (idle.length === most) break
      if (isBusy(lease)) continue
      const left = availableIn(lease)
      if (left > 0 && (isIdle(lease, nowMs) || isWanted(lease))) {
        lease.leasedMicro -= left
        idle.push([lease.keyId, lease.cycle, left])
      }
      const isEmpty = lease.leasedMicro === 0 && lease.spentMicro === 0 && lease.heldMicro === 0
      if (isEmpty && nowMs - lease.usedAtMs > PACE_MS) this.#forget(id, lease)
    }
    return idle
  }

  #forget(id: string, lease: Lease): void {
    this.#leases.delete(id)
    if (this.#present.get(lease.keyId) === lease) this.#present.delete(lease.keyId)
  }

  #faded(lease: Lease): Lease {
    const nowMs = this.#options.monotonicMs()
    const part = Math.exp((lease.flowAtMs - nowMs) / PACE_MS)
    lease.flowMicro *= part
    lease.peakMicro = Math.max(lease.heldMicro, lease.peakMicro * part)
    lease.flowAtMs = nowMs
    return lease
  }
}

/** What calls may still hold of a lease; below 0 where calls were charged more than was held for them. */
export function availableIn({ leasedMicro, spentMicro, heldMicro }: Lease): number {
  return leasedMicro - spentMicro - heldMicro
}

function isIdle({ leasedMicro, freeMicro, usedAtMs }: Lease, nowMs: number): boolean {
  return nowMs - usedAtMs >= (freeMicro >= PLENTY * leasedMicro ? IDLE_OF_PLENTY_MS : IDLE_MS)
}

/** The part of a lease that one call holds. Until it holds anything it is about the present cycle of its key. */
export class LeaseShare implements HeldShare {
  readonly id: string
  readonly scope = 'key'
  readonly hasLine = false
  readonly #keyId: string
  readonly #book: LeaseBook
  readonly #options: LeaseBookOptions
  #lease: Lease | undefined
  #heldMicro: MicroCredits = ZERO

  constructor(keyId: string, book: LeaseBook, options: LeaseBookOptions) {
    this.id = leaseId(keyId)
    this.#keyId = keyId
    this.#book = book
    this.#options = options
  }

  get lease(): Lease {
    return this.#lease ?? this.#book.present(this.#keyId)
  }

  get availableMicro(): number {
    return availableIn(this.lease)
  }

  get heldMicro(): number {
    return this.lease.heldMicro
  }

  get ownMicro(): MicroCredits {
    return this.#heldMicro
  }

  hold(amountMicro: MicroCredits): void {
    this.#lease ??= this.#book.present(this.#keyId)
    this.#heldMicro = totalMicro(this.#heldMicro + amountMicro)
    this.#book.hold(this.#lease, amountMicro)
  }

  close(chargedMicro: MicroCredits): void {
    if (this.#lease !== undefined) this.#book.close(this.#lease, this.#heldMicro, chargedMicro)
    this.#options.changed(this.#keyId)
  }
}

/** No id of a key looks like it. */
export function leaseId(keyId: string): string {
  return `lease ${keyId}`
}
