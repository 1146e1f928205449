// Holds Farebox to what it may ask of each provider: requests at a time, requests per minute, and what calls may be charged for
// it on one day. A request that only waits for another one to end may wait for its turn, first come first served.

import type { PackageLimits, Provider, ProviderLimits } from '#core/entities.ts'
import { checkLimits, giveBackLimits, newLimitState, takeLimits, type LimitState } from '#core/limits.ts'
import { microCredits, ZERO, type MicroCredits } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { LIMIT_NAMES, type CallNote, type WaitingCall } from '#core/waiting.ts'
import type { Cancellation } from '#ledger/ledger.ts'
import { DayCount, type DayCountOptions } from '#pipeline/day-count.ts'

export type ProviderGateOptions = DayCountOptions & {
  /** How long a request may wait for its turn. */
  readonly maxWaitMs: number
}

/** A place at a provider: to be given back exactly once, and to be charged exactly once. */
export type Slot = { readonly providerId: string; readonly worstMicro: MicroCredits }

/** Why a provider takes no more. */
export type Full = {
  readonly type: 'full'
  readonly limit: keyof ProviderLimits
  readonly waitMs: number
}

export type ProviderUse = { readonly concurrent: number; readonly chargedTodayMicro: MicroCredits }

/** Who asks for a place; lists of those who wait show only those that say which call they are. */
export type Asker = Cancellation & { readonly call?: CallNote }

type Waiter = {
  readonly worstMicro: MicroCredits
  readonly call: CallNote | undefined
  readonly sinceMs: number
  answer(answer: Slot | Full): void
}
type Lane = {
  readonly providerId: string
  readonly state: LimitState
  /** As the last request knew them, so that those who wait are held to what holds now. */
  limits: ProviderLimits
  readonly day: DayCount
  readonly waiters: Waiter[]
}

const MAX_WAITERS = 256

const NAMES = { ...LIMIT_NAMES, dailyMicro: 'credits_per_day' } as const satisfies Record<keyof ProviderLimits, string>

export class ProviderGate {
  readonly #options: ProviderGateOptions
  readonly #lanes = new Map<string, Lane>()

  constructor(options: ProviderGateOptions) {
    this.#options = options
  }

  /** Takes a place for a request that may come to cost `worstMicro`. */
  take(provider: Provider, worstMicro: MicroCredits): Slot | Full {
    const lane = this.#lane(provider.id)
    lane.limits = provider.limits
    // Whoever waits was here first, and may fit in since the limits were changed.
    this.#serve(lane)
    if (lane.waiters.length > 0) return { type: 'full', limit: 'concurrentRequests', waitMs: 1000 }
    return this.#check(lane) ?? occupy(lane, worstMicro, this.#options.nowMs())
  }

  /** Waits for a place where the limit is that of requests at a time, bounded in time and number. */
  wait(provider: Provider, worstMicro: MicroCredits, asker: Asker): Promise<Slot | Full> {
    const lane = this.#lane(provider.id)
    lane.limits = provider.limits
    const full = this.#check(lane) ?? ({ type: 'full', limit: 'concurrentRequests', waitMs: 1000 } as const)
    const isHopeless = full.limit !== 'concurrentRequests' || lane.waiters.length >= MAX_WAITERS
    if (isHopeless || asker.isCancelled) return Promise.resolve(full)
    return new Promise((resolve) => {
      const giveUp = () => {
        if (lane.waiters.includes(waiter)) waiter.answer(full)
      }
      const patience = setTimeout(giveUp, this.#options.maxWaitMs)
      const waiter: Waiter = {
        worstMicro,
        call: asker.call,
        sinceMs: this.#options.nowMs(),
        answer: (answer) => {
          clearTimeout(patience)
          lane.waiters.splice(lane.waiters.indexOf(waiter), 1)
          resolve(answer)
        },
      }
      lane.waiters.push(waiter)
      asker.onCancel(giveUp)
      this.#serve(lane)
    })
  }

  /** Gives a place back. What it may come to cost stays held until `charge`. */
  leave({ providerId }: Slot): void {
    const lane = this.#lane(providerId)
    giveBackLimits(lane.state, 0, 0, this.#options.nowMs())
    this.#serve(lane)
  }

  /** Notes what the request of a place came to cost. */
  charge({ providerId, worstMicro }: Slot, chargedMicro: MicroCredits): void {
    this.#lane(providerId).day.close(worstMicro, chargedMicro)
  }

  /** What was charged today before this start. */
  restore(charged: ReadonlyMap<string, number>): void {
    for (const [providerId, amount] of charged) this.#lane(providerId).day.restore(amount)
  }

  /** How many requests wait for a place. */
  get waiting(): number {
    let count = 0
    for (const { waiters } of this.#lanes.values()) count += waiters.length
    return count
  }

  /** Every call that waits for a place. Nobody knows when those that have one end. */
  waitingCalls(): WaitingCall[] {
    return [...this.#lanes.values()].flatMap(({ providerId, waiters }) =>
      waiters.flatMap(({ call, sinceMs }, index) => {
        if (call === undefined) return []
        const { exchangeId, keyId, modelId } = call
        const untilMs = sinceMs + this.#options.maxWaitMs
        const reason = { type: 'provider', providerId } as const
        return [{ exchangeId, keyId, modelId, reason, place: index + 1, sinceMs, expectedAtMs: undefined, untilMs }]
      }),
    )
  }

  use(providerId: string): ProviderUse {
    const lane = this.#lanes.get(providerId)
    if (lane === undefined) return { concurrent: 0, chargedTodayMicro: ZERO }
    return { concurrent: lane.state.concurrent, chargedTodayMicro: microCredits(lane.day.chargedMicro) }
  }

  /** The refusal for a request that no provider takes. */
  refusal({ limit, waitMs }: Full): Refusal {
    const name = NAMES[limit]
    const message = `The limit of ${name.replaceAll('_', ' ')} for the provider of this model is reached.`
    return refuse('overloaded', message, {
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      limit: { name, scope: 'provider', resetAt: new Date(this.#options.nowMs() + waitMs).toISOString() },
    })
  }

  #check(lane: Lane): Full | undefined {
    const { limits } = lane
    const nowMs = this.#options.nowMs()
    const verdict = checkLimits(lane.state, asPackageLimits(limits), 0, nowMs)
    if (verdict.type === 'full' && verdict.limit !== 'tokensPerMinute') {
      return { type: 'full', limit: verdict.limit, waitMs: verdict.waitMs }
    }
    if (limits.dailyMicro === undefined || lane.day.takenMicro < limits.dailyMicro) return undefined
    return { type: 'full', limit: 'dailyMicro', waitMs: lane.day.endsAtMs - nowMs }
  }

  #serve(lane: Lane): void {
    for (let next = lane.waiters[0]; next !== undefined; next = lane.waiters[0]) {
      const full = this.#check(lane)
      if (full?.limit === 'concurrentRequests') return
      next.answer(full ?? occupy(lane, next.worstMicro, this.#options.nowMs()))
    }
  }

  #lane(providerId: string): Lane {
    let lane = this.#lanes.get(providerId)
    if (lane === undefined) {
      lane = { providerId, state: newLimitState(), limits: {}, day: new DayCount(this.#options), waiters: [] }
      this.#lanes.set(providerId, lane)
    }
    return lane
  }
}

function occupy(lane: Lane, worstMicro: MicroCredits, nowMs: number): Slot {
  takeLimits(lane.state, 0, nowMs)
  lane.day.hold(worstMicro)
  return { providerId: lane.providerId, worstMicro }
}

function asPackageLimits({ concurrentRequests, requestsPerMinute }: ProviderLimits): PackageLimits {
  return { concurrentRequests, requestsPerMinute, tokensPerMinute: undefined }
}
