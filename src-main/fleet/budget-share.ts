// The day or the month of a member or a project, as one call spends from it where gateways share them exactly.

import { cycleStart, nextCycleStart, type CycleKind } from '#core/cycle.ts'
import { totalMicro, ZERO, type MicroCredits } from '#core/money.ts'
import type { BudgetLimits, PurseScope } from '#core/spending.ts'
import { availableIn, leaseId, type Lease, type Sum } from '#fleet/lease-book.ts'
import type { HeldShare } from '#pipeline/leases.ts'

/** Whose it is, and of which time. */
export type Budget = { readonly scope: PurseScope; readonly cycle: CycleKind; readonly owner: string }

/** What the catalogue and the own books say. */
export type ExactLimits = {
  readonly timeZone: string
  readonly limitsOf: (scope: PurseScope, owner: string) => BudgetLimits
  /** What this gateway charged in the present day and month before this start. */
  readonly charged: readonly (Budget & { readonly amountMicro: number })[]
}

/** All that a gateway charged in a window. */
export type ToldSum = readonly [id: string, started: number, ends: number, totalMicro: number]

/** As `join_fleet` takes and answers it. */
export type BudgetsTelling = { readonly zone: string; readonly told: readonly ToldSum[] }
export type JoinedBudgets = {
  readonly leases: readonly (readonly [...Sum, boundMicro: number | null])[]
  readonly charged: readonly Sum[]
}

const LIMITS = { daily: 'dailyMicro', monthly: 'monthlyMicro' } as const

/** As PostgreSQL knows it. */
export function budgetId({ scope, cycle, owner }: Budget): string {
  return `${scope} ${cycle} ${owner}`
}

export function budgetOf(id: string): Budget {
  const [scope = '', cycle = ''] = id.split(' ', 2)
  // Made by `budgetId`.
  return { scope: scope as PurseScope, cycle: cycle as CycleKind, owner: id.slice(scope.length + cycle.length + 2) }
}

export function boundOf({ cycle }: Budget, limits: BudgetLimits): MicroCredits | undefined {
  return limits[LIMITS[cycle]]
}

type WindowClockOptions = { readonly nowMs: () => number; readonly timeZone: string }

/** Which day and which month it is. A clock that is set back stays in the one that has begun. */
export class WindowClock {
  readonly #options: WindowClockOptions
  readonly #windows = new Map<CycleKind, { readonly startedMs: number; readonly endsMs: number }>()

  constructor(options: WindowClockOptions) {
    this.#options = options
  }

  startOf(cycle: CycleKind): number {
    const { nowMs, timeZone } = this.#options
    const now = nowMs()
    const known = this.#windows.get(cycle)
    if (known !== undefined && now < known.endsMs) return known.startedMs
    const startedMs = cycleStart(cycle, timeZone, now)
    this.#windows.set(cycle, { startedMs, endsMs: this.endOf(cycle, startedMs) })
    return startedMs
  }

  endOf(cycle: CycleKind, startedMs: number): number {
    return nextCycleStart(cycle, this.#options.timeZone, startedMs)
  }
}

/** What shares ask of the books that they are a part of. */
interface BudgetBook {
  /** Of the present window. */
  present(id: string): Lease
  /** What bounds it now, in micro-credits; undefined for nothing. */
  bound(id: string): MicroCredits | undefined
  /** Whether what is leased was leased by another bound. */
  isStale(id: string): boolean
  hold(lease: Lease, amountMicro: number): void
  close(lease: Lease, heldMicro: number, chargedMicro: number): void
  /** Something came back to the lease of a budget. */
  changed(id: string): void
}

/** Until it holds anything it is about the present window; then about the one in which the call was let in, to which it is charged too. */
export class BudgetShare implements HeldShare {
  readonly id: string
  readonly budgetId: string
  readonly scope: PurseScope
  readonly hasLine = false
  readonly #book: BudgetBook
  #lease: Lease | undefined
  /** Taken before the call holds anything, so that nobody else takes it meanwhile. */
  #reservedMicro = 0
  #heldMicro: MicroCredits = ZERO

  constructor(budget: Budget, book: BudgetBook) {
    this.budgetId = budgetId(budget)
    this.id = leaseId(this.budgetId)
    this.scope = budget.scope
    this.#book = book
  }

  get isBounded(): boolean {
    return this.#book.bound(this.budgetId) !== undefined
  }

  get availableMicro(): number {
    if (!this.isBounded) return Number.POSITIVE_INFINITY
    const leftMicro = availableIn(this.#present)
    return this.#reservedMicro + (this.#book.isStale(this.budgetId) ? Math.min(0, leftMicro) : leftMicro)
  }

  /** What others hold of it too, but for what is reserved for this call. */
  get heldMicro(): number {
    return this.#present.heldMicro - this.#reservedMicro
  }

  get ownMicro(): MicroCredits | undefined {
    return this.isBounded ? this.#heldMicro : undefined
  }

  reserve(amountMicro: number): void {
    this.#take(amountMicro)
    this.#reservedMicro += amountMicro
  }

  hold(amountMicro: MicroCredits): void {
    // Nobody is told in between, who would take it.
    const reservedMicro = this.#release()
    this.#heldMicro = totalMicro(this.#heldMicro + amountMicro)
    this.#take(amountMicro)
    if (reservedMicro > amountMicro) this.#book.changed(this.budgetId)
  }

  /** Gives back what is reserved and not held. */
  giveUp(): void {
    if (this.#release() > 0) this.#book.changed(this.budgetId)
  }

  close(chargedMicro: MicroCredits): void {
    this.giveUp()
    if (this.#lease !== undefined) this.#book.close(this.#lease, this.#heldMicro, chargedMicro)
  }

  get #present(): Lease {
    return this.#lease ?? this.#book.present(this.budgetId)
  }

  #release(): number {
    const reservedMicro = this.#reservedMicro
    this.#reservedMicro = 0
    if (this.#lease !== undefined) this.#lease.heldMicro -= reservedMicro
    return reservedMicro
  }

  #take(amountMicro: number): void {
    this.#lease ??= this.#book.present(this.budgetId)
    this.#book.hold(this.#lease, amountMicro)
  }
}
