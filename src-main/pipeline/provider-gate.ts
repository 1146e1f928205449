// Holds Farebox to what it may ask of each provider: requests at a time, requests per minute, and what calls may be charged for
// it on one day. A request that only waits for another one to end may wait for its turn, first come first served.

import type { PackageLimits, Provider, ProviderLimits } from '#core/entities.ts'
import { checkLimits, giveBackLimits, newLimitState, takeLimits, type LimitState } from '#core/limits.ts'
import { totalMicro, ZERO, type MicroCredits } from '#core/money.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { decide, type Spendable, type Wish } from '#core/spending.ts'
import { LIMIT_NAMES, type CallNote, type WaitingCall } from '#core/waiting.ts'
import { WaitQueue, type After, type Cancellation, type Look } from '#core/wait-queue.ts'
import { DayCount, type DayCountOptions } from '#pipeline/day-count.ts'

export type ProviderGateOptions = DayCountOptions & {
  readonly after: After
  /** How long a request may wait for its turn. */
  readonly maxWaitMs: number
}

/** A place at a provider: to be given back exactly once, and to be charged exactly once. */
export type Slot = {
  readonly providerId: string
  /** What the request may come to cost: less than it asked for where it runs alone on the rest of a day. */
  readonly promisedMicro: MicroCredits
  /** That, and what it grew by since. */
  heldMicro: MicroCredits
}

/** Why a provider takes no more. */
export type Full = {
  readonly type: 'full'
  readonly limit: keyof ProviderLimits
  readonly waitMs: number
  /** Whether it is requests that run which are in the way. They can be waited for. */
  readonly isPassing: boolean
}

export type ProviderUse = { readonly concurrent: number; readonly chargedTodayMicro: MicroCredits }

/** Who asks for a place, and for which call. */
export type Asker = Cancellation & { readonly call: CallNote }

type SlotRequest = CallNote & { readonly lane: Lane; readonly wish: Wish }
type Lane = {
  readonly providerId: string
  readonly state: LimitState
  /** As the last request knew them, so that those who wait are held to what holds now. */
  limits: ProviderLimits
  readonly day: DayCount
}

/** After which a request that is in nobody's line may come again. */
const RETRY_MS = 1000
/** Of requests that run, nobody knows when they end: until then what they hold of a day is not available. */
const HELD_RETRY_MS = 5000

const LINE_IS_LONG: Full = { type: 'full', limit: 'concurrentRequests', waitMs: RETRY_MS, isPassing: true }

const NAMES = { ...LIMIT_NAMES, dailyMicro: 'credits_per_day' } as const satisfies Record<keyof ProviderLimits, string>

export class ProviderGate {
  readonly #options: ProviderGateOptions
  readonly #lanes = new Map<string, Lane>()
  /** One line for each provider. */
  readonly #queue: WaitQueue<SlotRequest, Slot | Full, Full>

  constructor(options: ProviderGateOptions) {
    this.#options = options
    const { nowMs, after, maxWaitMs } = options
    this.#queue = new WaitQueue({
      nowMs,
      after,
      patienceMs: maxWaitMs,
      look: ({ lane, wish }) => this.#look(lane, wish),
      refuse: (_, full) => full,
      reasonOf: (_, { lane: { providerId } }) => ({ type: 'provider', providerId }),
    })
  }

  /** Takes a place for a request, by what it may come to cost. */
  take(provider: Provider, wish: Wish): Slot | Full {
    const lane = this.#lane(provider.id)
    lane.limits = provider.limits
    // Whoever waits was here first, and may fit in since the limits were changed.
    this.#queue.serveLine(provider.id)
    return this.#queue.hasLine(provider.id) ? LINE_IS_LONG : this.#occupy(lane, wish)
  }

  /** Whether what a request may come to cost fits into what is left of the provider's day. */
  hasRoom(provider: Provider, worstMicro: MicroCredits): boolean {
    const lane = this.#lane(provider.id)
    lane.limits = provider.limits
    return worstMicro <= spendableOf(lane).availableMicro
  }

  /** Waits for a place where it is requests that run which are in the way, bounded in time and number. */
  wait(provider: Provider, wish: Wish, asker: Asker): Promise<Slot | Full> {
    const lane = this.#lane(provider.id)
    lane.limits = provider.limits
    const { exchangeId, keyId, modelId } = asker.call
    return this.#queue.join({ exchangeId, keyId, modelId, lane, wish }, provider.id, asker)
  }

  /** Gives a place back. What it may come to cost stays held until `charge`. */
  leave({ providerId }: Slot): void {
    const lane = this.#lane(providerId)
    giveBackLimits(lane.state, 0, 0, this.#options.nowMs())
    this.#queue.serveLine(providerId)
  }

  /** Notes what the request of a place came to cost. */
  charge({ providerId, heldMicro }: Slot, chargedMicro: MicroCredits): void {
    const lane = this.#lane(providerId)
    lane.day.close(heldMicro, chargedMicro)
    this.#queue.serveLine(providerId)
  }

  /** By how much what a running request holds of the day can grow; Infinity where the provider has no bound. */
  growthLeft({ providerId }: Slot): number {
    return Math.max(0, spendableOf(this.#lane(providerId)).availableMicro)
  }

  /** Lets what a running request holds grow by what there is for it. */
  grow(slot: Slot, moreMicro: MicroCredits): void {
    slot.heldMicro = totalMicro(slot.heldMicro + moreMicro)
    this.#lane(slot.providerId).day.hold(moreMicro)
  }

  /** What was charged today before this start. */
  restore(charged: ReadonlyMap<string, number>): void {
    for (const [providerId, amount] of charged) this.#lane(providerId).day.restore(amount)
  }

  /** How many requests wait for a place. */
  get waiting(): number {
    return this.#queue.length
  }

  /** Every call that waits for a place. Nobody knows when those that have one end. */
  waitingCalls(): WaitingCall[] {
    return this.#queue.waitingCalls()
  }

  use(providerId: string): ProviderUse {
    const lane = this.#lanes.get(providerId)
    if (lane === undefined) return { concurrent: 0, chargedTodayMicro: ZERO }
    return { concurrent: lane.state.concurrent, chargedTodayMicro: totalMicro(lane.day.chargedMicro) }
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

  /** Takes a place, or says which limit is in the way. All limits are looked at before anything is taken. */
  #occupy(lane: Lane, wish: Wish): Slot | Full {
    const nowMs = this.#options.nowMs()
    const verdict = checkLimits(lane.state, asPackageLimits(lane.limits), 0, nowMs)
    if (verdict.type === 'full' && verdict.limit !== 'tokensPerMinute') {
      const { limit, waitMs } = verdict
      return { type: 'full', limit, waitMs, isPassing: limit === 'concurrentRequests' }
    }
    const spend = decide(wish, spendableOf(lane), undefined)
    if (spend.type !== 'fits') {
      const isPassing = spend.type === 'held-by-others'
      const waitMs = isPassing ? HELD_RETRY_MS : lane.day.endsAtMs - nowMs
      return { type: 'full', limit: 'dailyMicro', waitMs, isPassing }
    }
    takeLimits(lane.state, 0, nowMs)
    lane.day.hold(spend.amountMicro)
    return { providerId: lane.providerId, promisedMicro: spend.amountMicro, heldMicro: spend.amountMicro }
  }

  #look(lane: Lane, wish: Wish): Look<Slot | Full, Full> {
    const taken = this.#occupy(lane, wish)
    if (!('type' in taken) || !taken.isPassing) return { type: 'answer', answer: taken }
    return { type: 'wait', blocks: 'line', hindrance: taken, overAtMs: undefined }
  }

  #lane(providerId: string): Lane {
    let lane = this.#lanes.get(providerId)
    if (lane === undefined) {
      lane = { providerId, state: newLimitState(), limits: {}, day: new DayCount(this.#options) }
      this.#lanes.set(providerId, lane)
    }
    return lane
  }
}

/** What calls may be charged at the provider today. */
function spendableOf({ limits: { dailyMicro }, day }: Lane): Spendable {
  const availableMicro = dailyMicro === undefined ? Number.POSITIVE_INFINITY : dailyMicro - day.takenMicro
  return { availableMicro, heldMicro: day.heldMicro }
}

function asPackageLimits({ concurrentRequests, requestsPerMinute }: ProviderLimits): PackageLimits {
  return { concurrentRequests, requestsPerMinute, tokensPerMinute: undefined }
}
