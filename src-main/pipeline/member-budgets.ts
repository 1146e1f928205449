// Holds each member to what the calls of all their keys may be charged on one day. What running calls may come to cost is held, so
// that calls which run side by side cannot overrun it together; beside it every key has the credits of its own account.

import { microCredits, microToCredits, ZERO, type MicroCredits } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { OpenHold } from '#ledger/account.ts'
import type { Ledger } from '#ledger/ledger.ts'
import { DayCount, type DayCountOptions } from '#pipeline/day-count.ts'

export type MemberBudgetsOptions = DayCountOptions & {
  /** What a member may be charged on a day as it is said now; undefined is no bound. */
  readonly dailyMicroOf: (memberId: string) => MicroCredits | undefined
}

/** What a call holds of its member's day; to be closed once, and later calls change nothing. */
export type Share = {
  readonly memberId: string
  readonly day: DayCount
  heldMicro: MicroCredits
  isClosed: boolean
}

/** Calls end within seconds to minutes; clients should not ask each second. */
const HELD_RETRY_SECONDS = 5

export class MemberBudgets {
  readonly #options: MemberBudgetsOptions
  readonly #days = new Map<string, DayCount>()

  constructor(options: MemberBudgetsOptions) {
    this.#options = options
  }

  /**
   * Holds up to `worstMicro`, limited to what the day leaves; refused where it leaves nothing. What costs nothing is always let in.
   * Charges are counted also while a member has no bound, so that one that is set counts the whole day.
   */
  take(memberId: string, worstMicro: MicroCredits): Share | Refusal {
    const day = this.#day(memberId)
    const left = this.#left(memberId, day)
    if (left <= 0 && worstMicro > 0) return this.#refusal(memberId, day)
    const heldMicro = microCredits(Math.max(0, Math.min(worstMicro, left)))
    day.hold(heldMicro)
    return { memberId, day, heldMicro, isClosed: false }
  }

  /** Whether there is a bound at the moment. */
  isBounded({ memberId }: Share): boolean {
    return this.#options.dailyMicroOf(memberId) !== undefined
  }

  /** A ledger in which the hold of a running call grows only as far as the member's day leaves room, too. */
  within(share: Share, ledger: Pick<Ledger, 'extend'>): Pick<Ledger, 'extend'> {
    return {
      extend: (hold: OpenHold, moreMicro: MicroCredits) => {
        const left = Math.max(0, this.#left(share.memberId, share.day))
        const gotMicro = ledger.extend(hold, microCredits(Math.min(moreMicro, left)))
        share.heldMicro = microCredits(share.heldMicro + gotMicro)
        share.day.hold(gotMicro)
        return gotMicro
      },
    }
  }

  /** Gives back what a call held, and notes what it was charged. */
  close(share: Share, chargedMicro: MicroCredits): void {
    if (share.isClosed) return
    share.isClosed = true
    share.day.close(share.heldMicro, chargedMicro)
  }

  /** What was charged today before this start. */
  restore(charged: ReadonlyMap<string, number>): void {
    for (const [memberId, amount] of charged) this.#day(memberId).restore(amount)
  }

  chargedTodayMicro(memberId: string): MicroCredits {
    return microCredits(this.#days.get(memberId)?.chargedMicro ?? 0)
  }

  #left(memberId: string, day: DayCount): number {
    const daily = this.#options.dailyMicroOf(memberId)
    return daily === undefined ? Number.POSITIVE_INFINITY : daily - day.takenMicro
  }

  #refusal(memberId: string, day: DayCount): Refusal {
    const dailyMicro = this.#options.dailyMicroOf(memberId) ?? ZERO
    const resetAt = new Date(day.endsAtMs).toISOString()
    const limit = { name: 'credits_per_day', scope: 'member', resetAt }
    const bound = `the ${microToCredits(dailyMicro)} credits a day for all keys of this key's member`
    if (day.chargedMicro >= dailyMicro) {
      return refuse('credits_exhausted', `Of ${bound} nothing is left. They are renewed at ${resetAt}.`, { limit })
    }
    const message = `What is left of ${bound} is held by calls in flight. Retry when they have ended.`
    return refuse('credits_held', message, { retryAfterSeconds: HELD_RETRY_SECONDS, limit })
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
