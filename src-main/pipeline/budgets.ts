// Holds each member, and each project, to what their calls may be charged on one day and in one month, whichever key they are made with.
// What running calls may come to cost is held, so that calls which run side by side cannot overrun it together; beside it every key has
// the credits of its own account.

import type { CycleKind } from '#core/cycle.ts'
import { microCredits, microToCredits, totalMicro, ZERO, type MicroCredits } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { BudgetLimits, PurseScope } from '#core/spending.ts'
import type { HeldShare } from '#pipeline/leases.ts'
import { CycleCount, type CycleCountOptions } from '#pipeline/cycle-count.ts'

export type BudgetsOptions = CycleCountOptions & {
  readonly scope: PurseScope
  /** What may be charged as it is said now. */
  readonly limitsOf: (id: string) => BudgetLimits
  /** Told when something came back to a purse. */
  readonly changed: (purseId: string) => void
  /** What other gateways charged that share the budget, for people. */
  readonly elsewhereMicro?: ElsewhereMicro | undefined
}

type ElsewhereMicro = (budget: {
  readonly scope: PurseScope
  readonly cycle: CycleKind
  readonly owner: string
}) => number

/** Of members and of projects. */
export type AllBudgets = Readonly<Record<PurseScope, Budgets>>

/** Charges by the ids of whom they are counted to. */
export type ChargedInCycles = {
  readonly daily: ReadonlyMap<string, number>
  readonly monthly?: ReadonlyMap<string, number>
}

/** Calls end within seconds to minutes; clients should not ask each second. */
const HELD_RETRY_SECONDS = 5
/** Clients can name projects that nobody has set limits for: beyond so many these are counted no more until they are named again. */
const MAX_COUNTED = 10_000

type Counts = Readonly<Record<CycleKind, CycleCount>>

const CYCLES = ['daily', 'monthly'] as const
const LIMITS = { daily: 'dailyMicro', monthly: 'monthlyMicro' } as const
const WORDS = {
  daily: { name: 'credits_per_day', time: 'a day' },
  monthly: { name: 'credits_per_month', time: 'a month' },
} as const
const WHOSE = {
  member: () => "for all keys of this key's member",
  project: (id: string) => `of the project '${id}'`,
} as const

export class Budgets {
  readonly #options: BudgetsOptions
  readonly #counts = new Map<string, Counts>()

  constructor(options: BudgetsOptions) {
    this.#options = options
  }

  /** The part of a budget that one call holds, nothing so far. */
  share(id: string): Share {
    return new Share(id, (owner) => this.#countsOf(owner), this.#options)
  }

  /** What was charged before this start. */
  restore({ daily, monthly = new Map() }: ChargedInCycles): void {
    for (const [id, amount] of daily) this.#countsOf(id).daily.restore(amount)
    for (const [id, amount] of monthly) this.#countsOf(id).monthly.restore(amount)
  }

  chargedMicro(id: string, cycle: CycleKind): MicroCredits {
    const { scope, elsewhereMicro } = this.#options
    const ownMicro = this.#counts.get(id)?.[cycle].chargedMicro ?? 0
    return totalMicro(ownMicro + (elsewhereMicro?.({ scope, cycle, owner: id }) ?? 0))
  }

  /** What running calls may come to cost. */
  heldMicro(id: string): MicroCredits {
    return totalMicro(this.#counts.get(id)?.daily.heldMicro ?? 0)
  }

  /** What a call is told that the budget does not carry: not at all, or not beside the calls that run. */
  refusal(id: string, type: 'exhausted' | 'held-by-others'): Refusal {
    const { scope, limitsOf } = this.#options
    const limits = limitsOf(id)
    const counts = this.#countsOf(id)
    const leftIn = (of: CycleKind) => (limits[LIMITS[of]] ?? Infinity) - this.chargedMicro(id, of)
    const cycle = leftIn('monthly') < leftIn('daily') ? 'monthly' : 'daily'
    const count = counts[cycle]
    const limitMicro = limits[LIMITS[cycle]] ?? ZERO
    const resetAt = new Date(count.endsAtMs).toISOString()
    const { name, time } = WORDS[cycle]
    const limit = { name, scope, resetAt }
    const bound = `the ${microToCredits(limitMicro)} credits ${time} ${WHOSE[scope](id)}`
    if (type === 'held-by-others') {
      const message = `What this call may cost of ${bound} is held by calls in flight. Retry when they have ended.`
      return refuse('credits_held', message, { retryAfterSeconds: HELD_RETRY_SECONDS, limit })
    }
    const left = Math.max(0, limitMicro - this.chargedMicro(id, cycle))
    const standing =
      left === 0 ? 'nothing is left' : `${microToCredits(microCredits(left))} are left, which do not pay for this call`
    return refuse('credits_exhausted', `Of ${bound} ${standing}. They are renewed at ${resetAt}.`, { limit })
  }

  #countsOf(id: string): Counts {
    let counts = this.#counts.get(id)
    if (counts === undefined) {
      if (this.#counts.size >= MAX_COUNTED) this.#forgetOthers()
      counts = { daily: new CycleCount(this.#options), monthly: new CycleCount(this.#options, 'monthly') }
      this.#counts.set(id, counts)
    }
    return counts
  }

  #forgetOthers(): void {
    for (const [id, { daily }] of this.#counts) {
      if (!isLimited(this.#options.limitsOf(id)) && daily.heldMicro === 0) this.#counts.delete(id)
    }
  }
}

function isLimited(limits: BudgetLimits): boolean {
  return CYCLES.some((cycle) => limits[LIMITS[cycle]] !== undefined)
}

/** What a cycle leaves beside running calls; Infinity without a bound, below 0 where one was lowered. */
function availableIn(cycle: CycleKind, counts: Counts, limits: BudgetLimits): number {
  const limitMicro = limits[LIMITS[cycle]]
  return limitMicro === undefined ? Number.POSITIVE_INFINITY : limitMicro - counts[cycle].takenMicro
}

/**
 * What a call holds of a budget. Charges are counted also while there is no bound, so that one that is set counts the whole day and
 * month.
 */
export class Share implements HeldShare {
  readonly id: string
  readonly scope: PurseScope
  readonly #owner: string
  /** Looked up each time: what nothing is held of can have been forgotten while the call waited. */
  readonly #countsOf: (owner: string) => Counts
  readonly #options: BudgetsOptions
  #heldMicro = ZERO

  constructor(owner: string, countsOf: (owner: string) => Counts, options: BudgetsOptions) {
    this.scope = options.scope
    this.id = purseId(options.scope, owner)
    this.#owner = owner
    this.#countsOf = countsOf
    this.#options = options
  }

  get availableMicro(): number {
    const limits = this.#options.limitsOf(this.#owner)
    const counts = this.#countsOf(this.#owner)
    return Math.min(availableIn('daily', counts, limits), availableIn('monthly', counts, limits))
  }

  /** Keys of a member wait together, whatever it may spend; a project that has no bound keeps nobody waiting. */
  get hasLine(): boolean {
    return this.scope === 'member' || isLimited(this.#options.limitsOf(this.#owner))
  }

  /** What all running calls hold of it. */
  get heldMicro(): number {
    return this.#countsOf(this.#owner).daily.heldMicro
  }

  /** What this call holds; undefined where there is no bound at the moment. */
  get ownMicro(): MicroCredits | undefined {
    return isLimited(this.#options.limitsOf(this.#owner)) ? this.#heldMicro : undefined
  }

  hold(amountMicro: MicroCredits): void {
    this.#heldMicro = totalMicro(this.#heldMicro + amountMicro)
    const counts = this.#countsOf(this.#owner)
    for (const cycle of CYCLES) counts[cycle].hold(amountMicro)
  }

  /** Gives back what the call holds, and notes what it was charged. To be called once. */
  close(chargedMicro: MicroCredits): void {
    const counts = this.#countsOf(this.#owner)
    for (const cycle of CYCLES) counts[cycle].close(this.#heldMicro, chargedMicro)
    this.#options.changed(this.id)
  }
}

/** No id of a member looks like the name of a project. */
export function purseId(scope: PurseScope, id: string): string {
  return scope === 'member' ? id : `project ${id}`
}
