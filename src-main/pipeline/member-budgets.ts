// Holds each member to what the calls of all their keys may be charged on one day. What running calls may come to cost is held, so
// that calls which run side by side cannot overrun it together; beside it every key has the credits of its own account.

import { nextCycleStart } from '#core/cycle.ts'
import { microCredits, microToCredits, ZERO, type MicroCredits } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { OpenHold } from '#ledger/account.ts'
import type { Ledger } from '#ledger/ledger.ts'

export type MemberBudgetsOptions = {
  readonly nowMs: () => number
  /** Whose days are counted. */
  readonly timeZone: string
  /** What a member may be charged on a day as it is said now; undefined is no bound. */
  readonly dailyMicroOf: (memberId: string) => MicroCredits | undefined
}

type Day = {
  readonly memberId: string
  chargedMicro: number
  /** What running calls may come to cost. */
  heldMicro: number
  /** When the day ends that `chargedMicro` counts. */
  endsAtMs: number
}

/** What a call holds of its member's day; to be closed once, and later calls change nothing. */
export type Share = {
  readonly day: Day
  heldMicro: MicroCredits
  isClosed: boolean
}

/** Calls end within seconds to minutes; clients should not ask each second. */
const HELD_RETRY_SECONDS = 5

export class MemberBudgets {
  readonly #options: MemberBudgetsOptions
  readonly #days = new Map<string, Day>()

  constructor(options: MemberBudgetsOptions) {
    this.#options = options
  }

  /**
   * Holds up to `worstMicro`, limited to what the day leaves; refused where it leaves nothing. What costs nothing is always let in.
   * Charges are counted also while a member has no bound, so that one that is set counts the whole day.
   */
  take(memberId: string, worstMicro: MicroCredits): Share | Refusal {
    const day = this.#day(memberId)
    const left = this.#left(day)
    if (left <= 0 && worstMicro > 0) return this.#refusal(day)
    const heldMicro = microCredits(Math.max(0, Math.min(worstMicro, left)))
    day.heldMicro += heldMicro
    return { day, heldMicro, isClosed: false }
  }

  /** Whether there is a bound at the moment. */
  isBounded({ day }: Share): boolean {
    return this.#options.dailyMicroOf(day.memberId) !== undefined
  }

  /** A ledger in which the hold of a running call grows only as far as the member's day leaves room, too. */
  within(share: Share, ledger: Pick<Ledger, 'extend'>): Pick<Ledger, 'extend'> {
    return {
      extend: (hold: OpenHold, moreMicro: MicroCredits) => {
        const left = Math.max(0, this.#left(share.day))
        const gotMicro = ledger.extend(hold, microCredits(Math.min(moreMicro, left)))
        share.heldMicro = microCredits(share.heldMicro + gotMicro)
        share.day.heldMicro += gotMicro
        return gotMicro
      },
    }
  }

  /** Gives back what a call held, and notes what it was charged. */
  close(share: Share, chargedMicro: MicroCredits): void {
    if (share.isClosed) return
    share.isClosed = true
    this.#turn(share.day)
    share.day.heldMicro -= share.heldMicro
    share.day.chargedMicro += chargedMicro
  }

  /** What was charged today before this start. */
  restore(charged: ReadonlyMap<string, number>): void {
    for (const [memberId, amount] of charged) this.#day(memberId).chargedMicro = amount
  }

  chargedTodayMicro(memberId: string): MicroCredits {
    const day = this.#days.get(memberId)
    if (day === undefined) return ZERO
    this.#turn(day)
    return microCredits(day.chargedMicro)
  }

  #left(day: Day): number {
    const daily = this.#options.dailyMicroOf(day.memberId)
    return daily === undefined ? Number.POSITIVE_INFINITY : daily - day.chargedMicro - day.heldMicro
  }

  #refusal(day: Day): Refusal {
    const dailyMicro = this.#options.dailyMicroOf(day.memberId) ?? ZERO
    const resetAt = new Date(day.endsAtMs).toISOString()
    const limit = { name: 'credits_per_day', scope: 'member', resetAt }
    const bound = `the ${microToCredits(dailyMicro)} credits a day for all keys of this key's member`
    if (day.chargedMicro >= dailyMicro) {
      return refuse('credits_exhausted', `Of ${bound} nothing is left. They are renewed at ${resetAt}.`, { limit })
    }
    const message = `What is left of ${bound} is held by calls in flight. Retry when they have ended.`
    return refuse('credits_held', message, { retryAfterSeconds: HELD_RETRY_SECONDS, limit })
  }

  #day(memberId: string): Day {
    let day = this.#days.get(memberId)
    if (day === undefined) {
      day = { memberId, chargedMicro: 0, heldMicro: 0, endsAtMs: this.#nextDay() }
      this.#days.set(memberId, day)
    }
    this.#turn(day)
    return day
  }

  #turn(day: Day): void {
    if (this.#options.nowMs() < day.endsAtMs) return
    day.chargedMicro = 0
    day.endsAtMs = this.#nextDay()
  }

  #nextDay(): number {
    return nextCycleStart('daily', this.#options.timeZone, this.#options.nowMs())
  }
}
