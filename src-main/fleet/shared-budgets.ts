// Days and months of members and projects that gateways share exactly: this gateway's leases of them, and all that it charged in them, which it tells as whole
// sums, so that what is told twice counts once and what its own books have at a start is told like anything else.

import { microCredits, type MicroCredits } from '#core/money.ts'
import type { PurseScope, Wish } from '#core/spending.ts'
import type { Cancellation } from '#core/wait-queue.ts'
import {
  boundOf,
  budgetId,
  budgetOf,
  BudgetShare,
  WindowClock,
  type Budget,
  type BudgetsTelling,
  type ExactLimits,
  type JoinedBudgets,
  type ToldSum,
} from '#fleet/budget-share.ts'
import { availableIn, LeaseBook, leaseId, type Lease, type Lent, type Sum } from '#fleet/lease-book.ts'
import {
  LeaseQueue,
  type Holder,
  type LeaseQueueOptions,
  type TakeAnswer,
  type TakeRequest,
  type Wanting,
} from '#fleet/lease-queue.ts'
import type { Seat } from '#fleet/seat.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { HeldShare, Reserved, SharedBudgets as Port } from '#pipeline/leases.ts'

type WaitOptions = Pick<LeaseQueueOptions<Request, Reserved>, 'monotonicMs' | 'after' | 'patienceMs' | 'isUnsteady'>

type SharedBudgetsOptions = ExactLimits &
  WaitOptions & {
    readonly seat: Pick<Seat, 'inTurn' | 'say' | 'version' | 'budgetParts'>
    readonly nowMs: () => number
    /** Brings this gateway to the latest catalogue. */
    readonly follow: () => Promise<void>
    /** Told when something came back to a purse. */
    readonly ledger: Pick<Ledger, 'purseChanged'>
  }

type Charged = {
  readonly id: string
  readonly started: number
  readonly ends: number
  /** By this gateway, and as far as PostgreSQL has it. */
  totalMicro: number
  toldMicro: number
}
type Request = Wanting & { readonly share: BudgetShare }

const SPANS = { daily: 'day', monthly: 'month' } as const
const CYCLES = { member: ['daily'], project: ['daily', 'monthly'] } as const
/** So many budgets in one message. */
const MAX_SENT = 1000
/** Clients can name projects that nobody has bounded: beyond so many of them none is counted that was not before. */
const MAX_COUNTED = 10_000
/** After this nothing is charged in a window that is over. */
const KEPT_MS = 86_400_000

export class SharedBudgets implements Port {
  readonly #options: SharedBudgetsOptions
  readonly #clock: WindowClock
  readonly #book: LeaseBook
  readonly #queue: LeaseQueue<Request, Reserved>
  readonly #charged = new Map<string, Charged>()
  /** What all gateways charged in a window, as it was heard last. */
  readonly #heard = new Map<string, { readonly started: number; readonly totalMicro: number }>()
  /** By which bound the leases of a budget were taken. */
  readonly #bounds = new Map<string, MicroCredits | undefined>()
  /** Out of the book, and on its way back. */
  #back: Sum[] = []
  readonly #wanted = new Set<string>()

  constructor(options: SharedBudgetsOptions) {
    const { monotonicMs, after, patienceMs, isUnsteady } = options
    this.#options = options
    this.#clock = new WindowClock(options)
    const changed = (id: string) => this.changed(id)
    const cycleOf = (id: string) => this.#clock.startOf(budgetOf(id).cycle)
    this.#book = new LeaseBook({ monotonicMs, cycleOf, changed, charged: () => {} })
    const take = (request: TakeRequest) => this.#take(request)
    const holder = this.#holder()
    this.#queue = new LeaseQueue({ book: this.#book, holder, take, monotonicMs, after, patienceMs, isUnsteady })
    for (const { amountMicro, ...budget } of options.charged) {
      this.#chargedIn(budgetId(budget), this.#clock.startOf(budget.cycle)).totalMicro += amountMicro
    }
  }

  shares(scope: PurseScope, owner: string): readonly BudgetShare[] {
    return CYCLES[scope].flatMap((cycle) => {
      const budget = { scope, cycle, owner }
      const isCounted = this.#charged.size < MAX_COUNTED || this.bound(budgetId(budget)) !== undefined
      return isCounted ? [new BudgetShare(budget, this)] : []
    })
  }

  hasLine(shares: readonly HeldShare[]): boolean {
    return shares.some((share) => share instanceof BudgetShare && this.#queue.isWaitedFor(share.budgetId))
  }

  async reserve(shares: readonly HeldShare[], wish: Wish, cancellation: Cancellation): Promise<Reserved> {
    for (const share of shares) {
      if (!(share instanceof BudgetShare) || !share.isBounded) continue
      const { worstMicro, leastMicro } = wish
      const answer = await this.#queue.hold({ keyId: share.budgetId, worstMicro, leastMicro, share }, cancellation)
      if (answer.type !== 'reserved') return answer
    }
    return { type: 'reserved' }
  }

  giveUp(shares: readonly HeldShare[]): void {
    for (const share of shares) if (share instanceof BudgetShare) share.giveUp()
  }

  /** What the other gateways charged in the present window, as far as it was heard of; 0 where this one holds to its part. */
  chargedElsewhere(budget: Budget): number {
    const part = this.#options.seat.budgetParts?.[SPANS[budget.cycle]]
    if (part !== undefined && part.of > 1) return 0
    const id = budgetId(budget)
    const started = this.#clock.startOf(budget.cycle)
    const heard = this.#heard.get(id)
    if (heard?.started !== started) return 0
    return Math.max(0, heard.totalMicro - (this.#charged.get(`${id} ${started}`)?.toldMicro ?? 0))
  }

  present(id: string): Lease {
    return this.#book.present(id)
  }

  bound(id: string): MicroCredits | undefined {
    const budget = budgetOf(id)
    return boundOf(budget, this.#options.limitsOf(budget.scope, budget.owner))
  }

  isStale(id: string): boolean {
    return !this.#bounds.has(id) || this.#bounds.get(id) !== this.bound(id)
  }

  hold(lease: Lease, amountMicro: number): void {
    this.#book.hold(lease, amountMicro)
  }

  close(lease: Lease, heldMicro: number, chargedMicro: number): void {
    this.#book.close(lease, heldMicro, chargedMicro)
    if (chargedMicro > 0) this.#chargedIn(lease.keyId, lease.cycle).totalMicro += chargedMicro
    this.changed(lease.keyId)
  }

  changed(id: string): void {
    this.#queue.changed(id)
    this.#options.ledger.purseChanged(leaseId(id))
  }

  /** What PostgreSQL says of a budget: that another gateway lacks what this one may have of it, or that something of it is free again. */
  hearOf(word: string, id: string, failed: (error: unknown) => void): void {
    if (word === 'budget-freed') this.#queue.changed(id)
    if (word !== 'budget-want') return
    this.#wanted.add(id)
    this.ship('lately').catch(failed)
  }

  /** Tells, gives back and asks for what will be needed. */
  async exchange(): Promise<void> {
    await this.ship('lately')
    await this.#askAhead()
  }

  /** What is told when this gateway joins: all that it charged. */
  get telling(): BudgetsTelling {
    const told = [...this.#charged.values()].map(toldSum)
    return { zone: this.#options.timeZone, told }
  }

  /** Goes on from what PostgreSQL has of this gateway, and takes what it spent and holds beyond that. In the turn in which it joined. */
  async joined({ leases, charged }: JoinedBudgets): Promise<void> {
    this.#back = []
    this.#bounds.clear()
    for (const [id, , , boundMicro] of leases)
      this.#bounds.set(id, boundMicro === null ? undefined : microCredits(boundMicro))
    this.#book.restore(leases.map(([id, started, amountMicro]) => [id, started, amountMicro]))
    for (const [id, started, amountMicro] of charged) {
      const own = this.#chargedIn(id, started)
      own.toldMicro = amountMicro
      // Somebody's calls may be another's by now.
      own.totalMicro = Math.max(own.totalMicro, amountMicro)
    }
    for (const lease of this.#book.all) {
      const own = this.#charged.get(`${lease.keyId} ${lease.cycle}`)
      lease.spentMicro = own === undefined ? 0 : own.totalMicro - own.toldMicro
    }
    const lacking = this.#book.lacking().flatMap(([id, started, amountMicro]) => {
      const bound = this.bound(id)
      return bound === undefined ? [] : [[id, started, amountMicro, bound]]
    })
    if (lacking.length === 0) return
    const { got } = await this.#options.seat.say('take_budgets', [JSON.stringify(lacking), 'true'])
    this.#book.leased((got ?? []) as readonly Lent[])
  }

  /** Tells what was charged since the last time, and gives back what is idle, wanted, or leased by another bound; at the end everything. */
  async ship(how: 'lately' | 'end'): Promise<void> {
    let isAll = false
    while (!isAll) isAll = await this.#options.seat.inTurn(() => this.#shipNext(how === 'end'))
  }

  /** Asks for more where leases are running low: once for all of them. */
  async #askAhead(): Promise<void> {
    const asked: Sum[] = []
    for (const lease of this.#book.all) {
      const { keyId: id, cycle } = lease
      if (asked.length === MAX_SENT) break
      const isAsked = this.bound(id) !== undefined && !this.isStale(id) && !this.#queue.isWaitedFor(id)
      const wantMicro = isAsked ? this.#book.ahead(lease) : 0
      if (wantMicro > 0) asked.push([id, cycle, wantMicro])
    }
    if (asked.length === 0) return
    const { seat } = this.#options
    const lent = await seat.inTurn(async () => {
      const { got } = await seat.say('take_budgets', [JSON.stringify(asked), 'false'])
      const taken = (got ?? []) as readonly Lent[]
      this.#book.leased(taken)
      return taken
    })
    for (const [id] of lent) this.changed(id)
  }

  async #shipNext(isEnd: boolean): Promise<boolean> {
    const untold = this.#untold()
    const sums = untold.map(toldSum)
    for (const lease of this.#book.all) this.#dropStale(lease)
    const handed = [...this.#back, ...this.#takeIdle(isEnd)]
    this.#back = []
    this.#wanted.clear()
    if (sums.length === 0 && handed.length === 0) return true
    const { heard } = await this.#options.seat.say('ship_budgets', [JSON.stringify(sums), JSON.stringify(handed)])
    for (const [index, own] of untold.entries()) {
      const totalMicro = sums[index]?.[3] ?? own.toldMicro
      this.#book.told([[own.id, own.started, totalMicro - own.toldMicro]])
      own.toldMicro = totalMicro
    }
    // The sums of the windows that were told.
    for (const [id, started, totalMicro] of (heard ?? []) as readonly Sum[]) this.#hear(id, started, totalMicro)
    for (const { id } of untold) this.changed(id)
    return untold.length < MAX_SENT && handed.length < MAX_SENT
  }

  #untold(): Charged[] {
    const nowMs = this.#options.nowMs()
    const untold: Charged[] = []
    for (const [key, own] of this.#charged) {
      if (own.totalMicro > own.toldMicro) untold.push(own)
      else if (own.ends + KEPT_MS < nowMs) this.#charged.delete(key)
      if (untold.length === MAX_SENT) break
    }
    return untold
  }

  #takeIdle(isEnd: boolean): Sum[] {
    const isWanted = ({ keyId }: Lease) => isEnd || this.#wanted.has(keyId)
    const isBusy = (lease: Lease) => !isEnd && this.#queue.isCountedOn(lease)
    return this.#book.takeIdle(isWanted, isBusy, MAX_SENT)
  }

  /** What was leased by another bound is taken anew. */
  #dropStale(lease: Lease): void {
    const leftMicro = availableIn(lease)
    if (leftMicro <= 0 || !this.isStale(lease.keyId)) return
    lease.leasedMicro -= leftMicro
    this.#back.push([lease.keyId, lease.cycle, leftMicro])
  }

  #hear(id: string, started: number, totalMicro: number): void {
    this.#heard.set(id, { started, totalMicro })
  }

  #chargedIn(id: string, started: number): Charged {
    const key = `${id} ${started}`
    const known = this.#charged.get(key)
    if (known !== undefined) return known
    const ends = this.#clock.endOf(budgetOf(id).cycle, started)
    const made = { id, started, ends, totalMicro: 0, toldMicro: 0 }
    this.#charged.set(key, made)
    return made
  }

  async #take({ lease, needMicro, wantMicro, leastMicro }: TakeRequest): Promise<TakeAnswer> {
    const { seat, follow } = this.#options
    const { keyId: id, cycle } = lease
    const ends = this.#clock.endOf(budgetOf(id).cycle, cycle)
    const answer = await seat
      .inTurn(async (): Promise<TakeAnswer> => {
        const bound = this.bound(id)
        const back = this.#takeBack(id, cycle)
        const amounts = [needMicro, wantMicro, Math.max(0, availableIn(lease)), leastMicro ?? null]
        const said = await seat.say('take_budget', [seat.version, id, cycle, ends, bound ?? null, back, ...amounts])
        const { error, got, free, elsewhere, used } = said
        if (error !== undefined) {
          // It was not given back either.
          if (back > 0) this.#back.push([id, cycle, back])
          return { type: error === 'stale' ? 'again' : 'unavailable' }
        }
        this.#bounds.set(id, bound)
        this.#book.leased([[id, cycle, Number(got), Number(free)]])
        this.#hear(id, cycle, Number(used))
        return { type: 'asked', gotMicro: Number(got), freeMicro: Number(free), elsewhereMicro: Number(elsewhere) }
      })
      .catch((): TakeAnswer => ({ type: 'unavailable' }))
    if (answer.type === 'again') await follow()
    return answer
  }

  /** What is on its way back of one window goes with the question. */
  #takeBack(id: string, started: number): number {
    const isIt = ([of, at]: Sum) => of === id && at === started
    const sum = this.#back.filter(isIt).reduce((total, [, , amountMicro]) => total + amountMicro, 0)
    this.#back = this.#back.filter((one) => !isIt(one))
    return sum
  }

  #holder(): Holder<Request, Reserved> {
    return {
      holdAtOnce: ({ share, worstMicro }) => {
        this.#dropStale(this.present(share.budgetId))
        if (share.availableMicro < worstMicro) return undefined
        share.reserve(worstMicro)
        return { type: 'reserved' }
      },
      hold: async ({ share, worstMicro, leastMicro }) => {
        const leftMicro = Math.min(worstMicro, share.availableMicro)
        const { scope } = share
        if (share.heldMicro > 0 || leftMicro < Math.max(1, leastMicro)) return { type: 'held-by-others', scope }
        share.reserve(leftMicro)
        return { type: 'reserved' }
      },
      refused: (type, { share: { scope } }) => ({ type, scope }),
      unavailable: () => ({ type: 'unavailable' }),
    }
  }
}

function toldSum({ id, started, ends, totalMicro }: Charged): ToldSum {
  return [id, started, ends, totalMicro]
}
