// Holds each member to what the calls of all their keys may be charged on one day. What running calls may come to cost is held, so
// that calls which run side by side cannot overrun it together; beside it every key has the credits of its own account.

import { microCredits, microToCredits, totalMicro, ZERO, type MicroCredits } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { Purse } from '#core/spending.ts'
import { DayCount, type DayCountOptions } from '#pipeline/day-count.ts'

export type MemberBudgetsOptions = DayCountOptions & {
  /** What a member may be charged on a day as it is said now; undefined is no bound. */
  readonly dailyMicroOf: (memberId: string) => MicroCredits | undefined
  /** Told when something came back to a member's day. */
  readonly changed: (memberId: string) => void
}

/** Calls end within seconds to minutes; clients should not ask each second. */
const HELD_RETRY_SECONDS = 5

export class MemberBudgets {
  readonly #options: MemberBudgetsOptions
  readonly #days = new Map<string, DayCount>()

  constructor(options: MemberBudgetsOptions) {
    this.#options = options
  }

  /** The part of a member's day that one call holds, nothing so far. */
  share(memberId: string): Share {
    return new Share(memberId, this.#day(memberId), this.#options)
  }

  /** What was charged today before this start. */
  restore(charged: ReadonlyMap<string, number>): void {
    for (const [memberId, amount] of charged) this.#day(memberId).restore(amount)
  }

  chargedTodayMicro(memberId: string): MicroCredits {
    return totalMicro(this.#days.get(memberId)?.chargedMicro ?? 0)
  }

  /** What running calls of the member may come to cost. */
  heldMicro(memberId: string): MicroCredits {
    return totalMicro(this.#days.get(memberId)?.heldMicro ?? 0)
  }

  /** What a call is told that the member's day does not carry: not at all, or not beside the calls that run. */
  refusal(memberId: string, type: 'exhausted' | 'held-by-others'): Refusal {
    const day = this.#day(memberId)
    const dailyMicro = this.#options.dailyMicroOf(memberId) ?? ZERO
    const resetAt = new Date(day.endsAtMs).toISOString()
    const limit = { name: 'credits_per_day', scope: 'member', resetAt }
    const bound = `the ${microToCredits(dailyMicro)} credits a day for all keys of this key's member`
    if (type === 'held-by-others') {
      const message = `What this call may cost of ${bound} is held by calls in flight. Retry when they have ended.`
      return refuse('credits_held', message, { retryAfterSeconds: HELD_RETRY_SECONDS, limit })
    }
    const left = Math.max(0, dailyMicro - day.chargedMicro)
    const standing =
      left === 0 ? 'nothing is left' : `${microToCredits(microCredits(left))} are left, which do not pay for this call`
    return refuse('credits_exhausted', `Of ${bound} ${standing}. They are renewed at ${resetAt}.`, { limit })
  }

  #day(memberId: string): DayCount {
    let day = this.#days.get(memberId)
    if (day === undefined) {
      day = new DayCount(this.#options)
      this.#days.set(memberId, day)
    }
    return day
  }
}

/**
 * What a call holds of its member's day. Charges are counted also while the member has no bound, so that one that is set counts the
 * whole day.
 */
export class Share implements Purse {
  /** The member's: all their calls wait in one line. */
  readonly id: string
  readonly #day: DayCount
  readonly #options: MemberBudgetsOptions
  #heldMicro = ZERO

  constructor(memberId: string, day: DayCount, options: MemberBudgetsOptions) {
    this.id = memberId
    this.#day = day
    this.#options = options
  }

  /** What the day leaves beside running calls; Infinity without a bound, below 0 where one was lowered. */
  get availableMicro(): number {
    const dailyMicro = this.#options.dailyMicroOf(this.id)
    return dailyMicro === undefined ? Number.POSITIVE_INFINITY : dailyMicro - this.#day.takenMicro
  }

  /** What all running calls of the member hold. */
  get heldMicro(): number {
    return this.#day.heldMicro
  }

  /** What this call holds; undefined where the member has no bound at the moment. */
  get ownMicro(): MicroCredits | undefined {
    return this.#options.dailyMicroOf(this.id) === undefined ? undefined : this.#heldMicro
  }

  hold(amountMicro: MicroCredits): void {
    this.#heldMicro = totalMicro(this.#heldMicro + amountMicro)
    this.#day.hold(amountMicro)
  }

  /** Gives back what the call holds, and notes what it was charged. To be called once. */
  close(chargedMicro: MicroCredits): void {
    this.#day.close(this.#heldMicro, chargedMicro)
    this.#options.changed(this.id)
  }
}
