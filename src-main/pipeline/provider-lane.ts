// What calls took of the limits of one provider, or of one of its secrets: requests and tokens per minute, requests at a time, and what
// they may be charged on one day.

import type { PackageLimits, ProviderLimits } from '#core/entities.ts'
import { addTokens, checkLimits, giveBackLimits, newLimitState, takeLimits, type LimitState } from '#core/limits.ts'
import type { MicroCredits } from '#core/money.ts'
import { decide, type Spendable, type Wish } from '#core/spending.ts'
import { CycleCount, type CycleCountOptions } from '#pipeline/cycle-count.ts'

/** What a request may come to take of a provider's limits. */
export type ProviderWish = Wish & {
  /** By our estimate. */
  readonly inputTokens: number
}

/** Why a provider takes no more. */
export type Full = {
  readonly type: 'full'
  readonly limit: keyof ProviderLimits
  readonly waitMs: number
  /** Whether it is requests that run which are in the way. They can be waited for. */
  readonly isPassing: boolean
}

/** Of requests that run, nobody knows when they end: until then what they hold of a day is not available. */
const HELD_RETRY_MS = 5000

export class ProviderLane {
  readonly #nowMs: () => number
  readonly #state: LimitState = newLimitState()
  readonly day: CycleCount
  /** As the last request knew them, so that those who wait are held to what holds now. */
  limits: ProviderLimits = {}

  constructor(options: CycleCountOptions) {
    this.#nowMs = options.nowMs
    this.day = new CycleCount(options)
  }

  /** How many requests run. */
  get concurrent(): number {
    return this.#state.concurrent
  }

  /** What calls may be charged today. */
  get spendable(): Spendable {
    const { dailyMicro } = this.limits
    const availableMicro = dailyMicro === undefined ? Number.POSITIVE_INFINITY : dailyMicro - this.day.takenMicro
    return { availableMicro, heldMicro: this.day.heldMicro }
  }

  /** What the request may be promised of the day, or which limit is in the way. Takes nothing. */
  look(wish: ProviderWish): MicroCredits | Full {
    const nowMs = this.#nowMs()
    const verdict = checkLimits(this.#state, asPackageLimits(this.limits), wish.inputTokens, nowMs)
    if (verdict.type === 'full') {
      const { limit, waitMs } = verdict
      return { type: 'full', limit, waitMs, isPassing: limit === 'concurrentRequests' }
    }
    const spend = decide(wish, this.spendable)
    if (spend.type === 'fits') return spend.amountMicro
    const isPassing = spend.type === 'held-by-others'
    return {
      type: 'full',
      limit: 'dailyMicro',
      waitMs: isPassing ? HELD_RETRY_MS : this.day.endsAtMs - nowMs,
      isPassing,
    }
  }

  take(inputTokens: number, promisedMicro: MicroCredits): void {
    takeLimits(this.#state, inputTokens, this.#nowMs())
    this.day.hold(promisedMicro)
  }

  /** The request is over. What it may come to cost stays held. */
  leave(): void {
    giveBackLimits(this.#state, 0, 0, this.#nowMs())
  }

  /** Tokens that it used beyond the estimate. */
  addTokens(tokens: number): void {
    addTokens(this.#state, tokens, this.#nowMs())
  }
}

function asPackageLimits({ concurrentRequests, requestsPerMinute, tokensPerMinute }: ProviderLimits): PackageLimits {
  return { concurrentRequests, requestsPerMinute, tokensPerMinute }
}
